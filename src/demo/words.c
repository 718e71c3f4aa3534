#include "demo/words.h"

#include "json/json.h"

#include <assert.h>
#include <pthread.h>

const int demo_topic_teams[DEMO_TOPICS] = {0, 1, 2, 3, 4, 5};
const int demo_topic_types[DEMO_TOPICS] = {3, 1, 1, 4, 2, 1};

/* A member of the file: a text or texts, also nested, for the texts of a structure in their order. */
struct texts {
    const char *name;
    size_t offset, count;
};
#define TEXTS(type, member) \
    { #member, offsetof(type, member), sizeof(((type *)0)->member) / (sizeof(char *)) }

static const struct texts of_desk[] = {
    TEXTS(struct demo_words, products), TEXTS(struct demo_words, teams),    TEXTS(struct demo_words, stems),
    TEXTS(struct demo_words, trades),   TEXTS(struct demo_words, kinds),    TEXTS(struct demo_words, tags),
    TEXTS(struct demo_words, notes),    TEXTS(struct demo_words, praise),   TEXTS(struct demo_words, blame),
    TEXTS(struct demo_words, category), TEXTS(struct demo_words, sections), {0}};

static const struct texts of_language[] = {
    TEXTS(struct demo_language, first),       TEXTS(struct demo_language, last),
    TEXTS(struct demo_language, latin_first), TEXTS(struct demo_language, latin_last),
    TEXTS(struct demo_language, hello),       TEXTS(struct demo_language, dear),
    TEXTS(struct demo_language, bye),         TEXTS(struct demo_language, topics),
    TEXTS(struct demo_language, details),     TEXTS(struct demo_language, questions),
    TEXTS(struct demo_language, again),       TEXTS(struct demo_language, solutions),
    TEXTS(struct demo_language, thanks),      {0}};

static struct demo_words all;

static void take_texts(const struct json *j, const char ***at, const char **end) {
    if (j->type == JSON_STRING) {
        assert(*at < end);
        *(*at)++ = j->text.p;
    }
    for (const struct json *item = j->first; item; item = item->next) take_texts(item, at, end);
}

static void fill_texts(void *out, const struct texts *rows, const struct json *from) {
    for (; rows->name; rows++) {
        const struct json *given = json_member(from, str_of(rows->name));
        const char **at = (const char **)((char *)out + rows->offset), **end = at + rows->count;
        if (given == NULL) continue; /* latin names of languages that do not need them */
        take_texts(given, &at, end);
        assert(at == end);
    }
}

static int demo_number(const struct json *language, const char *name) {
    int64_t n;
    bool is_number = str_to_int(json_member(language, str_of(name))->text, &n);
    assert(is_number);
    return (int)n;
}

static void demo_words_read(void) {
    struct json *file = NULL;
    struct json_error err;
    struct demo_language *l = all.languages;
    int rc = json_parse(arena_new(), str_of(demo_texts->text), &file, &err); /* the process keeps the arena */
    assert(rc == 0);
    fill_texts(&all, of_desk, file);
    for (const struct json *j = json_member(file, S("languages"))->first; j; j = j->next, l++) {
        assert(l < all.languages + DEMO_LANGUAGES);
        *l = (struct demo_language){.locale_id = demo_number(j, "locale_id"),
                                    .weight = demo_number(j, "weight"),
                                    .family_first = json_member(j, S("family_first")) != NULL};
        fill_texts(l, of_language, j);
    }
}

const struct demo_words *demo_words(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, demo_words_read);
    return &all;
}
