/* What the command line, the environment and the settings file say: one table makes them all, the help and the settings
 * file that `deskd settings` prints.
 *
 * One name, three spellings: --base-url URL, DESKD_BASE_URL=URL, and `base-url = URL` in the file. The command line wins
 * over the environment, the environment over the file, the file over the default. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "base/arena.h"
#include "base/str.h"
#include "base/words.h"

#include <stdio.h>

struct command_line;

/* ---- commands ---------------------------------------------------------------------------------------- */

enum {
    SERVE = 1 << 0,
    INIT = 1 << 1,
    DEMO = 1 << 2,
    ROUTES = 1 << 3,
    OPENAPI = 1 << 4,
    SETTINGS = 1 << 5,
    BACKUP = 1 << 6,
    RESTORE = 1 << 7,
    CHECK = 1 << 8,
    PASSWORD = 1 << 9,
    MOVE = 1 << 10,
    MAIL_IN = 1 << 11,
    MANUAL = 1 << 12,
};

struct command {
    const char *name;
    unsigned bit;
    int (*run)(const struct command_line *o); /* the exit status */
    const char *operand;                      /* what it takes beside options; NULL: nothing */
    const char *summary, *doc;
};
extern const struct command commands[]; /* ends with name NULL */

/* ---- options ----------------------------------------------------------------------------------------- */

enum option_id {
    OPT_DATA,
    OPT_DATABASE,
    OPT_REPLICA_URL,
    OPT_SETTINGS,
    OPT_SECRET_FILE,
    OPT_FILES,
    OPT_LISTEN,
    OPT_BASE_URL,
    OPT_PROXIES,
    OPT_THREADS,
    OPT_WORKERS,
    OPT_WRITERS,
    OPT_STATEMENT_TIMEOUT,
    OPT_PUBLIC_WRITES,
    OPT_MAX_CONNECTIONS,
    OPT_MAX_PER_ADDRESS,
    OPT_HEAD_DEADLINE,
    OPT_BODY_DEADLINE,
    OPT_IDLE,
    OPT_DRAIN,
    OPT_CASCADE_ROWS,
    OPT_CACHE,
    OPT_MMAP,
    OPT_LOG_LEVEL,
    OPT_ACCESS_LOG,
    OPT_OWNER_EMAIL,
    OPT_OWNER_NAME,
    OPT_PASSWORD_FILE,
    OPT_CONVERSATIONS,
    OPT_SEED,
    OPT_TO,
    OPT_FROM,
    OPT_MOVE_FROM,
    OPT_MOVE_TO,
    OPT_NEW_KEY,
    OPT_CLOCK,
    OPT_COUNT
};

enum option_type { OPTION_TEXT, OPTION_INT, OPTION_FLAG, OPTION_WORD };

enum {
    IN_FILE = 1, /* may stand in the settings file */
    LIVE = 2,    /* SIGHUP changes it at once; the others wait for a restart */
    NEEDED = 4,  /* the command can't do without */
};

struct option {
    const char *name;
    const char *arg; /* its value's name in the help */
    enum option_type type;
    unsigned flags, commands;
    const char *initial;             /* NULL: none */
    int64_t min, max;                /* OPTION_INT */
    const struct word *words;        /* OPTION_WORD */
    bool (*valid)(struct str value); /* OPTION_TEXT; NULL: any */
    const char *form;                /* what a valid value is */
    const char *doc;
};
/* Two commands may have an option of the same name that means another thing: each has a row. */
extern const struct option option_table[OPT_COUNT];
extern const struct word log_levels[];

enum { USAGE_MAX = 512 };

struct command_line {
    int argc;
    char **argv; /* for reading them again */
    const struct command *command;
    const char *help;             /* not NULL: --help was asked for */
    bool version;                 /* --version was; then there is no command, as there may be none with help */
    const char *operand;          /* NULL: not given */
    struct str values[OPT_COUNT]; /* p NULL: none, and there is no default; else checked to be of its type */
};

/* Reads all three sources. 0, or -1 and one line in err that says what to do. The values live in the arena. */
int options_read(struct command_line *o, struct arena *a, int argc, char **argv, char err[USAGE_MAX]);

struct str option_text(const struct command_line *o, enum option_id id); /* also as a C string */
int64_t option_int(const struct command_line *o, enum option_id id);     /* numbers, words; flags: 0 or 1 */

void options_help(FILE *out, const struct command *c); /* NULL: of deskd as a whole */
void options_settings(FILE *out);                      /* the commented settings file */
void options_manual(FILE *out);                        /* the manual page, in troff's man macros */

#endif
