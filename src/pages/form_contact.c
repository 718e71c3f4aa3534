/* The contact form: a new conversation. suggest.js lists articles that may answer it beside the form,
 * while the subject is typed. */
#include "pages/form_value.h"
#include "pages/handlers.h"

#include <inttypes.h>

struct contact {
    const struct json *fields; /* the first field of the default form; NULL: none */
    int64_t form_id;           /* 0: none */
    const struct json *files;  /* values that are uploaded files; NULL: none */
    struct str key;            /* a UUID of this form: sending the form twice makes one conversation */
    struct str article;        /* id of the article that was read before; empty: none */
};

static const struct form_field of_stranger[] = {
    {"name", WORD_YOUR_NAME, .autocomplete = "name", .max = 255, .required = true},
    {"email", WORD_EMAIL, .type = "email", .hint = WORD_EMAIL_HINT, .autocomplete = "email", .max = 255,
     .required = true},
    {0},
};
static const struct form_field of_everyone[] = {
    {"subject", WORD_SUBJECT, .max = 255, .required = true},
    {"contents", WORD_MESSAGE, .type = "textarea", .required = true},
    {0},
};
static const struct form_field attached = {"files",
                                           WORD_ATTACHMENTS,
                                           .type = "file",
                                           .hint = WORD_FILES_HINT,
                                           .parameter = "attachment_file_ids",
                                           .multiple = true};

/* ---- the page -------------------------------------------------------------------------------- */

/* All fields of the form, in their order. Returns their number. */
static int contact_fields(struct form_page *a, struct form_field *all) {
    const struct contact *mine = a->own;
    int n = 0, values = 0;
    for (const struct form_field *f = of_stranger; f->name && !site_logged_in(a->visit); f++) all[n++] = *f;
    for (const struct form_field *f = of_everyone; f->name; f++) all[n++] = *f;
    all[n - 2].value = site_query(a->visit, "subject");
    for (const struct json *j = mine->fields; j && values < FORM_VALUES; j = j->next)
        values += form_value_field(a, j, &all[n + values]);
    n += values;
    all[n++] = attached;
    if (a->posted && a->visit->http->files && (a->wrong || a->verdict)) all[n - 1].hint = WORD_FILES_AGAIN;
    all[n] = (struct form_field){0};
    return n;
}

/* suggest.js fills the list while the subject is typed. It stands behind the form, so that it moves no
 * field and Tab reaches it last. */
static void put_suggester(struct form_page *a) {
    const struct site_visit *v = a->visit;
    html(form_out(a),
         "<aside class=\"suggested\" id=\"suggestions\" aria-labelledby=\"suggested\" "
         "data-address=\"%s/api/v1/helpcenter/search/suggestions?locale=%s&amp;brand_id=%d\" "
         "data-new-tab=\"%s\" hidden>\n<h2 id=\"suggested\">%s</h2>\n<ul "
         "aria-live=\"polite\"></ul>\n</aside>\n",
         v->prefix.p, v->locale.p, (int)v->brand.id, form_say(a, WORD_NEW_TAB), form_say(a, WORD_SUGGESTED));
}

static void contact_form(struct form_page *a) {
    const struct contact *mine = a->own;
    struct form_field *all = arena_array(a->arena, FORM_VALUES + 6, sizeof *all);
    int n = contact_fields(a, all), values = 0;
    form_problems(a, all);
    buf_text(form_out(a), "<div class=\"beside\">\n");
    form_open(a, form_path(a, "/contact"), form_multipart);
    form_hidden(a, "_key", mine->key);
    if (mine->article.n) form_hidden(a, "article_id", mine->article);
    if (mine->form_id) form_hidden(a, "form_id", str_fmt(a->arena, "%" PRId64, mine->form_id));
    for (const struct form_field *f = all; strncmp(f->name, "field_values", 12) != 0 && f < all + n - 1; f++)
        form_field(a, f);
    for (const struct json *j = mine->fields; j && values < FORM_VALUES; j = j->next)
        values += form_value(a, j);
    form_field(a, &all[n - 1]);
    form_close(a, WORD_SEND);
    put_suggester(a);
    html(form_out(a), "</div>\n<script src=\"%s/helpcenter/suggest.js\" defer></script>\n",
         a->visit->prefix.p);
}

