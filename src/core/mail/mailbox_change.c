#include "core/mail/mailbox.h"

#include "core/change/change.h"
#include "core/desk/setting.h"
#include "core/letters/letter.h"
#include "json/json.h"

#define CODE 24 /* random bytes */
#define MAILBOX(id) ((struct changed){"mailbox", (id), 0})

/* ---- verification ---------------------------------------------------------------------------- */

QUERY(mailbox_sent_lately,
      "SELECT address, CASE WHEN verification_sent_at > :lately THEN 1 ELSE 0 END "
      "FROM mailboxes WHERE id = :id AND address IS NOT NULL AND verified_at IS NULL @LOCK@");
QUERY(mailbox_code_set,
      "UPDATE mailboxes SET verification_hash = :hash, verification_sent_at = :now WHERE id = :id");
#define CODE_LIVES                                                                                        \
    "verification_hash = :hash AND verification_sent_at > :since AND deleted_at IS NULL AND verified_at " \
    "IS NULL AND (CAST(:id AS BIGINT) = 0 OR id = :id)"
QUERY(mailbox_by_code, "SELECT id FROM mailboxes WHERE " CODE_LIVES);
QUERY(mailbox_verified,
      "UPDATE mailboxes SET verified_at = :now, verification_hash = NULL, updated_at = :now WHERE " CODE_LIVES
      " RETURNING id");

static struct str code_hash(struct work *w, struct str code) {
    return mac_hex(w->arena, &w->desk->link_key, STR_CAT(w->arena, S("mailbox "), code));
}

int mailbox_send_verification(struct work *w, int64_t id) {
    struct stmt *row;
    int rc = db_row(w->conn, &mailbox_sent_lately,
                    BINDS(B_INT("id", id), B_INT("lately", w->now - MAILBOX_LETTER_WAIT)), &row);
    TRY(rc);
    if (rc == 0)
        return fail_state(w, "The mailbox is verified already. Create another one for another address.");
    struct str address = str_dup(w->arena, col_text(row, 0)), code = random_hex(w->arena, CODE);
    bool lately = col_int(row, 1) != 0;
    stmt_end(row);
    if (lately)
        return fail_state(w, "A verification e-mail was sent less than a minute ago. Try again in a "
                             "minute.");
    TRY(db_exec(w->conn, &mailbox_code_set,
                BINDS(B_INT("id", id), B_TEXT("hash", code_hash(w, code)), B_INT("now", w->now))));
    return letter_mailbox(w, address, code, MAILBOX_LINK_LIFE / TIME_HOUR);
}

int mailbox_code_find(struct work *w, struct str code) {
    int64_t id;
    return db_int(
        w->conn, &mailbox_by_code,
        BINDS(B_INT("id", 0), B_TEXT("hash", code_hash(w, code)), B_INT("since", w->now - MAILBOX_LINK_LIFE)),
        &id);
}

int mailbox_verify(struct work *w, int64_t id, struct str code) {
    int64_t found;
    int rc = db_int(w->conn, &mailbox_verified,
                    BINDS(B_INT("id", id), B_TEXT("hash", code_hash(w, code)),
                          B_INT("since", w->now - MAILBOX_LINK_LIFE), B_INT("now", w->now)),
                    &found);
    if (rc == 1) change_property(w, MAILBOX(found), "is_verified", changed_bool(false), changed_bool(true));
    return rc;
}

/* ---- the default ----------------------------------------------------------------------------- */

QUERY(mailbox_may_be_default, "SELECT is_enabled, CASE WHEN verified_at IS NULL THEN 0 ELSE 1 END "
                              "FROM mailboxes WHERE id = :id AND deleted_at IS NULL @LOCK@");
QUERY(mailbox_default_now, "SELECT id FROM mailboxes WHERE is_default = 1");
QUERY(mailbox_default_unset, "UPDATE mailboxes SET is_default = 0, updated_at = :now WHERE is_default = 1");
QUERY(mailbox_default_set, "UPDATE mailboxes SET is_default = 1, updated_at = :now WHERE id = :id");

static int default_move(struct work *w, int64_t id) {
    int64_t before = 0;
    const struct bind *binds = BINDS(B_INT("id", id), B_INT("now", w->now));
    TRY(db_int(w->conn, &mailbox_default_now, NULL, &before));
    if (before == id) return 0;
    TRY(db_exec(w->conn, &mailbox_default_unset, binds));
    TRY(db_exec(w->conn, &mailbox_default_set, binds));
    if (before) change_property(w, MAILBOX(before), "is_default", changed_bool(true), changed_bool(false));
    change_property(w, MAILBOX(id), "is_default", changed_bool(false), changed_bool(true));
    return 0;
}

int mailbox_set_default(struct work *w, int64_t id) {
    struct stmt *row;
    TRY(db_lock(w->conn, S("the default of mailboxes")));
    int rc = db_row(w->conn, &mailbox_may_be_default, BINDS(B_INT("id", id)), &row);
    if (rc <= 0) return rc < 0 ? rc : -ERR_RESOURCE_NOT_FOUND;
    bool enabled = col_int(row, 0) != 0, verified = col_int(row, 1) != 0;
    stmt_end(row);
    if (!verified)
        return fail_state(w, "The mailbox is not verified. Follow the link in its verification "
                             "e-mail first.");
    if (!enabled) return fail_state(w, "The mailbox is disabled. Enable it first.");
    return default_move(w, id);
}

/* ---- deletion -------------------------------------------------------------------------------- */

QUERY(mailboxes_mark,
      "UPDATE mailboxes SET deleted_at = :now, updated_at = :now, is_enabled = 0, verification_hash = NULL, "
      "imap_host = NULL, imap_user = NULL, imap_password = NULL, smtp_host = NULL, smtp_user = NULL, "
      "smtp_password = NULL, oauth_provider = NULL, oauth_client_secret = NULL, oauth_state = NULL, "
      "oauth_refresh_token = NULL, oauth_access_token = NULL "
      "WHERE id IN @LIST(:ids)");
QUERY(mailboxes_of_default_brand,
      "UPDATE mailboxes SET brand_id = (SELECT b.id FROM brands b WHERE b.is_default = 1) "
      "WHERE (is_system = 1 OR deleted_at IS NOT NULL) AND brand_id IN @LIST(:brands)");

int mailboxes_delete(struct work *w, const int64_t *ids, int count) {
    for (int i = 0; i < count; i++) change_deleted(w, MAILBOX(ids[i]));
    TRY(mailbox_relays_changed(w));
    return db_exec(w->conn, &mailboxes_mark,
                   BINDS(B_TEXT("ids", json_ids(w->arena, ids, (size_t)count)), B_INT("now", w->now)));
}

int mailboxes_leave_brands(struct work *w, struct str brand_ids) {
    return db_exec(w->conn, &mailboxes_of_default_brand, BINDS(B_TEXT("brands", brand_ids)));
}

/* ---- passwords of accounts ----------------------------------------------------------------------- */

struct str mailbox_password_seal(const struct desk *d, struct arena *a, struct str password) {
    return password.n ? seal_text(a, &d->setting_key, password) : (struct str){0};
}

struct str mailbox_password_open(const struct desk *d, struct arena *a, struct str sealed) {
    return sealed.n ? seal_text_open(a, &d->setting_key, sealed) : (struct str){0};
}
