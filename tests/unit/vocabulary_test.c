/* Near words are found by their pieces exactly as by comparing all words. */
#include "store.h"
#undef fail /* cmocka's fail: work.h has one, too */

#include "core/search/vocabulary.h"

#define WORDS 400
#define LETTERS 12

struct scene {
    struct arena *arena;
    struct search_text text;
    struct str word, near[WORDS];
    int count;
};

static unsigned step = 1;
static unsigned chance(unsigned n) { return (step = step * 1664525 + 1013904223) / 65536 % n; }

static int run_put(struct conn *c, void *arg) {
    struct scene *s = arg;
    return vocabulary_put(c, s->arena, &s->text);
}

static int run_near(struct conn *c, void *arg) {
    struct scene *s = arg;
    return s->count = vocabulary_near(c, s->arena, s->word, s->near, WORDS);
}

/* Few different letters, so that many words are near each other. */
static struct str any_word(struct arena *a) {
    char text[LETTERS + 1];
    size_t n = 3 + chance(LETTERS - 2);
    for (size_t i = 0; i < n; i++) text[i] = (char)('a' + chance(n < 6 ? 3 : 2));
    return str_dup(a, (struct str){text, n});
}

/* One or two edits of any kind, at any place. */
static struct str edited(struct arena *a, struct str word) {
    char text[LETTERS + 4];
    size_t n = word.n;
    memcpy(text, word.p, n);
    for (unsigned edits = 1 + chance(2); edits > 0; edits--) {
        size_t at = chance((unsigned)n);
        switch (chance(4)) {
        case 0: text[at] = (char)('a' + chance(3)); break;
        case 1: memmove(text + at + 1, text + at, n++ - at); break;
        case 2: memmove(text + at, text + at + 1, --n - at); break;
        default:
            if (at + 1 < n) text[at] ^= text[at + 1], text[at + 1] ^= text[at], text[at] ^= text[at + 1];
        }
    }
    return str_dup(a, (struct str){text, n});
}

static bool listed(const struct scene *s, struct str word) {
    for (int i = 0; i < s->count; i++)
        if (str_eq(s->near[i], word)) return true;
    return false;
}

static void all_near_words_are_found_and_no_others(void **state) {
    struct place *p = *state;
    struct scene s = {.arena = arena_new()};
    struct str words[WORDS], terms = S("");
    int compared = 0;
    for (int i = 0; i < WORDS; i++) {
        words[i] = any_word(s.arena);
        terms = STR_CAT(s.arena, terms, i ? S(" ") : S(""), words[i]);
    }
    s.text = (struct search_text){
        .id = SEARCH_TEXT_ID(SEARCH_ARTICLES, SEARCH_CONTENTS, 1), .kind = SEARCH_ARTICLES, .terms = terms};
    assert_int_equal(db_write(p->db, run_put, &s), 0);
    assert_int_equal(db_write(p->db, run_put, &s), 0); /* again: nothing changes */
    for (int i = 0; i < 1500; i++) {
        s.word = edited(s.arena, words[chance(WORDS)]);
        assert_true(db_write(p->db, run_near, &s) >= 0);
        for (int k = 0; k < WORDS; k++) {
            int edits = vocabulary_distance(s.word, words[k]), most = s.word.n < 4 ? 0 : s.word.n < 8 ? 1 : 2;
            bool near = edits > 0 && edits <= most;
            if (near != listed(&s, words[k])) fprintf(stderr, "%s and %s: %d\n", s.word.p, words[k].p, edits);
            assert_int_equal(near, listed(&s, words[k]));
            compared += near;
        }
        for (int k = 1; k < s.count; k++)
            assert_true(vocabulary_distance(s.word, s.near[k - 1]) <= vocabulary_distance(s.word, s.near[k]));
    }
    assert_true(compared > 5000);
    arena_free(s.arena);
}

static void words_of_other_characters_have_no_near_words(void **state) {
    struct place *p = *state;
    struct scene s = {.arena = arena_new()};
    s.text = (struct search_text){.id = SEARCH_TEXT_ID(SEARCH_ARTICLES, SEARCH_CONTENTS, 1),
                                  .kind = SEARCH_ARTICLES,
                                  .terms = S("inv2021 東京 привет abcdefghijklmnopqrstuvwxyz")};
    assert_int_equal(db_write(p->db, run_put, &s), 0);
    for (const char *const *word =
             (const char *const[]){"inv2022", "東", "abcdefghijklmnopqrstuvwxyy", "", "a", NULL};
         *word; word++) {
        s.word = str_of(*word);
        assert_int_equal(db_write(p->db, run_near, &s), 0);
    }
    s.word = S("превет");
    assert_int_equal(db_write(p->db, run_near, &s), 1);
    assert_true(str_eq(s.near[0], S("привет")));
    arena_free(s.arena);
}

static int vocabulary_up(void **state) {
    struct place *p = calloc(1, sizeof *p);
    if (!p) return -1;
    snprintf(p->dir, sizeof p->dir, "/tmp/deskd-test-XXXXXX");
    if (!mkdtemp(p->dir)) return -1;
    *state = p;
    return place_open(p, schema_files);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_near_words_are_found_and_no_others, vocabulary_up, place_remove),
        cmocka_unit_test_setup_teardown(words_of_other_characters_have_no_near_words, vocabulary_up,
                                        place_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
