#include "pages/visit.h"

#include "api/caller/auth.h"
#include "base/address.h"
#include "core/words.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- replies --------------------------------------------------------------------------------- */

bool site_logged_in(const struct site_visit *v) { return v->work.actor.user_id != 0; }
bool site_is_staff(const struct site_visit *v) { return v->work.actor.rank >= ROLE_COLLABORATOR; }

int site_redirect(struct site_visit *v, int status, struct str path) {
    v->status = status;
    v->location = STR_CAT(v->http->arena, v->prefix, path);
    v->main.n = 0;
    return 0;
}

int site_refuse(struct site_visit *v, int status, enum site_word title, enum site_word text) {
    v->status = status;
    v->main.n = v->form_html.n = 0;
    v->brand.contents = (struct str){0}; /* the page's template is not for this text */
    v->head = (struct site_head){.title = str_of(SAY(v, title)), .kind = "small", .unindexed = true};
    html(&v->main, "<h1>%s</h1>\n<p>%s</p>\n", v->head.title.p, SAY(v, text));
    return 0;
}

int site_not_found(struct site_visit *v) {
    site_refuse(v, 404, WORD_NOT_FOUND, WORD_NOT_FOUND_TEXT);
    if (v->root.p) /* otherwise the visit has no locale yet */
        html(&v->main,
             "<p class=\"buttons\"><a class=\"button\" href=\"%s\">%s</a> <a class=\"button quiet\" "
             "href=\"%s/contact\">%s</a></p>\n",
             v->root.p, SAY(v, WORD_HOME), v->root.p, SAY(v, WORD_CONTACT));
    return 0;
}

int site_bytes(struct site_visit *v, const char *content_type) {
    v->type = content_type;
    return 0;
}

/* ---- input ----------------------------------------------------------------------------------- */

static struct str text_in(const struct json *object, const char *name) {
    struct str text = json_member_text(object, name);
    return text.p ? text : S("");
}

struct str site_query(const struct site_visit *v, const char *name) {
    return str_trim(text_in(v->query, name));
}

int64_t site_query_int(const struct site_visit *v, const char *name, int64_t least, int64_t most) {
    int64_t n;
    return str_to_int(site_query(v, name), &n) && n >= least && n <= most ? n : least;
}

/* Clean HTML has quotes only around values, so these words are always an attribute. */
struct str site_pictures(const struct site_visit *v, struct str contents) {
    struct arena *a = v->http->arena;
    struct str ours = STR_CAT(a, S(" src=\""), v->api->desk->base_url, S("/")),
               here = STR_CAT(a, S(" src=\""), v->prefix, S("/"));
    const char *at = contents.p, *end = contents.p + contents.n,
               *found = contents.n ? memmem(at, contents.n, ours.p, ours.n) : NULL;
    struct buf b = {0};
    if (found == NULL) return contents;
    for (; found; found = memmem(at, (size_t)(end - at), ours.p, ours.n)) {
        buf_add(&b, at, (size_t)(found - at));
        buf_str(&b, here);
        at = found + ours.n;
    }
    buf_add(&b, at, (size_t)(end - at));
    return buf_take(&b, a);
}

/* ---- tokens of forms ------------------------------------------------------------------------- */

/* Without a login: (1) another site can't compute the token, because the key is secret, and (2) it can't
 * use its own, because that is for another address. A day is long enough to write a message. */
static struct str stranger_token(const struct site_visit *v, int64_t day) {
    char room[ADDRESS_TEXT], number[INT_TEXT];
    struct arena *a = v->http->arena;
    struct str address = address_counted_text(room, v->http->remote);
    struct str text = STR_CAT(a, S("form of a page|"), str_int(number, day), S("|"), address, S("|"),
                              user_agent_of(v->http));
    struct str hex = mac_hex(a, &v->work.desk->csrf_key, text);
    return str_dup(a, (struct str){hex.p, 40});
}

struct str site_token(const struct site_visit *v) {
    return v->csrf.p ? v->csrf : stranger_token(v, v->work.now / TIME_DAY);
}

bool site_token_good(const struct site_visit *v, struct str sent) {
    int64_t day = v->work.now / TIME_DAY;
    if (v->csrf.p) return secret_eq(sent, v->csrf);
    return secret_eq(sent, stranger_token(v, day)) || secret_eq(sent, stranger_token(v, day - 1));
}

void site_token_field(const struct site_visit *v, struct buf *out) {
    if (v->csrf.p) html(out, "<input type=\"hidden\" name=\"_token\" value=\"%s\">\n", v->csrf.p);
}
