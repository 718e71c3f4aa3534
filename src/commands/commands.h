/* What the commands share. Each command is one file or shares one with its kin; it returns the exit status of the
 * process. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "base/random.h"
#include "db/db.h"
#include "commands/options.h"

enum { EXIT_FAULT = 1, EXIT_USAGE = 2 };

int command_serve(const struct command_line *o);
int command_init(const struct command_line *o);
int command_demo(const struct command_line *o);
int command_password(const struct command_line *o);
int command_backup(const struct command_line *o);
int command_restore(const struct command_line *o);
int command_move(const struct command_line *o);
int command_check(const struct command_line *o);
int command_mail_in(const struct command_line *o);
int command_routes(const struct command_line *o);
int command_openapi(const struct command_line *o);
int command_settings(const struct command_line *o);
int command_manual(const struct command_line *o);

/* One line on standard error, "deskd: ..."; returns EXIT_FAULT. */
int complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

struct db_config store_config(const struct command_line *o); /* --data or --database; the rest is zero */
void store_may_begin(const struct command_line *o, struct arena *a,
                     struct db_config *cfg);          /* create, unless what lies there shows a lost desk */
const char *store_name(const struct command_line *o); /* for messages */

const char *files_folder(const struct command_line *o, struct arena *a);

/* The server key: 0 read, 1 made (0600) where there was none and `create` allows it; negative after a complaint. */
int secret_key(const struct command_line *o, bool create, struct key *out);

/* Puts a copy of a key in a place where there is none or the same; look: only says whether it can be. Negative after a
 * complaint. */
int secret_copy(const char *from, const char *to, bool look);

/* The first line of --password-file, or else a generated one. 1: generated, 0: read; negative after a complaint. */
int password_choose(const struct command_line *o, struct arena *a, struct str *out);
/* The first line of --password-file, else of a terminal (asked for twice, not shown), else of standard input. */
int password_ask(const struct command_line *o, struct arena *a, struct str *out);

/* A store that was just made: its owner, and the login on `out` where the password was generated.
 * -ERR_FIELD_DUPLICATE: it has one (another process was faster); otherwise negative after a complaint. */
int owner_create(const struct command_line *o, struct db *db, int64_t now, FILE *out);

/* A bar on standard error when that is a terminal; nothing otherwise. done == total ends it. */
void progress_bar(const char *what, int64_t done, int64_t total);

#endif
