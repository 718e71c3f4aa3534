/* The tokenizer of search, the text of a search and snippets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#undef fail /* the work has one too */

#include <stdlib.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/html_plain.h"
#include "core/search/show.h"
#include "core/query/synonym.h"
#include "core/query/token.h"
#include "core/search/vocabulary.h"

static struct arena *arena;

static int arena_up(void **state) { return (void)state, arena = arena_new(), 0; }
static int arena_down(void **state) { return (void)state, arena_free(arena), 0; }

static const char *terms_in(const char *language, const char *text) {
    return str_dup(arena, token_terms(arena, str_of(language), str_of(text))).p;
}
static const char *terms(const char *text) { return terms_in("en-us", text); }

static void words_are_folded(void **state) {
    (void)state;
    assert_string_equal(terms("Hello, WORLD!"), "hello world");
    assert_string_equal(terms("Müller's café"), "muller s cafe");
    assert_string_equal(terms("ΑΘΉΝΑ Ёлка"), "αθηνα елка");
    assert_string_equal(terms("Straße ﬁne"), "strasse/strass fine");
    assert_string_equal(terms("e\u0301te\u0301"), "ete");
    assert_string_equal(terms("Ａ１"), "a1");
    assert_string_equal(terms(""), "");
    assert_string_equal(terms(" \t\n-*\"'/"), "");
    assert_string_equal(terms("\xff\xfe bad"), "");
}

static void words_have_stems_in_the_language(void **state) {
    (void)state;
    assert_string_equal(terms("refunding machines"), "refunding/refund machines/machin");
    assert_string_equal(terms_in("de", "Häuser brennen"), "hauser/haus brennen/brenn");
    assert_string_equal(terms_in("fr-ca", "continuellement"), "continuellement/continuel");
    assert_string_equal(terms_in("ja", "machines"), "machines/machin");
    assert_string_equal(terms_in("nb", "bilene"), "bilene/bil");
    assert_string_equal(terms("abc123s 2021"), "abc123s 2021");
}

static void addresses_are_whole_and_in_parts(void **state) {
    (void)state;
    assert_string_equal(terms("to Jane.Doe@Mail.example, now"),
                        "to jane/jane.doe@mail.example doe mail example/exampl now");
}

static void scripts_without_blanks_are_pairs(void **state) {
    (void)state;
    assert_string_equal(terms("東京都"), "東京 京都 都");
    assert_string_equal(terms("東"), "東");
    assert_string_equal(terms("ab東京cd"), "ab 東京 京 cd");
    assert_string_equal(terms("ｶ がか"), "カ がか か");
}

static void long_words_and_texts_are_cut_between_characters(void **state) {
    (void)state;
    char *many = malloc(LIMIT_SEARCH_TEXT + 100);
    struct buf b = {0};
    for (int i = 0; i < 100; i++) buf_text(&b, "ä");
    buf_char(&b, 0);
    assert_int_equal(strlen(terms(b.p)), 64); /* folded to a */
    for (int i = 0; i < 200; i++) many[i] = 'x';
    many[200] = 0;
    assert_int_equal(strlen(terms(many)), LIMIT_SEARCH_WORD);
    memset(many, ' ', LIMIT_SEARCH_TEXT + 99);
    memcpy(many + LIMIT_SEARCH_TEXT - 3, "ab cd", 5);
    many[LIMIT_SEARCH_TEXT + 99] = 0;
    assert_string_equal(terms(many), "ab");
    memcpy(many + LIMIT_SEARCH_TEXT - 1, "é", 2);
    assert_string_equal(terms(many), "ab");
    free(many);
    buf_free(&b);
}

/* ---- the text of a search -------------------------------------------------------------------- */

static struct search_query *query(const char *text) {
    struct search_query *q = arena_alloc(arena, sizeof *q);
    return search_query_read(arena, str_of("en"), str_of(text), false, q) < 0 ? NULL : q;
}

static bool meets(const char *text, const char *document) {
    struct search_query *q = query(text);
    struct search_tally t;
    search_tally(q, str_of(terms(document)), &t);
    return (t.units & ~q->excluded) == (q->ends & ~q->excluded) && (t.units & q->excluded) == 0 && q->ends;
}

