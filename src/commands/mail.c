/* mail-in: stores one mail from standard input for the desk. Its exit status is for a mail server
 * (sysexits.h): 0: the mail is on the disk; 75: try again; any other: return the mail to its sender.
 *
 * The mail is written while it is read. The envelope comes from (1) options, (2) the environment that
 * Postfix and Exim set, and (3) header fields that a mail server adds on top. (1) and (2) are the
 * envelope: an unknown recipient is refused. (3) may name another mailbox of the way here, so an unknown
 * one is left out, and the desk looks at To and Cc. */
#include "base/limits.h"
#include "base/log.h"
#include "commands/commands.h"
#include "commands/listen.h"
#include "mail/inbox.h"
#include "mail/lmtp.h"
#include "mail/recipients.h"

#include <errno.h>
#include <grp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

/* If run as root, continues as the owner of the data folder, for two reasons: (1) the desk can read what
 * is stored, and (2) links that the desk's user puts into the folder, or a mail that exploits a parser,
 * don't get root's rights. */
static bool become_owner(struct str data) {
    struct stat st;
    if (geteuid() != 0 || stat(data.p, &st) != 0 || st.st_uid == 0) return true;
    return setgroups(0, NULL) == 0 && setgid(st.st_gid) == 0 && setuid(st.st_uid) == 0;
}

#define PIECE \
    (64 * 1024) /* bytes that are read at once; the header fields of the envelope are in the first ones */

struct input {
    struct arena *a;
    struct str inbox;
    struct str first; /* the first bytes of the mail */
    char *piece;
    struct inbox_mail mail;
};

/* Fills the piece, unless the input ends. Returns the number of bytes, or -1. */
static ssize_t read_piece(char *piece) {
    size_t n = 0;
    while (n < PIECE) {
        ssize_t got = read(STDIN_FILENO, piece + n, PIECE - n);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (got == 0) break;
        n += (size_t)got;
    }
    return (ssize_t)n;
}

/* Complains. Reads the rest of standard input first, so that the mail server does not block on a full
 * pipe. */
static int mail_refuse(struct input *in, int status, const char *why) {
    while (in && read_piece(in->piece) > 0) continue;
    complain("%s", why);
    return status;
}

/* ---- the envelope ---------------------------------------------------------------------------- */

/* The value of the first header field of this name; p NULL: there is none. */
static struct str field_value(struct str rest, const char *name) {
    while (rest.p) {
        struct str value = str_trim(str_cut(&rest, '\n')), field = str_cut(&value, ':');
        if (field.n == 0) break;
        if (value.p && str_eqi(field, str_of(name))) return str_trim(value);
    }
    return (struct str){0};
}

static struct str bare_address(struct str s) {
    return s.n >= 2 && s.p[0] == '<' && s.p[s.n - 1] == '>' ? (struct str){s.p + 1, s.n - 2} : s;
}

/* Sets the recipient to the first of the candidates that the desk takes mail for. Returns 1, 0 if it takes
 * none of them or none is given, or -1 with errno. */
static int choose_recipient(struct input *in, const struct str *candidates, size_t n) {
    for (size_t i = 0; i < n; i++) {
        struct str address = bare_address(candidates[i]);
        int found = address.p ? recipients_take(in->a, in->inbox, address) : 0;
        if (found > 0) in->mail.recipient = address;
        if (found) return found;
    }
    return 0;
}

/* Returns 0 or the exit status. */
static int read_recipient(struct input *in, const struct command_line *o) {
    struct str given[] = {option_text(o, OPT_RECIPIENT), str_of(getenv("ORIGINAL_RECIPIENT")),
                          str_of(getenv("RECIPIENT"))};
    struct str fields[] = {field_value(in->first, "X-Original-To"), field_value(in->first, "Delivered-To")};
    bool known = given[0].p || given[1].p || given[2].p;
    int found = given[0].p ? choose_recipient(in, given, 1)
                : known    ? choose_recipient(in, given + 1, 2)
                           : choose_recipient(in, fields, 2);
    if (found > 0 || (found == 0 && !known)) return 0;
    if (found == 0)
        return mail_refuse(in, EX_NOUSER,
                           str_fmt(in->a,
                                   "this desk takes no mail for this recipient: add a mailbox with the "
                                   "address, or pass one of the addresses in %s/recipients to --recipient",
                                   in->inbox.p)
                               .p);
    return mail_refuse(in, EX_TEMPFAIL,
                       str_fmt(in->a,
                               "%s/recipients can't be read (%s): name the data folder of a desk "
                               "that has been served",
                               in->inbox.p, strerror(errno))
                           .p);
}

/* Postfix names the null sender MAILER-DAEMON. */
static void read_sender(struct input *in, const struct command_line *o) {
    struct str sender = option_text(o, OPT_SENDER);
    if (sender.p == NULL) sender = str_of(getenv("SENDER"));
    if (sender.p == NULL) sender = field_value(in->first, "Return-Path");
    sender = bare_address(sender);
    in->mail.envelope_from = str_eqi(sender, S("MAILER-DAEMON")) ? S("") : sender;
}

/* ---- storing --------------------------------------------------------------------------------- */

static int mail_fault(struct input *in, int fault) {
    if (fault == ENOENT)
        return mail_refuse(in, EX_TEMPFAIL,
                           str_fmt(in->a,
                                   "%s is not an inbox: name the data folder of a desk that has been "
                                   "served",
                                   in->inbox.p)
                               .p);
    return mail_refuse(in, EX_TEMPFAIL,
                       str_fmt(in->a,
                               "%s can't store a mail now: %s. The mail server tries again; "
                               "otherwise run mail-in again",
                               in->inbox.p, strerror(fault))
                           .p);
}

