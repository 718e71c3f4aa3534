/* The page /oauth/authorize: a person logs in, and lets a program act for them. */
#ifndef OAUTH_AUTHORIZE_H
#define OAUTH_AUTHORIZE_H

#include "api/call/subcall.h"
#include "core/programs/client.h"
#include "json/json.h"
#include "pages/template_page.h"

/* ---- the request of a client (RFC 6749 section 4.1.1, RFC 7636, RFC 8252, RFC 9207) ---------- */

enum prompt { PROMPT_ASK, PROMPT_LOGIN, PROMPT_NONE };

struct authorization {
    struct client client;
    struct str redirect_uri;                 /* address that gets the reply */
    bool has_redirect_uri;                   /* the request named it; else it is the client's */
    struct str state, challenge, login_hint; /* p NULL: none */
    uint32_t scopes;
    enum prompt prompt;
    const char *error, *description; /* reason why the client gets no code; NULL: the client may get one */
};

/* Reads and checks a request. Returns 1, 0 if nobody may be sent back with a reply, or a negative error.
 * After 0 *why is a sentence for the person: the client or its redirect address is wrong, so a redirect
 * would lead to a stranger. */
int authorization_read(struct work *w, const struct json *given, struct authorization *out, const char **why);

/* The request as a query, without prompt. */
struct str authorization_query(struct arena *a, const struct authorization *r);

/* The address of the client with a reply. code.p NULL: the error. */
struct str authorization_reply(const struct desk *d, struct arena *a, const struct authorization *r,
                               struct str code);

/* ---- tickets --------------------------------------------------------------------------------- */

/* A ticket is the hidden field of the forms at /oauth/authorize: what the server must find again when the
 * form is posted. It is sealed, so it can't be forged or read, and the store holds nothing before the
 * consent. It is valid for 10 minutes, in the browser that got the form, and a consent in the session that
 * it was shown to. */
#define TICKET_LIFE (10 * TIME_MINUTE)

enum ticket_step { TICKET_LOGIN = 1, TICKET_CODE, TICKET_CONSENT };

struct ticket {
    enum ticket_step step;
    int64_t until;
    int64_t user_id, session_id; /* person and session of a consent */
    struct str browser;          /* value of the cookie */
    struct str auth_token;       /* token of a login with a second step; empty: none */
    /* Error of a wrong request, which the client gets after the login; empty: the request is valid. */
    struct str error;
    struct str description; /* description of the error */
    struct str query;       /* the authorization request */
};

struct str ticket_seal(const struct desk *d, struct arena *a, const struct ticket *t);
/* false: forged or too old */
bool ticket_open(const struct desk *d, struct arena *a, struct str text, int64_t now, struct ticket *out);

/* ---- the page -------------------------------------------------------------------------------- */

struct asking {
    struct subcall subcall; /* the first member: the login is a call of GET /session */
    struct visit *visit;
    struct authorization request;
    struct ticket ticket; /* ticket in a posted form */
    struct str browser;   /* value of the cookie that binds tickets to this browser */
    const char *problem;  /* reason why the request is invalid */
    /* Name and address of the person of this browser's session; email.p NULL: none. */
    struct str name, email;
    int64_t user_id, session_id; /* user_id 0: no session */
    bool is_staff;
    struct str code; /* made by the consent */
    bool foreign;    /* the form comes from another site */
};

void authorize_page(struct visit *v);

/* ---- the forms (consent.c) ------------------------------------------------------------------- */

/* wrong: why the last try failed; NULL: it is the first. */
void ask_login(struct asking *m, const char *wrong);
void ask_code(struct asking *m, struct str auth_token, const char *wrong);
void ask_consent(struct asking *m);

#endif
