/* The LMTP listener: a port or a UNIX socket, and a thread for each connection, because a thread waits for
 * the disk at the end of each mail. It needs no store: `deskd serve --lmtp` has one, and `deskd lmtp` is
 * nothing else. Mail servers of this machine deliver here; LMTP is not for the network. */
#ifndef MAIL_LMTP_H
#define MAIL_LMTP_H

#include "mail/lmtp_session.h"

struct lmtp;
struct lmtp_config {
    struct str inbox; /* its folders exist */
    const char *host; /* numeric address; NULL: `path` is a socket */
    int port;         /* 0: a free one */
    const char *path;
    int connections;
    int idle_s;
};

/* Opens the port. Nothing is answered yet. Returns NULL with one line in err. */
struct lmtp *lmtp_open(const struct lmtp_config *cfg, struct lmtp_counts *counts, char *err, size_t err_size);
bool lmtp_start(struct lmtp *l); /* starts the threads */
int lmtp_port(const struct lmtp *l);
/* no new connections and mails: 421. Mails under way go on. Returns at once */
void lmtp_drain(struct lmtp *l);
/* drains, ends the other connections after the deadline, and frees. NULL: does nothing */
void lmtp_stop(struct lmtp *l, int deadline_ms);

#endif
