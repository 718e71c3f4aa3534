/* Admission: whether the caller that was identified may make this call. Its order is that of the
 * specification: CSRF token, role, permission, scope. */
#include "api/caller/auth_admit.h"

#include "api/call/machine.h"
#include "api/caller/auth.h"
#include "api/caller/cross_site.h"
#include "core/access/permission.h"
#include "core/access/scope.h"
#include "core/login/bearer.h"
#include "core/login/session.h"
#include "core/words.h"

int auth_csrf(struct call *c) {
    const struct actor *a = &c->work.actor;
    struct session s;
    if (c->method == GET) return 0;
    int foreign = c->ambient ? is_cross_site(&c->work, c->http) : 0;
    TRY(foreign);
    if (foreign)
        return fail_field(&c->work, ERR_CSRF_FAILED, (struct str){0},
                          "A browser sent these credentials for a page of another site. Send X-Session-ID "
                          "and X-CSRF-Token instead.");
    if (!c->by_session || !a->csrf_checked) return 0;
    int rc = session_load(&c->work, a->session_id, &s);
    if (rc <= 0) return rc < 0 ? rc : auth_session_failed(c);
    struct str sent = http_header(c->http, "X-CSRF-Token");
    if (sent.p && secret_eq(sent, session_csrf(&c->work, &s, c->work.arena))) return 0;
    return fail(&c->work, ERR_CSRF_FAILED);
}

/* The scopes that the route needs are part of the challenge (RFC 6750 section 3.1): its own, and the first
 * of those that its items need. */
static int scope_refuse(struct call *c, const char *scope) {
    struct arena *a = c->work.arena;
    struct str items = str_of(route_content(c->route, c->resource)), item = str_cut(&items, ' '),
               needed = S("");
    if (bearer_is_scope(scope)) needed = str_fmt(a, "%s:%s", scope, route_reads(c->route) ? "read" : "write");
    if (scope && item.n && !scopes_include(route_content(c->route, c->resource), scope))
        needed = str_fmt(a, "%s%s%.*s:read", needed.p, needed.n ? " " : "", (int)item.n, item.p);
    if (c->work.actor.kind == ACTOR_TOKEN)
        c->challenge = needed.n ? str_fmt(a, "error=\"insufficient_scope\", scope=\"%s\"", needed.p)
                                : S("error=\"insufficient_scope\"");
    return fail(&c->work, ERR_PERMISSIONS_DENIED);
}

static bool bearer_granted(const struct actor *a, const struct route *r, const char *scope) {
    if (scope == NULL) return false;
    if (str_eq(str_of(scope), S(BEARER_ANY))) return true;
    if (str_eq(str_of(scope), S(BEARER_WRITES))) return (a->scopes & scopes_write()) != 0;
    return scope_granted(a, scope, route_writes(r));
}

/* A token that may not see the items of an open route gets what everybody gets. */
static void call_as_nobody(struct call *c) {
    struct actor *a = &c->work.actor;
    *a = (struct actor){.scopes = SCOPES_ALL, .remote = a->remote, .user_agent = a->user_agent};
}

static int scope_admit(struct call *c) {
    const struct actor *a = &c->work.actor;
    const char *scope = a->kind == ACTOR_TOKEN ? route_bearer(c->route) : c->route->scope;
    if (!bearer_granted(a, c->route, scope)) return scope_refuse(c, scope);
    if (scope_shows(a, scopes_named(route_content(c->route, c->resource)))) return 0;
    if (!route_is_open(c->route)) return scope_refuse(c, scope);
    call_as_nobody(c);
    return 0;
}

int auth_admit(struct call *c) {
    const struct actor *a = &c->work.actor;
    const struct route *r = c->route;
    bool by_token = r->roles & TOKEN && json_member(c->query, S("token"));
    bool by_fingerprint = r->roles & FINGERPRINT && a->rank == ROLE_PUBLIC && a->fingerprint.p;
    bool admitted = r->roles & 1u << a->rank || by_token || by_fingerprint;
    if (!admitted) return fail(&c->work, a->rank ? ERR_PERMISSIONS_DENIED : ERR_AUTHORIZATION_REQUIRED);
    if (r->permission && a->rank && !permitted(a, r->permission))
        return fail(&c->work, ERR_PERMISSIONS_DENIED);
    return scope_admit(c);
}
