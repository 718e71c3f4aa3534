/* mail-in: stores one mail from standard input for the desk. Its exit status is for a mail server (sysexits.h): 0: the
 * mail is on the disk; 75: try again; any other: return the mail to its sender. */
#include "commands/commands.h"

#include "base/limits.h"
#include "mail/inbox.h"
#include "mail/report.h"

#include <errno.h>
#include <grp.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

/* If run as root, continues as the owner of the data folder, for two reasons: (1) the desk can read what is stored, and
 * (2) links that the desk's user puts into the folder, or a mail that exploits the parser, don't get root's rights. */
static bool become_owner(struct str data) {
    struct stat st;
    if (geteuid() != 0 || stat(data.p, &st) != 0 || st.st_uid == 0) return true;
    return setgroups(0, NULL) == 0 && setgid(st.st_gid) == 0 && setuid(st.st_uid) == 0;
}

/* Reads standard input to its end, so that the mail server does not block on a full pipe. Keeps LIMIT_MAIL + 1 bytes of
 * a mail that is too large. p NULL: it can't be read. */
static struct str read_input(struct arena *a) {
    char *bytes = arena_bytes(a, LIMIT_MAIL + 1), rest[4096];
    size_t n = 0;
    for (;;) {
        bool full = n > LIMIT_MAIL;
        ssize_t got = read(STDIN_FILENO, full ? rest : bytes + n, full ? sizeof rest : LIMIT_MAIL + 1 - n);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return (struct str){0};
        if (got == 0) return (struct str){bytes, n};
        if (!full) n += (size_t)got;
    }
}

static int mail_refuse(int status, const char *why) {
    complain("%s", why);
    return status;
}

static int mail_keep(struct arena *a, struct str data, struct str mail) {
    int fault = inbox_put(a, data, &(struct inbox_mail){.door = DOOR_PIPE, .raw = mail});
    if (fault == 0) return 0;
    if (fault == ENOENT) complain("%s/mail is not an inbox: name the data folder of a desk that has been served", data.p);
    else complain("%s/mail can't store a mail now: %s", data.p, strerror(fault));
    return EX_TEMPFAIL;
}

static int mail_take(struct arena *a, struct str data) {
    struct report report;
    struct str mail = read_input(a);
    if (mail.p == NULL) return mail_refuse(EX_TEMPFAIL, "the mail can't be read from standard input");
    if (mail.n > LIMIT_MAIL) return mail_refuse(EX_UNAVAILABLE, "this mail is too large");
    switch (report_read(a, mail, &report)) {
    case REPORT_NO_MAIL: return mail_refuse(EX_DATAERR, "standard input is not a mail");
    case REPORT_NONE: return mail_refuse(EX_UNAVAILABLE, "this mail is not a delivery report (RFC 3464), and no other mail is accepted");
    case REPORT_READ: return mail_keep(a, data, mail);
    }
    return EX_SOFTWARE;
}

int command_mail_in(const struct command_line *o) {
    struct arena *a = arena_new();
    struct str data = option_text(o, OPT_DATA);
    int status = become_owner(data) ? mail_take(a, data) : mail_refuse(EX_TEMPFAIL, "root can't act as the owner of the data folder");
    arena_free(a);
    return status;
}
