/* A session with an IMAP server (RFC 3501, with UIDPLUS, MOVE and IDLE if the server has them).
 *
 * libcurl opens the connection: names, TLS, STARTTLS, certificates, SASL. Then CURLOPT_CONNECT_ONLY leaves
 * the connection to this file, because libcurl's own commands (1) mark a mail as read when they fetch it,
 * (2) can't move mails or wait for new ones, and (3) open one transfer for each command.
 *
 * The server may be wrong or hostile. The size of each response, the time without any byte, and the time
 * of each command are bounded. */
#ifndef MAIL_IMAP_H
#define MAIL_IMAP_H

#include "mail/fault.h"
#include "mail/imap_text.h"

#include <stdatomic.h>

struct imap_account {
    /* ca: PEM, used in place of the system's certificates; empty: none */
    struct str host, user, password, ca;
    struct str bearer; /* an access token, in place of the password; p NULL: none */
    int64_t port;
    int security;         /* enum smtp_security */
    bool private_allowed; /* addresses of this host and of private networks, too */
};

/* Results of all functions below that can fail. imap_reason has a sentence for the operator. */
enum imap_result {
    IMAP_OK = 0,
    IMAP_LATER = -1,   /* no connection, no valid certificate, or the server refused a command */
    IMAP_DENIED = -2,  /* the server refuses the user or the password */
    IMAP_STOPPED = -3, /* *stopping was set */
};

struct imap;
/* Connects and logs in. Returns a session also if that fails: *result says so. The caller frees it by
 * imap_close. */
struct imap *imap_open(const struct imap_account *account, const atomic_bool *stopping,
                       enum imap_result *result);
void imap_close(struct imap *s); /* says LOGOUT, and does not wait for the reply */
const char *imap_reason(const struct imap *s);
/* After imap_open has failed: why, for a person. */
const struct mail_fault *imap_fault(const struct imap *s);

/* Opens a folder for writing. `folder` is a result of imap_folder. */
enum imap_result imap_select(struct imap *s, struct str folder);
/* UIDVALIDITY of the open folder: with another value, uids name other mails */
int64_t imap_validity(const struct imap *s);
int64_t imap_exists(const struct imap *s); /* number of mails in the open folder, as the server last said */
/* Asks whether a folder exists. The open one stays open. */
enum imap_result imap_look(struct imap *s, struct str folder);

/* Lists the mails with the sequence numbers from `first` to `first + room - 1`, without their bodies.
 * Returns their number, or an imap_result. */
int imap_list(struct imap *s, int64_t first, struct imap_mail *mails, int room);
/* Reads a mail, without marking it as read. Returns 1, 0 if it is gone, or an imap_result. */
int imap_read(struct imap *s, struct arena *a, int64_t uid, struct str *raw);
/* Moves mails to a folder, or deletes them if folder.p is NULL. Without UIDPLUS, the server also removes
 * the mails that somebody else marked as deleted. */
enum imap_result imap_take_away(struct imap *s, struct arena *a, struct str folder, const int64_t *uids,
                                int n);

/* Waits until the server reports a new mail, at most `ms`: by IDLE, or, if the server lacks it, until the
 * time is over. Returns early if tick() returns false. tick is called several times a second. */
enum imap_result imap_wait(struct imap *s, int64_t ms, bool (*tick)(void *arg), void *arg);

#endif
