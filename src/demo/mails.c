/* Mailboxes of the demo desk, and mails in all states that staff see: of conversations, suspended, failed
 * and rejected. */
#include "demo/extras.h"
#include "demo/fill.h"

#include "core/desk/file.h"
#include "core/mail/mailbox.h"
#include "work/work.h"

#include <inttypes.h>
#include <sodium.h>

QUERY(demo_mailbox,
      "INSERT INTO mailboxes (uuid, address, address_key, name, brand_id, team_id, verified_at, "
      "created_at, updated_at) VALUES (:uuid, :address, :key, :name, 1, :team, :now, :now, :now) "
      "RETURNING id");
QUERY(demo_mail_file,
      "INSERT INTO files (user_id, name, content_type, size, sha256, expires_at, created_at) "
      "VALUES (CAST(:user AS BIGINT), 'mail.eml', 'message/rfc822', :size, :sha256, NULL, :at) "
      "RETURNING id");
QUERY(demo_mail_row,
      "INSERT INTO mails (status, suspension, reason, is_suspended, door, envelope_from, "
      "recipient, from_text, from_key, to_text, to_addresses, sender_id, subject, content_text, "
      "message_id, dkim, spf, dmarc, size, file_id, mailbox_id, case_id, post_id, time_taken, "
      "created_at, completed_at) "
      "VALUES (:status, CAST(:suspension AS INTEGER), :reason, CASE WHEN :status = 6 THEN 1 ELSE 0 END, "
      "2, :from, :to, :from, :from, :to, :addresses, CAST(:sender AS BIGINT), :subject, :text, "
      ":message_id, 2, 2, 2, :size, :file, :mailbox, CAST(:case AS BIGINT), CAST(:post AS BIGINT), 40, "
      ":at, CAST(:completed AS BIGINT))");
/* The newest conversations are looked at, so that the cost does not grow with the desk. */
QUERY(demo_mailed_cases, "SELECT t.id, p.id, u.id, e.email, t.subject, p.content_text "
                         "FROM cases t JOIN posts p ON p.case_id = t.id AND p.kind = 1 "
                         "JOIN users u ON u.id = t.requester_id "
                         "JOIN identity_emails e ON e.user_id = u.id AND e.is_primary = 1 "
                         "WHERE t.id > :after AND t.state = 1 AND t.channel = 1 AND p.creator_id = u.id "
                         "AND p.created_at = t.created_at ORDER BY t.id "
                         "LIMIT 5");
#define LOOKED_AT_MAILS 2000
QUERY(demo_mailbox_of_case, "UPDATE cases SET mailbox_id = :mailbox WHERE id = :case");
QUERY(demo_mailbox_of_post, "UPDATE posts SET mailbox_id = :mailbox WHERE id = :post");

static const struct {
    const char *address, *name;
    int64_t team_id;
} demo_mailboxes[] = {{"orders@desk.example", "Orders", 3}, {"billing@desk.example", "Billing", 2}};

struct demo_mail {
    enum incoming_status status;
    int suspension; /* enum suspension; 0: none */
    const char *reason, *from, *subject, *text, *header;
    int64_t case_id, post_id, sender_id; /* 0: none */
};

static const struct demo_mail demo_mails[] = {
    {INCOMING_SUSPENDED, SUSPENDED_OUT_OF_OFFICE_EMAIL, "The header Auto-Submitted is auto-replied.",
     "jo.west@people.example", "Out of office: your order", "I am back on Monday.",
     "Auto-Submitted: auto-replied\r\n", 0, 0, 0},
    {INCOMING_SUSPENDED, SUSPENDED_SPAM, "The header X-Spam-Flag is YES.", "winner@lottery.example",
     "You have won", "Send us the number of your account.", "X-Spam-Flag: YES\r\n", 0, 0, 0},
    {INCOMING_SUSPENDED, SUSPENDED_SOURCE_IS_NOREPLY, "Nobody reads mail to the address of the sender.",
     "noreply@carrier.example", "Your parcel was sent", "The parcel arrives tomorrow.", "", 0, 0, 0},
    {INCOMING_SUSPENDED, SUSPENDED_AUTOMATED_EMAIL, "The header Precedence is bulk.", "news@shop.example",
     "News of this week", "Ten lamps at half the price.", "Precedence: bulk\r\n", 0, 0, 0},
    {INCOMING_FAILED, 0, "The mail has no valid address of a sender.", "nobody", "Hello",
     "Can you read this?", "", 0, 0, 0},
    {INCOMING_REJECTED, 0, "The user with the address of the sender is disabled.", "former@people.example",
     "My old account", "Please enable it again.", "", 0, 0, 0},
};

