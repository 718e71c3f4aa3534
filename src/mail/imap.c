#include "mail/imap.h"

#include "base/address.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/limits.h"
#include "core/words.h"

#include <curl/curl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECT_S 30
#define SILENCE_MS (30 * TIME_SECOND)   /* time without a byte from the server, during a command */
#define COMMAND_MS (5 * TIME_MINUTE)    /* time for a whole command: 25 MB at 1 Mbit/s */
#define COMMAND_BYTES ((size_t)4 << 20) /* bytes of all responses to a command that reads no mail */
#define SLICE_MS 200                    /* time between two looks of a wait at *stopping */
#define REASON_MAX 300

struct imap {
    const atomic_bool *stopping;
    CURL *curl;
    struct arena *arena; /* arena of one command */
    struct imap_source source;
    int64_t silent_at, over_at; /* clock_monotonic: the command fails then */
    int64_t exists, validity;
    unsigned tag;
    bool has_capability, has_move, has_uidplus, has_idle, is_new; /* is_new: EXISTS came during a wait */
    bool private_allowed, has_bearer;
    char refused[ADDRESS_TEXT];
    char reason[REASON_MAX + 1];
    struct mail_fault fault;
};

const char *imap_reason(const struct imap *s) { return s->reason; }
const struct mail_fault *imap_fault(const struct imap *s) { return &s->fault; }
int64_t imap_validity(const struct imap *s) { return s->validity; }
int64_t imap_exists(const struct imap *s) { return s->exists; }

/* Keeps a reason. Texts of the server are cut and reduced to printable ASCII. */
static enum imap_result imap_fail(struct imap *s, enum imap_result result, const char *before,
                                  struct str text) {
    size_t n = (size_t)snprintf(s->reason, sizeof s->reason, "%s", before);
    for (size_t i = 0; i < text.n && n < REASON_MAX; i++)
        if (text.p[i] >= ' ' && text.p[i] < 0x7F) s->reason[n++] = text.p[i];
    s->reason[n] = 0;
    return result;
}

/* ---- connecting ------------------------------------------------------------------------------ */

static curl_socket_t imap_open_socket(void *arg, curlsocktype purpose, struct curl_sockaddr *to) {
    struct imap *s = arg;
    bool internet = to->family == AF_INET || to->family == AF_INET6;
    if (purpose != CURLSOCKTYPE_IPCXN || !internet) return CURL_SOCKET_BAD;
    struct address a = address_of(&to->addr);
    if (s->private_allowed || address_is_public(&a))
        return socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
    address_text(&a, s->refused);
    return CURL_SOCKET_BAD;
}

static int imap_is_over(void *arg, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d) {
    const struct imap *s = arg;
    (void)a, (void)b, (void)c, (void)d;
    return atomic_load(s->stopping) || clock_monotonic() > s->over_at;
}

/* libcurl gives the lines of the login here; otherwise it writes them to standard output. */
static size_t imap_hear(char *line, size_t size, size_t count, void *arg) {
    (void)line, (void)arg;
    return size * count;
}

/* Builds the URL from its parts, so that no part can be taken for another one. */
static CURLU *imap_url(struct arena *a, const struct imap_account *x) {
    CURLU *u = curl_url();
    bool whole =
        u && curl_url_set(u, CURLUPART_SCHEME, x->security == SMTP_TLS ? "imaps" : "imap", 0) == CURLUE_OK &&
        curl_url_set(u, CURLUPART_HOST, str_dup(a, x->host).p, 0) == CURLUE_OK &&
        curl_url_set(u, CURLUPART_PORT, str_fmt(a, "%" PRId64, x->port).p, 0) == CURLUE_OK &&
        curl_url_set(u, CURLUPART_PATH, "/", 0) == CURLUE_OK;
    if (whole) return u;
    curl_url_cleanup(u);
    return NULL;
}

