#include "demo/text.h"

#include "base/fold.h"

#include <ctype.h>

/* ---- names ----------------------------------------------------------------------------------- */

static struct str letters_of(struct arena *a, const char *name) {
    struct str key = fold_key(a, str_of(name));
    char *text = arena_alloc(a, key.n + 1), *at = text;
    for (size_t i = 0; i < key.n; i++)
        if (islower((unsigned char)key.p[i])) *at++ = key.p[i];
    return (struct str){text, (size_t)(at - text)};
}

void demo_names(struct demo_names *n, struct arena *a) {
    for (int l = 0; l < DEMO_LANGUAGES; l++)
        for (int i = 0; i < DEMO_NAMES; i++) {
            const struct demo_language *of = &demo_words()->languages[l];
            n->first[l][i] = letters_of(a, of->latin_first[i] ? of->latin_first[i] : of->first[i]);
            n->last[l][i] = letters_of(a, of->latin_last[i] ? of->latin_last[i] : of->last[i]);
        }
}

/* Names of the people who can log in, in the order of their ids. */
static const char *const logins[][2] = {{"Olga", "Winter"}, {"Adam", "Costa"},   {"Agnes", "Moreau"},
                                        {"Colin", "Baker"}, {"Clara", "Jensen"}, {"Theo", "Adeyemi"}};

static const struct demo_language *language_of_writer(const struct demo_person *p) {
    return &demo_words()->languages[p->language];
}

static const char *first_name(const struct demo_person *p) {
    return p->id < DEMO_FIRST_STAFF ? logins[p->id - 1][0] : language_of_writer(p)->first[p->first];
}

static const char *last_name(const struct demo_person *p) {
    return p->id < DEMO_FIRST_STAFF ? logins[p->id - 1][1] : language_of_writer(p)->last[p->last];
}

/* Returns the name used in greetings and signatures. */
static const char *short_name(const struct demo_person *p) {
    return language_of_writer(p)->family_first ? last_name(p) : first_name(p);
}

void demo_full_name(struct buf *out, const struct demo_person *p) {
    bool family_first = language_of_writer(p)->family_first;
    out->n = 0;
    buf_text(out, family_first ? last_name(p) : first_name(p));
    buf_char(out, ' ');
    buf_text(out, family_first ? first_name(p) : last_name(p));
}

/* The number makes the address unique. The domains are reserved for examples, so no mail can reach a
 * stranger. */
void demo_address(struct buf *out, const struct demo_names *n, const struct demo_person *p) {
    static const char *const hosts[] = {"example.com", "example.net", "example.org"};
    bool staff = p->id < DEMO_FIRST_CUSTOMER;
    out->n = 0;
    buf_str(out, n->first[p->language][p->first]);
    buf_char(out, '.');
    buf_str(out, n->last[p->language][p->last]);
    buf_int(out, p->id);
    buf_char(out, '@');
    buf_text(out, staff ? "staff.example.com" : hosts[p->id % 3]);
}

void demo_organization_name(struct buf *out, int64_t id) {
    /* consecutive names differ in all three words; 7 and 8192 have no common factor, so no name repeats
     * before 8192 */
    int64_t i = id * 7;
    const struct demo_words *words = demo_words();
    out->n = 0;
    buf_fmt(out, "%s %s %s", words->stems[i % DEMO_STEMS], words->trades[i / DEMO_STEMS % DEMO_STEMS],
            words->kinds[i / DEMO_STEMS / DEMO_STEMS % DEMO_KINDS]);
    if (id > DEMO_STEMS * DEMO_STEMS * DEMO_KINDS)
        buf_fmt(out, " %d", (int)(id / (DEMO_STEMS * DEMO_STEMS * DEMO_KINDS) + 1));
}

/* ---- texts ----------------------------------------------------------------------------------- */

struct words {
    const char *product, *name;
    int64_t number;
};

static void add_sentence(struct buf *out, const char *text, const struct words *w) {
    for (const char *brace; (brace = strchr(text, '{')) != NULL; text = strchr(brace, '}') + 1) {
        buf_add(out, text, (size_t)(brace - text));
        if (brace[1] == 'p') buf_text(out, w->product);
        else if (brace[2] == '}') buf_int(out, w->number);
        else buf_text(out, w->name);
    }
    buf_text(out, text);
}

static struct words chosen_words(const struct demo_world *w, const struct demo_case *c, const char *name) {
    struct chance chance = chance_of(w->seed, OF_TEXT, c->id * 16);
    struct words words = {.name = name,
                          .product = demo_words()->products[chance_below(&chance, DEMO_PRODUCTS)]};
    words.number = 10000 + chance_below(&chance, 90000);
    return words;
}

void demo_subject(struct buf *out, const struct demo_world *w, const struct demo_case *c) {
    struct words words = chosen_words(w, c, "");
    out->n = 0;
    add_sentence(out, language_of_writer(&c->requester)->topics[c->topic].subjects[c->variant], &words);
}

static void sentence(struct buf *out, const char *const *list, int n, struct chance *chance,
                     const struct words *words) {
    buf_char(out, ' ');
    add_sentence(out, list[chance_below(chance, n)], words);
}

static void by_customer(struct buf *out, const struct demo_case *c, int message, struct chance *chance,
                        const struct words *words) {
    const struct demo_language *l = language_of_writer(&c->requester);
    bool last = message + 1 == c->message_count;
    if (message == 0) {
        add_sentence(out, l->topics[c->topic].openings[c->variant], words);
        sentence(out, l->details, 2, chance, words);
        if (chance_percent(chance, 60)) sentence(out, l->details + 2, 2, chance, words);
    } else {
        const char *const *list = last && !c->messages[message - 1].by_requester ? l->thanks : l->again;
        add_sentence(out, list[chance_below(chance, 3)], words);
        if (!last && chance_percent(chance, 50)) sentence(out, l->details, 4, chance, words);
    }
}

static void by_staff(struct buf *out, const struct demo_case *c, int message, struct chance *chance,
                     const struct words *words) {
    const struct demo_language *l = language_of_writer(&c->requester);
    bool last = message + 2 >= c->message_count;
    if (!last) add_sentence(out, l->questions[chance_below(chance, 3)], words);
    else add_sentence(out, l->topics[c->topic].answers[c->variant], words);
    if (last && message > 1) sentence(out, l->solutions, 3, chance, words);
}

/* Writes a greeting, the contents and the writer's name. Later messages of a customer have only the
 * contents. */
void demo_contents(struct buf *out, const struct demo_world *w, const struct demo_case *c, int message) {
    const struct demo_language *l = language_of_writer(&c->requester);
    const struct demo_message *m = &c->messages[message];
    struct chance chance = chance_of(w->seed, OF_TEXT, c->id * 16 + 1 + message);
    struct words words = chosen_words(w, c, short_name(&c->requester));
    struct demo_person writer = m->by_requester ? c->requester : demo_staff(w, m->creator_id);
    bool letter = message == 0 || !m->by_requester;
    out->n = 0;
    if (letter) {
        add_sentence(out, m->by_requester ? l->hello : l->dear, &words);
        buf_text(out, "\n\n");
    }
    if (m->by_requester) by_customer(out, c, message, &chance, &words);
    else by_staff(out, c, message, &chance, &words);
    if (!letter) return;
    buf_text(out, "\n\n");
    buf_text(out, l->bye);
    buf_char(out, '\n');
    buf_text(out, short_name(&writer));
}
