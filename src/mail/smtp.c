#include "mail/smtp.h"

#include "base/clock.h"
#include "core/words.h"

#include <curl/curl.h>
#include <inttypes.h>

#define REPLY_MAX 300

struct exchange {
    struct str unsent;
    const atomic_bool *stopping;
    int64_t deadline; /* clock_monotonic */
    /* the last line by which the relay refused something, because the QUIT after it succeeds */
    char reply[REPLY_MAX + 1];
};

static size_t smtp_give(char *to, size_t size, size_t count, void *arg) {
    struct exchange *x = arg;
    size_t n = size * count < x->unsent.n ? size * count : x->unsent.n;
    memcpy(to, x->unsent.p, n);
    x->unsent.p += n;
    x->unsent.n -= n;
    return n;
}

static size_t smtp_keep_refusal(char *line, size_t size, size_t count, void *arg) {
    struct exchange *x = arg;
    size_t n = size * count < REPLY_MAX ? size * count : REPLY_MAX, kept = 0;
    if (n == 0 || (*line != '4' && *line != '5')) return size * count;
    for (size_t i = 0; i < n; i++)
        if (line[i] >= ' ' && line[i] < 0x7F) x->reply[kept++] = line[i];
    x->reply[kept] = 0;
    return size * count;
}

/* libcurl calls this at least once a second, also while it waits for the reply to its QUIT, for which it
 * has no time limit. */
static int is_over(void *arg, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d) {
    const struct exchange *x = arg;
    (void)a, (void)b, (void)c, (void)d;
    return atomic_load(x->stopping) || clock_monotonic() > x->deadline;
}

/* Builds the URL from its parts, so that no part can be taken for another one. The path is the name for
 * EHLO. */
static CURLU *url_of(struct arena *a, const struct relay *r) {
    CURLU *u = curl_url();
    bool whole =
        u && curl_url_set(u, CURLUPART_SCHEME, r->security == SMTP_TLS ? "smtps" : "smtp", 0) == CURLUE_OK &&
        curl_url_set(u, CURLUPART_HOST, str_dup(a, r->host).p, 0) == CURLUE_OK &&
        curl_url_set(u, CURLUPART_PORT, str_fmt(a, "%" PRId64, r->port).p, 0) == CURLUE_OK &&
        curl_url_set(u, CURLUPART_PATH, str_fmt(a, "/%.*s", (int)r->hello.n, r->hello.p).p, 0) == CURLUE_OK;
    if (whole) return u;
    curl_url_cleanup(u);
    return NULL;
}

static void set_security(struct arena *a, CURL *c, const struct relay *r) {
    struct curl_blob ca = {(void *)r->ca.p, r->ca.n, CURL_BLOB_COPY};
    curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "smtp,smtps");
    curl_easy_setopt(c, CURLOPT_PROXY, ""); /* ignore proxies from the environment */
    curl_easy_setopt(c, CURLOPT_USE_SSL,
                     (long)(r->security == SMTP_PLAIN ? CURLUSESSL_NONE : CURLUSESSL_ALL));
    curl_easy_setopt(c, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    curl_easy_setopt(c, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(c, CURLOPT_SSL_VERIFYHOST, 2L);
    if (r->ca.n) curl_easy_setopt(c, CURLOPT_CAINFO_BLOB, &ca);
    if (r->user.n == 0) return;
    curl_easy_setopt(c, CURLOPT_USERNAME, str_dup(a, r->user).p);
    curl_easy_setopt(c, CURLOPT_PASSWORD, r->password.p ? str_dup(a, r->password).p : "");
    if (r->bearer.p) mail_bearer_set(c, a, r->bearer);
}

static void set_exchange(CURL *c, const struct relay *r, struct exchange *x) {
    curl_easy_setopt(c, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(c, CURLOPT_INFILESIZE_LARGE, (curl_off_t)x->unsent.n);
    curl_easy_setopt(c, CURLOPT_READFUNCTION, smtp_give);
    curl_easy_setopt(c, CURLOPT_READDATA, x);
    curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, smtp_keep_refusal);
    curl_easy_setopt(c, CURLOPT_HEADERDATA, x);
    curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, is_over);
    curl_easy_setopt(c, CURLOPT_XFERINFODATA, x);
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    /* otherwise it sends QUIT in curl_easy_cleanup, without calling is_over */
    curl_easy_setopt(c, CURLOPT_FORBID_REUSE, 1L);
    curl_easy_setopt(c, CURLOPT_TIMEOUT, (long)r->timeout_s);
    curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT, (long)r->timeout_s);
}

/* Converts the last reply. 53x (RFC 4954: log in, use TLS) is about the local settings, which can be
 * corrected, so it is not final. 552 is about the size, if no enhanced code names a full mailbox (RFC
 * 3463: x.2.2). */
static enum smtp_outcome outcome_of(CURLcode rc, long code, const char *reply) {
    if (rc == CURLE_OK) return SMTP_SENT;
    if (code == 552 && strstr(reply, " 5.2.2 ") == NULL) return SMTP_TOO_BIG;
    bool replied = rc == CURLE_SEND_ERROR || rc == CURLE_RECV_ERROR || rc == CURLE_WEIRD_SERVER_REPLY;
    return replied && code >= 500 && code < 600 && code / 10 != 53 ? SMTP_REFUSED : SMTP_LATER;
}

enum smtp_outcome smtp_send(struct arena *a, const struct relay *r, struct str from, struct str to,
                            struct str message, const atomic_bool *stopping, struct str *reason) {
    struct exchange x = {
        .unsent = message, .stopping = stopping, .deadline = clock_monotonic() + r->timeout_s * TIME_SECOND};
    CURLU *url = url_of(a, r);
    CURL *c = curl_easy_init();
    struct curl_slist *recipients = curl_slist_append(NULL, str_fmt(a, "<%.*s>", (int)to.n, to.p).p);
    long code = 0;
    char said[CURL_ERROR_SIZE] = "";
    CURLcode rc = CURLE_URL_MALFORMAT;
    if (c && url && recipients) {
        curl_easy_setopt(c, CURLOPT_CURLU, url);
        curl_easy_setopt(c, CURLOPT_ERRORBUFFER, said);
        curl_easy_setopt(c, CURLOPT_MAIL_FROM, str_fmt(a, "<%.*s>", (int)from.n, from.p).p);
        curl_easy_setopt(c, CURLOPT_MAIL_RCPT, recipients);
        set_security(a, c, r);
        set_exchange(c, r, &x);
        rc = curl_easy_perform(c);
        curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &code);
    }
    if (rc != CURLE_OK && r->fault)
        mail_fault_read(c, rc,
                        &(struct mail_peer){.host = r->host,
                                            .password = r->bearer.p ? r->bearer : r->password,
                                            .port = r->port,
                                            .security = r->security,
                                            .has_bearer = r->bearer.p != NULL,
                                            .reply = x.reply,
                                            .said = said},
                        r->fault);
    curl_slist_free_all(recipients);
    curl_easy_cleanup(c);
    curl_url_cleanup(url);
    enum smtp_outcome outcome = outcome_of(rc, code, x.reply);
    if (outcome != SMTP_SENT)
        *reason = str_fmt(a, "%s", code >= 400 && *x.reply ? x.reply : curl_easy_strerror(rc));
    return outcome;
}
