/* Options from the command line, the environment and the settings file. One table defines them all, the
 * help, the manual page and the settings file that `deskd settings` prints.
 *
 * Each option has one name in three spellings: --base-url URL, DESKD_BASE_URL=URL, and `base-url = URL` in
 * the file. The command line overrides the environment, the environment overrides the file, and the file
 * overrides the default. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "base/arena.h"
#include "base/str.h"
#include "base/words.h"

#include <stdio.h>

struct command_line;

/* ---- commands -------------------------------------------------------------------------------- */

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
    LMTP = 1 << 13,
    EXPORT = 1 << 14,
    IMPORT = 1 << 15,
    COMPACT = 1 << 16,
};

enum { EXIT_FAULT = 1, EXIT_USAGE = 2 };

struct command {
    const char *name;
    unsigned bit;
    int (*run)(const struct command_line *o); /* returns the exit status */
    const char *operand;                      /* name of its operand; NULL: none */
    const char *summary, *doc;
};

/* ---- options --------------------------------------------------------------------------------- */

enum option_id {
    OPT_DATA,
    OPT_DATABASE,
    OPT_REPLICA_URL,
    OPT_SETTINGS,
    OPT_SECRET_FILE,
    OPT_FILES,
    OPT_FILES_CACHE,
    OPT_FILES_CACHE_SIZE,
    OPT_S3_ENDPOINT,
    OPT_S3_REGION,
    OPT_S3_KEY_FILE,
    OPT_S3_PRESIGNED,
    OPT_LISTEN,
    OPT_LMTP,
    OPT_LMTP_CONNECTIONS,
    OPT_LMTP_IDLE,
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
    OPT_SEARCH_TEXTS,
    OPT_EXACT_DURATIONS,
    OPT_CACHE,
    OPT_MMAP,
    OPT_LOG_LEVEL,
    OPT_LOG_FORMAT,
    OPT_ACCESS_LOG,
    OPT_NO_CONSOLE,
    OPT_OWNER_EMAIL,
    OPT_OWNER_NAME,
    OPT_PASSWORD_FILE,
    OPT_CONVERSATIONS,
    OPT_SEED,
    OPT_TO,
    OPT_FROM,
    OPT_RECIPIENT,
    OPT_SENDER,
    OPT_MOVE_FROM,
    OPT_MOVE_TO,
    OPT_FILES_TO,
    OPT_EXPORT_TO,
    OPT_IMPORT_FROM,
    OPT_FROM_ZENDESK,
    OPT_FROM_ZAMMAD,
    OPT_FROM_API,
    OPT_CREDENTIALS_FILE,
    OPT_COPY,
    OPT_INSECURE,
    OPT_WITHOUT_SECRETS,
    OPT_NEW_KEY,
    OPT_DEEP,
    OPT_CLOCK,
    OPT_COUNT
};

enum option_type { OPTION_TEXT, OPTION_INT, OPTION_FLAG, OPTION_WORD };

enum {
    IN_FILE = 1, /* allowed in the settings file */
    LIVE = 2,    /* SIGHUP changes it at once; others need a restart */
    NEEDED = 4,  /* the command requires it */
};

struct option {
    const char *name;
    const char *arg; /* name of its value in the help; NULL: a flag */
    enum option_type type;
    unsigned flags, commands;
    const char *initial;             /* default value; NULL: none */
    int64_t min, max;                /* OPTION_INT */
    const struct word *words;        /* OPTION_WORD */
    bool (*valid)(struct str value); /* OPTION_TEXT; NULL: any */
    const char *form;                /* describes a valid value */
    const char *doc;
};
/* Two commands may have options of the same name with different meanings. Each has a row. */
extern const struct option option_table[OPT_COUNT];
extern const struct word log_levels[];

enum { USAGE_MAX = 512 };

struct command_line {
    const struct command *commands; /* all commands; name NULL ends them */
    int argc;
    char **argv; /* kept, to read them again */
    const struct command *command;
    const char *help;             /* not NULL: --help was given */
    bool version;                 /* --version was given; then command is NULL, as it may be with help */
    const char *operand;          /* NULL: none */
    struct str values[OPT_COUNT]; /* p NULL: no value and no default; otherwise of the option's type */
};

/* Reads all three sources. Returns 0, or -1 with one line in err that says what to do. The values are in
 * the arena. */
int options_read(struct command_line *o, struct arena *a, const struct command *commands, int argc,
                 char **argv, char err[USAGE_MAX]);

struct str option_text(const struct command_line *o, enum option_id id); /* with a NUL */
/* false: the value is the default, or there is none */
bool option_is_given(const struct command_line *o, enum option_id id);
int64_t option_int(const struct command_line *o, enum option_id id); /* numbers, words; flags: 0 or 1 */

void options_help(FILE *out, const struct command_line *o); /* of its command, or of all commands */

/* Writes one line to standard error, "deskd: ...". Returns EXIT_FAULT. */
int complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