static void units_are_compared(void **state) {
    (void)state;
    assert_true(meets("refund", "Refunding is possible"));
    assert_true(meets("\"is possible\"", "Refunding is possible"));
    assert_false(meets("\"possible is\"", "Refunding is possible"));
    assert_false(meets("\"refund is\"", "Refunding is possible"));
    assert_true(meets("refund* poss*", "Refunding is possible"));
    assert_false(meets("refund -possible", "Refunding is possible"));
    assert_true(meets("foo-bar", "a foo bar b"));
    assert_false(meets("foo-bar", "a bar foo b"));
    assert_true(meets("\"a b a c\"", "a b a b a c"));
    assert_true(meets("東京", "大東京都"));
    assert_true(meets("京", "東京"));
    assert_false(meets("京東", "東京"));
    assert_false(meets("\"\"", "x"));
}

/* Compares the last word as a beginning, too. */
static bool meets_open(const char *text, const char *document) {
    struct search_query *q = query(text);
    struct search_tally t;
    search_query_open(q);
    search_tally(q, str_of(terms(document)), &t);
    return (t.units & q->ends) == q->ends;
}

static void the_last_word_is_a_beginning(void **state) {
    (void)state;
    assert_true(meets_open("parc", "two parcels"));
    assert_true(meets_open("two parc", "two parcels"));
    assert_true(meets_open("two-parc", "two parcels"));
    assert_true(meets_open("parcels", "a parcel"));
    assert_false(meets_open("pa", "parcels"));
    assert_true(meets_open("äöü", "äöüß"));
    assert_false(meets_open("\"parc\"", "parcels"));
    assert_false(meets_open("parc two", "two parcels"));
    assert_false(meets_open("a12", "a123"));
    assert_false(meets_open("a@b.example", "a@b.examples"));
    assert_int_equal(search_open_unit(query("parc")), -1);
}

static void operators_are_read(void **state) {
    (void)state;
    struct search_query *q = query("-tag:\"very important\" Created>=2026-01-01 in: foo:bar status:new");
    const struct search_operator *o = q->operators;
    assert_true(o->key == KEY_TAG && o->negated && str_eq(o->value, S("very important")));
    o = o->next;
    assert_true(o->key == KEY_CREATED && o->sign == '>' && o->or_equal && str_eq(o->value, S("2026-01-01")));
    o = o->next;
    assert_true(o->key == KEY_STATUS && o->next == NULL);
    assert_int_equal(q->count, 2); /* foo bar */
}

static void queries_are_bounded(void **state) {
    (void)state;
    struct buf b = {0};
    for (int i = 0; i < LIMIT_SEARCH_WORDS; i++) buf_fmt(&b, "w%d ", i);
    buf_char(&b, 0);
    assert_non_null(query(b.p));
    b.n--;
    buf_text(&b, "more");
    buf_char(&b, 0);
    assert_null(query(b.p));
    buf_free(&b);
}

/* ---- snippets -------------------------------------------------------------------------------- */

static const char *snippet(const char *text, const char *document) {
    return search_snippet(arena, str_of("en"), query(text), str_of(document)).p;
}

static void snippets_mark_the_source(void **state) {
    (void)state;
    assert_string_equal(snippet("refund", "No <Refunds> & co"), "No &lt;<em>Refunds</em>&gt; &amp; co");
    assert_string_equal(snippet("\"a b\"", "x a\n  b y"), "x <em>a b</em> y");
    assert_string_equal(snippet("none", "Some text"), "Some text");
    assert_string_equal(snippet("x", ""), "");
    assert_string_equal(snippet("東京都", "私は東京都に"), "私は<em>東京都</em>に");
}

static void snippets_show_the_best_part(void **state) {
    (void)state;
    struct buf b = {0};
    for (int i = 0; i < 200; i++) buf_text(&b, "filler ");
    buf_text(&b, "alpha ");
    for (int i = 0; i < 200; i++) buf_text(&b, "filler ");
    buf_text(&b, "alpha beta end");
    buf_char(&b, 0);
    const char *s = snippet("alpha beta", b.p);
    assert_non_null(strstr(s, "<em>alpha</em> <em>beta</em> end"));
    assert_true(strncmp(s, "… ", 4) == 0);
    assert_true(strlen(s) < 400);
    buf_free(&b);
}

/* ---- articles -------------------------------------------------------------------------------- */

static const char *plain(const char *html) { return html_plain(arena, str_of(html)).p; }

