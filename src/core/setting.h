/* What the desk decides, kept in the store: one row of the table below a setting. Read from memory, reloaded when written. */
#ifndef CORE_SETTING_H
#define CORE_SETTING_H

#include "base/words.h"
#include "work/work.h"

enum setting_type {
    SETTING_BOOL,
    SETTING_INT,
    SETTING_TEXT,
    SETTING_ZONE,   /* a name of the tz database */
    SETTING_EMAIL,
    SETTING_WORD,   /* one of .words */
    SETTING_SECRET, /* kept sealed, never shown */
};
struct setting {
    const char *name; /* category.name */
    enum setting_type type;
    const char *initial;
    int64_t min, max; /* SETTING_INT */
    const char *doc;
    const char *job; /* kind of the job that a change of it wants; NULL: none */
    const struct word *words;
};
extern const struct setting setting_table[]; /* ends with name NULL */

struct settings;
struct settings *settings_open(struct conn *c); /* NULL when the store can't be read */
void settings_close(struct settings *s);
int settings_reload(struct settings *s, struct conn *c);
void settings_heard(struct desk *d, struct str payload); /* another process has written some */

/* A name the table lacks is a bug. */
bool setting_bool(const struct desk *d, const char *name);
int64_t setting_int(const struct desk *d, const char *name);
struct str setting_text(const struct desk *d, const char *name, struct arena *a); /* of a secret p NULL */
int setting_word(const struct desk *d, const char *name); /* its number */
struct str setting_secret(const struct desk *d, const char *name, struct arena *a); /* p NULL: none, or sealed with another server key */

/* Checks and writes one; the value in memory follows after the commit. -ERR_FIELD_INVALID: unknown, or not of its type. */
int setting_set(struct work *w, struct str name, struct str value);

#endif