static void imap_set_connection(struct imap *s, const struct imap_account *x) {
    struct curl_blob ca = {(void *)x->ca.p, x->ca.n, CURL_BLOB_COPY};
    CURL *c = s->curl;
    curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "imap,imaps");
    curl_easy_setopt(c, CURLOPT_PROXY, ""); /* ignore proxies from the environment */
    curl_easy_setopt(c, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    curl_easy_setopt(c, CURLOPT_OPENSOCKETFUNCTION, imap_open_socket);
    curl_easy_setopt(c, CURLOPT_OPENSOCKETDATA, s);
    curl_easy_setopt(c, CURLOPT_USE_SSL,
                     (long)(x->security == SMTP_PLAIN ? CURLUSESSL_NONE : CURLUSESSL_ALL));
    curl_easy_setopt(c, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    curl_easy_setopt(c, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(c, CURLOPT_SSL_VERIFYHOST, 2L);
    if (x->ca.n) curl_easy_setopt(c, CURLOPT_CAINFO_BLOB, &ca);
    curl_easy_setopt(c, CURLOPT_USERNAME, str_dup(s->arena, x->user).p);
    curl_easy_setopt(c, CURLOPT_PASSWORD, x->password.p ? str_dup(s->arena, x->password).p : "");
    if (x->bearer.p) mail_bearer_set(c, s->arena, x->bearer);
    curl_easy_setopt(c, CURLOPT_CONNECT_ONLY, 1L);
    curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, imap_hear);
    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, imap_hear);
    curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, imap_is_over);
    curl_easy_setopt(c, CURLOPT_XFERINFODATA, s);
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    /* a look-up that hangs must not block the end of the request */
    curl_easy_setopt(c, CURLOPT_QUICK_EXIT, 1L);
    curl_easy_setopt(c, CURLOPT_TIMEOUT, (long)CONNECT_S);
    curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
    curl_easy_setopt(c, CURLOPT_TCP_KEEPALIVE, 1L);
}

static enum imap_result imap_connected(struct imap *s, CURLcode rc) {
    if (rc == CURLE_OK) return IMAP_OK;
    if (atomic_load(s->stopping)) return imap_fail(s, IMAP_STOPPED, "stopped", S(""));
    if (*s->refused) {
        enum imap_result later = imap_fail(s, IMAP_LATER, "", str_of(s->refused));
        size_t n = strlen(s->reason);
        snprintf(s->reason + n, sizeof s->reason - n,
                 " is an address of this machine or of a private network. An owner can allow such addresses "
                 "by the setting mail.imap_allow_private_addresses.");
        return later;
    }
    if (rc == CURLE_LOGIN_DENIED)
        return imap_fail(s, IMAP_DENIED,
                         s->has_bearer ? "The server refused the user or the access token."
                                       : "The server refused the user or the password.",
                         S(""));
    if (rc == CURLE_USE_SSL_FAILED)
        return imap_fail(s, IMAP_LATER, "The server does not offer STARTTLS.", S(""));
    if (rc == CURLE_OPERATION_TIMEDOUT || rc == CURLE_ABORTED_BY_CALLBACK)
        return imap_fail(s, IMAP_LATER, "The server did not answer in time.", S(""));
    return imap_fail(s, IMAP_LATER, "", STR_CAT(s->arena, str_of(curl_easy_strerror(rc)), S(".")));
}

static void imap_fault_read(struct imap *s, const struct imap_account *x, CURLcode rc) {
    mail_fault_read(s->curl, rc,
                    &(struct mail_peer){.host = x->host,
                                        .password = x->bearer.p ? x->bearer : x->password,
                                        .port = x->port,
                                        .security = x->security,
                                        .has_bearer = x->bearer.p != NULL,
                                        .reply = "",
                                        .said = ""},
                    &s->fault);
    if (*s->refused == 0) return;
    snprintf(s->fault.message, sizeof s->fault.message, "%s", s->reason);
    s->fault.advice = "Use a server on the internet, or let an owner set mail.imap_allow_private_addresses.";
}

static int source_more(void *arg, char *to, size_t room);

