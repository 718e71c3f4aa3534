#include "core/mail/mailbox.h"

#include "base/fold.h"
#include "core/desk/setting.h"
#include "core/letters/token.h"

#define MAILBOX_COLUMNS "SELECT m.id, m.brand_id, m.team_id, m.address, m.name, m.is_system FROM mailboxes m "
#define MAILBOX_SENDS "m.deleted_at IS NULL AND m.is_enabled = 1 AND m.verified_at IS NOT NULL"
QUERY(mailbox_by_key, MAILBOX_COLUMNS "WHERE m.address_key = :key AND m.deleted_at IS NULL "
                                      "AND m.is_enabled = 1");
QUERY(mailbox_of_system, MAILBOX_COLUMNS "WHERE m.is_system = 1 AND m.is_enabled = 1");
/* One statement, because most desks have the default only: a place without a mailbox that sends passes to
 * the next. */
#define OF_CASE \
    "SELECT m.id FROM cases c JOIN mailboxes m ON m.id = c.mailbox_id WHERE c.id = :case AND " MAILBOX_SENDS
#define OF_BRAND                                                                               \
    "SELECT m.id FROM cases c JOIN mailboxes m ON m.brand_id = c.brand_id WHERE c.id = :case " \
    "AND " MAILBOX_SENDS " ORDER BY m.is_default DESC, m.id LIMIT 1"
#define BY_DEFAULT "SELECT m.id FROM mailboxes m WHERE m.is_default = 1 AND " MAILBOX_SENDS
#define OF_SYSTEM "SELECT MIN(m.id) FROM mailboxes m WHERE m.is_system = 1"
QUERY(mailbox_sending, MAILBOX_COLUMNS "WHERE m.id = COALESCE((" OF_CASE "), (" OF_BRAND "), (" BY_DEFAULT
                                       "), (" OF_SYSTEM "))");
QUERY(mailbox_named, MAILBOX_COLUMNS "WHERE m.id = :id AND " MAILBOX_SENDS);
/* A message that came by mail has the mailbox that took it (source 3: SOURCE_MAIL). */
QUERY(mailbox_of_letter,
      MAILBOX_COLUMNS "JOIN posts p ON p.mailbox_id = m.id "
                      "JOIN outgoing_mails o ON o.post_id = p.id "
                      "WHERE o.id = :id AND COALESCE(p.source, 0) <> 3 AND " MAILBOX_SENDS);
QUERY(mailbox_key_owned, "SELECT 1 FROM mailboxes WHERE address_key = :key AND deleted_at IS NULL");
QUERY(mailbox_listed, "SELECT address, is_system FROM mailboxes "
                      "WHERE is_enabled = 1 AND deleted_at IS NULL "
                      "ORDER BY id LIMIT :most");

#define LIMIT_MAILBOX_LIST 10000 /* lines of the file of recipients */

struct str mailbox_key(struct arena *a, struct str address) {
    struct str token, plain = address_without_plus(a, address, &token);
    return email_valid(plain) ? email_key(a, plain) : (struct str){0};
}

static struct str system_address(struct work *w) {
    return setting_text(w->desk, "mail.from_address", w->arena);
}

static int mailbox_read(struct work *w, const struct query *q, const struct bind *binds,
                        struct mailbox *out) {
    struct stmt *row;
    int rc = db_row(w->conn, q, binds, &row);
    if (rc <= 0) return rc;
    *out = (struct mailbox){.id = col_int(row, 0), .brand_id = col_int(row, 1), .team_id = col_int(row, 2)};
    out->address = col_int(row, 5) ? system_address(w) : str_dup(w->arena, col_text(row, 3));
    out->name = str_dup(w->arena, col_text(row, 4));
    stmt_end(row);
    return 1;
}

static bool key_is_of(struct work *w, struct str key, const char *setting) {
    struct str address = setting_text(w->desk, setting, w->arena);
    return address.n && str_eq(mailbox_key(w->arena, address), key);
}

int mailbox_of_address(struct work *w, struct str address, struct mailbox *out) {
    struct str key = mailbox_key(w->arena, address);
    if (key.p == NULL) return 0;
    int rc = mailbox_read(w, &mailbox_by_key, BINDS(B_TEXT("key", key)), out);
    if (rc != 0 || !key_is_of(w, key, "mail.from_address")) return rc;
    return mailbox_read(w, &mailbox_of_system, NULL, out);
}

int mailbox_for_case(struct work *w, int64_t case_id, struct mailbox *out) {
    int rc = mailbox_read(w, &mailbox_sending, BINDS(B_INT("case", case_id)), out);
    return rc == 0 ? -ERR_INTERNAL_ERROR : rc;
}

static int mailbox_or_case(struct work *w, const struct query *q, int64_t id, int64_t case_id,
                           struct mailbox *out) {
    int rc = id ? mailbox_read(w, q, BINDS(B_INT("id", id)), out) : 0;
    return rc ? rc : mailbox_for_case(w, case_id, out);
}

int mailbox_for_reply(struct work *w, int64_t mailbox_id, int64_t case_id, struct mailbox *out) {
    return mailbox_or_case(w, &mailbox_named, mailbox_id, case_id, out);
}

int mailbox_for_letter(struct work *w, int64_t letter_id, int64_t case_id, struct mailbox *out) {
    return mailbox_or_case(w, &mailbox_of_letter, letter_id, case_id, out);
}

int mailbox_has(struct work *w, struct str address) {
    struct str key = mailbox_key(w->arena, address);
    int64_t found;
    return key.p ? db_int(w->conn, &mailbox_key_owned, BINDS(B_TEXT("key", key)), &found) : 0;
}

int mailbox_owns(struct work *w, struct str address) {
    struct str key = mailbox_key(w->arena, address);
    if (key.p && (key_is_of(w, key, "mail.from_address") || key_is_of(w, key, "mail.return_path"))) return 1;
    return mailbox_has(w, address);
}

static int address_added(struct work *w, struct str *list, int n, struct str address) {
    struct str key = mailbox_key(w->arena, address), token;
    for (int i = 0; i < n && key.n; i++)
        if (str_eq(mailbox_key(w->arena, list[i]), key)) key.n = 0;
    if (key.n == 0) return n;
    list[n] = address_without_plus(w->arena, address, &token);
    return n + 1;
}

int mailbox_addresses(struct work *w, struct str **list) {
    int rc, n = 0;
    struct str *out = *list = arena_array(w->arena, LIMIT_MAILBOX_LIST + 1, sizeof *out);
    struct str return_path = setting_text(w->desk, "mail.return_path", w->arena);
    DB_ROWS(rc, w->conn, &mailbox_listed, BINDS(B_INT("most", LIMIT_MAILBOX_LIST)), s) {
        struct str address = col_int(s, 1) ? system_address(w) : str_dup(w->arena, col_text(s, 0));
        if (address.n) out[n++] = address;
    }
    TRY(rc);
    return address_added(w, out, n, return_path.n ? return_path : system_address(w));
}