static int show_contact(struct form_page *a) {
    struct contact *mine = a->own;
    const struct json *forms = form_data(a);
    for (const struct json *j = forms ? forms->first : NULL; j; j = j->next) {
        const struct json *fields = json_member(j, S("fields"));
        if (!json_member_true(j, "is_default")) continue;
        mine->form_id = tree_int(j, "id");
        mine->fields = fields ? fields->first : NULL;
    }
    html(form_out(a), "<h1>%s</h1>\n", form_say(a, WORD_CONTACT));
    if (a->verdict) mine->key = random_uuid(a->arena); /* the refusal belongs to the old one */
    contact_form(a);
    return form_show(a, str_of(form_say(a, WORD_CONTACT)));
}

static int ask_form(struct form_page *a) {
    a->subcall.files = NULL;
    return form_call(a, GET, NULL, show_contact, "/cases/forms?include=case_field,field_option,locale_field");
}

/* ---- sending --------------------------------------------------------------------------------- */

static int send_contact(struct form_page *a);

/* The visitor can't correct an article that is gone or hidden, so the message is sent without it. */
static int contact_sent(struct form_page *a) {
    struct contact *mine = a->own;
    if (mine->article.n && subcall_problem(a->subcall.reply, "article_id").p) {
        mine->article = S("");
        mine->key = random_uuid(a->arena);
        return send_contact(a);
    }
    if (!form_ok(a)) return form_refused(a);
    if (!site_logged_in(a->visit)) return form_redirect(a, "/contact?done=sent");
    return form_redirect(a, "/conversations/%" PRId64 "?done=sent", tree_int(form_data(a), "id"));
}

/* The key is the fingerprint of a stranger, because the API repeats outcomes only to callers that it can
 * distinguish. Nobody else has the key. */
static int send_contact(struct form_page *a) {
    static const char *const names[] = {"name", "email", "subject", "contents", "form_id"};
    const struct contact *mine = a->own;
    struct json *body = json_new(a->arena, JSON_OBJECT);
    bool stranger = !site_logged_in(a->visit);
    for (size_t i = stranger ? 0 : 2; i < sizeof names / sizeof *names; i++)
        if (json_member(a->visit->form, str_of(names[i])))
            form_add(a, body, names[i], form_typed(a, names[i]));
    if (mine->article.n) form_add(a, body, "article_id", mine->article);
    form_add(a, body, "source", S("HELPCENTER"));
    form_values_take(a, body, mine->files);
    a->subcall.files = form_files(a, false);
    subcall_header(&a->subcall, "Idempotency-Key", mine->key);
    if (stranger) subcall_header(&a->subcall, "X-Fingerprint-ID", mine->key);
    return form_call(a, POST, body, contact_sent, "/conversations");
}

static int contact_uploaded(struct form_page *a) {
    struct contact *mine = a->own;
    if (!form_ok(a)) return form_refused(a);
    mine->files = form_value_uploaded(a, form_data(a));
    return send_contact(a);
}

/* The upload has a key of its own, so that a form that is sent twice names the same files. */
static int upload_and_send(struct form_page *a) {
    const struct contact *mine = a->own;
    a->subcall.files = form_value_files(a);
    if (a->subcall.files == NULL) return send_contact(a);
    subcall_header(&a->subcall, "Idempotency-Key", STR_CAT(a->arena, mine->key, S("-files")));
    if (!site_logged_in(a->visit)) subcall_header(&a->subcall, "X-Fingerprint-ID", mine->key);
    return form_call(a, POST, NULL, contact_uploaded, "/files");
}

/* ---- the visit ------------------------------------------------------------------------------- */

static int thanks(struct form_page *a) {
    a->kind = "small";
    html(form_out(a), "<h1>%s</h1>\n<p role=\"status\">%s</p>\n", form_say(a, WORD_THANK_YOU),
         form_say(a, WORD_WE_MAIL));
    return form_show(a, str_of(form_say(a, WORD_THANK_YOU)));
}

int page_contact(struct site_visit *v) {
    struct form_page *a = form_begin(v, ask_form);
    struct contact *mine = a->own = ARENA_NEW(a->arena, struct contact);
    mine->key = form_typed(a, "_key");
    if (!is_uuid(mine->key)) mine->key = random_uuid(a->arena);
    mine->article = a->posted ? form_typed(a, "article_id") : site_query(v, "article");
    if (form_forged(a)) return form_expired(a);
    if (a->posted) return upload_and_send(a);
    return str_eq(site_query(v, "done"), S("sent")) ? thanks(a) : ask_form(a);
}