static void clean_html_becomes_text(void **state) {
    (void)state;
    assert_string_equal(plain("<p>One <b>bo</b>ld &amp; two</p><p>three</p>"), "One bold & two\n\nthree");
    assert_string_equal(plain("<table><tr><td>a</td><td>b</td></tr></table>"), "a  b");
    assert_string_equal(plain("a<br>b &lt;c&gt; &quot;d&quot; &#39;e&#39;&nbsp;f"), "a\nb <c> \"d\" 'e' f");
    assert_string_equal(plain("<img src=\"cid:x\" alt=\"A &lt; cat\">"), "A < cat");
    assert_string_equal(plain("2 < 3 & 4 > 3 &unknown; <"), "2 < 3 & 4 > 3 &unknown; <");
    assert_string_equal(plain("text <unclosed"), "text");
    assert_string_equal(plain(""), "");
}

static int distance(const char *a, const char *b) { return vocabulary_distance(str_of(a), str_of(b)); }

static void edits_are_counted(void **state) {
    (void)state;
    assert_int_equal(distance("password", "password"), 0);
    assert_int_equal(distance("pasword", "password"), 1);
    assert_int_equal(distance("passwrod", "password"), 1);
    assert_int_equal(distance("apssowrd", "password"), 2);
    assert_int_equal(distance("xpasswords", "password"), 2);
    assert_int_equal(distance("ca", "abc"), 3);
    assert_int_equal(distance("wachtwoord", "password"), 3);
    assert_int_equal(distance("пороль", "пароль"), 1);
    assert_int_equal(distance("abc1", "abc1"), 3);
}

static struct search_query *with_synonyms(const char *text) {
    struct search_query *q = query(text);
    synonyms_add(arena, S("en"), S("login, sign in, log on\nrefund, money back"), q);
    return q;
}

static bool finds(const char *text, const char *document) {
    struct search_query *q = with_synonyms(text);
    struct search_tally t;
    search_tally(q, str_of(terms(document)), &t);
    return q->ends && t.units == q->ends;
}

static void synonyms_are_alternatives_of_a_unit(void **state) {
    (void)state;
    assert_true(finds("login", "sign in here"));
    assert_true(finds("signing in", "the login"));
    assert_true(finds("log on problems", "a problem with the login"));
    assert_true(finds("refunds", "get your money back"));
    assert_true(finds("money back login", "refunds after you log on"));
    assert_false(finds("money", "a refund"));
    assert_false(finds("\"login\"", "sign in"));
    assert_false(finds("login*", "sign in"));
    assert_false(finds("sign in", "in the sign"));
    assert_int_equal(__builtin_popcountll(with_synonyms("how to sign in again")->ends), 4);
    struct buf b = {0};
    for (int i = 0; i < 31; i++) buf_text(&b, "login ");
    buf_char(&b, 0);
    assert_true(with_synonyms(b.p)->count <= SEARCH_TERMS); /* without room for all */
    buf_free(&b);
}

static void synonyms_are_checked(void **state) {
    (void)state;
    assert_null(synonyms_wrong(arena, S("")));
    assert_null(synonyms_wrong(arena, S("a, b\n\n c d e f ,g\n")));
    assert_string_equal(synonyms_wrong(arena, S("a, b\nc,,")),
                        "Line 2 needs at least two expressions, separated by commas.");
    assert_non_null(synonyms_wrong(arena, S("a, b c d e f")));
    assert_non_null(synonyms_wrong(arena, S("a,b,c,d,e,f,g,h,i,j,k")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_folded),
        cmocka_unit_test(words_have_stems_in_the_language),
        cmocka_unit_test(addresses_are_whole_and_in_parts),
        cmocka_unit_test(scripts_without_blanks_are_pairs),
        cmocka_unit_test(long_words_and_texts_are_cut_between_characters),
        cmocka_unit_test(units_are_compared),
        cmocka_unit_test(the_last_word_is_a_beginning),
        cmocka_unit_test(operators_are_read),
        cmocka_unit_test(queries_are_bounded),
        cmocka_unit_test(snippets_mark_the_source),
        cmocka_unit_test(snippets_show_the_best_part),
        cmocka_unit_test(clean_html_becomes_text),
        cmocka_unit_test(edits_are_counted),
        cmocka_unit_test(synonyms_are_alternatives_of_a_unit),
        cmocka_unit_test(synonyms_are_checked),
    };
    return cmocka_run_group_tests(tests, arena_up, arena_down);
}
