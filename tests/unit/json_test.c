#include "json/json.h"

#include "base/error.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/wait.h>
#include <cmocka.h>

static struct arena *arena;
static struct buf out;
static struct json_writer w;

static int setup(void **state) {
    (void)state;
    arena = arena_new();
    out = (struct buf){0};
    jw_init(&w, &out);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    arena_free(arena);
    buf_free(&out);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static struct json *parsed(struct str text) {
    struct json *v;
    struct json_error err = {0};
    if (json_parse(arena, text, &v, &err) != 0) fail_msg("%.*s: %s", (int)text.n, text.p, err.reason);
    return v;
}

static void expect_written(const char *text) {
    buf_char(&out, '\0');
    assert_string_equal(out.p, text);
    out.n = 0;
}

static void expect_read(const char *text, const char *written) {
    jw_json(&w, parsed(str_of(text)));
    expect_written(written);
}

static void expect_refused(struct str text, size_t offset, const char *reason) {
    struct json *v;
    struct json_error err = {0};
    assert_int_equal(json_parse(arena, text, &v, &err), -ERR_BODY_INVALID);
    assert_null(v);
    assert_string_equal(err.reason, reason);
    assert_int_equal(err.offset, offset);
}

/* ---- reading --------------------------------------------------------------------------------- */

static void every_type_of_value_is_read(void **state) {
    (void)state;
    expect_read(" null ", "null");
    expect_read("\t[true, false ,null]\r\n", "[true,false,null]");
    expect_read("{ \"a\" : {} , \"b\":[ ] }", "{\"a\":{},\"b\":[]}");
    const struct json *v = parsed(S("{\"a\":[1,\"x\",true]}"));
    assert_int_equal(v->type, JSON_OBJECT);
    const struct json *a = json_member(v, S("a"));
    assert_int_equal(a->count, 3);
    assert_int_equal(a->first->type, JSON_NUMBER);
    assert_int_equal(a->first->next->type, JSON_STRING);
    assert_int_equal(a->last->type, JSON_TRUE);
    assert_null(a->first->name.p);
}

static void numbers_keep_their_own_text(void **state) {
    (void)state;
    static const char *const numbers[] = {"0",    "-0",     "1.50",
                                          "1E+2", "-12e-3", "123456789012345678901234567890"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        expect_read(numbers[i], numbers[i]);
        assert_true(str_eq(parsed(str_of(numbers[i]))->text, str_of(numbers[i])));
    }
}

static void malformed_numbers_are_refused(void **state) {
    (void)state;
    expect_refused(S("01"), 1, "something follows the document");
    expect_refused(S("[-]"), 2, "a digit is missing");
    expect_refused(S("[1.]"), 3, "a digit is missing");
    expect_refused(S("[1e+]"), 4, "a digit is missing");
    expect_refused(S("+1"), 0, "a value is expected");
    expect_refused(S(".5"), 0, "a value is expected");
    expect_refused(S("NaN"), 0, "a value is expected");
}

static void escapes_are_decoded(void **state) {
    (void)state;
    const struct json *v =
        parsed(S("\"\\\"\\\\\\/\\b\\f\\n\\r\\t|\\u0041\\u00e9\\u20AC\\ud83d\\uDE00|\xC3\xA9\""));
    assert_true(str_eq(v->text, S("\"\\/\b\f\n\r\t|A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80|\xC3\xA9")));
    assert_int_equal(v->text.p[v->text.n], '\0');
    assert_true(str_eq(parsed(S("{\"\\u0061\":1}"))->first->name, S("a")));
    assert_non_null(parsed(S("\"\""))->text.p);
    assert_true(
        str_eq(parsed(S("\"\\u0001\\uFFFF\\uDBFF\\uDFFF\""))->text, S("\x01\xEF\xBF\xBF\xF4\x8F\xBF\xBF")));
}

static void malformed_escapes_are_refused(void **state) {
    (void)state;
    expect_refused(S("\"a\\x\""), 2, "an unknown escape");
    expect_refused(S("\"\\"), 1, "an unknown escape");
    expect_refused(S("\"\\u12g4\""), 1, "\\u is followed by four hexadecimal digits");
    expect_refused(S("\"\\u12"), 1, "\\u is followed by four hexadecimal digits");
    expect_refused(S("\"\\u\xC3\xA9\x30\x30\""), 1, "\\u is followed by four hexadecimal digits");
}

static void lone_surrogates_are_refused(void **state) {
    (void)state;
    static const char reason[] = "a surrogate has no partner";
    expect_refused(S("\"\\ud800\""), 1, reason);
    expect_refused(S("\"\\uDC00\""), 1, reason);
    expect_refused(S("\"\\ud800\\u0041\""), 1, reason);
    expect_refused(S("\"\\ud800\\ud800\""), 1, reason);
    expect_refused(S("\"\\udc00\\ud800\""), 1, reason);
    expect_refused(S("\"\\ud800"), 1, reason);
}

static void nul_is_kept_when_escaped_and_refused_when_not(void **state) {
    (void)state;
    struct arena *a = arena_new();
    struct json *j;
    struct json_error err;
    assert_int_equal(json_parse(a, S("\"a\\u0000b\""), &j, &err), 0);
    assert_true(str_eq(j->text, (struct str){"a\0b", 3}));
    arena_free(a);
    expect_refused(S("\"a\0\""), 2, "a control character, or the end, inside a string");
    expect_refused(S("1\0"), 1, "something follows the document");
}

static void invalid_utf8_is_refused(void **state) {
    (void)state;
    static const char reason[] = "a string that is not UTF-8";
    expect_refused(S("[\"\xFF\"]"), 2, reason);
    expect_refused(S("\"\xC0\x80\""), 1, reason);     /* overlong */
    expect_refused(S("\"\xED\xA0\x80\""), 1, reason); /* a surrogate */
    /* a lead byte before an escape that decodes to two bytes */
    expect_refused(S("\"\xC3\\u00e9\""), 1, reason);
    expect_refused(S("{\"\xE2\x82\":1}"), 2, reason);        /* truncated, in a name */
    expect_refused(S("\xC3\xA9"), 0, "a value is expected"); /* not allowed outside of a string */
}

static void a_byte_order_mark_is_refused(void **state) {
    (void)state;
    expect_refused(S("\xEF\xBB\xBF{}"), 0, "a value is expected");
}

static void unfinished_documents_are_refused(void **state) {
    (void)state;
    expect_refused(S(""), 0, "a value is expected");
    expect_refused((struct str){0}, 0, "a value is expected");
    expect_refused(S("  "), 2, "a value is expected");
    expect_refused(S("["), 1, "a value is expected");
    expect_refused(S("[1"), 2, "a comma or the closing bracket is expected");
    expect_refused(S("{\"a\""), 4, "a colon is expected");
    expect_refused(S("{\"a\":"), 5, "a value is expected");
    expect_refused(S("\"abc"), 4, "a control character, or the end, inside a string");
    expect_refused(S("tru"), 0, "a value is expected");
}

static void misplaced_punctuation_is_refused(void **state) {
    (void)state;
    expect_refused(S("[1,]"), 3, "a value is expected");
    expect_refused(S("[,1]"), 1, "a value is expected");
    expect_refused(S("[1 2]"), 3, "a comma or the closing bracket is expected");
    expect_refused(S("{\"a\":1,}"), 7, "the name of a member is expected");
    expect_refused(S("{a:1}"), 1, "the name of a member is expected");
    expect_refused(S("{\"a\" 1}"), 5, "a colon is expected");
    expect_refused(S("{]"), 1, "the name of a member is expected");
    expect_refused(S("[}"), 1, "a value is expected");
    expect_refused(S("{} {}"), 3, "something follows the document");
    expect_refused(S("[1\f]"), 2, "a comma or the closing bracket is expected");
}

static void text_behind_the_given_length_is_not_read(void **state) {
    (void)state;
    assert_int_equal(parsed((struct str){"[1]x", 3})->count, 1);
    expect_refused((struct str){"123]", 0}, 0, "a value is expected");
}

static struct str repeated(const char *piece, size_t times, const char *end) {
    struct buf b = {0};
    for (size_t i = 0; i < times; i++) buf_text(&b, piece);
    buf_text(&b, end);
    return buf_take(&b, arena);
}

static void depth_is_limited(void **state) {
    (void)state;
    struct str deepest = repeated("[", LIMIT_JSON_DEPTH, repeated("]", LIMIT_JSON_DEPTH, "").p);
    assert_int_equal(parsed(deepest)->type, JSON_ARRAY);
    expect_refused(repeated("[", LIMIT_JSON_DEPTH + 1, ""), LIMIT_JSON_DEPTH, "more than 64 levels");
    expect_refused(repeated("{\"a\":", 100000, ""), LIMIT_JSON_DEPTH * 5, "more than 64 levels");
    struct str wide = repeated("[[]],", 1000, "0]"); /* only open levels count */
    assert_int_equal(parsed(str_fmt(arena, "[%s", wide.p))->count, 1001);
}

static void the_number_of_values_is_limited(void **state) {
    (void)state;
    struct str most = repeated("0,", LIMIT_JSON_VALUES - 2, "0]");
    assert_int_equal(parsed(str_fmt(arena, "[%s", most.p))->count, LIMIT_JSON_VALUES - 1);
    expect_refused(str_fmt(arena, "[0,%s", most.p), LIMIT_JSON_VALUES * 2 - 1, "more than 100000 values");
}

static void the_later_of_two_members_of_one_name_stays(void **state) {
    (void)state;
    expect_read("{\"a\":1,\"b\":2,\"a\":{}}", "{\"b\":2,\"a\":{}}");
    expect_read("{\"a\":1,\"a\":2,\"\\u0061\":3}", "{\"a\":3}");
    expect_read("{\"\":1,\"\":2,\"aa\":1,\"a\":1}", "{\"\":2,\"aa\":1,\"a\":1}");
    expect_read("{\"a\":1,\"A\":2}", "{\"a\":1,\"A\":2}");
    assert_int_equal(parsed(S("{\"a\":1,\"a\":2}"))->count, 1);
    struct str many = repeated("\"k\":0,", 40000, "\"k\":1}");
    const struct json *v = parsed(str_fmt(arena, "{%s", many.p));
    assert_int_equal(v->count, 1);
    assert_true(str_eq(v->first->text, S("1")));
    assert_ptr_equal(v->first, v->last);
}

static void members_are_found_by_exact_name_or_by_spelling(void **state) {
    (void)state;
    const struct json *v = parsed(S("{\"full_name\":1,\"fullName\":2,\"x\":[]}"));
    assert_true(str_eq(json_member(v, S("full_name"))->text, S("1")));
    assert_null(json_member(v, S("FullName")));
    assert_true(str_eq(json_named(v, S("FULL_NAME"))->text, S("2")));
    assert_null(json_named(v, S("name")));
    assert_null(json_member(json_member(v, S("x")), S("x")));
    assert_null(json_named(NULL, S("x")));
    assert_null(json_member(NULL, S("x")));
}

static void trees_can_be_built(void **state) {
    (void)state;
    struct json *object = json_new(arena, JSON_OBJECT), *s = json_string(arena, S("v"));
    s->name = S("k");
    json_append(object, s);
    struct json *none = json_new(arena, JSON_NULL);
    none->name = S("n");
    json_append(object, none);
    jw_json(&w, object);
    expect_written("{\"k\":\"v\",\"n\":null}");
}

/* ---- writing --------------------------------------------------------------------------------- */

static void values_are_separated(void **state) {
    (void)state;
    jw_object(&w);
    jw_key(&w, S("a"));
    jw_array(&w);
    jw_int(&w, INT64_MIN);
    jw_bool(&w, true);
    jw_bool(&w, false);
    jw_null(&w);
    jw_str(&w, (struct str){0});
    jw_str(&w, S(""));
    jw_object(&w);
    jw_end(&w);
    jw_array(&w);
    jw_end(&w);
    jw_end(&w);
    jw_key(&w, S("t"));
    jw_time(&w, 1795253400000);
    jw_key(&w, S("r"));
    jw_raw(&w, S("{\"x\":1}"));
    jw_end(&w);
    expect_written(
        "{\"a\":[-9223372036854775808,true,false,null,null,\"\",{},[]],\"t\":\"2026-11-21T09:30:00+00:00\",\"r\":{\"x\":1}}");
}

static void prepared_members_are_separated(void **state) {
    (void)state;
    assert_true(jw_takes_members(&w));
    jw_object(&w);
    jw_member(&w, S("\"a\":\""), S("x"), S("\""));
    jw_key(&w, S("b"));
    jw_int(&w, 1);
    char *at = jw_member_begin(&w, S("\"c\":"), INT_TEXT + 1);
    at = str_put(int_put(at, -1), S("0"));
    jw_member_end(&w, at);
    jw_end(&w);
    expect_written("{\"a\":\"x\",\"b\":1,\"c\":-10}");
    w.no_empty = true;
    assert_false(jw_takes_members(&w));
}

static void only_what_must_be_is_escaped(void **state) {
    (void)state;
    jw_str(&w, S("a/b\"c\\d\b\f\n\r\t\x01\x1f\x7f\xC3\xA9\xE2\x80\xA8<&>"));
    expect_written("\"a/b\\\"c\\\\d\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\xC3\xA9\xE2\x80\xA8<&>\"");
}

/* The writer looks at 16, eight or four bytes at a time. */
static void every_byte_at_every_place_is_read_back(void **state) {
    (void)state;
    for (unsigned c = 1; c < 0x80; c++)
        for (size_t n = 1; n <= 34; n++)
            for (size_t at = 0; at < n; at++) {
                char text[34];
                memset(text, at % 2 ? 'x' : '~', n);
                text[at] = (char)c;
                jw_str(&w, (struct str){text, n});
                assert_true(str_eq(parsed(buf_view(&out))->text, (struct str){text, n}));
                out.n = 0;
            }
}

static void pretty_is_four_spaces_and_empty_containers_stay_closed(void **state) {
    (void)state;
    w.pretty = true;
    expect_read("{\"a\":[1,{\"b\":null}],\"c\":[],\"d\":{}}", "{\n"
                                                              "    \"a\": [\n"
                                                              "        1,\n"
                                                              "        {\n"
                                                              "            \"b\": null\n"
                                                              "        }\n"
                                                              "    ],\n"
                                                              "    \"c\": [],\n"
                                                              "    \"d\": {}\n"
                                                              "}");
}

static void keys_follow_the_case_and_raw_keys_never_do(void **state) {
    (void)state;
    static const char *const expected[] = {"{\"full_name\":1,\"raw_key\\\"\":2}",
                                           "{\"fullName\":1,\"raw_key\\\"\":2}",
                                           "{\"FullName\":1,\"raw_key\\\"\":2}"};
    for (enum json_case c = CASE_SNAKE; c <= CASE_PASCAL; c++) {
        w.name_case = c;
        jw_object(&w);
        jw_key(&w, S("full_name"));
        jw_int(&w, 1);
        jw_key_raw(&w, S("raw_key\""));
        jw_int(&w, 2);
        jw_end(&w);
        expect_written(expected[c]);
    }
    name_in_case(&out, S("case_2_post"), CASE_CAMEL);
    expect_written("case2Post");
}

static void no_empty_drops_null_and_empty_list_members(void **state) {
    (void)state;
    w.no_empty = true;
    expect_read("{\"data\":{\"a\":null,\"b\":1,\"c\":[],\"d\":{},\"e\":\"\",\"f\":null}}",
                "{\"data\":{\"b\":1,\"d\":{},\"e\":\"\"}}");
    expect_read("{\"data\":{\"a\":null,\"b\":[]}}", "{\"data\":{}}");
    expect_read("[{\"a\":[null,[]],\"b\":{\"c\":null}}]", "[{\"a\":[null,[]],\"b\":{}}]");
    w.pretty = true;
    expect_read("[{\"a\":1,\"b\":null}]", "[\n    {\n        \"a\": 1\n    }\n]");
    expect_read("[{\"b\":[]}]", "[\n    {}\n]");
}

static void no_empty_never_drops_top_level_members_or_elements(void **state) {
    (void)state;
    w.no_empty = true;
    expect_read("{\"data\":[],\"x\":null}", "{\"data\":[],\"x\":null}");
    expect_read("[null,[],{\"a\":[[]]}]", "[null,[],{\"a\":[[]]}]");
}

/* ---- misuse ---------------------------------------------------------------------------------- */

static void value_without_a_key(void) {
    jw_object(&w);
    jw_int(&w, 1);
}
static void key_in_an_array(void) {
    jw_array(&w);
    jw_key(&w, S("a"));
}
static void key_behind_a_key(void) {
    jw_object(&w);
    jw_key(&w, S("a"));
    jw_key(&w, S("b"));
}
static void end_behind_a_key(void) {
    jw_object(&w);
    jw_key(&w, S("a"));
    jw_end(&w);
}
static void end_of_nothing(void) { jw_end(&w); }
static void too_deep(void) {
    for (int i = 0; i <= LIMIT_JSON_WRITE_DEPTH; i++) jw_array(&w);
}

static void misuse_of_the_writer_ends_the_process(void **state) {
    (void)state;
    void (*const misuses[])(void) = {value_without_a_key, key_in_an_array, key_behind_a_key,
                                     end_behind_a_key,    end_of_nothing,  too_deep};
    for (size_t i = 0; i < sizeof misuses / sizeof *misuses; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            signal(SIGABRT, SIG_DFL);
            if (freopen("/dev/null", "w", stderr) == NULL) _exit(1);
            misuses[i]();
            _exit(0);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), SIGABRT);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(every_type_of_value_is_read),
        TEST(numbers_keep_their_own_text),
        TEST(malformed_numbers_are_refused),
        TEST(escapes_are_decoded),
        TEST(malformed_escapes_are_refused),
        TEST(lone_surrogates_are_refused),
        TEST(nul_is_kept_when_escaped_and_refused_when_not),
        TEST(invalid_utf8_is_refused),
        TEST(a_byte_order_mark_is_refused),
        TEST(unfinished_documents_are_refused),
        TEST(misplaced_punctuation_is_refused),
        TEST(text_behind_the_given_length_is_not_read),
        TEST(depth_is_limited),
        TEST(the_number_of_values_is_limited),
        TEST(the_later_of_two_members_of_one_name_stays),
        TEST(members_are_found_by_exact_name_or_by_spelling),
        TEST(trees_can_be_built),
        TEST(values_are_separated),
        TEST(prepared_members_are_separated),
        TEST(only_what_must_be_is_escaped),
        TEST(every_byte_at_every_place_is_read_back),
        TEST(pretty_is_four_spaces_and_empty_containers_stay_closed),
        TEST(keys_follow_the_case_and_raw_keys_never_do),
        TEST(no_empty_drops_null_and_empty_list_members),
        TEST(no_empty_never_drops_top_level_members_or_elements),
        TEST(misuse_of_the_writer_ends_the_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
