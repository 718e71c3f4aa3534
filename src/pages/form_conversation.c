/* The visitor's conversations: a list, one with its messages, and what the visitor does with it. */
#include "pages/handlers.h"
#include "pages/icon.h"
#include "pages/layout.h"

#include "core/desk/setting.h"
#include "core/time/hours.h"
#include "core/words.h"

#include <inttypes.h>

#define CONVERSATIONS_OF_PAGE 20
#define MESSAGES_OF_PAGE 50

static const struct form_field reply_fields[] = {
    {"contents", WORD_YOUR_REPLY, .type = "textarea", .required = true},
    {"files", WORD_ATTACHMENTS, .type = "file", .hint = WORD_FILES_HINT, .parameter = "attachment_file_ids",
     .multiple = true},
    {0},
};

struct talk {
    int64_t id, offset;
    const struct json *conversation, *messages, *rating; /* NULL: none */
    int64_t total;                                       /* messages */
};

static struct str page_number(struct form_page *a, int64_t n) { return str_fmt(a->arena, "%" PRId64, n); }

/* In the zone of the desk, which the text names. times.js shows it in that of the visitor. */
static void put_moment(struct form_page *a, struct str iso) {
    char room[48];
    int64_t at;
    struct buf *out = form_out(a);
    struct str zone = setting_text(a->visit->api->desk, "desk.time_zone", a->arena);
    if (!time_parse_iso(iso, &at)) return;
    int64_t local = at + time_zone_offset(zone, at) * TIME_SECOND, minutes = local / TIME_MINUTE % (24 * 60);
    html(out, "<time datetime=\"%s\" data-clock>", iso.p);
    html_text(out, word_date(room, a->visit->language, local));
    html(out, ", %s %s</time>", str_fmt(a->arena, "%02d:%02d", (int)(minutes / 60), (int)(minutes % 60)).p,
         zone.p);
    a->has_times = true;
}

/* ---- the list -------------------------------------------------------------------------------- */

/* In words for the customer: the labels of statuses are for staff. Nothing if customers do not see it. */
static void put_state_of(struct form_page *a, const struct json *conversation) {
    static const struct {
        const char *type;
        enum site_word word;
        const char *look;
    } words[] = {{"NEW", WORD_STATUS_NEW, " works"},
                 {"OPEN", WORD_STATUS_OPEN, " works"},
                 {"PENDING", WORD_STATUS_PENDING, " waits"},
                 {"COMPLETED", WORD_STATUS_COMPLETED, ""}};
    struct str type = json_member_text(json_member(conversation, S("status")), "type");
    const char *said = NULL, *look = "";
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_eq(type, str_of(words[i].type))) said = form_say(a, words[i].word), look = words[i].look;
    if (json_member_true(conversation, "is_closed")) said = form_say(a, WORD_CLOSED), look = "";
    if (said)
        html(form_out(a), "<span class=\"unseen\">%s: </span><span class=\"status%h\">%s</span> ",
             form_say(a, WORD_STATUS), look, said);
}

static void list_conversation(struct form_page *a, const struct json *j) {
    struct buf *out = form_out(a);
    struct str preview = json_member_text(j, "last_message_preview");
    html(out, "<li>\n<h2><a href=\"%s\"><bdi>%s</bdi></a></h2>\n<p class=\"meta\">",
         form_path(a, "/conversations/%" PRId64, tree_int(j, "id")).p, json_member_text(j, "subject").p);
    put_state_of(a, j);
    put_moment(a, json_member_text(j, "last_replied_at"));
    buf_text(out, "</p>\n");
    if (preview.n) html(out, "<p class=\"preview\"><bdi>%s</bdi></p>\n", preview.p);
    buf_text(out, "</li>\n");
}

