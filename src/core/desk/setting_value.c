/* Values of settings: the forms that a row of the table accepts, and the rows themselves. */
#include "core/desk/setting.h"

#include "base/fold.h"
#include "base/limits.h"
#include "core/desk/locale.h"
#include "core/time/hours.h"

#include <stdio.h>

/* ---- stored values --------------------------------------------------------------------------- */

static bool stored_fits(const struct setting *s, struct str value) {
    int64_t n;
    if (s->type == SETTING_WORD) return s->words && word_id(s->words, value) >= 0;
    if (s->type == SETTING_BOOL) return str_eq(value, S("0")) || str_eq(value, S("1"));
    return s->type != SETTING_INT || (str_to_int(value, &n) && n >= s->min && n <= s->max);
}

bool setting_accepts(struct arena *a, const struct setting *s, struct str value) {
    if (!stored_fits(s, value)) return false;
    if (value.n == 0 || s->type == SETTING_SECRET) return true; /* a secret is sealed */
    if (s->type == SETTING_ZONE && !time_zone_known(value)) return false;
    if (s->type == SETTING_EMAIL && !email_valid(value)) return false;
    return s->wrong == NULL || s->wrong(a, value) == NULL;
}

/* ---- rows of the table ------------------------------------------------------------------------ */

static const struct setting *setting_in(const struct setting *list, const char *name) {
    for (const struct setting *s = list; s->name; s++)
        if (strcmp(s->name, name) == 0) return s;
    return NULL;
}

static const char *setting_wrong(const struct setting *list, const struct setting *s) {
    const struct setting *forgets = s->forgets ? setting_in(list, s->forgets) : NULL;
    for (const struct setting *o = list; o < s; o++)
        if (o->id == s->id) return "another row has its id: take one that was never used";
    if (setting_in(list, s->name) != s) return "another row has its name";
    if (s->same_as && setting_in(list, s->same_as) == NULL) return ".same_as names no setting";
    if (s->forgets && (forgets == NULL || forgets->type != SETTING_SECRET)) return ".forgets names no secret";
    if (s->same_as == NULL && !stored_fits(s, str_of(s->initial)))
        return "its initial value is not one of its values";
    return NULL;
}

bool settings_check(const struct setting *list, char *err, size_t size) {
    for (const struct setting *s = list; s->name; s++) {
        const char *why = setting_wrong(list, s);
        if (why) return snprintf(err, size, "table of settings, %s: %s", s->name, why), false;
    }
    return true;
}

/* ---- given values ----------------------------------------------------------------------------- */

static const char *setting_read_number(struct work *w, const struct setting *s, struct str text,
                                       struct str *value) {
    int64_t v;
    char number[INT_TEXT];
    if (!str_to_int(text, &v) || v < s->min || v > s->max)
        return str_fmt(w->arena, "`%s` must be a number from %lld to %lld.", s->name, (long long)s->min,
                       (long long)s->max)
            .p;
    *value = str_dup(w->arena, str_int(number, v));
    return NULL;
}

static const char *setting_read_bool(struct work *w, const struct setting *s, struct str text,
                                     struct str *value) {
    bool yes = str_eq(text, S("1")) || str_eqi(text, S("true")),
         no = str_eq(text, S("0")) || str_eqi(text, S("false"));
    *value = yes ? S("1") : S("0");
    return yes || no ? NULL : str_fmt(w->arena, "`%s` must be true or false.", s->name).p;
}

static const char *setting_read_word(struct work *w, const struct setting *s, struct str text,
                                     struct str *value) {
    for (const struct word *word = s->words; word->word; word++)
        if (str_eqi(text, *value = str_of(word->word))) return NULL;
    return str_fmt(w->arena, "`%s` must be one of %s.", s->name, words_list(w->arena, s->words).p).p;
}

static const char *read_locale(struct work *w, const struct setting *s, struct str text, struct str *value) {
    bool known = text.n < LIMIT_LOCALE && locale_find(w, text, value) == 1;
    return known ? NULL
                 : str_fmt(w->arena,
                           "`%s` must be the code of a locale, like en-us: GET /locales lists "
                           "them.",
                           s->name)
                       .p;
}

const char *setting_read_value(struct work *w, const struct setting *s, struct str text, struct str *value) {
    const char *why = text_wrong(w->arena, text, LIMIT_SETTING, s->type != SETTING_LINES);
    *value = text;
    if (why) return str_fmt(w->arena, "`%s`: %s", s->name, why).p;
    switch (s->type) {
    case SETTING_BOOL: return setting_read_bool(w, s, text, value);
    case SETTING_INT: return setting_read_number(w, s, text, value);
    case SETTING_WORD: return setting_read_word(w, s, text, value);
    case SETTING_LOCALE: return read_locale(w, s, text, value);
    case SETTING_ZONE:
        return time_zone_known(text)
                   ? NULL
                   : str_fmt(w->arena, "`%s` must be a name of the tz database, like Europe/Berlin.", s->name)
                         .p;
    case SETTING_EMAIL:
        if (text.n && !email_valid(text))
            return str_fmt(w->arena, "`%s` must be an e-mail address.", s->name).p;
        return s->wrong ? s->wrong(w->arena, text) : NULL;
    case SETTING_TEXT:
    case SETTING_LINES:
    case SETTING_SECRET: return s->wrong ? s->wrong(w->arena, text) : NULL;
    }
    return NULL;
}
