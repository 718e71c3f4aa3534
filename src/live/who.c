#include "live/who.h"

#include "api/caller/credentials.h"
#include "core/desk/widget.h"
#include "core/login/bearer.h"
#include "core/login/session.h"
#include "core/people/visitor.h"
#include "core/words.h"

#include <stdio.h>

/* The actor has only texts that live as long as `who`. */
static void keep_actor(struct who *who, const struct actor *a) {
    who->actor = *a;
    who->actor.cause = who->actor.user_agent = who->actor.device = who->actor.visitor_name = (struct str){0};
    who->actor.fingerprint = who->by == WHO_FINGERPRINT ? str_of(who->hash) : (struct str){0};
    who->actor.remote = str_of(who->remote);
}

void who_settle(struct who *who) {
    struct actor own = who->actor;
    keep_actor(who, &own);
}

int who_of_call(struct call *c, struct who *out) {
    struct actor found = c->work.actor, *a = &found;
    struct credentials_given g;
    *out = (struct who){0};
    snprintf(out->remote, sizeof out->remote, "%.*s", (int)a->remote.n, a->remote.p);
    struct str hash = a->fingerprint.p ? a->fingerprint : S("");
    if (a->kind == ACTOR_TOKEN) {
        TRY(credentials_read(c, &g)); /* it begins with another actor */
        c->work.actor = found;
        out->by = WHO_TOKEN;
        out->token = token_text_is(TOKEN_ACCESS, g.bearer) ? TOKEN_ACCESS : TOKEN_API;
        hash = token_text_hash(&c->work, g.bearer);
    } else if (a->session_id) {
        out->by = WHO_SESSION;
    } else if (a->kind == ACTOR_FINGERPRINT) {
        out->by = WHO_FINGERPRINT;
    } else {
        return 0;
    }
    struct str origin = a->widget_brand_id ? http_header(c->http, "Origin") : S("");
    snprintf(out->origin, sizeof out->origin, "%.*s", (int)origin.n, origin.p);
    snprintf(out->hash, sizeof out->hash, "%.*s", (int)hash.n, hash.p);
    keep_actor(out, a);
    return 1;
}

int who_load(struct work *w, struct who *who) {
    struct session s;
    int rc = 1;
    w->actor = who->actor;
    if (*who->origin) rc = widget_lists(w, who->actor.widget_brand_id, str_of(who->origin));
    if (rc != 1) return rc;
    if (who->by == WHO_SESSION) rc = session_load(w, who->actor.session_id, &s);
    else if (who->by == WHO_TOKEN) rc = bearer_load_hash(w, who->token, str_of(who->hash));
    else if (who->actor.visitor_id) rc = visitor_lives(w, &who->actor);
    if (rc == 1) keep_actor(who, &w->actor);
    return rc;
}

bool who_sees_as(const struct who *a, const struct who *b) {
    const struct actor *x = &a->actor, *y = &b->actor;
    bool same = x->kind == y->kind && x->rank == y->rank && x->denied == y->denied && x->scopes == y->scopes;
    if (!same || x->rank >= ROLE_COLLABORATOR) return same;
    return x->user_id == y->user_id && x->widget_brand_id == y->widget_brand_id &&
           str_eq(x->fingerprint, y->fingerprint);
}
