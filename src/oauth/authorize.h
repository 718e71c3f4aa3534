/* The page /oauth/authorize: a person logs in, and lets a program act for them. */
#ifndef OAUTH_AUTHORIZE_H
#define OAUTH_AUTHORIZE_H

#include "api/call/subcall.h"
#include "pages/template_page.h"
#include "oauth/authorization.h"
#include "oauth/ticket.h"

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
