#include "core/desk/file.h"

#include "base/address.h"
#include "core/desk/setting.h"
#include "json/json.h"

#include <inttypes.h>

QUERY(file_insert,
      "INSERT INTO files (user_id, fingerprint, network, name, content_type, size, sha256, width, "
      "height, picture_type, expires_at, created_at) "
      "VALUES (:user, :fingerprint, :network, :name, :type, :size, :sha256, :width, :height, "
      ":picture, :expires, :now) RETURNING id");
QUERY(files_of_actor, "SELECT f.id FROM files f WHERE f.id IN @LIST(:ids) AND " FILE_OF_ACTOR(
                          "f") " AND (f.expires_at IS NULL OR f.expires_at > :now) ORDER BY f.id @LOCK@");
QUERY(file_content_of_actor, "SELECT f.sha256 FROM files f WHERE f.id = :id AND " FILE_OF_ACTOR(
                                 "f") " AND (f.expires_at IS NULL OR f.expires_at > :now)");
QUERY(files_keep, "UPDATE files SET expires_at = NULL WHERE id IN @LIST(:ids) AND expires_at IS NOT NULL");
QUERY(files_prolong, "UPDATE files SET expires_at = :until WHERE id IN @LIST(:ids) AND " FILE_OF_ACTOR(
                         "files") " AND expires_at < :enough");
QUERY(files_locked, "SELECT f.id FROM files f WHERE f.id IN @LIST(:ids) ORDER BY f.id @LOCK@");
#define UNUSED "(SELECT f.id FROM files f WHERE f.id IN @LIST(:ids) AND NOT " FILE_IS_USED ")"
QUERY(files_let_go, "UPDATE files SET expires_at = " FILE_EXPIRY(":now") " WHERE id IN " UNUSED);
QUERY(files_drop, "UPDATE files SET expires_at = :now WHERE id IN " UNUSED);
QUERY(files_given, "UPDATE files SET user_id = :me WHERE id IN @LIST(:ids) AND user_id = :from");
QUERY(files_forgotten, "UPDATE files SET expires_at = :now WHERE user_id = :user AND expires_at > :now");
QUERY(
    files_expired,
    "DELETE FROM files "
    "WHERE expires_at <= :now AND id IN (SELECT f.id FROM files f WHERE f.expires_at <= :now AND NOT " FILE_IS_USED
    " ORDER BY f.expires_at LIMIT :most) RETURNING sha256");
QUERY(file_of_content, "SELECT f.id FROM files f WHERE f.sha256 = :sha256 LIMIT 1");

struct str file_fingerprint(const struct work *w) {
    return w->actor.user_id ? (struct str){0} : w->actor.fingerprint;
}

/* A keyed hash of the network of a caller without login. Limits count by network, because fingerprints are
 * free. p NULL: logged in. */
static struct str network_of(const struct work *w) {
    char room[ADDRESS_TEXT];
    if (w->actor.user_id) return (struct str){0};
    return mac_hex(w->arena, &w->desk->fingerprint_key, address_counted_text(room, w->actor.remote));
}

int file_create(struct work *w, const struct file_new *n, int64_t *id) {
    return db_insert(w->conn, &file_insert,
                     BINDS(B_ID("user", w->actor.user_id), B_TEXT("fingerprint", file_fingerprint(w)),
                           B_TEXT("network", network_of(w)), B_TEXT("name", n->name),
                           B_TEXT("type", n->content_type), B_INT("size", n->size),
                           B_TEXT("sha256", n->sha256), B_INT("width", n->width), B_INT("height", n->height),
                           B_INT("picture", n->picture_type), B_INT("expires", w->now + FILE_LIFE),
                           B_INT("now", w->now)),
                     id);
}

int files_own(struct work *w, struct str ids, int64_t **out) {
    return db_ids(w->conn, &files_of_actor,
                  BINDS(B_TEXT("ids", ids), B_FILE_OF_ACTOR(w), B_INT("now", w->now)), w->arena, out);
}

int file_own_content(struct work *w, int64_t id, struct str *sha256) {
    return db_text(w->conn, &file_content_of_actor,
                   BINDS(B_INT("id", id), B_FILE_OF_ACTOR(w), B_INT("now", w->now)), w->arena, sha256);
}

