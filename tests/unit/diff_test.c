/* Differences between texts: exact, shortest for small changes, bounded for large ones. */
#include "core/helpcenter/diff.h"

#include "base/buf.h"

#include "with_arena.h"

#include <stdlib.h>

static void append(struct buf *b, const struct diff_part *list, enum diff_operation kept) {
    for (const struct diff_part *p = list; p; p = p->next)
        if (p->operation == DIFF_EQUAL || p->operation == kept) buf_str(b, p->text);
}

/* The parts, as "=same -old +new". */
static void assert_diff(const char *from, const char *to, const char *expected) {
    int64_t work = 1000000;
    struct buf b = {0};
    for (const struct diff_part *p = diff_texts(arena, str_of(from), str_of(to), &work); p; p = p->next) {
        buf_char(&b, p->operation == DIFF_EQUAL ? '=' : p->operation == DIFF_DELETED ? '-' : '+');
        buf_str(&b, p->text);
        buf_char(&b, '|');
    }
    buf_char(&b, 0);
    assert_string_equal(b.p, expected);
    buf_free(&b);
}

static void assert_complete(struct str from, struct str to, int64_t *work) {
    struct buf old = {0}, new = {0};
    const struct diff_part *list = diff_texts(arena, from, to, work);
    append(&old, list, DIFF_DELETED);
    append(&new, list, DIFF_INSERTED);
    assert_true(str_eq(buf_view(&old), from));
    assert_true(str_eq(buf_view(&new), to));
    for (const struct diff_part *p = list; p && p->next; p = p->next)
        assert_int_not_equal(p->operation, p->next->operation);
    buf_free(&old);
    buf_free(&new);
}

static void words_are_the_units(void **state) {
    (void)state;
    assert_diff("", "", "");
    assert_diff("a", "a", "=a|");
    assert_diff("", "new", "+new|");
    assert_diff("old", "", "-old|");
    assert_diff("open the door", "close the door", "-open|+close|= the door|");
    assert_diff("<p>one two</p>", "<p>one <b>two</b></p>", "=<p>one |+<b>|=two|+</b>|=</p>|");
    assert_diff("a b c", "a c", "=a |-b |=c|");
    assert_diff("caf\xC3\xA9 noir", "caf\xC3\xA8 noir", "-caf\xC3\xA9|+caf\xC3\xA8|= noir|");
}

/* Text of words that no other text has. */
static struct str other_text(int *next) {
    struct buf b = {0};
    for (int i = 0; i < DIFF_EDITS; i++) buf_fmt(&b, "%sw%d", i ? " > " : "", (*next)++);
    return buf_take(&b, arena);
}

/* Paragraphs end at the end of a line and between two elements, not at another '>'. */
static void paragraphs_are_the_units_if_too_many_words_differ(void **state) {
    (void)state;
    int next = 0;
    struct str w[4];
    for (int i = 0; i < 4; i++) w[i] = other_text(&next);
    for (int i = 0; i < 2; i++) {
        const char *form = i ? "<p>%s</p><p>same</p><p>%s</p>" : "%s\nsame\n%s\n";
        const char *shown = i ? "-<p>%s</p>|+<p>%s</p>|=<p>same</p>|-<p>%s</p>|+<p>%s</p>|"
                              : "-%s\n|+%s\n|=same\n|-%s\n|+%s\n|";
        assert_diff(str_fmt(arena, form, w[0].p, w[1].p).p, str_fmt(arena, form, w[2].p, w[3].p).p,
                    str_fmt(arena, shown, w[0].p, w[2].p, w[1].p, w[3].p).p);
    }
}

static struct str random_text(int words) {
    static const char *const some[] = {"a", "bb", " ", "<p>", "</p>", "\n", "c,d", "e"};
    struct buf b = {0};
    for (int i = 0; i < words; i++) buf_text(&b, some[rand() % 8]);
    return buf_take(&b, arena);
}

static void the_parts_are_both_texts(void **state) {
    (void)state;
    srand(7);
    for (int i = 0; i < 300; i++) {
        int64_t work = i % 3 ? 1000000 : rand() % 2000;
        assert_complete(random_text(rand() % 60), random_text(rand() % 60), &work);
    }
}

static void large_differences_are_bounded(void **state) {
    (void)state;
    int64_t work = 4000000;
    assert_complete(random_text(200000), random_text(200000), &work);
    assert_true(work > -1000); /* it stopped at the limit */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(words_are_the_units, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(paragraphs_are_the_units_if_too_many_words_differ, open_arena,
                                        close_arena),
        cmocka_unit_test_setup_teardown(the_parts_are_both_texts, open_arena, close_arena),
        cmocka_unit_test_setup_teardown(large_differences_are_bounded, open_arena, close_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
