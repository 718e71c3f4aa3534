/* The e-mail that a message came by. Incoming mail is not stored yet, so no message has one. */
#include "api/generic.h"

static const struct field email_original_fields[] = {
    {"subject", F_TEXT, READONLY, .doc = "Subject of the e-mail."},
    {"from", F_TEXT, READONLY, .doc = "Sender.", .example = "\"ada@example.com\""},
    {"to", F_TEXT, READONLY, .doc = "Recipients.", .example = "\"help@example.com\""},
    {"received_at", F_TIME, READONLY, .doc = "Time of arrival."},
    {"html_content", F_LONG, READONLY, .doc = "The e-mail as safe HTML."},
    {"source_content", F_LONG, READONLY, .doc = "The e-mail as it arrived."},
    {0},
};

static int get_email_original(struct call *c) {
    TRY(api_of(c));
    TRY(api_input(c));
    return fail(&c->work, ERR_RESOURCE_NOT_FOUND);
}

static const struct route email_original_routes[] = {
    {GET, "/cases/posts/:id/email_original", COL_PLUS, "conversations", ONE, get_email_original, .of = "post",
     .summary = "Get the e-mail that a post came by", .doc = "404 if the post did not come by e-mail, or no original is stored."},
    {0},
};

const struct resource email_original_resource = {.type = "email_original",
                                                 .title = "Original e-mails",
                                                 .doc = "E-mails that messages came by.",
                                                 .fields = email_original_fields,
                                                 .routes = email_original_routes};
