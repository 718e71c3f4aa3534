/* The e-mail that a message came by. */
#include "api/rows/generic.h"
#include "api/rows/reply.h"
#include "api/rows/view.h"
#include "res/html_view.h"
#include "res/mail_source.h"

static const struct field email_original_fields[] = {
    {"subject", F_TEXT, READONLY, .column = "t.subject", .doc = "Subject of the e-mail."},
    {"from", F_TEXT, READONLY, .column = "t.from_text", .doc = "Sender.", .example = "\"ada@example.com\""},
    {"to", F_LONG, READONLY, .column = "t.to_text", .doc = "Recipients.", .example = "\"help@example.com\""},
    {"received_at", F_TIME, READONLY, .column = "t.created_at", .doc = "Time of arrival."},
    MAIL_PLACE,
    {"html_content", F_LONG, READONLY, .column = "t.content_html", .render = render_mail_html,
     .doc = "The e-mail as safe HTML."},
    {"source_content", F_COMPUTED, READONLY,
     .column = "(SELECT f.sha256 FROM files f WHERE f.id = t.file_id)", .render = render_mail_source,
     .doc = "The e-mail as it arrived, at most 256 KiB. GET /mails/:id/source "
            "has the exact bytes.",
     .example = "\"From: ada@example.com\\r\\n\""},
    {0},
};

QUERY(mail_of_post, "SELECT m.id FROM mails m WHERE m.post_id = :post ORDER BY m.id LIMIT 1");

/* The post has been found visible. */
static int get_email_original(struct call *c) {
    int64_t id;
    TRY(api_of(c));
    TRY(api_input(c));
    int rc = db_int(c->work.conn, &mail_of_post, BINDS(B_INT("post", c->vars[0].id)), &id);
    if (rc <= 0) return rc < 0 ? rc : fail(&c->work, ERR_RESOURCE_NOT_FOUND);
    return api_reply_one(c, id);
}

static const struct route email_original_routes[] = {
    {GET, "/cases/posts/:id/email_original", COL_PLUS, "conversations", ONE, get_email_original, .of = "post",
     .executor = POOL, .lane = LANE_READ, .args = html_args, .summary = "Get the e-mail that a post came by",
     .doc = "404 if the post did not come by e-mail.", .sample = {.path = "63"}},
    {0},
};

const struct resource email_original_resource = {.type = "email_original",
                                                 .scope = "conversations",
                                                 .title = "Original e-mails",
                                                 .doc = "E-mails that messages came by.",
                                                 .table = "mails",
                                                 .fields = email_original_fields,
                                                 .routes = email_original_routes,
                                                 .visible = access_staff,
                                                 .is_item = true,
                                                 .unlogged = "it is a form of a mail"};
