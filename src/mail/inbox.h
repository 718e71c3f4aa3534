/* The inbox for mail: a folder like a maildir, DIR/mail of the data folder.
 *
 * The mail server runs `deskd mail-in` for each mail, which leaves a file. The desk that serves this data folder takes
 * the file, at once or when it starts.
 *
 *     mail-in: tmp/ID written, fsync -> rename to new/ID -> fsync of new -> exit 0, and the mail server drops the mail
 *     desk:    new/ID read -> one write, COMMIT -> unlink          a mail that can't be taken -> failed/ID, for the operator
 *
 * After a crash before the exit the mail server sends the mail again. After a crash between COMMIT and unlink the desk
 * processes it again. So processing a mail twice must have the effect of once. Files are better than a socket of the
 * daemon, because mail is accepted while the desk is stopped, upgraded or moved, and the file is the only proof needed.
 * Files are better than a table, because mail-in needs neither the store's lock nor its schema, and works alike on both
 * engines. */
#ifndef MAIL_INBOX_H
#define MAIL_INBOX_H

#include "base/arena.h"
#include "base/str.h"

/* Makes the missing folders in `data`, and empties tmp, where an interrupted mail-in leaves drafts. A mail-in that is
 * still writing there reports a failure to the mail server, which tries again. Returns the path of the inbox, or p NULL
 * with errno. */
struct str inbox_open(struct arena *a, struct str data);
/* Stores a mail. Returns 0 if it is on the disk under its name, else errno, and nothing is stored. ENOENT means that
 * the inbox was never opened, so a mail for a mistyped folder is not lost there. */
int inbox_put(struct arena *a, struct str data, struct str mail);

/* Writes the names of at most `most` waiting mails, in any order. Returns their number. */
int inbox_list(struct arena *a, struct str inbox, struct str *names, int most);
struct str inbox_read(struct arena *a, struct str inbox, struct str name); /* p NULL with errno: it is gone, or can't be read */
bool inbox_done(struct arena *a, struct str inbox, struct str name);       /* removes it; false with errno */
bool inbox_fail(struct arena *a, struct str inbox, struct str name);       /* moves it to failed; false with errno */

#endif
