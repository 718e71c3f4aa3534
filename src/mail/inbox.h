/* The way in for mail: a folder in the manner of maildir, DIR/mail of the data folder.
 *
 * The mail server runs `deskd mail-in` for each mail; that leaves a file, and the desk that serves this data folder takes it
 * from there, at once or when it is started.
 *
 *     mail-in: tmp/ID written, fsync -> rename to new/ID -> fsync of new -> exit 0, and the mail server forgets the mail
 *     desk:    new/ID read -> one write, COMMIT -> unlink          what can't be taken -> failed/ID, for the operator
 *
 * A crash before the exit makes the mail server try again, one between COMMIT and unlink the desk: what a mail does must bear
 * being done twice. Files and not a socket of the daemon: mail is taken while the desk is stopped, upgraded or moved, and what
 * was acknowledged needs no other proof than the file. Files and not a table: mail-in needs neither the store's lock nor
 * its schema, and is the same on both engines. */
#ifndef MAIL_INBOX_H
#define MAIL_INBOX_H

#include "base/arena.h"
#include "base/str.h"

/* The folders of DIR, made where they are not; what an interrupted mail-in left in tmp is removed: who still writes there
 * says so to the mail server, which tries again. Its path; p NULL: errno. */
struct str inbox_open(struct arena *a, struct str data);
/* Keeps a mail. 0: it is on the disk, with its name; else errno, and nothing is kept. An inbox that was never opened is ENOENT:
 * a mistyped folder takes no mail that nobody would find. */
int inbox_put(struct arena *a, struct str data, struct str mail);

/* Names of at most `most` mails that wait, in no order; how many. */
int inbox_list(struct arena *a, struct str inbox, struct str *names, int most);
struct str inbox_read(struct arena *a, struct str inbox, struct str name); /* p NULL: it is gone, or can't be read: errno */
bool inbox_done(struct arena *a, struct str inbox, struct str name);       /* removes it; false: errno */
bool inbox_fail(struct arena *a, struct str inbox, struct str name);       /* keeps it apart; false: errno */

#endif
