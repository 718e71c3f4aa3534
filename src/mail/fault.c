#include "mail/fault.h"

#include "core/words.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Results of OpenSSL's verification (X509_V_...), which libcurl hands on as numbers. It begins with UNKNOWN and
 * leaves that if the certificate is good, but for another host. */
enum {
    VERIFY_OK = 0,
    VERIFY_UNKNOWN = 1,
    VERIFY_NOT_YET_VALID = 9,
    VERIFY_EXPIRED = 10,
    VERIFY_OTHER_HOST = 62,
    VERIFY_OTHER_IP = 64
};

#define ASK_NAME "Correct the host name, or ask its operator for the right one."
#define ASK_PORT "Compare host, port and security with what the operator of the server says."

static void fault_set(struct mail_fault *out, enum mail_stage stage, const char *message,
                      const char *advice) {
    out->stage = stage;
    out->advice = advice;
    snprintf(out->message, sizeof out->message, "%s", message);
}

static void fault_connect(CURL *c, const struct mail_peer *p, struct mail_fault *out) {
    long number = 0;
    curl_easy_getinfo(c, CURLINFO_OS_ERRNO, &number);
    const char *what = number == ECONNREFUSED ? "refused the connection: nothing listens at this port"
                       : number == ETIMEDOUT  ? "did not answer in time"
                                              : "can't be reached";
    out->stage = STAGE_CONNECT;
    out->advice = ASK_PORT;
    snprintf(out->message, sizeof out->message, "%.*s, port %" PRId64 ", %s.", (int)p->host.n, p->host.p,
             p->port, what);
}

static void fault_certificate(CURL *c, struct mail_fault *out) {
    long result = 0;
    curl_easy_getinfo(c, CURLINFO_SSL_VERIFYRESULT, &result);
    switch (result) {
    case VERIFY_OK:
    case VERIFY_UNKNOWN:
    case VERIFY_OTHER_HOST:
    case VERIFY_OTHER_IP:
        fault_set(out, STAGE_TLS, "The certificate of the server is for another host name.",
                  "Use the host name that is in the certificate.");
        break;
    case VERIFY_EXPIRED:
        fault_set(out, STAGE_TLS, "The certificate of the server has expired.",
                  "Ask the operator of the server to renew it.");
        break;
    case VERIFY_NOT_YET_VALID:
        fault_set(out, STAGE_TLS, "The certificate of the server is not valid yet.",
                  "Compare the clocks of the desk and of the server.");
        break;
    default:
        fault_set(
            out, STAGE_TLS, "No authority that the desk trusts has signed the certificate of the server.",
            "Ask the operator of the server for a certificate of a public authority, or let an owner set "
            "the authority: mail.smtp_ca for the relay of the desk, mail.imap_ca for servers of mailboxes.");
    }
}

static void fault_timeout(CURL *c, const struct mail_peer *p, struct mail_fault *out) {
    curl_off_t connected = 0, secured = 0;
    curl_easy_getinfo(c, CURLINFO_CONNECT_TIME_T, &connected);
    curl_easy_getinfo(c, CURLINFO_APPCONNECT_TIME_T, &secured);
    if (connected == 0)
        fault_set(out, STAGE_CONNECT, "The server did not answer in time.",
                  "Compare host and port, and look whether a firewall lets the desk through.");
    else if (p->security == SMTP_TLS && secured == 0)
        fault_set(out, STAGE_TLS, "The server took the connection, but did not begin TLS in time.",
                  "The port may be one for STARTTLS. " ASK_PORT);
    else
        fault_set(out, STAGE_LOGIN,
                  "The server took the connection, but did not answer like a mail server in time.", ASK_PORT);
}

/* The server's own words, unless they have the password. */
static void fault_refused(const struct mail_peer *p, struct mail_fault *out) {
    static const struct {
        const char *said, *what, *advice;
        enum mail_stage stage;
    } refusals[] = {
        {"Got unexpected", "connection", "Ask the operator of the relay to take mails from the desk.",
         STAGE_CONNECT},
        {"MAIL failed", "sender address", "Ask the operator of the relay to allow mails from this address.",
         STAGE_ACCEPT},
        {"RCPT failed", "recipient address",
         "Ask the operator of the relay whether the address exists, and whether the desk may send to it.",
         STAGE_ACCEPT},
        {"", "mail", "Ask the operator of the relay what the refusal means.", STAGE_ACCEPT}};
    size_t i = 0;
    while (strncmp(p->said, refusals[i].said, strlen(refusals[i].said)) != 0) i++;
    bool leaks = p->password.n && memmem(p->reply, strlen(p->reply), p->password.p, p->password.n);
    const char *reply = leaks ? "" : p->reply;
    out->stage = refusals[i].stage;
    out->advice = refusals[i].advice;
    snprintf(out->message, sizeof out->message, "The relay refused the %s%s%s", refusals[i].what,
             *reply ? ": " : ".", reply);
}

void mail_bearer_set(CURL *c, struct arena *a, struct str token) {
    curl_easy_setopt(c, CURLOPT_XOAUTH2_BEARER, str_dup(a, token).p);
    curl_easy_setopt(c, CURLOPT_LOGIN_OPTIONS, "AUTH=OAUTHBEARER;AUTH=XOAUTH2");
}

void mail_fault_read(CURL *c, CURLcode rc, const struct mail_peer *p, struct mail_fault *out) {
    long code = 0;
    if (c) curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &code);
    switch (rc) {
    case CURLE_COULDNT_RESOLVE_HOST:
        fault_set(out, STAGE_CONNECT, "There is no server with this host name.", ASK_NAME);
        return;
    case CURLE_URL_MALFORMAT: fault_set(out, STAGE_CONNECT, "The host name is not valid.", ASK_NAME); return;
    case CURLE_COULDNT_CONNECT: fault_connect(c, p, out); return;
    case CURLE_PEER_FAILED_VERIFICATION: fault_certificate(c, out); return;
    case CURLE_SSL_CONNECT_ERROR:
        fault_set(out, STAGE_TLS,
                  "The server does not speak TLS at this port, or in no version that the desk does.",
                  "Choose STARTTLS, or the port for TLS.");
        return;
    case CURLE_USE_SSL_FAILED:
        fault_set(out, STAGE_TLS, "The server does not offer STARTTLS.",
                  "Choose TLS and its port, or ask the operator of the server to offer STARTTLS.");
        return;
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_ABORTED_BY_CALLBACK: fault_timeout(c, p, out); return;
    case CURLE_LOGIN_DENIED:
        if (p->has_bearer)
            fault_set(out, STAGE_LOGIN,
                      "The server refused the user or the access token, or offers no login by OAuth.",
                      "Compare the user with the account that was connected, and the scopes with what the "
                      "operator of the server says.");
        else
            fault_set(out, STAGE_LOGIN, "The server refused the user or the password.",
                      "Let an owner set the user and the password again.");
        return;
    default: break;
    }
    if (code / 10 == 53)
        fault_set(out, STAGE_LOGIN, "The server asks for a login, or for an encrypted connection.",
                  "Let an owner set user and password, or choose TLS or STARTTLS.");
    else if (code >= 400 && *p->reply) fault_refused(p, out);
    else
        fault_set(out, STAGE_CONNECT,
                  "The server answered, but not like a mail server, or it closed the connection.", ASK_PORT);
}