static int demo_mailbox_fill(struct conn *c, struct filling *f, int i, int64_t *id) {
    struct chance chance = chance_of(f->world.seed, OF_UUID, -1000000 - i);
    struct str address = str_of(demo_mailboxes[i].address);
    char uuid[36];
    chance_uuid(&chance, uuid);
    return db_insert(c, &demo_mailbox,
                     BINDS(B_TEXT("uuid", ((struct str){uuid, sizeof uuid})), B_TEXT("address", address),
                           B_TEXT("key", mailbox_key(f->arena, address)),
                           B_TEXT("name", str_of(demo_mailboxes[i].name)),
                           B_INT("team", demo_mailboxes[i].team_id), B_INT("now", f->world.start)),
                     id);
}

/* Returns the row of the raw mail, whose content the caller of the demo stores. */
static int demo_raw_fill(struct conn *c, struct filling *f, const struct demo_mail *m, struct str raw,
                         int64_t at, int64_t *id) {
    unsigned char sum[crypto_hash_sha256_BYTES];
    crypto_hash_sha256(sum, (const unsigned char *)raw.p, raw.n);
    struct str sha256 = str_hex(f->arena, sum, sizeof sum);
    if (f->keep) TRY(f->keep(f->keep_arg, raw, sha256));
    return db_insert(c, &demo_mail_file,
                     BINDS(B_ID("user", m->sender_id), B_INT("size", (int64_t)raw.n),
                           B_TEXT("sha256", sha256), B_INT("at", at)),
                     id);
}

static int demo_mail_fill(struct conn *c, struct filling *f, const struct demo_mail *m, int number,
                          int64_t mailbox) {
    struct arena *a = f->arena;
    struct str to = str_of(demo_mailboxes[number % 2].address),
               message_id = str_fmt(a, "demo.%d@people.example", number);
    struct str raw = str_fmt(a,
                             "From: %s\r\nTo: %s\r\nSubject: %s\r\nMessage-ID: <%s>\r\n%sMIME-Version: "
                             "1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: "
                             "8bit\r\n\r\n%s\r\n",
                             m->from, to.p, m->subject, message_id.p, m->header, m->text);
    int64_t file, at = f->world.end - TIME_DAY + number * TIME_MINUTE;
    TRY(demo_raw_fill(c, f, m, raw, at, &file));
    TRY(db_exec(c, &demo_mail_row,
                BINDS(B_INT("status", m->status), B_ID("suspension", m->suspension),
                      B_TEXT("reason", m->reason ? str_of(m->reason) : ((struct str){0})),
                      B_TEXT("from", str_of(m->from)), B_TEXT("to", to),
                      B_TEXT("addresses", str_fmt(a, "[\"%s\"]", to.p)), B_ID("sender", m->sender_id),
                      B_TEXT("subject", str_of(m->subject)), B_TEXT("text", str_of(m->text)),
                      B_TEXT("message_id", message_id), B_INT("size", (int64_t)raw.n), B_INT("file", file),
                      B_INT("mailbox", mailbox), B_ID("case", m->case_id), B_ID("post", m->post_id),
                      B_INT("at", at), B_ID("completed", m->status == INCOMING_SUSPENDED ? 0 : at))));
    if (m->case_id == 0) return 0;
    TRY(db_exec(c, &demo_mailbox_of_case, BINDS(B_INT("mailbox", mailbox), B_INT("case", m->case_id))));
    return db_exec(c, &demo_mailbox_of_post, BINDS(B_INT("mailbox", mailbox), B_INT("post", m->post_id)));
}

static int mailed_cases(struct conn *c, struct filling *f, struct demo_mail *out) {
    int n = 0, rc;
    DB_ROWS(rc, c, &demo_mailed_cases, BINDS(B_INT("after", f->world.conversations - LOOKED_AT_MAILS)), row)
    out[n++] = (struct demo_mail){.status = INCOMING_SUCCESS,
                                  .case_id = col_int(row, 0),
                                  .post_id = col_int(row, 1),
                                  .sender_id = col_int(row, 2),
                                  .from = str_dup(f->arena, col_text(row, 3)).p,
                                  .subject = str_dup(f->arena, col_text(row, 4)).p,
                                  .text = str_dup(f->arena, col_text(row, 5)).p,
                                  .header = ""};
    return rc < 0 ? rc : n;
}

int fill_mails(struct conn *c, struct filling *f) {
    struct demo_mail mailed[5];
    int64_t mailboxes[2];
    for (int i = 0; i < 2; i++) TRY(demo_mailbox_fill(c, f, i, &mailboxes[i]));
    int n = mailed_cases(c, f, mailed);
    TRY(n);
    for (int i = 0; i < n; i++) TRY(demo_mail_fill(c, f, &mailed[i], i, mailboxes[i % 2]));
    for (int i = 0; i < (int)(sizeof demo_mails / sizeof *demo_mails); i++)
        TRY(demo_mail_fill(c, f, &demo_mails[i], n + i, mailboxes[(n + i) % 2]));
    return 0;
}