struct imap *imap_open(const struct imap_account *account, const atomic_bool *stopping,
                       enum imap_result *result) {
    struct imap *s = calloc(1, sizeof *s);
    if (s == NULL) abort();
    s->stopping = stopping;
    s->arena = arena_new();
    s->private_allowed = account->private_allowed;
    s->has_bearer = account->bearer.p != NULL;
    s->source.more = source_more;
    s->source.arg = s;
    s->over_at = clock_monotonic() + CONNECT_S * TIME_SECOND;
    s->curl = curl_easy_init();
    CURLU *url = imap_url(s->arena, account);
    CURLcode rc = CURLE_URL_MALFORMAT;
    if (s->curl && url) {
        curl_easy_setopt(s->curl, CURLOPT_CURLU, url);
        imap_set_connection(s, account);
        rc = curl_easy_perform(s->curl);
    }
    curl_url_cleanup(url);
    *result = imap_connected(s, rc);
    if (rc != CURLE_OK) imap_fault_read(s, account, rc);
    return s;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* Waits for the socket. Returns IMAP_OK if it is ready, or if a slice of the time is over. */
static enum imap_result imap_poll(struct imap *s, short events) {
    curl_socket_t fd = CURL_SOCKET_BAD;
    curl_easy_getinfo(s->curl, CURLINFO_ACTIVESOCKET, &fd);
    if (fd == CURL_SOCKET_BAD) return imap_fail(s, IMAP_LATER, "The server closed the connection.", S(""));
    struct pollfd p = {.fd = fd, .events = events};
    poll(&p, 1, SLICE_MS);
    if (atomic_load(s->stopping)) return imap_fail(s, IMAP_STOPPED, "stopped", S(""));
    int64_t now = clock_monotonic();
    if (now > s->silent_at || now > s->over_at)
        return imap_fail(s, IMAP_LATER, "The server did not answer in time.", S(""));
    return IMAP_OK;
}

static int source_more(void *arg, char *to, size_t room) {
    struct imap *s = arg;
    for (;;) {
        size_t n = 0;
        CURLcode rc = curl_easy_recv(s->curl, to, room, &n);
        if (rc == CURLE_OK && n > 0) {
            s->silent_at = clock_monotonic() + SILENCE_MS;
            return (int)n;
        }
        if (rc != CURLE_AGAIN) return imap_fail(s, IMAP_LATER, "The server closed the connection.", S(""));
        TRY(imap_poll(s, POLLIN));
    }
}

static enum imap_result imap_send(struct imap *s, struct str text) {
    while (text.n) {
        size_t n = 0;
        CURLcode rc = curl_easy_send(s->curl, text.p, text.n, &n);
        if (rc == CURLE_AGAIN) TRY(imap_poll(s, POLLOUT));
        else if (rc != CURLE_OK) return imap_fail(s, IMAP_LATER, "The server closed the connection.", S(""));
        text = (struct str){text.p + n, text.n - n};
    }
    return IMAP_OK;
}

/* ---- commands -------------------------------------------------------------------------------- */

/* The function that gets each response to one command. */
struct imap_hearer {
    void (*hear)(void *arg, const struct imap_response *r);
    void *arg;
    struct arena *arena; /* arena of the responses; NULL: the responses are freed after the command */
    size_t most;         /* bytes of all responses; 0: COMMAND_BYTES */
};

/* Numbers that the server sends at any time. */
static void imap_note(struct imap *s, const struct imap_response *r) {
    int64_t number;
    if (imap_number_read(r->text, S("EXISTS"), &number)) {
        s->is_new |= number > s->exists;
        s->exists = number;
    }
    if (imap_number_read(r->text, S("EXPUNGE"), &number) && s->exists > 0) s->exists--;
    if (imap_code_read(r->text, S("UIDVALIDITY"), &number)) s->validity = number;
    if (!str_starts(r->text, S("* CAPABILITY "))) return;
    s->has_capability = true;
    s->has_move = imap_has_word(r->text, S("MOVE"));
    s->has_uidplus = imap_has_word(r->text, S("UIDPLUS"));
    s->has_idle = imap_has_word(r->text, S("IDLE"));
}

static void imap_begin(struct imap *s, size_t most) {
    int64_t now = clock_monotonic();
    s->silent_at = now + SILENCE_MS;
    s->over_at = now + COMMAND_MS;
    s->source.left = most ? most : COMMAND_BYTES;
}

/* Reads one response. Faults of its text become IMAP_LATER. */
static int imap_response(struct imap *s, struct arena *a, struct imap_response *r) {
    int rc = imap_response_read(&s->source, a, r);
    if (rc == IMAP_SENSELESS)
        return imap_fail(s, IMAP_LATER, "The server sent a response that is not IMAP, or too long.", S(""));
    if (rc == 0) imap_note(s, r);
    return rc;
}

/* Reads one response and gives it to the hearer. Returns 1 after the last one, 0, or an imap_result. */
static int imap_hear_one(struct imap *s, struct arena *a, struct str tag, const struct imap_hearer *h) {
    struct imap_response r;
    TRY(imap_response(s, a, &r));
    if (h && h->hear) h->hear(h->arg, &r);
    if (!str_starts(r.text, tag)) return 0;
    struct str said = {r.text.p + tag.n, r.text.n - tag.n};
    if (said.n >= 2 && str_eqi((struct str){said.p, 2}, S("OK"))) return 1;
    return imap_fail(s, IMAP_LATER, "The server answered: ", said);
}

/* Reads responses to the end of the command. */
static enum imap_result imap_finish(struct imap *s, const struct imap_hearer *h) {
    struct str tag = str_fmt(s->arena, "d%u ", s->tag);
    for (;;) {
        struct arena_mark mark = arena_mark(s->arena);
        int rc = imap_hear_one(s, h && h->arena ? h->arena : s->arena, tag, h);
        arena_return(s->arena, mark);
        if (rc != 0) return rc == 1 ? IMAP_OK : (enum imap_result)rc;
    }
}

static enum imap_result imap_say(struct imap *s, struct str command) {
    struct str line = str_fmt(s->arena, "d%u %.*s\r\n", ++s->tag, (int)command.n, command.p);
    return imap_send(s, line);
}

/* Sends one command and reads its responses. */
static enum imap_result imap_do(struct imap *s, const struct imap_hearer *h, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static enum imap_result imap_do(struct imap *s, const struct imap_hearer *h, const char *fmt, ...) {
    struct arena_mark mark = arena_mark(s->arena);
    va_list args;
    va_start(args, fmt);
    struct str command = str_vfmt(s->arena, fmt, args);
    va_end(args);
    imap_begin(s, h ? h->most : 0);
    enum imap_result result = imap_say(s, command);
    if (result == IMAP_OK) result = imap_finish(s, h);
    arena_return(s->arena, mark);
    return result;
}

void imap_close(struct imap *s) {
    size_t n;
    if (s->tag) curl_easy_send(s->curl, "dx LOGOUT\r\n", 11, &n);
    curl_easy_cleanup(s->curl);
    arena_free(s->arena);
    free(s);
}

/* The code may be in the tagged response (RFC 3501 section 6.3.1) or in another one. */
static void hear_access(void *arg, const struct imap_response *r) {
    bool *is_closed = arg;
    struct str rest = r->text;
    str_cut(&rest, ' ');
    struct str word = str_cut(&rest, ' '), code = str_cut(&rest, ' ');
    if (str_eqi(word, S("OK")) && str_eqi(code, S("[READ-ONLY]"))) *is_closed = true;
}

enum imap_result imap_select(struct imap *s, struct str folder) {
    bool is_closed = false;
    struct imap_hearer h = {.hear = hear_access, .arg = &is_closed};
    s->exists = s->validity = 0;
    if (!s->has_capability) TRY(imap_do(s, NULL, "CAPABILITY"));
    TRY(imap_do(s, &h, "SELECT %s", folder.p));
    s->is_new = false;
    return is_closed ? imap_fail(s, IMAP_LATER,
                                 "The folder can only be read, so mails can't be moved or deleted.", S(""))
                     : IMAP_OK;
}

enum imap_result imap_look(struct imap *s, struct str folder) {
    return imap_do(s, NULL, "STATUS %s (UIDNEXT)", folder.p);
}

/* ---- mails ----------------------------------------------------------------------------------- */

struct mail_list {
    struct imap_mail *mails;
    int n, room;
};

static void hear_listed(void *arg, const struct imap_response *r) {
    struct mail_list *list = arg;
    struct imap_mail m;
    if (imap_mail_read(r, &m) && m.uid && m.size >= 0 && list->n < list->room) list->mails[list->n++] = m;
}

int imap_list(struct imap *s, int64_t first, struct imap_mail *mails, int room) {
    struct mail_list list = {.mails = mails, .room = room};
    struct imap_hearer h = {.hear = hear_listed, .arg = &list};
    int64_t last = first + room - 1 < s->exists ? first + room - 1 : s->exists;
    if (first > last) return 0;
    TRY(imap_do(s, &h, "FETCH %" PRId64 ":%" PRId64 " (UID FLAGS RFC822.SIZE)", first, last));
    for (int i = 0; i < list.n; i++) mails[i].body = (struct str){0};
    return list.n;
}

struct wanted_mail {
    int64_t uid;
    bool found;
    struct str body;
};

static void hear_body(void *arg, const struct imap_response *r) {
    struct wanted_mail *w = arg;
    struct imap_mail m;
    if (!imap_mail_read(r, &m) || m.uid != w->uid || !m.has_body) return;
    w->found = true;
    w->body = m.body;
}

int imap_read(struct imap *s, struct arena *a, int64_t uid, struct str *raw) {
    struct wanted_mail w = {.uid = uid};
    struct imap_hearer h = {.hear = hear_body, .arg = &w, .arena = a, .most = LIMIT_MAIL + COMMAND_BYTES};
    TRY(imap_do(s, &h, "UID FETCH %" PRId64 " (UID BODY.PEEK[])", uid));
    *raw = w.body;
    return w.found;
}

/* Writes uids as "3,5,8". */
static struct str uid_set(struct arena *a, const int64_t *uids, int n) {
    struct str set = S("");
    for (int i = 0; i < n; i++) set = str_fmt(a, "%s%s%" PRId64, set.p, i ? "," : "", uids[i]);
    return set;
}

static enum imap_result imap_delete(struct imap *s, const char *set) {
    TRY(imap_do(s, NULL, "UID STORE %s +FLAGS.SILENT (\\Deleted)", set));
    return s->has_uidplus ? imap_do(s, NULL, "UID EXPUNGE %s", set) : imap_do(s, NULL, "EXPUNGE");
}

enum imap_result imap_take_away(struct imap *s, struct arena *a, struct str folder, const int64_t *uids,
                                int n) {
    struct str set = uid_set(a, uids, n);
    if (n == 0) return IMAP_OK;
    if (folder.p == NULL) return imap_delete(s, set.p);
    if (s->has_move) return imap_do(s, NULL, "UID MOVE %s %s", set.p, folder.p);
    TRY(imap_do(s, NULL, "UID COPY %s %s", set.p, folder.p));
    return imap_delete(s, set.p);
}

/* ---- waiting --------------------------------------------------------------------------------- */

/* Reads one response if one has begun to come. Returns 1 if so, 0 for none, or an imap_result. */
static int idle_hear(struct imap *s, struct arena *a) {
    struct imap_response r;
    size_t n = 0;
    if (s->source.at == s->source.end) {
        CURLcode rc = curl_easy_recv(s->curl, s->source.bytes, sizeof s->source.bytes, &n);
        if (rc == CURLE_AGAIN) return 0;
        if (rc != CURLE_OK || n == 0)
            return imap_fail(s, IMAP_LATER, "The server closed the connection.", S(""));
        s->source.at = 0, s->source.end = n;
    }
    imap_begin(s, 0);
    TRY(imap_response(s, a, &r));
    return 1;
}

/* One turn of a wait: reads a response, or waits for a slice of time. */
static enum imap_result idle_turn(struct imap *s) {
    struct arena_mark mark = arena_mark(s->arena);
    int heard = idle_hear(s, s->arena);
    arena_return(s->arena, mark);
    if (heard < 0) return (enum imap_result)heard;
    s->silent_at = s->over_at = INT64_MAX;
    return heard ? IMAP_OK : imap_poll(s, POLLIN);
}

/* Reads until the server answers "+". Returns 1, 0 if it refuses IDLE, or an imap_result. */
static int idle_begin(struct imap *s) {
    struct imap_response r;
    imap_begin(s, 0);
    TRY(imap_say(s, S("IDLE")));
    do TRY(imap_response(s, s->arena, &r));
    while (!str_starts(r.text, S("+")) && !str_starts(r.text, S("d")));
    return str_starts(r.text, S("+"));
}

/* IDLE (RFC 2177): the server reports changes until DONE. */
static enum imap_result imap_idle(struct imap *s, int64_t until, bool (*tick)(void *arg), void *arg) {
    int begun = idle_begin(s);
    if (begun < 0) return (enum imap_result)begun;
    s->has_idle = begun;
    if (!begun) return IMAP_OK;
    while (!s->is_new && clock_monotonic() < until && tick(arg)) TRY(idle_turn(s));
    imap_begin(s, 0);
    TRY(imap_send(s, S("DONE\r\n")));
    return imap_finish(s, NULL);
}

static void slice_sleep(void) { poll(NULL, 0, SLICE_MS); }

enum imap_result imap_wait(struct imap *s, int64_t ms, bool (*tick)(void *arg), void *arg) {
    int64_t until = clock_monotonic() + ms;
    struct arena_mark mark = arena_mark(s->arena);
    enum imap_result result = s->has_idle ? imap_idle(s, until, tick, arg) : IMAP_OK;
    while (result == IMAP_OK && !s->has_idle && clock_monotonic() < until && tick(arg)) slice_sleep();
    arena_return(s->arena, mark);
    s->is_new = false;
    return result != IMAP_OK || s->has_idle ? result : imap_do(s, NULL, "NOOP");
}