QUERY(files_unattached, "SELECT CAST(COALESCE(SUM(f.size), 0) AS BIGINT) "
                        "FROM files f WHERE f.user_id = :user AND f.expires_at > :now");
QUERY(files_unattached_of_network, "SELECT CAST(COALESCE(SUM(f.size), 0) AS BIGINT) "
                                   "FROM files f WHERE f.network = :network AND f.expires_at > :now");

int files_room(struct work *w, int64_t bytes) {
    int64_t used = 0, most = setting_int(w->desk, "files.unattached_megabytes") << 20;
    bool person = w->actor.user_id != 0;
    TRY(db_int(w->conn, person ? &files_unattached : &files_unattached_of_network,
               BINDS(B_INT("user", w->actor.user_id), B_TEXT("network", network_of(w)), B_INT("now", w->now)),
               &used));
    if (bytes <= most - used) return 0;
    return fail_field(w, ERR_PAYLOAD_TOO_LARGE, S("file"),
                      "%s use %" PRId64 " of %" PRId64 " bytes. This upload has %" PRId64
                      " more. Attach some of them, or wait: an unattached file expires twelve hours after "
                      "its upload.",
                      person ? "Your unattached files" : "The unattached files from your network address",
                      used, most, bytes);
}

int files_reserve(struct work *w, int64_t bytes) {
    struct str network = network_of(w);
    TRY(db_lock(w->conn, network.p ? network : str_fmt(w->arena, "files of %" PRId64, w->actor.user_id)));
    return files_room(w, bytes);
}

/* ---- references ------------------------------------------------------------------------------ */

int files_attached(struct work *w, struct str ids) {
    return db_exec(w->conn, &files_keep, BINDS(B_TEXT("ids", ids)));
}

/* Lock the rows first, so that the UPDATE sees what a concurrent request attached. A later request finds
 * them expired. */
static int files_unhold(struct work *w, const struct query *q, struct str ids) {
    const struct bind *binds = BINDS(B_TEXT("ids", ids), B_INT("now", w->now));
    int rc;
    DB_ROWS(rc, w->conn, &files_locked, binds, row) continue;
    return rc < 0 ? rc : db_exec(w->conn, q, binds);
}

int files_released(struct work *w, struct str ids) { return files_unhold(w, &files_let_go, ids); }
int files_dropped(struct work *w, struct str ids) { return files_unhold(w, &files_drop, ids); }

int files_listed(struct work *w, const struct query *q, const struct bind *binds, struct str *ids) {
    int64_t *list;
    int n = db_ids(w->conn, q, binds, w->arena, &list);
    TRY(n);
    *ids = json_ids(w->arena, list, (size_t)n);
    return n;
}

int files_outlive(struct work *w, struct str ids, int64_t until) {
    return db_exec(w->conn, &files_prolong,
                   BINDS(B_TEXT("ids", ids), B_FILE_OF_ACTOR(w), B_INT("until", until),
                         B_INT("enough", until - TIME_DAY)));
}

int files_give(struct work *w, struct str ids, int64_t from) {
    return db_exec(w->conn, &files_given,
                   BINDS(B_TEXT("ids", ids), B_INT("me", w->actor.user_id), B_INT("from", from)));
}

int files_forget(struct work *w, int64_t user_id) {
    return db_exec(w->conn, &files_forgotten, BINDS(B_INT("user", user_id), B_INT("now", w->now)));
}

/* ---- contents -------------------------------------------------------------------------------- */

int content_named(struct conn *c, struct str sha256) {
    int64_t id;
    return db_int(c, &file_of_content, BINDS(B_TEXT("sha256", sha256)), &id);
}

int files_expire(struct conn *c, struct arena *a, int64_t now, int most, struct str **contents) {
    struct str *list = *contents = arena_array(a, (size_t)most, sizeof *list);
    int n = 0, rc;
    DB_ROWS(rc, c, &files_expired, BINDS(B_INT("now", now), B_INT("most", most)), row)
    if (n < most) list[n++] = str_dup(a, col_text(row, 0));
    return rc < 0 ? rc : n;
}
