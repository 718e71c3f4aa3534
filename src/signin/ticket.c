#include "signin/ticket.h"

#include <inttypes.h>

static struct key signin_ticket_key(const struct desk *d) {
    struct key k;
    key_derive(&k, &d->program_key, "logins by a provider");
    return k;
}

struct str signin_ticket_cookie(const struct desk *d, struct arena *a, const struct signin_ticket *t) {
    struct key k = signin_ticket_key(d);
    const char *secure = str_starts(d->base_url, S("https:")) ? "; Secure" : "";
    if (t == NULL) return str_fmt(a, SIGNIN_COOKIE "=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax%s", secure);
    struct str numbers = str_fmt(a, "%d\n%" PRId64 "\n%" PRId64 "\n%" PRId64 "\n%" PRId64 "\n", (int)t->step,
                                 t->until, t->begun, t->provider_id, t->user_id);
    struct str sealed = seal_text(
        a, &k, STR_CAT(a, numbers, t->state, S("\n"), t->nonce, S("\n"), t->verifier, S("\n"), t->to));
    return str_fmt(a, SIGNIN_COOKIE "=%s; Path=/; Max-Age=%d; HttpOnly; SameSite=Lax%s", sealed.p,
                   (int)(SIGNIN_LIFE / TIME_SECOND), secure);
}

static bool ticket_number(struct str *rest, int64_t *out) { return str_to_int(str_cut(rest, '\n'), out); }

bool signin_ticket_read(const struct desk *d, struct arena *a, struct str cookie, int64_t now,
                        struct signin_ticket *out) {
    struct key k = signin_ticket_key(d);
    struct str rest = cookie.n && cookie.n < 8192 ? seal_text_open(a, &k, cookie) : (struct str){0};
    int64_t step;
    *out = (struct signin_ticket){0};
    if (rest.p == NULL || !ticket_number(&rest, &step) || !ticket_number(&rest, &out->until) ||
        !ticket_number(&rest, &out->begun) || !ticket_number(&rest, &out->provider_id) ||
        !ticket_number(&rest, &out->user_id))
        return false;
    out->step = (enum signin_step)step;
    out->state = str_cut(&rest, '\n');
    out->nonce = str_cut(&rest, '\n');
    out->verifier = str_cut(&rest, '\n');
    out->to = rest.p ? rest : S("");
    return out->until > now;
}

bool signin_path_is_local(struct str to) {
    if (to.n == 0 || to.n > 500 || to.p[0] != '/' || (to.n > 1 && to.p[1] == '/')) return false;
    for (size_t i = 0; i < to.n; i++)
        if (to.p[i] <= ' ' || to.p[i] >= 127 || in_set(to.p[i], "\\\"'<>")) return false;
    return true;
}
