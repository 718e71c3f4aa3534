
#include "api/rows/generic.h"
#include "api/input/input.h"
#include "api/rows/reply.h"
#include "api/rows/view.h"
#include "base/limits.h"
#include "base/link.h"
#include "core/access/permission.h"
#include "core/cases/message.h"
#include "core/cases/message_mail.h"
#include "core/cases/message_undo.h"
#include "core/cases/note.h"
#include "core/desk/cascade.h"
#include "core/letters/letter.h"
#include "core/rules/rule.h"
#include "core/rules/rules_finish.h"
#include "res/html.h"
#include "res/help_center.h"
#include "res/attachment.h"
#include "res/case_parts.h"
#include "res/channel.h"
#include "res/draft.h"
#include "res/field_value.h"
#include "res/message_origin.h"
#include "res/scheduled_reply.h"
#include "res/tag.h"

/* ---- parameters ------------------------------------------------------------------------------ */

static const struct word reply_channels[] = {{CHANNEL_MAIL, "MAIL"},
                                             {CHANNEL_HELPCENTER, "HELPCENTER"},
                                             {CHANNEL_MESSENGER, "MESSENGER"},
                                             {CHANNEL_NOTE, "NOTE"},
                                             {0}};

const struct field reply_input[] = {
    {"contents", F_LONG, NULLABLE, .max = LIMIT_CONTENTS,
     .doc = "Text of the reply. Required for a note, and for a message without a file. Default: the text of "
            "the macro.",
     .example = "\"Have you tried turning it backwards?\""},
    {"channel", F_WORD, NULLABLE, .words = reply_channels,
     .doc = "NOTE for a note. MAIL sends the reply to the requester. Default: the channel of the "
            "conversation; NOTE if the text is that of a macro for notes.",
     .example = "\"NOTE\""},
    {"*", .group = channel_input},
    {"*", .group = message_source_input},
    {"*", .group = metadata_input},
    {"client_id", F_TEXT, NULLABLE,
     .doc = "Id that the client chose. A reply that is sent again with it "
            "changes nothing."},
    {"in_reply_to_uuid", F_TEXT, NULLABLE,
     .doc = "UUID of the message that is answered. It must be in the "
            "conversation."},
    {"last_seen_post_id", F_INT, NULLABLE, .min = 1, .max = INT64_MAX,
     .doc = "The newest post that the caller has seen."},
    {"subject", F_TEXT, 0, .doc = "New subject of the conversation."},
    {"requester", F_REF, 0, .ref = "user", .doc = "New requester."},
    {"assigned_agent", F_REF, NULLABLE, .column = "t.assigned_agent_id", .ref = "user",
     .check = check_assigned_agent, .doc = "New agent."},
    {"assigned_team", F_REF, NULLABLE, .column = "t.assigned_team_id", .ref = "team", .doc = "New team."},
    {"brand", F_REF, 0, .ref = "brand", .doc = "New brand."},
    {"status", F_REF, 0, .ref = "case_status", .doc = "New status. Default: what follows from the reply."},
    {"priority", F_REF, NULLABLE, .ref = "case_priority", .doc = "New priority."},
    {"type", F_REF, NULLABLE, .ref = "case_type", .doc = "New type."},
    {"legacy_id", F_TEXT, NULLABLE, .doc = "New id in the system that the conversation came from."},
    {"form", F_REF, NULLABLE, .ref = "case_form", .doc = "New form."},
    {"field_values", F_OBJECT, 0, .check = check_case_values, .doc = FIELD_VALUES_DOC},
    {"tags", F_MANY, NULLABLE, .ref = "tag", .many = TAGS_OF("case_tags", "case_id"), .check = check_tags,
     .store = store_case_tags, .doc = "The complete list of tags.", .example = "[\"vip\"]"},
    {"macro", F_REF, NULLABLE, .column = "", .ref = "macro",
     .doc = MACRO_DOC " Its text is that of a request without contents. The text of a macro for notes "
                      "becomes a note, never a message."},
    {"*", .group = attachment_input},
    {"*", .group = article_link_input},
    {"*", .group = draft_sent_input},
    {"*", .group = scheduled_input},
    {0},
};

struct reply {
    struct str clean; /* the HTML that was given, cleaned; p NULL: plain text was given */
    struct str text, html, original, metadata;
    struct attached files;
    struct channel_given given;
    bool is_note;
    struct macro macro;
    bool with_macro, text_of_macro;
};

/* *channel: the given one, or the conversation's. */
static int check_reply_channel(struct call *c, const struct reply *r, const struct case_now *now,
                               const struct case_change *change, int *channel) {
    int64_t requester = change->set & CASE_REQUESTER ? change->requester_id : now->requester_id;
    *channel = r->is_note ? CHANNEL_NOTE : r->given.channel ? r->given.channel : case_message_channel(now);
    return channel_check(c, &r->given, *channel, requester);
}

