/* Declarations shared by the commands. Each file holds one command or a few related ones. A command
 * returns the exit status of the process. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "base/random.h"
#include "db/db.h"
#include "commands/options.h"

int command_serve(const struct command_line *o);
int command_init(const struct command_line *o);
int command_demo(const struct command_line *o);
int command_password(const struct command_line *o);
int command_backup(const struct command_line *o);
int command_restore(const struct command_line *o);
int command_export(const struct command_line *o);
int command_import(const struct command_line *o);
int command_move(const struct command_line *o);
int command_check(const struct command_line *o);
int command_compact(const struct command_line *o);
int command_mail_in(const struct command_line *o);
int command_lmtp(const struct command_line *o);
int command_routes(const struct command_line *o);
int command_openapi(const struct command_line *o);
int command_settings(const struct command_line *o);
int command_manual(const struct command_line *o);

int64_t command_now(const struct command_line *o);           /* the time of what the command writes */
struct db_config store_config(const struct command_line *o); /* from --data or --database; the rest is zero */
void store_may_begin(const struct command_line *o, struct arena *a,
                     /* sets create, and the files that prove that the folder had a desk */
                     struct db_config *cfg);
/* A command that makes a desk: opens a new store, fills it, and makes the server key. `fill` returns an exit
 * status. */
int store_begin(const struct command_line *o, bool bulk,
                int (*fill)(const struct command_line *o, struct db *db));
const char *store_name(const struct command_line *o); /* for messages */

struct lmtp;
struct lmtp_counts;
/* Opens the port or socket of --lmtp, which is given. NULL after a complaint. */
struct lmtp *lmtp_from_options(const struct command_line *o, struct arena *a, struct str inbox,
                               struct lmtp_counts *counts);
/* its address, with the port that was chosen */
struct str lmtp_name(const struct command_line *o, struct arena *a, const struct lmtp *l);

/* The contents of files, by --files. NULL after a complaint. remote_free frees ->remote. The clock must
 * outlive them; NULL: that of the machine. */
struct contents;
struct clock;
const struct contents *contents_chosen(const struct command_line *o, struct arena *a,
                                       const struct clock *clock);
/* The place of contents of this name, a folder or a bucket, without a folder of copies. NULL after a
 * complaint. */
const struct contents *contents_named(const struct command_line *o, struct arena *a, struct str place);
/* the folder of contents; NULL: they are in a bucket */
const char *contents_folder(const struct command_line *o, struct arena *a);
void contents_let_go(const struct contents *k); /* NULL is allowed */

/* The files of a move (move_files.c). */
struct files_move;
/* Returns 0 with *out NULL if --files-to is not given. beside: the folder of files if --files is not given;
 * NULL: it must be given. An exit status after a complaint. */
int files_move_read(const struct command_line *o, struct arena *a, const char *beside,
                    struct files_move **out);
/* Carries the contents and checks that the target has all of them. served: the desk runs meanwhile, so what
 * it gets now may be missing. Returns an exit status. */
int files_move_run(const struct files_move *m, struct db *source, bool served);
void files_move_free(const struct files_move *m); /* NULL is allowed */

/* Reads the server key. Returns 0, or 1 if it made one (mode 0600) because there was none and `create` is
 * set. Negative after a complaint. */
int secret_key(const struct command_line *o, bool create, struct key *out);
/* Returns 1, 0 if there is no key, or negative after a complaint. */
int secret_key_if_there(const struct command_line *o, struct key *out);
/* beside the key: core/change/audit_mark.h */
const char *audit_mark_path(const struct command_line *o, struct arena *a);
/* stored, to recognise the key: core/all/desk.h */
struct str key_proof(struct arena *a, const struct key *server);

/* Copies a key to a place that has none or the same one. With `look` only checks whether that is possible.
 * Negative after a complaint. */
int secret_copy(const char *from, const char *to, bool look);

/* Takes the first line of --password-file, else generates a password. Returns 1 if it was generated, 0 if
 * not. Negative after a complaint. */
int password_choose(const struct command_line *o, struct arena *a, struct str *out);
/* Returns 0 unless --password-file names a file that can't be read; then negative after a complaint. Call
 * it before a store is made. */
int password_file_there(const struct command_line *o);

/* if --owner-email was not given: the address that the owner got */
void say_owner(const struct command_line *o, FILE *out);
/* Makes the owner of a new store. Prints the login to `out` if the password was generated. Returns
 * -ERR_FIELD_DUPLICATE if the store has an owner (another process was faster). Otherwise negative after a
 * complaint. */
int owner_create(const struct command_line *o, struct db *db, int64_t now, FILE *out);

/* Draws a bar on standard error if that is a terminal, otherwise does nothing. done == total removes it. */
void progress_bar(const char *what, int64_t done, int64_t total);

#endif
