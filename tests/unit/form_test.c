#include "json/json.h"

#include "base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

static struct arena *arena;
static struct buf out;

static int setup(void **state) {
    (void)state;
    arena = arena_new();
    out = (struct buf){0};
    return 0;
}

static int teardown(void **state) {
    (void)state;
    arena_free(arena);
    buf_free(&out);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static void expect_tree(const char *form, const char *tree) {
    struct json *root;
    struct json_error err = {0};
    if (form_parse(arena, str_of(form), &root, &err) != 0) fail_msg("%s: %s", form, err.reason);
    struct json_writer w;
    jw_init(&w, &out);
    jw_json(&w, root);
    buf_char(&out, '\0');
    assert_string_equal(out.p, tree);
    out.n = 0;
}

static void expect_refused(struct str form, size_t offset, const char *reason) {
    struct json *root;
    struct json_error err = {0};
    assert_int_equal(form_parse(arena, form, &root, &err), -ERR_BODY_INVALID);
    assert_string_equal(err.reason, reason);
    assert_int_equal(err.offset, offset);
}

static void pairs_become_members_in_their_order(void **state) {
    (void)state;
    expect_tree("b=1&a=2&c", "{\"b\":\"1\",\"a\":\"2\",\"c\":\"\"}");
    expect_tree("&&a=1&&", "{\"a\":\"1\"}");
    expect_tree("a==b=", "{\"a\":\"=b=\"}");
    expect_tree("=x", "{\"\":\"x\"}");
    expect_tree("", "{}");
    expect_tree(NULL, "{}");
}

static void plus_and_percent_are_decoded(void **state) {
    (void)state;
    expect_tree("a+b=c%20d%2Be%c3%A9", "{\"a b\":\"c d+e\xC3\xA9\"}");
    expect_tree("a%26b=%3d&c=\xC3\xA9", "{\"a&b\":\"=\",\"c\":\"\xC3\xA9\"}");
    expect_tree("a=%&b=%4&c=%g1&d=%%41&e=100%+x",
                "{\"a\":\"%\",\"b\":\"%4\",\"c\":\"%g1\",\"d\":\"%A\",\"e\":\"100% "
                "x\"}");
}

static void the_later_of_two_pairs_of_one_name_stays(void **state) {
    (void)state;
    expect_tree("a=1&b=2&a=3", "{\"b\":\"2\",\"a\":\"3\"}");
    expect_tree("a[x]=1&a[x]=2&b[0]=1&b[0]=2", "{\"a\":{\"x\":\"2\"},\"b\":[\"2\"]}");
}

static void values_of_a_repeated_name_are_chained_from_the_last(void **state) {
    (void)state;
    struct json *root;
    struct json_error err = {0};
    assert_int_equal(form_parse(arena, str_of("a=1&b[x]=p&a=2&b[x]=q&a=3"), &root, &err), 0);
    const struct json *a = json_member(root, S("a")), *x = json_member(json_member(root, S("b")), S("x"));
    assert_string_equal(a->text.p, "3");
    assert_string_equal(a->earlier->text.p, "2");
    assert_string_equal(a->earlier->earlier->text.p, "1");
    assert_null(a->earlier->earlier->earlier);
    assert_string_equal(x->earlier->text.p, "p");
}

static void empty_brackets_make_a_list(void **state) {
    (void)state;
    expect_tree("a[]=1&b=x&a[]=2&a%5B%5D=1", "{\"b\":\"x\",\"a\":[\"1\",\"2\",\"1\"]}");
    expect_tree("a[][x]=1&a[][x]=2&a[][y]=3", "{\"a\":[{\"x\":\"1\"},{\"x\":\"2\"},{\"y\":\"3\"}]}");
    expect_tree("a[][]=1&a[][]=2", "{\"a\":[[\"1\"],[\"2\"]]}");
}

static void indexes_order_a_list_and_gaps_close(void **state) {
    (void)state;
    expect_tree("a[10]=c&a[2]=b&a[0]=a", "{\"a\":[\"a\",\"b\",\"c\"]}");
    expect_tree("a[]=y&a[5]=x&a[]=z", "{\"a\":[\"x\",\"y\",\"z\"]}");
    expect_tree("p[0][q][0][f]=1&p[0][q][1][f]=2&p[0][q][0][v]=3&p[1][q]=4",
                "{\"p\":[{\"q\":[{\"f\":\"1\",\"v\":\"3\"},{\"f\":\"2\"}]},{\"q\":\"4\"}]}");
    expect_tree("a[9999]=1", "{\"a\":[\"1\"]}");
}

static void numbers_beside_names_or_beyond_the_limit_are_names(void **state) {
    (void)state;
    expect_tree("a[0]=1&a[x]=2", "{\"a\":{\"0\":\"1\",\"x\":\"2\"}}");
    expect_tree("a[10000]=1", "{\"a\":{\"10000\":\"1\"}}");
    expect_tree("a[99999999999999999999]=1", "{\"a\":{\"99999999999999999999\":\"1\"}}");
    expect_tree("a[-1]=1&a[-0]=2&a[01]=3", "{\"a\":{\"-1\":\"1\",\"-0\":\"2\",\"01\":\"3\"}}");
}

static void names_inside_brackets_make_objects(void **state) {
    (void)state;
    expect_tree("a[x][y]=1&a[z]=2&a[x][w]=3", "{\"a\":{\"z\":\"2\",\"x\":{\"y\":\"1\",\"w\":\"3\"}}}");
    expect_tree("a[ ]=1&a[b.c]=2", "{\"a\":{\" \":\"1\",\"b.c\":\"2\"}}");
}

static void contradicting_names_are_taken_literally_in_any_order(void **state) {
    (void)state;
    expect_tree("a=1&a[x]=2", "{\"a\":\"1\",\"a[x]\":\"2\"}");
    expect_tree("a[x]=2&a=1", "{\"a[x]\":\"2\",\"a\":\"1\"}");
    expect_tree("a[]=1&a=2&a[]=3", "{\"a\":\"2\",\"a[]\":\"3\"}");
    expect_tree("a[]=1&a[x]=2", "{\"a[]\":\"1\",\"a[x]\":\"2\"}");
    expect_tree("a[x]=1&a[x][y]=2&a[z]=3", "{\"a[x]\":\"1\",\"a[x][y]\":\"2\",\"a\":{\"z\":\"3\"}}");
    expect_tree("a[x]=1&a[x][y]=2", "{\"a[x]\":\"1\",\"a[x][y]\":\"2\"}");
}

static void unbalanced_brackets_are_taken_literally(void **state) {
    (void)state;
    static const char *const names[] = {"a[", "a[x", "a]",     "a[x]y", "a[[x]]", "a[x]]", "a[x][",
                                        "[]", "[x]", "a]b[c]", "][",    "[",      "]",     "a[]b[]"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        expect_tree(str_fmt(arena, "%s=1", names[i]).p, str_fmt(arena, "{\"%s\":\"1\"}", names[i]).p);
    expect_tree("a[x=1&a[x=2&a=3", "{\"a[x\":\"2\",\"a\":\"3\"}");
}

static void bad_utf8_and_nul_are_refused(void **state) {
    (void)state;
    expect_refused(S("a=1&b=%FF"), 4, "a value with invalid UTF-8 or a NUL");
    expect_refused(S("%C3=1"), 0, "a name with invalid UTF-8 or a NUL");
    expect_refused(S("a=%00"), 0, "a value with invalid UTF-8 or a NUL");
    expect_refused(S("a\0=1"), 0, "a name with invalid UTF-8 or a NUL");
    expect_refused(S("a=\xED\xA0\x80"), 0, "a value with invalid UTF-8 or a NUL");
}

static void the_depth_of_a_name_is_limited(void **state) {
    (void)state;
    struct str name = S("a");
    for (int i = 0; i < LIMIT_FORM_DEPTH; i++) name = str_fmt(arena, "%s[x]", name.p);
    struct json *root;
    struct json_error err;
    assert_int_equal(form_parse(arena, name, &root, &err), 0);
    expect_refused(str_fmt(arena, "b=1&%s[x]=1", name.p), 4, "more than 16 brackets in a name");
}

/* Names that are all different, or all equal, must not cost the square of their number. Then this test
 * would take minutes under the sanitizers. */
static void the_number_of_pairs_is_limited(void **state) {
    (void)state;
    for (int i = 0; i < LIMIT_FORM_NAMES; i++) buf_fmt(&out, "a%d[%d][]=%d&", i % 5000, i % 7, i);
    struct json *root;
    struct json_error err;
    assert_int_equal(form_parse(arena, buf_view(&out), &root, &err), 0);
    assert_int_equal(root->count, 5000);
    size_t end = out.n;
    buf_text(&out, "&x=1");
    expect_refused(buf_view(&out), end + 1, "more than 10000 pairs");
}

static void pairs_can_be_put_one_by_one(void **state) {
    (void)state;
    struct json *root = json_new(arena, JSON_OBJECT);
    struct json_error err;
    char name[] = "a[x]"; /* the caller's buffer, used again at once */
    assert_int_equal(form_put(arena, root, str_of(name), json_string(arena, S("1")), &err), 0);
    name[2] = 'y';
    assert_int_equal(form_put(arena, root, str_of(name), json_new(arena, JSON_TRUE), &err), 0);
    assert_int_equal(form_put(arena, root, S("\xFF"), json_string(arena, S("1")), &err), -ERR_BODY_INVALID);
    assert_int_equal(form_end(arena, root), 0);
    struct json_writer w;
    jw_init(&w, &out);
    jw_json(&w, root);
    assert_true(str_eq(buf_view(&out), S("{\"a\":{\"x\":\"1\",\"y\":true}}")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(pairs_become_members_in_their_order),
        TEST(plus_and_percent_are_decoded),
        TEST(the_later_of_two_pairs_of_one_name_stays),
        TEST(values_of_a_repeated_name_are_chained_from_the_last),
        TEST(empty_brackets_make_a_list),
        TEST(indexes_order_a_list_and_gaps_close),
        TEST(numbers_beside_names_or_beyond_the_limit_are_names),
        TEST(names_inside_brackets_make_objects),
        TEST(contradicting_names_are_taken_literally_in_any_order),
        TEST(unbalanced_brackets_are_taken_literally),
        TEST(bad_utf8_and_nul_are_refused),
        TEST(the_depth_of_a_name_is_limited),
        TEST(the_number_of_pairs_is_limited),
        TEST(pairs_can_be_put_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
