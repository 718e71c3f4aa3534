/* Posted forms: their tokens, and which of them take files. */
#include "pages/visit.h"
#include "api/caller/auth.h"

#include "base/address.h"

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
