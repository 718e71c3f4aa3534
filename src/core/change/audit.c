#include "core/change/audit.h"

#include "base/buf.h"
#include "core/change/change.h"

#include <sodium.h>

#define SALT 16 /* bytes */

QUERY(audit_insert, "INSERT INTO audit_entries (action, actor_id, actor_kind, object_type, object_id, "
                    "happened_at, values_hash, origin_hash, entry_hash) "
                    "VALUES (:action, CAST(:actor AS BIGINT), :kind, :type, CAST(:object AS BIGINT), :now, "
                    ":values, :origin, :hash) RETURNING id");
QUERY(audit_values_insert, "INSERT INTO audit_values (entry_id, cause, ip_address, details, salt) "
                           "VALUES (:entry, :cause, :ip, :details, :salt)");

void audit_key_derive(struct key *out, const struct key *server) { key_derive(out, server, "audit log"); }

/* Each text is preceded by its length, so that no two sets of values are written alike. */
static void put_hashed_text(struct buf *b, struct str s) {
    buf_int(b, s.p ? (int64_t)s.n : -1);
    buf_char(b, ':');
    buf_str(b, s);
}

static void put_hashed_number(struct buf *b, int64_t n) {
    buf_int(b, n);
    buf_char(b, '|');
}

static struct str hashed(struct arena *a, const struct key *k, struct buf *b) {
    struct str hash = mac_hex(a, k, buf_view(b));
    buf_free(b);
    return hash;
}

struct str audit_values_hash(struct arena *a, const struct key *k, struct str salt, struct str cause,
                             struct str details) {
    const struct str texts[] = {S("values"), salt, cause, details};
    struct buf b = {0};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) put_hashed_text(&b, texts[i]);
    return hashed(a, k, &b);
}

struct str audit_origin_hash(struct arena *a, const struct key *k, struct str salt, struct str ip) {
    struct buf b = {0};
    put_hashed_text(&b, S("origin"));
    put_hashed_text(&b, salt);
    put_hashed_text(&b, ip);
    return hashed(a, k, &b);
}

struct str audit_entry_hash(struct arena *a, const struct key *k, const struct audit_hashed *e) {
    const int64_t numbers[] = {e->action, e->actor_id, e->actor_kind, e->object_id, e->happened_at};
    struct buf b = {0};
    put_hashed_text(&b, S("entry"));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) put_hashed_number(&b, numbers[i]);
    put_hashed_text(&b, e->object_type);
    put_hashed_text(&b, e->values_hash);
    put_hashed_text(&b, e->origin_hash);
    return hashed(a, k, &b);
}

struct str audit_chain_hash(struct arena *a, const struct key *k, struct str before, int64_t seq,
                            struct str entry_hash) {
    struct buf b = {0};
    put_hashed_text(&b, S("chain"));
    put_hashed_text(&b, before);
    put_hashed_number(&b, seq);
    put_hashed_text(&b, entry_hash);
    return hashed(a, k, &b);
}

/* The columns of an entry. Its hashes are those of the same values. */
static int insert_entry(struct work *w, const struct audit_hashed *e, int64_t *id) {
    return db_insert(w->conn, &audit_insert,
                     BINDS(B_INT("action", e->action), B_ID("actor", e->actor_id),
                           B_INT("kind", e->actor_kind), B_TEXT("type", e->object_type),
                           B_ID("object", e->object_id), B_INT("now", e->happened_at),
                           B_TEXT("values", e->values_hash), B_TEXT("origin", e->origin_hash),
                           B_TEXT("hash", audit_entry_hash(w->arena, &w->desk->audit_key, e))),
                     id);
}

/* An entry names its actor, or the work does. */
static struct audit_hashed audit_actor(const struct work *w, const struct audit_entry *e, struct str *cause) {
    if (e->by) return *cause = e->by->cause, (struct audit_hashed){.actor_kind = ACTOR_RULE};
    if (e->actor_id) return (struct audit_hashed){.actor_kind = ACTOR_PERSON, .actor_id = e->actor_id};
    *cause = w->actor.cause;
    return (struct audit_hashed){.actor_kind = w->actor.kind, .actor_id = w->actor.user_id};
}

int audit_add(struct work *w, const struct audit_entry *e) {
    const struct key *k = &w->desk->audit_key;
    struct str cause = {0}, ip = e->ip_address.p ? e->ip_address : w->actor.remote,
               details = e->details.p ? e->details : S("{}");
    int64_t id;
    if (sodium_is_zero(k->bytes, sizeof k->bytes)) return 0;
    struct str salt = random_hex(w->arena, SALT);
    struct audit_hashed entry = audit_actor(w, e, &cause);
    if (ip.n == 0) ip = (struct str){0};
    entry.action = e->action;
    entry.object_id = e->object_id;
    entry.object_type = e->object_type ? str_of(e->object_type) : (struct str){0};
    entry.happened_at = w->now;
    entry.values_hash = audit_values_hash(w->arena, k, salt, cause, details);
    entry.origin_hash = audit_origin_hash(w->arena, k, salt, ip);
    TRY(insert_entry(w, &entry, &id));
    TRY(db_later(w->conn, &audit_values_insert,
                 BINDS(B_INT("entry", id), B_TEXT("cause", cause), B_TEXT("ip", ip),
                       B_TEXT("details", details), B_TEXT("salt", salt))));
    return 0;
}

int audit_command(struct conn *c, const struct audit_command *of) {
    struct desk d = {.audit_key = *of->audit_key};
    struct work w = {.desk = &d, .arena = arena_new(), .conn = c, .now = of->now};
    w.actor = (struct actor){.kind = ACTOR_SYSTEM, .cause = of->command};
    int rc = audit_add(&w, &(struct audit_entry){.action = of->action,
                                                 .object_type = of->user_id ? "user" : NULL,
                                                 .object_id = of->user_id});
    arena_free(w.arena);
    explicit_bzero(&d.audit_key, sizeof d.audit_key);
    return rc;
}