/* The mails go to the requester after the change. The requester's own message is not mailed. Returns the
 * number of mails or a negative error. */
static int reply_mails(struct call *c, const struct reply *r, const struct case_now *now, int channel,
                       int64_t post) {
    return channel == CHANNEL_MAIL ? message_mail_send(&c->work, now, post, r->given.cc, r->given.copies) : 0;
}

static int reply_permitted(struct call *c, const struct reply *r, const struct case_change *change) {
    bool changes = change->set || change->value_count || given(c, "tags") || in_int(c, "macro");
    if (!r->is_note && !permitted(&c->work.actor, "cases.public_reply"))
        return fail(&c->work, ERR_PERMISSIONS_DENIED);
    if (changes && c->work.actor.rank < ROLE_AGENT) return fail(&c->work, ERR_PERMISSIONS_DENIED);
    return check_closing(c);
}

QUERY(reply_answers, "SELECT p.id FROM posts p WHERE p.case_id = :case AND p.uuid = :uuid");

static int check_answered(struct call *c) {
    int64_t id;
    if (in(c, "in_reply_to_uuid")->value.type != V_TEXT) return 0;
    int rc = db_int(c->work.conn, &reply_answers,
                    BINDS(B_INT("case", c->vars[0].id), B_TEXT("uuid", in_text(c, "in_reply_to_uuid"))), &id);
    if (rc) return rc < 0 ? rc : 0;
    return in_fail(c, "in_reply_to_uuid", ERR_FIELD_INVALID,
                   "The conversation has no message with this UUID.");
}

/* ---- collisions ------------------------------------------------------------------------------ */

#define OVERTAKING 100 /* posts in the answer */
QUERY(posts_overtaking, "SELECT m.id FROM (SELECT p.id FROM posts p WHERE p.case_id = :case AND p.id > :seen "
                        "AND p.creator_id <> :me UNION ALL SELECT n.id FROM notes n WHERE n.case_id = :case "
                        "AND n.id > :seen AND n.user_id <> :me) m "
                        "ORDER BY m.id DESC LIMIT :most");

/* Compares under the lock of the conversation, so that no post is missed. */
static int check_overtaken(struct call *c) {
    const struct resource *post = resource_of("post");
    int64_t *ids;
    struct row *rows;
    struct buf b = {0};
    int found;
    if (in(c, "last_seen_post_id")->value.type != V_INT) return 0;
    int n = db_ids(c->work.conn, &posts_overtaking,
                   BINDS(B_INT("case", c->vars[0].id), B_INT("seen", in_int(c, "last_seen_post_id")),
                         B_INT("me", c->work.actor.user_id), B_INT("most", OVERTAKING)),
                   c->work.arena, &ids);
    if (n <= 0) return n;
    struct view *v = view_new(c);
    TRY(view_load(v, post, ids, n, &rows, &found));
    jw_init(&v->w, &b);
    v->w.name_case = c->options.name_case;
    jw_array(&v->w);
    for (const struct row *row = rows; row; row = row->next) view_row(v, row);
    jw_end(&v->w);
    c->posts = buf_take(&b, c->work.arena);
    return fail(&c->work, ERR_POST_OVERTAKEN);
}

/* ---- the reply ------------------------------------------------------------------------------- */

QUERY(reply_of_client,
      "SELECT p.id FROM posts p WHERE p.case_id = :case AND p.creator_id = :me AND p.client_id = :client "
      "UNION ALL SELECT n.id FROM notes n "
      "WHERE n.case_id = :case AND n.user_id = :me AND n.client_id = :client");

/* Returns 1 and sets *id if the caller has already sent this reply. */
static int reply_sent_before(struct call *c, int64_t *id) {
    if (in(c, "client_id")->value.type != V_TEXT) return 0;
    return db_int(c->work.conn, &reply_of_client,
                  BINDS(B_INT("case", c->vars[0].id), B_INT("me", c->work.actor.user_id),
                        B_TEXT("client", in_text(c, "client_id"))),
                  id);
}

/* A request without contents has those of its macro. The text of a macro for notes is not meant for
 * customers. */
static void reply_take_macro(struct call *c, struct reply *r) {
    const struct json *sent = in(c, "contents")->json;
    bool fits = r->given.channel == 0 || r->is_note || r->macro.reply == MACRO_REPLY;
    if (!r->with_macro || r->macro.contents.n == 0 || (sent && sent->type != JSON_NULL) || !fits) return;
    r->text_of_macro = true;
    if (r->given.channel == 0) r->is_note = r->macro.reply == MACRO_NOTE;
}

