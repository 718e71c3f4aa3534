/* The page of the link in List-Unsubscribe. A GET changes nothing, because scanners open links; a button
 * sends a POST. A mail program that offers one click sends the same POST without a visit (RFC 8058), as
 * multipart or urlencoded form. Nobody logs in: the link is a proof. */
#include "api/call/page.h"
#include "core/people/notification.h"

static const struct word mails_ended[] = {
    {NOTIFY_CREATED, "You get an e-mail about each new conversation."},
    {NOTIFY_REPLY, "You get an e-mail when a customer replies."},
    {NOTIFY_AGENT, "You get an e-mail when a conversation is assigned to you."},
    {NOTIFY_TEAM, "You get an e-mail when a conversation is assigned to your team."},
    {NOTIFY_BREACH, "You get an e-mail when a conversation misses a target."},
    {NOTIFY_MENTION, "You get an e-mail when a note mentions you."},
    {NOTIFY_SURVEY, "You get an e-mail that asks how content you were."},
    {0}};

static int find_subscription(struct visit *v) {
    enum notification_type *type = v->prepared;
    int64_t user;
    return unsubscribe_find(&v->work, visit_text(v, "hash"), &user, type);
}

static int end_subscription(struct visit *v) { return unsubscribe(&v->work, visit_text(v, "hash")); }

void unsubscribe_page(struct visit *v) {
    enum notification_type *type = ARENA_NEW(v->arena, enum notification_type);
    v->prepared = type;
    int found = v->posted ? visit_write(v, end_subscription) : visit_read(v, find_subscription);
    if (found < 0) {
        visit_failed(v);
    } else if (found == 0) {
        v->status = 404;
        visit_says(v, "page_link_dead");
    } else if (v->posted) {
        visit_says(v, "page_unsubscribed");
    } else {
        visit_says(v, "page_unsubscribe");
        html(&v->form,
             "<p>%s</p>\n<form method=\"post\" action=\"unsubscribe?hash=%s\">\n<input type=\"hidden\" "
             "name=\"List-Unsubscribe\" value=\"One-Click\">\n<button>Stop these "
             "e-mails</button>\n</form>\n",
             word_of(mails_ended, *type), visit_text(v, "hash").p);
    }
}