/* Links to the neighbours of a page of a list that begins with the newest. */
static void put_neighbours(struct form_page *a, struct str path, const char *more, int64_t offset,
                           int64_t limit, int64_t total) {
    struct buf *out = form_out(a);
    int64_t before = offset > limit ? offset - limit : 0;
    if (total <= limit && offset == 0) return;
    html(out, "<nav class=\"pages\" aria-label=\"%s\">\n", form_say(a, WORD_PAGES));
    if (offset > 0)
        html(out, "<a href=\"%s?offset=%s%h\" rel=\"prev\">%s</a>\n", path.p, page_number(a, before).p, more,
             form_say(a, WORD_NEWER));
    if (offset + limit < total)
        html(out, "<a href=\"%s?offset=%s%h\" rel=\"next\">%s</a>\n", path.p,
             page_number(a, offset + limit).p, more, form_say(a, WORD_OLDER));
    buf_text(out, "</nav>\n");
}

static bool is_of_organization(struct form_page *a) {
    return str_eq(site_query(a->visit, "of"), S("organization"));
}

static void put_scopes(struct form_page *a) {
    bool all = is_of_organization(a);
    struct str path = form_path(a, "/conversations");
    if (!a->visit->work.actor.sees_organization) return;
    html(
        form_out(a),
        "<nav class=\"scopes\" aria-label=\"%s\">\n<a href=\"%s\"%h>%s</a>\n<a href=\"%s?of=organization\"%h>%s</a>\n</nav>\n",
        form_say(a, WORD_MY_CONVERSATIONS), path.p, all ? "" : " aria-current=\"page\"",
        form_say(a, WORD_MINE), path.p, all ? " aria-current=\"page\"" : "",
        form_say(a, WORD_OF_ORGANIZATION));
}

static int show_conversations(struct form_page *a) {
    const struct talk *mine = a->own;
    struct buf *out = form_out(a);
    const struct json *list = form_data(a);
    if (!form_ok(a)) return form_refused(a);
    bool some = list && list->first;
    struct str contact = form_path(a, "/contact");
    a->kind = "list";
    html(out, "<div class=\"title\">\n<h1>%s</h1>\n", form_say(a, WORD_MY_CONVERSATIONS));
    if (some) html(out, "<a class=\"button\" href=\"%s\">%s</a>\n", contact.p, form_say(a, WORD_NEW_MESSAGE));
    buf_text(out, "</div>\n");
    put_scopes(a);
    if (some) buf_text(out, "<ul class=\"conversations\">\n");
    else
        html(out, "<p>%s</p>\n<p><a class=\"button\" href=\"%s\">%s</a></p>\n",
             form_say(a, WORD_NO_CONVERSATIONS), contact.p, form_say(a, WORD_NEW_MESSAGE));
    for (const struct json *j = some ? list->first : NULL; j; j = j->next) list_conversation(a, j);
    if (some) buf_text(out, "</ul>\n");
    put_neighbours(a, form_path(a, "/conversations"), is_of_organization(a) ? "&amp;of=organization" : "",
                   mine->offset, CONVERSATIONS_OF_PAGE, tree_int(a->subcall.reply, "total_count"));
    return form_show(a, str_of(form_say(a, WORD_MY_CONVERSATIONS)));
}

int page_conversations(struct site_visit *v) {
    struct form_page *a = form_begin(v, NULL);
    struct talk *mine = a->own = ARENA_NEW(a->arena, struct talk);
    mine->offset = site_query_int(v, "offset", 0, 1000000);
    if (!site_logged_in(v)) return form_to_login(a);
    return form_call(
        a, GET, NULL, show_conversations,
        "/conversations?include=case_status&fields=id,subject,status,is_closed,last_message_preview,last_replied_at&limit=%d&offset=%" PRId64
        "%s",
        CONVERSATIONS_OF_PAGE, mine->offset, is_of_organization(a) ? "&filters=MY_ORGANIZATION" : "");
}

/* ---- one conversation ------------------------------------------------------------------------ */

static void put_attachments(struct form_page *a, const struct json *message) {
    struct buf *out = form_out(a);
    const struct json *list = json_member(message, S("attachments"));
    if (list == NULL || list->first == NULL) return;
    html(out, "<ul class=\"attachments\" aria-label=\"%s\">\n", form_say(a, WORD_ATTACHMENTS));
    for (const struct json *j = list->first; j; j = j->next) {
        buf_text(out, "<li>");
        icon_write(out, ICON_FILE);
        html(
            out,
            "<span><a href=\"%s\" download><bdi>%s</bdi></a> <span class=\"hint\">%s KB</span></span></li>\n",
            form_local_path(a, json_member_text(j, "url_download")).p, json_member_text(j, "name").p,
            page_number(a, (tree_int(j, "size") + 1023) / 1024).p);
    }
    buf_text(out, "</ul>\n");
}