/* Copies the rest of the input. Returns 0, errno, or -1 if the mail is too large. */
static int mail_copy(struct input *in, struct inbox_draft *d) {
    int fault = inbox_add(d, in->first);
    for (ssize_t n = 1; !fault && n > 0;) {
        n = read_piece(in->piece);
        if (n < 0) return errno;
        fault = d->size + n > LIMIT_MAIL ? -1 : inbox_add(d, (struct str){in->piece, (size_t)n});
    }
    return fault;
}

static int mail_store(struct input *in) {
    struct inbox_draft d;
    int fault = inbox_begin(&d, in->a, in->inbox, &in->mail);
    if (!fault) fault = mail_copy(in, &d);
    if (!fault) fault = inbox_finish(&d, in->a, in->inbox);
    if (fault) inbox_drop(&d);
    return fault < 0
               ? mail_refuse(in, EX_UNAVAILABLE, "this mail is larger than 50 MiB: send it without its files")
           : fault ? mail_fault(in, fault)
                   : 0;
}

static int mail_take(struct arena *a, const struct command_line *o) {
    char *first = arena_bytes(a, PIECE);
    ssize_t n = read_piece(first);
    if (n < 0)
        return mail_refuse(NULL, EX_TEMPFAIL,
                           "the mail can't be read from standard input: redirect a file to it or let a mail "
                           "server run mail-in as a pipe");
    if (n == 0) return mail_refuse(NULL, EX_DATAERR, "standard input is empty: give one mail");
    struct input in = {.a = a,
                       .inbox = inbox_of(a, option_text(o, OPT_DATA)),
                       .first = {first, (size_t)n},
                       .piece = arena_bytes(a, PIECE)};
    in.mail.door = DOOR_PIPE;
    int status = read_recipient(&in, o);
    if (status) return status;
    read_sender(&in, o);
    return mail_store(&in);
}

int command_mail_in(const struct command_line *o) {
    struct arena *a = arena_new();
    int status = become_owner(option_text(o, OPT_DATA))
                     ? mail_take(a, o)
                     : mail_refuse(NULL, EX_TEMPFAIL,
                                   "root can't act as the owner of the data folder: run mail-in as the "
                                   "owner");
    arena_free(a);
    return status;
}

/* ---- lmtp ------------------------------------------------------------------------------------ */

/* lmtp: the LMTP listener without a desk. Mail is taken while the desk is stopped, upgraded or moved. */

#define LMTP_OTHER_FILES 32 /* the port, the log, the file of recipients, the standard three */

struct lmtp *lmtp_from_options(const struct command_line *o, struct arena *a, struct str inbox,
                               struct lmtp_counts *counts) {
    char err[USAGE_MAX];
    struct str address = option_text(o, OPT_LMTP);
    struct lmtp_config cfg = {.inbox = inbox,
                              .connections = (int)option_int(o, OPT_LMTP_CONNECTIONS),
                              .idle_s = (int)option_int(o, OPT_LMTP_IDLE)};
    if (*address.p == '/') {
        cfg.path = address.p;
    } else {
        struct listen at = listen_of(address, a);
        cfg.host = at.host.p, cfg.port = at.port;
    }
    struct lmtp *l = lmtp_open(&cfg, counts, err, sizeof err);
    if (l == NULL) complain("%s", err);
    return l;
}

struct str lmtp_name(const struct command_line *o, struct arena *a, const struct lmtp *l) {
    struct str address = option_text(o, OPT_LMTP);
    return *address.p == '/' ? address : str_fmt(a, "%s:%d", listen_of(address, a).host.p, lmtp_port(l));
}

/* The port is opened before root becomes the owner of the folder, because a port below 1024 needs root. */
static int lmtp_serve(const struct command_line *o, struct arena *a, const sigset_t *ends) {
    struct lmtp_counts counts = {0};
    struct str data = option_text(o, OPT_DATA), inbox = inbox_of(a, data);
    const char *names = str_fmt(a, "%s/new", inbox.p).p;
    raise_file_limit(LMTP_FILES * option_int(o, OPT_LMTP_CONNECTIONS), LMTP_OTHER_FILES);
    struct lmtp *l = lmtp_from_options(o, a, inbox, &counts);
    if (l == NULL) return EXIT_FAULT;
    int status = 0, got;
    if (!become_owner(data)) {
        status = complain("root can't act as the owner of the data folder");
    } else if (access(names, W_OK | X_OK) != 0) {
        status = complain("%s is not an inbox (%s): name the data folder of a desk that has been served",
                          inbox.p, strerror(errno));
    } else if (!lmtp_start(l)) {
        status = complain("LMTP can't be started");
    } else {
        printf("deskd: listening on lmtp %s\n", lmtp_name(o, a, l).p);
        fflush(stdout);
        while (sigwait(ends, &got) != 0) continue;
        log_info("stopping: waiting for mails in progress");
    }
    lmtp_stop(l, (int)option_int(o, OPT_DRAIN));
    return status;
}

int command_lmtp(const struct command_line *o) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    pthread_sigmask(SIG_BLOCK, &set, NULL); /* before the first thread, so that all threads inherit it */
    if (option_text(o, OPT_LMTP).p == NULL) {
        complain("deskd lmtp needs --lmtp ADDRESS: a numeric address and a port, or the full path of a "
                 "socket");
        return EXIT_USAGE;
    }
    struct arena *a = arena_new();
    int status = lmtp_serve(o, a, &set);
    log_flush();
    arena_free(a);
    return status;
}
