#include "oauth/ticket.h"

#include <inttypes.h>

static struct key ticket_key(const struct desk *d) {
    struct key k;
    key_derive(&k, &d->program_key, "tickets of the authorize page");
    return k;
}

struct str ticket_seal(const struct desk *d, struct arena *a, const struct ticket *t) {
    struct key k = ticket_key(d);
    struct str numbers = str_fmt(a, "%d\n%" PRId64 "\n%" PRId64 "\n%" PRId64 "\n", (int)t->step, t->until,
                                 t->user_id, t->session_id);
    return seal_text(a, &k,
                     STR_CAT(a, numbers, t->browser, S("\n"), t->auth_token, S("\n"), t->error, S("\n"),
                             t->description, S("\n"), t->query));
}

bool ticket_open(const struct desk *d, struct arena *a, struct str text, int64_t now, struct ticket *out) {
    struct key k = ticket_key(d);
    struct str rest = text.n ? seal_text_open(a, &k, text) : (struct str){0};
    int64_t step;
    *out = (struct ticket){0};
    if (rest.p == NULL || !str_to_int(str_cut(&rest, '\n'), &step) ||
        !str_to_int(str_cut(&rest, '\n'), &out->until))
        return false;
    if (!str_to_int(str_cut(&rest, '\n'), &out->user_id) ||
        !str_to_int(str_cut(&rest, '\n'), &out->session_id))
        return false;
    out->step = (enum ticket_step)step;
    out->browser = str_cut(&rest, '\n');
    out->auth_token = str_cut(&rest, '\n');
    out->error = str_cut(&rest, '\n');
    out->description = str_cut(&rest, '\n');
    out->query = rest.p ? rest : S("");
    return out->until > now;
}
