#include "res/case_parts.h"

#include "api/rows/generic.h"
#include "base/limits.h"
#include "core/cases/case_split.h"

const struct field split_input[] = {
    {"post_ids", F_IDS, PRESENT, .doc = "Messages and notes that move, at most 100. One message stays.",
     .example = "[6490, 6491]"},
    {"subject", F_TEXT, REQUIRED, .doc = "Subject of the new conversation.",
     .example = "\"The other invoice\""},
    {"requester", F_REF, .ref = "user",
     .doc = "Requester of the new conversation: that of this one, which is the default, or the author of the "
            "first message that moves."},
    {"force", F_BOOL, .initial = "0",
     .doc = "True if another requester may read messages that this requester did not write."},
    {0},
};

static int refuse_post(struct call *c, int i, enum error code, const char *why) {
    return fail_at(&c->work, code, S("post_ids"), str_fmt(c->work.arena, "post_ids/%d", i), "%s", why);
}

static bool splits_post(const struct split *s, int64_t id) {
    for (int i = 0; i < s->post_count; i++)
        if (s->posts[i].id == id) return true;
    return false;
}

/* Each id that is not one of a message or a note of the conversation gets the same answer. */
static int check_split_posts(struct call *c, const struct split *s) {
    int messages = 0;
    for (int i = 0; i < s->count; i++)
        if (!splits_post(s, s->ids[i]))
            refuse_post(c, i, ERR_RESOURCE_NOT_FOUND, "The conversation has no such message or note.");
    for (int i = 0; i < s->post_count; i++) messages += !s->posts[i].is_note;
    if (failed(&c->work)) return -(int)failure(&c->work);
    bool none_stays = s->from.message_seq ? messages == s->from.message_seq : s->post_count == s->note_count;
    if (none_stays)
        return in_fail(c, "post_ids", ERR_FIELD_INVALID,
                       "One message must stay. Change the subject or the requester of this conversation.");
    return 0;
}

/* The author of the first message that moves, if it is not one of staff; 0: none. */
static int64_t split_author(const struct split *s) {
    for (int i = 0; i < s->post_count; i++)
        if (!s->posts[i].is_note) return s->posts[i].by_staff ? 0 : s->posts[i].creator_id;
    return 0;
}

static int check_split_requester(struct call *c, const struct split *s) {
    if (s->requester_id == s->from.requester_id) return 0;
    if (s->requester_id != split_author(s))
        return in_fail(c, "requester", ERR_FIELD_INVALID,
                       "Name the requester of the conversation, or the author of the first message that "
                       "moves.");
    for (int i = 0; i < s->post_count && !in_int(c, "force"); i++)
        if (!s->posts[i].is_note && s->posts[i].creator_id != s->requester_id)
            return in_fail(c, "requester", ERR_RESOURCE_ACTION_NOT_AVAILABLE,
                           "Other people wrote some of the messages. Send force=true if this requester may "
                           "read them.");
    return 0;
}

int post_case_split(struct call *c) {
    TRY(api_target(c));
    TRY(api_input(c));
    const struct in *ids = in(c, "post_ids");
    struct split s = {.ids = ids->value.ids, .count = (int)ids->value.i, .subject = in_text(c, "subject")};
    if (s.count > LIMIT_SPLIT)
        return in_fail(c, "post_ids", ERR_FIELD_INVALID, "At most %d posts move at a time.", LIMIT_SPLIT);
    TRY(case_split_load(&c->work, c->id, &s));
    s.requester_id = in_int(c, "requester") ? in_int(c, "requester") : s.from.requester_id;
    TRY(case_not_hidden(&c->work, &s.from));
    TRY(case_not_closed(&c->work, &s.from));
    TRY(check_split_posts(c, &s));
    TRY(check_split_requester(c, &s));
    TRY(case_split(&c->work, &s, &c->id));
    return api_reply_one(c, c->id);
}
