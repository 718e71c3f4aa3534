/* Why an exchange with a mail server failed, in sentences for a person who sets up a mailbox. */
#ifndef MAIL_FAULT_H
#define MAIL_FAULT_H

#include "base/arena.h"
#include "base/str.h"

#include <curl/curl.h>
#include <stdint.h>

/* The stages of an exchange, in their order. A fault of one says that those before it succeeded. */
enum mail_stage { STAGE_CONNECT, STAGE_TLS, STAGE_LOGIN, STAGE_ACCEPT, STAGES };

struct mail_fault {
    enum mail_stage stage;
    char message[600];  /* what happened. It has no password, and text of the server only at STAGE_ACCEPT */
    const char *advice; /* what to do */
};

/* The server of an exchange. reply: its last refusal, one line; may be empty. said: libcurl's error buffer. */
struct mail_peer {
    struct str host, password; /* password: or the access token */
    int64_t port;
    int security; /* enum smtp_security */
    bool has_bearer;
    const char *reply, *said;
};

/* Converts the result of libcurl. rc is not CURLE_OK. */
/* Logs in by an access token: OAUTHBEARER (RFC 7628) if the server offers it, else XOAUTH2, and by nothing
 * else. */
void mail_bearer_set(CURL *c, struct arena *a, struct str token);

void mail_fault_read(CURL *c, CURLcode rc, const struct mail_peer *p, struct mail_fault *out);

#endif