static void write_post(struct form_page *a, const struct json *j) {
    struct buf *out = form_out(a);
    const struct json *creator = json_member(j, S("creator"));
    struct str id = page_number(a, tree_int(j, "id")), name = json_member_text(creator, "full_name");
    bool own = tree_int(creator, "id") == a->visit->work.actor.user_id;
    html(out, "<article class=\"message%h\" aria-labelledby=\"by%s\">\n<h2 id=\"by%s\"><bdi>%s</bdi> ",
         own ? " own" : "", id.p, id.p,
         own      ? form_say(a, WORD_YOU)
         : name.n ? name.p
                  : form_say(a, WORD_SUPPORT));
    put_moment(a, json_member_text(j, "created_at"));
    buf_text(out, "</h2>\n<div class=\"text\" dir=\"auto\">");
    buf_str(out, site_pictures(a->visit,
                               json_member_text(j, "content_html"))); /* safe HTML (files/html_clean.h) */
    buf_text(out, "</div>\n");
    put_attachments(a, j);
    if (!own)
        html(out, "<span class=\"face\" aria-hidden=\"true\">%s</span>\n",
             site_initial(a->arena, name.n ? name : str_of(form_say(a, WORD_SUPPORT))).p);
    buf_text(out, "</article>\n");
}

/* The newest message is last, next to the reply. */
static void write_posts(struct form_page *a, const struct json *newest_first) {
    const struct json *list[MESSAGES_OF_PAGE];
    int n = 0;
    for (const struct json *j = newest_first ? newest_first->first : NULL; j && n < MESSAGES_OF_PAGE;
         j = j->next)
        list[n++] = j;
    while (n-- > 0) write_post(a, list[n]);
}

static void put_reply(struct form_page *a) {
    const struct talk *mine = a->own;
    struct str key = form_typed(a, "_key");
    html(form_out(a), "<section class=\"reply\" aria-labelledby=\"reply\">\n<h2 id=\"reply\">%s</h2>\n",
         form_say(a, WORD_REPLY));
    form_open(a, form_path(a, "/conversations/%" PRId64 "/reply", mine->id), form_multipart);
    form_hidden(a, "_key", key.n ? key : random_uuid(a->arena));
    for (const struct form_field *f = reply_fields; f->name; f++) form_field(a, f);
    form_close(a, WORD_SEND);
    buf_text(form_out(a), "</section>\n");
}

static void put_complete(struct form_page *a) {
    const struct talk *mine = a->own;
    form_open(a, form_path(a, "/conversations/%" PRId64 "/complete", mine->id), NULL);
    form_close(a, WORD_COMPLETE);
}

static void put_score(struct form_page *a, const char *value, enum icon icon, enum site_word word) {
    html(form_out(a), "<label><input type=\"radio\" name=\"score\" value=\"%s\" required><span>", value);
    icon_write(form_out(a), icon);
    html(form_out(a), "%s</span></label>\n", form_say(a, word));
}

