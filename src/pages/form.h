/* Pages that act: forms that work without script, on calls of the API (api/call/subcall.h).
 *
 * A form has a token. A posted form is refused if its token does not belong to the visitor: to the
 * session, or without a login to the address, the browser and the day. A refusal shows the form again,
 * with what was typed and the problem beside each field. A success leads to another page (post, redirect,
 * get).
 *
 * A function of such a page returns what show() of a page returns. After form_call, form_show, form_redirect
 * or form_refused it must return, because the visit may have ended. */
#ifndef PAGES_FORM_H
#define PAGES_FORM_H

#include "api/call/subcall.h"
#include "pages/visit.h"

/* A page that acts. */
struct form_page {
    struct subcall subcall; /* the first member: `done` of a call gets it */
    struct site_visit *visit;
    struct arena *arena; /* the arena of the request */
    bool posted;
    bool later;                       /* a call was made, so site_end replies */
    int (*then)(struct form_page *a); /* runs when the call is done */
    int (*show)(struct form_page *a); /* shows the form again after a refusal */
    enum site_word wrong;             /* a refusal of the whole form; 0: none */
    int wrong_number;                 /* stands behind these words; 0: none */
    int status;                       /* HTTP status of the refusal */
    /* the reply that refused the form: its problems stand beside the fields; NULL: none */
    const struct json *verdict;
    bool has_problems; /* form_problems wrote some: the title says so, and they have the focus */
    bool has_times;    /* the page has times, which times.js shows in the visitor's zone */
    const char *kind;  /* layout of the page (struct site_head); NULL: plain */
    const char *step;
    void *own; /* data of the page */
};

struct form_page *form_begin(struct site_visit *v, int (*show)(struct form_page *a));
/* True if the posted form has no good token. Then form_expired must show it again. */
bool form_forged(const struct form_page *a);
int form_expired(struct form_page *a);

/* ---- calls ----------------------------------------------------------------------------------- */

/* Makes a call as the visitor. `then` runs in the pool when the reply is there. path: below /api/v1, with
 * the query. */
int form_call(struct form_page *a, enum method m, struct json *body, int (*then)(struct form_page *a),
              const char *path, ...) __attribute__((format(printf, 5, 6)));
bool form_ok(const struct form_page *a); /* the call succeeded */
const struct json *
form_data(const struct form_page *a); /* `data` of its reply, if it succeeded; NULL: none */
/* After a refused call: shows the login, a page that says why, or the form again. */
int form_refused(struct form_page *a);

/* ---- input ----------------------------------------------------------------------------------- */

struct str
form_typed(const struct form_page *a,
           const char *name); /* the posted value; empty if absent. "a[b]" is a member of a member */
/* adds a text; p NULL: none */
void form_add(struct form_page *a, struct json *body, const char *name, struct str v);

/* ---- output ---------------------------------------------------------------------------------- */

struct form_field {
    const char *name;
    enum site_word word;   /* label */
    const char *label;     /* in place of the word; NULL: the word */
    const char *type;      /* type of the input; "textarea"; NULL: text */
    enum site_word hint;   /* 0: none */
    const char *hint_text; /* in place of the word; NULL: the word */
    const char *autocomplete;
    const char *parameter; /* parameter of the API; NULL: `name` */
    struct str value;      /* initial value, in a form that was not sent */
    int max;               /* characters; 0: not said */
    bool required, multiple;
};

/* The problems of the form, in one list that leads to the fields. Nothing if there are none. The fields
 * end with name NULL. */
void form_problems(struct form_page *a, const struct form_field *fields);
/* <form>, with its token; attributes: HTML */
void form_open(struct form_page *a, struct str action, const char *attributes);
void form_hidden(struct form_page *a, const char *name, struct str value);
void form_field(struct form_page *a, const struct form_field *f);
void form_close(struct form_page *a, enum site_word button);
extern const char form_multipart[]; /* the attribute of a form with files */

/* The parts of a field, for controls that form_field does not write. */
void form_label(struct form_page *a, const struct form_field *f); /* label and notes */
void form_notes(struct form_page *a, const struct form_field *f); /* hint and problem */
void form_attributes(struct form_page *a,
                     const struct form_field *f); /* id, name and others of the control */
const char *form_id(struct form_page *a, const struct form_field *f);
bool form_is_described(struct form_page *a, const struct form_field *f);

struct buf *form_out(struct form_page *a);
const char *form_say(const struct form_page *a, enum site_word w);
/* replies with the page; noindex, no-store */
int form_show(struct form_page *a, struct str title);
int form_redirect(struct form_page *a, const char *path, ...)
    __attribute__((format(printf, 2, 3))); /* path: behind the locale, "/contact" */
/* to the login, and back to this page */
int form_to_login(struct form_page *a);
/* the same path for a link */
struct str form_path(struct form_page *a, const char *path, ...) __attribute__((format(printf, 2, 3)));
/* an address of this desk, without its host: brands have hosts of their own */
struct str form_local_path(struct form_page *a, struct str url);

#endif
