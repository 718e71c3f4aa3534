/* What the desk decides, kept in the store: one row of the table below a setting. Read from memory, reloaded when written. */
#ifndef CORE_SETTING_H
#define CORE_SETTING_H

#include "core/words.h"
#include "work/work.h"

enum setting_type {
    SETTING_BOOL,
    SETTING_INT,
    SETTING_TEXT, /* one line */
    SETTING_LINES,
    SETTING_ZONE, /* a name of the tz database */
    SETTING_EMAIL,
    SETTING_WORD,   /* one of .words */
    SETTING_LOCALE, /* code of a locale of the store */
    SETTING_SECRET, /* kept sealed, never shown */
};
struct setting {
    int id;           /* told to programs: never changed, never used again */
    const char *name; /* category.name */
    enum setting_type type;
    const char *initial;
    int64_t min, max;    /* SETTING_INT */
    enum role_type role; /* the lowest one that may change it; 0: each one that may change settings. Owners alone decide where
                            secrets travel: an admin could have the owner's reset link sent to a server of their own */
    const char *forgets; /* a secret meant for the present value: a change deletes it, unless the same write sets it. NULL: none */
    const char *same_as; /* it is another name of this setting, which holds the value; NULL: of none */
    bool everyone;       /* whoever is logged in may read it: GET /me refers to it */
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

bool setting_known(struct str name); /* whether the table has it */

/* A name the table lacks is a bug. */
bool setting_bool(const struct desk *d, const char *name);
int64_t setting_int(const struct desk *d, const char *name);
struct str setting_text(const struct desk *d, const char *name, struct arena *a);   /* of a secret p NULL */
int setting_word(const struct desk *d, const char *name);                           /* its number */
struct str setting_secret(const struct desk *d, const char *name, struct arena *a); /* p NULL: none, or sealed with another server key */

struct setting_value {
    struct str name, value; /* value.p NULL: not a text at all */
};
/* Checks and writes all of them, or none; the values in memory follow after the commit. Problems point at values/<name>: settings
 * that the actor's role may not change, or else unknown names and values of the wrong type. */
int settings_put(struct work *w, const struct setting_value *values, int count);

#endif