/* Gathers all problems of the parameters. A note needs text even if it has a file. */
static int reply_read(struct call *c, struct reply *r) {
    *r = (struct reply){0};
    int rc = attachments_read(c, &r->files);
    if (rc < 0 && !failed(&c->work)) return rc;
    int with_macro = macro_given(c, &r->macro);
    TRY(with_macro);
    r->with_macro = with_macro;
    channel_given(c, &r->given);
    r->is_note = r->given.channel == CHANNEL_NOTE;
    reply_take_macro(c, r);
    r->metadata = metadata_given(c);
    if (r->is_note && (given(c, "source") || r->metadata.p))
        notice(&c->work, "NOTICE", "A note has no source and no metadata. They were ignored.");
    if (!r->text_of_macro)
        r->text = attached_contents(c, &(struct attached){.count = r->is_note ? 0 : r->files.count});
    if (failed(&c->work)) return -(int)failure(&c->work);
    if (r->text.n) TRY(html_contents(c, &r->text, &r->html, &r->original));
    if (r->original.p) r->clean = r->html;
    return 0;
}

/* The text of a macro is plain. Its values are those of the conversation. */
static int reply_fill_text(struct call *c, struct reply *r, const struct case_now *now) {
    if (!r->text_of_macro) return 0;
    TRY(macro_contents(&c->work, &r->macro, now, &r->text));
    r->html = text_to_html(c->work.arena, r->text);
    return 0;
}

/* Links in a note are for staff, so the caller is their reader. */
static int reply_link_articles(struct call *c, struct reply *r, const struct case_now *now,
                               const struct case_change *change) {
    int64_t requester = change->set & CASE_REQUESTER ? change->requester_id : now->requester_id;
    return article_links_append(c, r->is_note ? c->work.actor.user_id : requester, &r->text, &r->html);
}

static int reply_add(struct call *c, struct reply *r, struct case_now *now, int channel, int64_t *id) {
    TRY(attachments_store(c, &r->files));
    if (r->is_note) {
        struct note_new n = {.kind = NOTE_CASE,
                             .owner_id = now->id,
                             .text = r->text,
                             .html = r->html,
                             .original = r->original,
                             .client_id = in_text(c, "client_id"),
                             .files = r->files.ids,
                             .file_count = r->files.count};
        return note_add(&c->work, &n, id);
    }
    struct mailbox sends = {0};
    if (channel == CHANNEL_MAIL) TRY(channel_mailbox(c, &r->given, now->id, &sends));
    if (given(c, "source")) c->work.channel = rule_channel_of((int)in_int(c, "source"));
    struct message_new m = {.contents = r->text,
                            .html = c->prepared ? r->html : (struct str){0},
                            .original = r->original,
                            .client_id = in_text(c, "client_id"),
                            .metadata = r->metadata,
                            .creator_id = c->work.actor.user_id,
                            .mailbox_id = sends.id,
                            .source = given(c, "source") ? (int)in_int(c, "source") : SOURCE_AGENT,
                            .files = r->files.ids,
                            .file_count = r->files.count,
                            .channel = channel};
    return message_post(&c->work, now, &m, id);
}

struct reply_outcome {
    int64_t post_id, undo_until,
        scheduled_id; /* undo_until 0: the reply can't be undone. Other ids 0: none */
};

static int reply_answer(struct call *c, struct reply_outcome o) {
    TRY(rules_finish(&c->work));
    struct view *v = view_new(c);
    struct row *row = row_new(v, layout_of(c->resource), 0);
    c->id = o.post_id;
    *row_cell(row, "case") = (struct value){V_INT, .i = c->vars[0].id};
    if (o.undo_until) *row_cell(row, "undo_until") = (struct value){V_INT, .i = o.undo_until};
    if (o.scheduled_id) *row_cell(row, "scheduled_reply") = (struct value){V_INT, .i = o.scheduled_id};
    TRY(view_follow(v, row));
    return envelope_row(v, row);
}

/* Keeps the request, which was checked as if it were sent now. */
static int reply_later(struct call *c, struct reply *r, const struct scheduled_reply *former) {
    struct str files;
    struct scheduled_reply s = {.case_id = c->vars[0].id,
                                .send_at = in_int(c, "send_at"),
                                .is_note = r->is_note,
                                .is_html = r->clean.p != NULL,
                                .client_id = in_text(c, "client_id"),
                                .content_text = r->text};
    TRY(attachments_store(c, &r->files));
    files = json_ids(c->work.arena, r->files.ids, (size_t)r->files.count);
    s.parameters = scheduled_parameters(c, r->clean, files);
    if (former) TRY(scheduled_reply_drop(&c->work, former));
    TRY(scheduled_reply_add(&c->work, &s, files));
    TRY(draft_sent(c, r->is_note ? DRAFT_NOTE : DRAFT_REPLY));
    return reply_answer(c, (struct reply_outcome){.scheduled_id = s.id});
}

