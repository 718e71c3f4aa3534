/* The inbox for mail: a folder like a maildir, DIR/mail of the data folder. The doors (mail-in, LMTP,
 * IMAP) write a file for each recipient. The desk that serves this data folder takes the files, at once or
 * when it starts.
 *
 *     door:    tmp/ID written, fsync -> rename to new/NAME -> fsync of new -> acknowledged, and the mail server drops the mail
 *     desk:    new/NAME read -> one write, COMMIT -> unlink        a mail that can't be taken -> failed/NAME, for the operator
 *              new/NAME -> later/NAME, slow/NAME                   a mail that others must not wait for (jobs/arrivals.c)
 *
 * After a crash before the acknowledgement the mail server sends the mail again. After a crash between
 * COMMIT and unlink the desk processes it again. So processing a mail twice must have the effect of once.
 * Files are better than rows that a door writes, because
 * (1) mail is accepted while the desk is stopped, upgraded or moved, (2) a door needs neither the store's
 * lock nor its schema, and (3) works alike on both engines.
 *
 * A file is an envelope and the raw mail, byte for byte:
 *
 *     deskd-mail 1
 *     door: LMTP
 *     from: <ada@example.com>          absent: unknown; <>: the null sender
 *     to: <support+x@desk.example>     absent: unknown
 *                                      an empty line, then the raw mail
 *
 * The first line is not a header field, so no mail begins with it. A file without an envelope, as older
 * versions wrote them, is a mail by pipe without sender and recipient. */
#ifndef MAIL_INBOX_H
#define MAIL_INBOX_H

#include "base/arena.h"
#include "base/str.h"
#include "core/words.h"

struct inbox_mail {
    enum mail_door door;
    /* without angle brackets. p NULL: unknown; envelope_from n 0: the null sender */
    struct str envelope_from, recipient;
    struct str raw;
};

/* Makes the missing folders in `data`, and removes the drafts that an interrupted door left in tmp.
 * Returns the path of the inbox, or p NULL with errno. */
struct str inbox_open(struct arena *a, struct str data);
struct str inbox_of(struct arena *a, struct str data); /* the path of the inbox, which may not exist */

/* ---- storing: whole, or piece by piece ------------------------------------------------------- */

/* Stores a mail, and writes its name. Returns 0 if it is on the disk under its name, else errno, and
 * nothing is stored. ENOENT means that the inbox was never opened, so a mail for a mistyped folder is not
 * lost there. EAGAIN: try again. */
int inbox_put(struct arena *a, struct str inbox, const struct inbox_mail *mail, struct str *name);

/* A mail that is being written. The process holds a lock of its file in tmp, so that inbox_open leaves it
 * alone. */
struct inbox_draft {
    /* path: of the file in tmp; kept: of the file in new, NULL: it is not there yet. */
    const char *path, *kept;
    int fd;                 /* -1: closed */
    int64_t envelope, size; /* bytes of the envelope, of the raw mail */
};

/* These return 0 or errno. After an error call inbox_drop. */
int inbox_begin(struct inbox_draft *d, struct arena *a, struct str inbox,
                const struct inbox_mail *mail); /* writes the envelope; ignores raw */
int inbox_add(struct inbox_draft *d, struct str bytes);
/* the raw mail of another draft that is open */
int inbox_add_copy(struct inbox_draft *d, const struct inbox_draft *from);
int inbox_sync(struct inbox_draft *d); /* the bytes are on the disk */
/* closes it, and renames it into new */
int inbox_keep(struct inbox_draft *d, struct arena *a, struct str inbox);
/* removes the file, wherever it is */
void inbox_drop(struct inbox_draft *d);
/* the names in new are on the disk */
int inbox_sync_names(struct str inbox);
int inbox_finish(struct inbox_draft *d, struct arena *a, struct str inbox); /* the last three together */

/* ---- taking ---------------------------------------------------------------------------------- */

enum inbox_folder { INBOX_NEW, INBOX_LATER, INBOX_SLOW };
/* The path of the folder. */
struct str inbox_folder_path(struct arena *a, struct str inbox, enum inbox_folder folder);

/* A mail that waits. */
struct inbox_file {
    enum inbox_folder folder;
    struct str name;
};

/* The numbers of mails in the folders. oldest: arrival of the oldest waiting mail, 0: none, or only mails of older
 * versions. */
struct inbox_state {
    int64_t waiting, oldest, failed;
};
struct inbox_state inbox_state_of(struct arena *a, struct str inbox);

/* Writes the names of the `most` mails of the folder that came first, in their order. Returns their
 * number. */
int inbox_list(struct arena *a, struct str inbox, enum inbox_folder folder, struct str *names, int most);
/* Finds the smallest mail of the folder. Returns false if there is none. */
bool inbox_smallest(struct arena *a, struct str inbox, enum inbox_folder folder, struct str *name);

/* These return 0 or errno: the mail is gone (ENOENT), or can't be read. */
int inbox_read(struct arena *a, struct str inbox, struct inbox_file file, struct inbox_mail *out);
/* Reads the envelope and the first INBOX_HEAD bytes of the raw mail, and the size of the file. */
#define INBOX_HEAD 16384
int inbox_look(struct arena *a, struct str inbox, struct inbox_file file, struct inbox_mail *head,
               int64_t *size);

/* These return false with errno. */
bool inbox_done(struct arena *a, struct str inbox, struct inbox_file file); /* removes the mail */
bool inbox_fail(struct arena *a, struct str inbox, struct inbox_file file); /* moves it to failed */
bool inbox_move(struct arena *a, struct str inbox, struct inbox_file file, enum inbox_folder to);

/* Says where a mail is now. It is gone if it was removed, after its COMMIT or by somebody else. */
enum inbox_place { INBOX_GONE, INBOX_WAITS, INBOX_ASIDE, INBOX_FAILED }; /* aside: in later or slow */
enum inbox_place inbox_find(struct arena *a, struct str inbox, struct str name);

#endif
