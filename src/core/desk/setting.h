/* Settings of the desk: one row of the table below for each. They are read from memory and reloaded after
 * each write. */
#ifndef CORE_SETTING_H
#define CORE_SETTING_H

#include "core/desk/job.h"
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
    SETTING_SECRET, /* stored sealed, never shown */
};
struct setting {
    int id;           /* shown to programs: never changed, never reused */
    const char *name; /* category.name */
    enum setting_type type;
    const char *initial;
    int64_t min, max; /* SETTING_INT */
    /* The lowest role that may change it; 0: anyone who may change settings. Only owners decide where
     * secrets are sent: an admin could otherwise have the owner's reset link sent to another server. */
    enum role_type role;
    /* a secret that depends on this value: a change deletes it, unless the same write sets it. NULL: none */
    const char *forgets;
    const char *same_as; /* alias of this setting, which stores the value; NULL: no alias */
    bool everyone;       /* every logged-in person may read it: GET /me refers to it */
    const char *doc;
    enum job_name job; /* kind of job that a change starts; 0: none */
    const struct word *words;
    /* returns why the value is invalid: a sentence; or NULL. NULL: any value */
    const char *(*wrong)(struct arena *a, struct str value);
};
extern const struct setting setting_table[]; /* ends with name NULL */

struct settings;
struct settings *settings_open(struct conn *c); /* NULL if the store can't be read */
void settings_close(struct settings *s);
int settings_reload(struct settings *s, struct conn *c);
void settings_notified(struct desk *d, struct str payload); /* another process has changed settings */

/* Returns whether every row has a name and an id of its own, an initial value that it could be set to, and
 * names rows that there are; if not, err is one line that names the row. */
bool settings_check(const struct setting *list, char *err, size_t size);
bool setting_is_bool(const char *name); /* false if there is no such setting, too */

bool setting_known(struct str name); /* true if the table has it */
/* True if a stored value is one that its setting takes: a number within its range, a truth value, a word, a
 * text that passes the check of its row. A secret is sealed and always fits. */
bool setting_fits(struct arena *a, struct str name, struct str value);
/* The same for the value of a row (setting_value.c). */
bool setting_accepts(struct arena *a, const struct setting *s, struct str value);
/* Normalises a value for storage. Returns NULL, or a sentence that says why it is invalid. */
const char *setting_read_value(struct work *w, const struct setting *s, struct str text, struct str *value);

/* The name must be in the table; otherwise an assertion fails. */
bool setting_bool(const struct desk *d, const char *name);
int64_t setting_int(const struct desk *d, const char *name);
struct str setting_text(const struct desk *d, const char *name, struct arena *a); /* secret: p NULL */
/* the number of the word */
int setting_word(const struct desk *d, const char *name);
/* p NULL: empty, or sealed with another server key */
struct str setting_secret(const struct desk *d, const char *name, struct arena *a);

/* Reads the value from the store, in a write, and holds it until the end of the transaction. Another
 * process may have changed it a moment ago. Returns 0 or a negative error. */
int setting_stored(struct work *w, const char *name, struct str *value);

/* Each write that may send letters needs to know which mailboxes have an own relay. So this is kept in memory
 * and reloaded with the settings. */
enum mailbox_relay { RELAY_OF_SYSTEM_MAILBOX = 1, RELAY_OF_OTHERS = 2 };
/* Kinds of enabled mailboxes that have a relay (mailboxes.smtp_host): bits of enum mailbox_relay. */
unsigned mailbox_relays(const struct desk *d);
/* Call it in a write that changes smtp_host, is_enabled or deleted_at of a mailbox. */
int mailbox_relays_changed(struct work *w);

struct setting_value {
    struct str name, value; /* value.p NULL: not a single value */
};
/* Checks and writes all values, or none. The values in memory change after the COMMIT. Problems point at
 * values/<name>: settings that the actor's role may not change, otherwise unknown names and invalid
 * values. */
int settings_put(struct work *w, const struct setting_value *values, int count);

#endif
