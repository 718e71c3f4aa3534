/* lmtp: the LMTP listener without a desk. Mail is taken while the desk is stopped, upgraded or moved. */
#include "commands/commands.h"

#include "base/log.h"
#include "commands/listen.h"
#include "mail/inbox.h"
#include "mail/lmtp.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

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