/* Asks once, and not before staff have answered. */
static void put_rating_form(struct form_page *a) {
    const struct talk *mine = a->own;
    const struct json *answerer = json_member(mine->conversation, S("last_agent_replier"));
    struct buf *out = form_out(a);
    struct str score = json_member_text(mine->rating, "score"),
               comment = json_member_text(mine->rating, "comment");
    struct form_field f = {"comment", WORD_COMMENT, .type = "textarea"};
    if (score.n)
        html(out, "<p>%s: <strong>%s</strong></p>\n", form_say(a, WORD_YOUR_RATING),
             form_say(a, str_eq(score, S("GOOD")) ? WORD_GOOD : WORD_BAD));
    if (score.n && comment.n) html(out, "<p class=\"preview\"><bdi>%s</bdi></p>\n", comment.p);
    if (score.n || answerer == NULL || answerer->type != JSON_OBJECT) return;
    html(out, "<section class=\"rating\" aria-labelledby=\"rate\">\n<h2 id=\"rate\">%s</h2>\n",
         form_say(a, WORD_HOW_DID_WE));
    form_open(a, form_path(a, "/conversations/%" PRId64 "/rating", mine->id), NULL);
    buf_text(out, "<div class=\"faces\" role=\"radiogroup\" aria-labelledby=\"rate\">\n");
    put_score(a, "GOOD", ICON_GLAD, WORD_GOOD);
    put_score(a, "BAD", ICON_SAD, WORD_BAD);
    buf_text(out, "</div>\n");
    form_field(a, &f);
    form_close(a, WORD_SEND_RATING);
    buf_text(out, "</section>\n");
}

static void put_done(struct form_page *a) {
    struct str done = site_query(a->visit, "done");
    enum site_word w = str_eq(done, S("sent"))        ? WORD_DONE_SENT
                       : str_eq(done, S("rated"))     ? WORD_DONE_RATED
                       : str_eq(done, S("completed")) ? WORD_DONE_COMPLETED
                                                      : WORD_HELP_CENTER;
    if (w != WORD_HELP_CENTER)
        html(form_out(a), "<p class=\"done\" role=\"status\">%s</p>\n", form_say(a, w));
}

/* A closed conversation takes no reply, but a rating. A customer who does not see the status may complete
 * the conversation at any time. */
static void put_actions(struct form_page *a) {
    const struct talk *mine = a->own;
    bool closed = json_member_true(mine->conversation, "is_closed");
    bool completed =
        str_eq(json_member_text(json_member(mine->conversation, S("status")), "type"), S("COMPLETED"));
    if (closed)
        html(form_out(a), "<p>%s <a href=\"%s\">%s</a></p>\n", form_say(a, WORD_IS_CLOSED),
             form_path(a, "/contact").p, form_say(a, WORD_NEW_MESSAGE));
    else put_reply(a);
    if (!closed && !completed) put_complete(a);
    put_rating_form(a);
}

/* The visitor's newest rating; NULL: none. */
static const struct json *own_rating(const struct form_page *a, const struct json *ratings) {
    const struct json *own = NULL;
    for (const struct json *j = ratings ? ratings->first : NULL; j; j = j->next)
        if (tree_int(json_member(j, S("creator")), "id") == a->visit->work.actor.user_id) own = j;
    return own;
}

static int show_conversation(struct form_page *a) {
    struct talk *mine = a->own;
    struct buf *out = form_out(a);
    const struct json *ratings = form_data(a), *c = mine->conversation;
    struct str subject = json_member_text(c, "subject");
    mine->rating = own_rating(a, ratings);
    a->kind = "talk";
    html(out, "<p class=\"back\"><a href=\"%s\">", form_path(a, "/conversations").p);
    icon_write(out, ICON_BACK);
    html(out, "%s</a></p>\n<h1><bdi>%s</bdi></h1>\n<p class=\"meta\">", form_say(a, WORD_MY_CONVERSATIONS),
         subject.p);
    put_state_of(a, c);
    buf_text(out, "</p>\n");
    put_done(a);
    form_problems(a, reply_fields);
    put_neighbours(a, form_path(a, "/conversations/%" PRId64, mine->id), "", mine->offset, MESSAGES_OF_PAGE,
                   mine->total);
    write_posts(a, mine->messages);
    put_actions(a);
    return form_show(a, subject);
}

static int took_messages(struct form_page *a) {
    struct talk *mine = a->own;
    if (!form_ok(a)) return form_refused(a);
    mine->messages = form_data(a);
    mine->total = tree_int(a->subcall.reply, "total_count");
    return form_call(a, GET, NULL, show_conversation, "/conversations/%" PRId64 "/ratings", mine->id);
}