/* The post comes first, so that a status of the request wins over the status that follows from the post. */
int post_case_reply(struct call *c) {
    struct case_now now;
    int64_t post;
    int channel = 0;
    struct reply reply;
    struct scheduled_reply former;
    if (json_named(c->body, S("send_at"))) c->options.also = "+scheduled_reply";
    TRY(api_of_case(c));
    TRY_FOUND(&c->work, case_load_of_author(&c->work, c->vars[0].id, &now));
    if (now.state == CASE_DELETING) return fail(&c->work, ERR_RESOURCE_NOT_FOUND);
    TRY(reply_read(c, &reply));
    bool later = in(c, "send_at")->value.type == V_INT;
    struct case_change change = case_change_given(c);
    TRY(reply_permitted(c, &reply, &change));
    TRY(check_answered(c));
    TRY(case_not_hidden(&c->work, &now));
    int sent_before = reply_sent_before(c, &post);
    TRY(sent_before);
    if (sent_before) return reply_answer(c, (struct reply_outcome){.post_id = post});
    int replaces = scheduled_former(c, now.id, &former);
    TRY(replaces);
    int scheduled = later ? scheduled_before(c, now.id, replaces ? former.id : 0, &post) : 0;
    TRY(scheduled);
    if (scheduled) return reply_answer(c, (struct reply_outcome){.scheduled_id = post});
    TRY(check_overtaken(c));
    TRY(reply_fill_text(c, &reply, &now));
    TRY(reply_link_articles(c, &reply, &now, &change));
    if (reply.with_macro) TRY(macro_join(c, &reply.macro, &now, &change));
    if (change.set || change.value_count || (later && !reply.is_note)) TRY(case_not_closed(&c->work, &now));
    TRY(check_reply_channel(c, &reply, &now, &change, &channel));
    if (later) return reply_later(c, &reply, replaces ? &former : NULL);
    if (replaces) TRY(scheduled_reply_drop(&c->work, &former));
    TRY(reply_add(c, &reply, &now, channel, &post));
    if (change.set || change.value_count) TRY(case_change(&c->work, &now, &change));
    if (reply.with_macro) TRY(macro_join_tags(c, &reply.macro, now.id));
    if (reply.with_macro) TRY(macro_used(&c->work, reply.macro.id));
    int mails = reply_mails(c, &reply, &now, channel, post);
    TRY(mails);
    c->id = now.id;
    TRY(api_keep(c));
    TRY(draft_sent(c, reply.is_note ? DRAFT_NOTE : DRAFT_REPLY));
    bool undoable = mails && c->work.actor.rank >= ROLE_AGENT;
    return reply_answer(c, (struct reply_outcome){.post_id = post,
                                                  .undo_until = undoable ? letter_reply_waits(&c->work) : 0});
}

int delete_case_reply(struct call *c) {
    struct case_now now;
    TRY(api_of(c));
    TRY(api_input(c));
    TRY_FOUND(&c->work, case_load(&c->work, c->vars[0].id, &now));
    TRY(message_undo(&c->work, &now, c->vars[1].id));
    return api_reply(c);
}

/* The call's id is that of the new post. A scheduled reply has none yet. */
static int reply_posts(struct call *c, int64_t owner_id, int64_t **ids) {
    (void)owner_id;
    if (c->id == 0) return 0;
    *ids = arena_array(c->work.arena, 1, sizeof **ids);
    **ids = c->id;
    return 1;
}

static const struct field reply_fields[] = {
    {"posts", F_MANY, READONLY, .ref = "post", .made = reply_posts, .doc = "The new posts."},
    {"case", F_REF, READONLY, .ref = "case", .doc = "The conversation."},
    {"undo_until", F_TIME, READONLY,
     .doc = "Until then, its author can undo the reply (DELETE /cases/:id/reply/:post_id). Null: no e-mail "
            "of it waits.",
     .example = "\"2026-11-23T09:30:30+00:00\""},
    {"scheduled_reply", F_REF, READONLY | ON_DEMAND, .ref = "scheduled_reply",
     .doc = "The scheduled reply. Only in the answer to a request with `send_at`."},
    {0},
};

const struct resource case_reply_resource = {.type = "case_reply",
                                             .scope = "conversations",
                                             .title = "Replies to cases",
                                             .doc = "The answer to a reply.",
                                             .fields = reply_fields};
