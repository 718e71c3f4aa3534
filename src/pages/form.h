/* Pages that act: forms that work without script, on calls of the API (api/call/subcall.h).
 *
 * A form has a token. A posted form is refused if its token does not belong to the visitor: to the
 * session, or without a login to the address, the browser and the day. A refusal shows the form again,
 * with what was typed and the problem beside each field. A success leads to another page (post, redirect,
 * get).
 *
 * A function of such a page returns what show() of a page returns. After act_call, act_page, act_redirect
 * or act_refused it must return, because the visit may have ended. */
#ifndef PAGES_FORM_H
#define PAGES_FORM_H

#include "api/call/subcall.h"
#include "pages/visit.h"

/* A page that acts. */
struct act {
    struct inner inner; /* the first member: `done` of a call gets it */
    struct site_visit *visit;
    struct arena *arena; /* the arena of the request */
    bool posted;
    bool later;                 /* a call was made, so site_end replies */
    int (*then)(struct act *a); /* runs when the call is done */
    int (*show)(struct act *a); /* shows the form again after a refusal */
    enum site_word wrong;       /* a refusal of the whole form; 0: none */
    int wrong_number;           /* stands behind these words; 0: none */
    int status;                 /* HTTP status of the refusal */
    /* the reply that refused the form: its problems stand beside the fields; NULL: none */
    const struct json *verdict;
    bool has_problems; /* form_problems wrote some: the title says so, and they have the focus */
    bool has_times;    /* the page has times, which times.js shows in the visitor's zone */
    const char *step;
    void *own; /* data of the page */
};

struct act *act_begin(struct site_visit *v, int (*show)(struct act *a));
/* True if the posted form has no good token. Then act_expired must show it again. */
bool act_forged(const struct act *a);
int act_expired(struct act *a);

/* ---- calls ----------------------------------------------------------------------------------- */

/* Makes a call as the visitor. `then` runs in the pool when the reply is there. path: below /api/v1, with
 * the query. */
int act_call(struct act *a, enum method m, struct json *body, int (*then)(struct act *a), const char *path,
             ...) __attribute__((format(printf, 5, 6)));
bool act_ok(const struct act *a);                 /* the call succeeded */
const struct json *act_data(const struct act *a); /* `data` of its reply, if it succeeded; NULL: none */
/* After a refused call: shows the login, a page that says why, or the form again. */
int act_refused(struct act *a);

/* ---- input ----------------------------------------------------------------------------------- */

struct str
act_typed(const struct act *a,
          const char *name); /* the posted value; empty if absent. "a[b]" is a member of a member */
struct http_file *act_files(struct act *a); /* without the parts of empty file fields */
/* adds a text; p NULL: none */
void act_put(struct act *a, struct json *body, const char *name, struct str v);

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
void form_problems(struct act *a, const struct form_field *fields);
/* <form>, with its token; attributes: HTML */
void form_open(struct act *a, struct str action, const char *attributes);
void form_hidden(struct act *a, const char *name, struct str value);
void form_field(struct act *a, const struct form_field *f);
void form_close(struct act *a, enum site_word button);
extern const char form_multipart[]; /* the attribute of a form with files */

/* The parts of a field, for controls that form_field does not write. */
void form_label(struct act *a, const struct form_field *f);      /* label and notes */
void form_notes(struct act *a, const struct form_field *f);      /* hint and problem */
void form_attributes(struct act *a, const struct form_field *f); /* id, name and others of the control */
const char *form_id(struct act *a, const struct form_field *f);
bool form_is_described(struct act *a, const struct form_field *f);

struct buf *act_out(struct act *a);
const char *act_say(const struct act *a, enum site_word w);
/* replies with the page; noindex, no-store */
int act_page(struct act *a, struct str title);
int act_redirect(struct act *a, const char *path, ...)
    __attribute__((format(printf, 2, 3))); /* path: behind the locale, "/contact" */
/* to the login, and back to this page */
int act_login(struct act *a);
/* the same path for a link */
struct str act_path(struct act *a, const char *path, ...) __attribute__((format(printf, 2, 3)));
/* an address of this desk, without its host: brands have hosts of their own */
struct str act_local(struct act *a, struct str url);

#endif
