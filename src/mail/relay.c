#include "mail/relay.h"

#include "core/desk/setting.h"
#include "core/letters/letter.h"
#include "core/mail/mailbox.h"

QUERY(relay_of_mailbox,
      "SELECT id, address, smtp_host, smtp_port, smtp_security, smtp_user, smtp_password, "
      "CASE WHEN oauth_provider IS NULL THEN 0 ELSE 1 END FROM mailboxes "
      "WHERE smtp_host IS NOT NULL AND (id = :id OR (CAST(:id AS BIGINT) = 0 AND is_system = 1))");

static struct relay relay_of_desk(const struct desk *d, struct arena *a) {
    struct relay r = {.host = setting_text(d, "mail.smtp_host", a),
                      .port = setting_int(d, "mail.smtp_port"),
                      .security = setting_word(d, "mail.smtp_security"),
                      .user = setting_text(d, "mail.smtp_user", a),
                      .password = setting_secret(d, "mail.smtp_password", a),
                      .ca = setting_text(d, "mail.smtp_ca", a),
                      .hello = letter_host(d, a),
                      .timeout_s = setting_int(d, "mail.smtp_timeout_seconds")};
    if (setting_text(d, "mail.from_address", a).n == 0) r.host = S("");
    return r;
}

static int64_t usual_port(int security) {
    return security == SMTP_TLS ? 465 : security == SMTP_STARTTLS ? 587 : 25;
}

/* The system mailbox sends only if mail.from_address is set. */
static void relay_read(const struct desk *d, struct arena *a, struct stmt *row, struct relay_login *out) {
    struct relay *r = &out->relay;
    struct str address =
        col_null(row, 1) ? setting_text(d, "mail.from_address", a) : str_dup(a, col_text(row, 1));
    if (address.n == 0) return;
    out->mailbox_id = col_int(row, 0);
    out->by_oauth = col_int(row, 7) != 0;
    r->host = str_dup(a, col_text(row, 2));
    r->security = col_null(row, 4) ? SMTP_STARTTLS : (int)col_int(row, 4);
    r->port = col_null(row, 3) ? usual_port(r->security) : col_int(row, 3);
    r->user = str_dup(a, col_text(row, 5));
    if (r->user.n == 0 && out->by_oauth) r->user = address;
    r->password = out->by_oauth ? (struct str){0} : mailbox_password_open(d, a, str_dup(a, col_text(row, 6)));
    r->ca = setting_text(d, "mail.imap_ca", a);
}

int relay_load(struct work *w, int64_t mailbox_id, struct relay_login *out) {
    struct stmt *row;
    *out = (struct relay_login){.relay = relay_of_desk(w->desk, w->arena)};
    int rc = db_row(w->conn, &relay_of_mailbox, BINDS(B_INT("id", mailbox_id)), &row);
    if (rc <= 0) return rc;
    relay_read(w->desk, w->arena, row, out);
    stmt_end(row);
    return 0;
}

enum mail_token_result relay_token(struct work *w, struct relay_login *r, const atomic_bool *stopping,
                                   struct str *why) {
    struct mail_token token;
    if (!r->by_oauth || r->relay.host.n == 0) return MAIL_TOKEN_READY;
    enum mail_token_result result = mail_token_get(w, r->mailbox_id, stopping, &token);
    *why = token.why;
    if (result == MAIL_TOKEN_READY) r->relay.bearer = token.text;
    return result;
}

void relay_denied(struct work *w, const struct relay_login *r) {
    if (r->relay.bearer.p) mail_token_refused(w, r->mailbox_id, r->relay.bearer);
}
