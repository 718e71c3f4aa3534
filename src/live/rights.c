#include "live/rights.h"

#include "base/ids.h"
#include "core/change/change.h"
#include "core/login/session.h"
#include "core/words.h"

#include <string.h>

/* The listeners whose rights an entry may change. */
enum affects {
    AFFECTS_NOBODY,
    AFFECTS_PERSON, /* the person with the id of the object */
    AFFECTS_CASE,   /* those who listen to the conversation */
    AFFECTS_OBJECT, /* those who listen to the object */
    AFFECTS_STAFF,
    AFFECTS_CUSTOMERS,
    AFFECTS_PROGRAMS, /* those with tokens */
    AFFECTS_WIDGETS,  /* pages that show the widget of the brand with the id of the object */
    AFFECTS_EVERYONE,
};

/* Unlisted kinds affect nobody: no GET of a topic depends on them. */
static const struct {
    const char *kind;
    enum affects affects;
} affected[] = {{"case", AFFECTS_CASE},
                {"user", AFFECTS_PERSON},
                {"view", AFFECTS_OBJECT},
                {"team", AFFECTS_STAFF},
                {"role", AFFECTS_EVERYONE},
                {"setting", AFFECTS_EVERYONE},
                {"brand", AFFECTS_WIDGETS},
                {"organization", AFFECTS_CUSTOMERS},
                {"oauth_client", AFFECTS_PROGRAMS},
                {"oauth_grant", AFFECTS_PROGRAMS},
                {"api_token", AFFECTS_PROGRAMS}};

/* Properties of conversations that no right depends on: those that change most. */
static bool is_harmless(struct str property) {
    static const char *const names[] = {"status",  "priority",     "type", "form",
                                        "subject", "sla_version",  "tags", "rating_status",
                                        "rating",  "custom_fields"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_eq(property, str_of(names[i]))) return true;
    return false;
}

/* Properties of brands on which pages with its widget depend. */
static bool closes_widgets(struct str property) {
    return str_eq(property, S("widget_origins")) || str_eq(property, S("widget_secret")) ||
           str_eq(property, S("is_enabled"));
}

static enum affects affects_of(const struct entry *e) {
    size_t i = 0;
    while (i < sizeof affected / sizeof *affected && !str_eq(e->kind, str_of(affected[i].kind))) i++;
    if (i == sizeof affected / sizeof *affected) return AFFECTS_NOBODY;
    enum affects a = affected[i].affects;
    if (a == AFFECTS_CASE && (e->verb == CHANGE_CREATED || (e->property.p && is_harmless(e->property))))
        return AFFECTS_NOBODY;
    if (a == AFFECTS_WIDGETS && e->property.p && !closes_widgets(e->property)) return AFFECTS_NOBODY;
    return a;
}

static void subscription_review(struct hub *h, struct subscription *s) {
    int rc = topic_is_heard(h->api, &h->work, &s->peer->who, s->topic->name);
    if (rc != 1) subscription_end(h, s); /* also if it can't be decided */
}

/* True if nothing has changed on which the rights of the caller depend, but for the rows of teams and roles. */
static bool same_rights(const struct actor *a, const struct actor *b) {
    return a->rank == b->rank && a->role_id == b->role_id && a->denied == b->denied &&
           a->scopes == b->scopes && a->case_access == b->case_access &&
           a->organization_id == b->organization_id && a->sees_organization == b->sees_organization;
}

/* always: also if the caller is as before, because an object may not be. */
static void peer_review(struct hub *h, struct peer *p, bool always) {
    struct actor before = h->work.actor, was = p->who.actor;
    int rc = who_load(&h->work, &p->who);
    h->work.actor = before;
    if (rc == 1 && !always && same_rights(&was, &p->who.actor)) return;
    p->reviews++;
    if (rc != 1) {
        while (p->subscriptions) unsubscribe_peer(h, p->subscriptions);
        wire_close(h->wire, p, rc < 0 ? CLOSE_RESTART : CLOSE_POLICY, "the login has ended");
        return;
    }
    for (struct subscription *s = p->subscriptions, *next; s; s = next) {
        next = s->peer_next;
        subscription_review(h, s);
    }
}