static int took_conversation(struct form_page *a) {
    struct talk *mine = a->own;
    if (!form_ok(a)) return form_refused(a);
    mine->conversation = form_data(a);
    return form_call(
        a, GET, NULL, took_messages,
        "/conversations/%" PRId64
        "/messages?include=user,attachment&fields=id,content_text,content_html,creator,attachments,created_at&limit=%d&offset=%" PRId64,
        mine->id, MESSAGES_OF_PAGE, mine->offset);
}

static int read_conversation(struct form_page *a) {
    const struct talk *mine = a->own;
    a->subcall.files = NULL;
    return form_call(a, GET, NULL, took_conversation,
                     "/conversations/%" PRId64
                     "?include=case_status&fields=id,subject,status,is_closed,last_agent_replier",
                     mine->id);
}

static struct form_page *conversation_begin(struct site_visit *v) {
    struct form_page *a = form_begin(v, read_conversation);
    struct talk *mine = a->own = ARENA_NEW(a->arena, struct talk);
    str_to_int(v->vars[1], &mine->id); /* it stays 0, which no conversation has */
    mine->offset = site_query_int(v, "offset", 0, 1000000);
    return a;
}

int page_conversation(struct site_visit *v) {
    struct form_page *a = conversation_begin(v);
    return site_logged_in(v) ? read_conversation(a) : form_to_login(a);
}

/* ---- reply, rating, completion --------------------------------------------------------------- */

/* Another problem of the form is shown with the conversation. A conversation that the visitor does not see
 * is not found first. */
static int conversation_acted(struct form_page *a) {
    const struct talk *mine = a->own;
    return form_ok(a) ? form_redirect(a, "/conversations/%" PRId64 "?done=%s", mine->id, a->step)
                      : form_refused(a);
}

static int conversation_post(struct site_visit *v, int (*post)(struct form_page *a)) {
    struct form_page *a = conversation_begin(v);
    if (!site_logged_in(v)) return form_to_login(a);
    return form_forged(a) ? form_expired(a) : post(a);
}

static int send_answer(struct form_page *a) {
    const struct talk *mine = a->own;
    struct json *body = json_new(a->arena, JSON_OBJECT);
    form_add(a, body, "contents", form_typed(a, "contents"));
    form_add(a, body, "source", S("HELPCENTER"));
    if (form_typed(a, "_key").n) form_add(a, body, "client_id", form_typed(a, "_key"));
    a->subcall.files = a->visit->http->files;
    a->step = "sent";
    return form_call(a, POST, body, conversation_acted, "/conversations/%" PRId64 "/messages", mine->id);
}

/* A second rating of the visitor changes the first. */
static int send_score(struct form_page *a) {
    const struct talk *mine = a->own;
    const struct json *own = own_rating(a, form_data(a));
    struct json *body = json_new(a->arena, JSON_OBJECT);
    if (!form_ok(a)) return form_refused(a);
    form_add(a, body, "score", form_typed(a, "score"));
    form_add(a, body, "comment", form_typed(a, "comment"));
    a->step = "rated";
    if (own == NULL)
        return form_call(a, POST, body, conversation_acted, "/conversations/%" PRId64 "/ratings", mine->id);
    return form_call(a, PUT, body, conversation_acted, "/conversations/%" PRId64 "/ratings/%" PRId64,
                     mine->id, tree_int(own, "id"));
}

static int rate_conversation(struct form_page *a) {
    const struct talk *mine = a->own;
    return form_call(a, GET, NULL, send_score, "/conversations/%" PRId64 "/ratings", mine->id);
}

static int complete_conversation(struct form_page *a) {
    const struct talk *mine = a->own;
    struct json *body = json_new(a->arena, JSON_OBJECT);
    /* the ids of the system's statuses are their types */
    form_add(a, body, "status_id", page_number(a, STATUS_COMPLETED));
    form_add(a, body, "source", S("HELPCENTER"));
    a->step = "completed";
    return form_call(a, PUT, body, conversation_acted, "/conversations/%" PRId64, mine->id);
}

int page_answer(struct site_visit *v) { return conversation_post(v, send_answer); }
int page_rating(struct site_visit *v) { return conversation_post(v, rate_conversation); }
int page_complete(struct site_visit *v) { return conversation_post(v, complete_conversation); }