static void topic_review(struct hub *h, struct topic *t) {
    for (struct subscription *s = t ? t->first : NULL, *next; s; s = next) {
        next = s->next; /* the topic is freed with its last subscription */
        subscription_review(h, s);
    }
}

static bool concerns(enum affects a, const struct entry *e, const struct who *who) {
    bool staff = who->actor.rank >= ROLE_COLLABORATOR;
    switch (a) {
    case AFFECTS_PERSON: return who->actor.user_id == e->object_id;
    case AFFECTS_STAFF: return staff;
    case AFFECTS_CUSTOMERS: return !staff;
    case AFFECTS_WIDGETS: return who->actor.widget_brand_id == e->object_id;
    case AFFECTS_PROGRAMS: return who->by == WHO_TOKEN;
    default: return a == AFFECTS_EVERYONE;
    }
}

/* Customers see the people of the conversations that they see. */
static bool hears_of_people(const struct peer *p) {
    const struct subscription *s = p->subscriptions;
    while (s && s->topic->name.kind != LIVE_USER && s->topic->name.kind != LIVE_PERSON) s = s->peer_next;
    return s && p->who.actor.rank < ROLE_COLLABORATOR;
}

static void entry_review(struct hub *h, const struct entry *e, enum affects a) {
    if (a == AFFECTS_OBJECT || a == AFFECTS_PERSON || a == AFFECTS_CUSTOMERS) {
        enum live_kind kind = a == AFFECTS_OBJECT   ? LIVE_VIEW
                              : a == AFFECTS_PERSON ? LIVE_USER
                                                    : LIVE_ORGANIZATION;
        topic_review(h, topic_find(h, (struct live_name){kind, e->object_id}));
    }
    if (a == AFFECTS_PERSON) topic_review(h, topic_find(h, (struct live_name){LIVE_PERSON, e->object_id}));
    if (a == AFFECTS_CASE) topic_review(h, topic_find(h, (struct live_name){LIVE_CASE, e->object_id}));
    for (struct peer *p = h->peers; p; p = p->hub_next) {
        if (a == AFFECTS_CASE ? hears_of_people(p) : concerns(a, e, &p->who)) peer_review(h, p, true);
    }
}

/* An entry of the same kind and object is reviewed once. */
static bool reviewed_before(const struct entry *first, const struct entry *e) {
    for (const struct entry *x = first; x != e; x = x->next)
        if (x->object_id == e->object_id && str_eq(x->kind, e->kind) && affects_of(x) == affects_of(e))
            return true;
    return false;
}

#define REVIEWS_MOST 64 /* more entries than this: all peers are reviewed once */

void rights_review(struct hub *h, const struct entry *first) {
    int n = 0;
    for (const struct entry *e = first; e; e = e->next) {
        h->counts_changed =
            h->counts_changed || e->case_id || str_eq(e->kind, S("case")) || str_eq(e->kind, S("view"));
        n += affects_of(e) != AFFECTS_NOBODY;
    }
    if (n > REVIEWS_MOST) {
        for (struct peer *p = h->peers; p; p = p->hub_next) peer_review(h, p, true);
        return;
    }
    for (const struct entry *e = first; e && n; e = e->next) {
        enum affects a = affects_of(e);
        if (a == AFFECTS_NOBODY) continue;
        n--;
        if (!reviewed_before(first, e)) entry_review(h, e, a);
    }
}

/* Sessions, tokens and bindings of visitors end without an entry of the change log. */
void rights_net(struct hub *h) {
    struct arena *a = h->work.arena;
    int n = 0, room = 0;
    int64_t *ids = NULL;
    for (struct peer *p = h->peers; p; p = p->hub_next) {
        if (p->who.by == WHO_TOKEN || p->who.actor.visitor_id) peer_review(h, p, false);
        if (p->who.by != WHO_SESSION) continue;
        ids = arena_more(a, ids, n, &room, sizeof *ids);
        ids[n++] = p->who.actor.session_id;
    }
    int gone = n ? sessions_gone(&h->work, ids, ids_sort_once(ids, n)) : 0;
    for (struct peer *p = h->peers; p && gone > 0; p = p->hub_next)
        if (p->who.by == WHO_SESSION && ids_have(ids, gone, p->who.actor.session_id))
            peer_review(h, p, false);
}
