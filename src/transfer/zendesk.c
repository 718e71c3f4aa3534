/* Zendesk: the JSON of an account export (one ticket a line with its comments), and pages of its API.
 * docs/TRANSFER.md lists what is mapped. */
#include "transfer/foreign.h"

#include "core/words.h"

/* ---- words ----------------------------------------------------------------------------------- */

static const struct word statuses[] = {{STATUS_NEW, "new"},
                                       {STATUS_OPEN, "open"},
                                       {STATUS_PENDING, "pending"},
                                       {STATUS_PENDING, "hold"},
                                       {STATUS_COMPLETED, "solved"},
                                       {STATUS_CLOSED, "closed"},
                                       {0}};
/* Ids of the rows that each desk begins with. */
static const struct word priorities[] = {{1, "low"}, {2, "normal"}, {3, "high"}, {4, "urgent"}, {0}};
static const struct word types[] = {{1, "question"}, {2, "task"}, {3, "problem"}, {4, "incident"}, {0}};
enum { CUSTOMER = 4, COLLABORATOR = 3, AGENT = 2 };
static const struct word roles[] = {{CUSTOMER, "end-user"}, {AGENT, "agent"}, {1, "admin"}, {0}};
/* ticket_restriction: the tickets that an agent sees. The desk has no access by organization, so such
 * agents get less. */
static const struct word restrictions[] = {
    {CASES_TEAMS, "groups"}, {CASES_SELF, "assigned"}, {CASES_SELF, "organization"}, {0}};
static const struct word channel_sources[] = {{SOURCE_MAIL, "email"},
                                              {SOURCE_HELPCENTER, "web"},
                                              {SOURCE_API, "api"},
                                              {SOURCE_MESSENGER, "chat"},
                                              {SOURCE_MESSENGER, "native_messaging"},
                                              {SOURCE_MOBILE, "mobile_sdk"},
                                              {0}};

/* ---- shapes ---------------------------------------------------------------------------------- */

static const struct foreign_shape organization = {
    "organizations",
    "url updated_at group_id",
    {{"id", .is = MEMBER_ID | MEMBER_NEEDED, INTO(foreign_organization, id)},
     {"name", .is = MEMBER_TEXT, INTO(foreign_organization, name)},
     {"created_at", .is = MEMBER_TIME, INTO(foreign_organization, created_at)},
     {"deleted_at", .is = MEMBER_TIME},
     {"domain_names", .is = MEMBER_LIST, INTO(foreign_organization, domains)},
     {"tags", .is = MEMBER_LIST, INTO(foreign_organization, tags)},
     {"details", .is = MEMBER_TEXT},
     {"notes", .is = MEMBER_TEXT},
     {"shared_tickets", .is = MEMBER_FLAG, INTO(foreign_organization, is_shared)},
     {"shared_comments", .is = MEMBER_FLAG},
     {"external_id", .left = "external ids"},
     {"organization_fields", .left = "values of fields of organizations"}}};

static const struct foreign_shape group = {"groups",
                                           "url updated_at is_public description default",
                                           {{"id", .is = MEMBER_ID | MEMBER_NEEDED, INTO(foreign_team, id)},
                                            {"name", .is = MEMBER_TEXT, INTO(foreign_team, name)},
                                            {"created_at", .is = MEMBER_TIME, INTO(foreign_team, created_at)},
                                            {"deleted", .is = MEMBER_FLAG}}};

static const struct foreign_shape membership = {
    "group_memberships",
    "url id default created_at updated_at",
    {{"user_id", .is = MEMBER_ID | MEMBER_NEEDED}, {"group_id", .is = MEMBER_ID | MEMBER_NEEDED}}};

static const struct foreign_shape identity = {
    "identities",
    "url id primary verified verified_at verification_method created_at updated_at undeliverable_count "
    "deliverable_state",
    {{"user_id", .is = MEMBER_ID | MEMBER_NEEDED},
     {"type", .is = MEMBER_TEXT | MEMBER_NEEDED},
     {"value", .is = MEMBER_TEXT | MEMBER_NEEDED}}};

static const struct foreign_shape user = {
    "users",
    "url updated_at time_zone iana_time_zone locale locale_id shared_phone_number verified alias shared "
    "shared_agent last_login_at two_factor_auth_enabled signature custom_role_id moderator "
    "only_private_comments restricted_agent default_group_id report_csv chat_only",
    {{"id", .is = MEMBER_ID | MEMBER_NEEDED, INTO(foreign_person, id)},
     {"name", .is = MEMBER_TEXT, INTO(foreign_person, name)},
     {"email", .is = MEMBER_TEXT, INTO(foreign_person, email)},
     {"phone", .is = MEMBER_TEXT, INTO(foreign_person, phone)},
     {"role", .is = MEMBER_TEXT, INTO(foreign_person, role_id), .words = roles, .otherwise = CUSTOMER,
      .unknown = "unknown roles: the person is a customer"},
     {"role_type", .is = MEMBER_ID},
     {"ticket_restriction", .is = MEMBER_TEXT},
     {"organization_id", .is = MEMBER_ID, INTO(foreign_person, organization_id)},
     {"created_at", .is = MEMBER_TIME, INTO(foreign_person, created_at)},
     {"active", .is = MEMBER_FLAG, INTO(foreign_person, is_disabled), .is_negated = true},
     {"suspended", .is = MEMBER_FLAG, INTO(foreign_person, is_disabled)},
     {"permanently_deleted", .is = MEMBER_FLAG, INTO(foreign_person, is_disabled)},
     {"tags", .is = MEMBER_LIST, INTO(foreign_person, tags)},
     {"details", .is = MEMBER_TEXT},
     {"notes", .is = MEMBER_TEXT},
     {"photo", .left = "pictures of people"},
     {"external_id", .left = "external ids"},
     {"user_fields", .left = "values of fields of people"}}};

static const struct foreign_shape ticket = {
    "tickets",
    "url encoded_id raw_subject generated_timestamp recipient submitter_id organization_id follower_ids "
    "email_cc_ids fields has_incidents is_public brand_id ticket_form_id deleted_ticket_form_id "
    "custom_status_id allow_channelback allow_attachments from_messaging_channel satisfaction_probability "
    "metric_set comment_count dates",
    {{"id", .is = MEMBER_ID | MEMBER_NEEDED, INTO(foreign_case, id)},
     {"via", .is = MEMBER_OBJECT},
     {"created_at", .is = MEMBER_TIME, INTO(foreign_case, created_at)},
     {"updated_at", .is = MEMBER_TIME, INTO(foreign_case, updated_at)},
     {"type", .is = MEMBER_TEXT, INTO(foreign_case, type_id), .words = types,
      .unknown = "unknown types of tickets"},
     {"subject", .is = MEMBER_TEXT, INTO(foreign_case, subject)},
     {"description", .is = MEMBER_TEXT},
     {"priority", .is = MEMBER_TEXT, INTO(foreign_case, priority_id), .words = priorities,
      .unknown = "unknown priorities"},
     {"status", .is = MEMBER_TEXT, INTO(foreign_case, status_type), .words = statuses,
      .otherwise = STATUS_OPEN, .unknown = "unknown statuses: the conversation is open"},
     {"requester_id", .is = MEMBER_ID, INTO(foreign_case, requester_id)},
     {"assignee_id", .is = MEMBER_ID, INTO(foreign_case, agent_id)},
     {"group_id", .is = MEMBER_ID, INTO(foreign_case, team_id)},
     {"tags", .is = MEMBER_LIST, INTO(foreign_case, tags)},
     {"comments", .is = MEMBER_LIST},
     {"custom_fields", .is = MEMBER_LIST},
     {"satisfaction_rating", .is = MEMBER_OBJECT},
     {"collaborator_ids", .left = "lists of people in copy"},
     {"external_id", .left = "external ids"},
     {"due_at", .left = "due times of tasks"},
     {"problem_id", .left = "links of incidents to their problem"},
     {"followup_ids", .left = "links to follow-up tickets"},
     {"forum_topic_id", .left = "links to topics of forums"},
     {"sharing_agreement_ids", .left = "links to tickets of other accounts"}}};

static const struct foreign_shape comment = {
    "comments",
    "type audit_id via via_reference_id metadata event_type ticket_id timestamp formatted_from "
    "formatted_to transcription_visible trusted",
    {{"id", .is = MEMBER_ID, INTO(foreign_post, id)},
     {"author_id", .is = MEMBER_ID, INTO(foreign_post, author_id)},
     {"body", .is = MEMBER_TEXT, INTO(foreign_post, text)},
     {"html_body", .is = MEMBER_TEXT, INTO(foreign_post, html)},
     {"plain_body", .is = MEMBER_TEXT},
     {"public", .is = MEMBER_FLAG | MEMBER_NEEDED, INTO(foreign_post, is_note), .is_negated = true},
     {"created_at", .is = MEMBER_TIME | MEMBER_NEEDED, INTO(foreign_post, created_at)},
     {"attachments", .is = MEMBER_LIST},
     {"data", .left = "recordings and data of calls"}}};

static const struct foreign_shape attachment = {
    "attachments",
    "url content_url mapped_content_url size width height inline "
    "deleted thumbnails",
    {{"id", .is = MEMBER_ID | MEMBER_NEEDED, INTO(foreign_attachment, id)},
     {"file_name", .is = MEMBER_TEXT, INTO(foreign_attachment, name)},
     {"content_type", .is = MEMBER_TEXT, INTO(foreign_attachment, content_type)},
     {"malware_scan_result", .is = MEMBER_TEXT},
     {"malware_access_override", .is = MEMBER_FLAG}}};

/* ---- people and groups ----------------------------------------------------------------------- */

static struct str notes_of(struct foreign *f, const struct json *item) {
    struct str details = json_member_text(item, "details"), notes = json_member_text(item, "notes");
    if (!details.n || !notes.n) return details.n ? details : notes;
    return STR_CAT(f->item, details, S("\n\n"), notes);
}

static int take_organization(struct foreign *f, const struct json *item) {
    struct foreign_organization o = {.note = notes_of(f, item)};
    foreign_fill(f, &organization, item, 0, &o);
    if (item_time(item, "deleted_at")) return foreign_skip(f, "deleted organizations", o.id), 0;
    return load_organization(f, &o);
}

static int take_group(struct foreign *f, const struct json *item) {
    struct foreign_team t = {0};
    foreign_fill(f, &group, item, 0, &t);
    if (json_member_true(item, "deleted")) return foreign_skip(f, "deleted groups", t.id), 0;
    return load_team(f, &t);
}

/* role_type of agents */
enum { OWN_ROLE = 0, LIGHT_AGENT = 1 };

static void take_access(struct foreign *f, const struct json *item, struct foreign_person *p) {
    struct str restriction = json_member_text(item, "ticket_restriction");
    const struct json *type = json_member(item, S("role_type"));
    bool typed = type && type->type != JSON_NULL;
    if (p->role_id == CUSTOMER) {
        if (str_eq(restriction, S("organization"))) p->organization_case_access = ORGANIZATION_ALL;
    } else if (p->role_id == AGENT) {
        if (typed && item_int(item, "role_type") == LIGHT_AGENT) p->role_id = COLLABORATOR;
        if (typed && item_int(item, "role_type") == OWN_ROLE)
            foreign_skip(f, "roles of one's own: the person has the role Agent", p->id);
        p->agent_case_access =
            foreign_word(f, restrictions, restriction, 0,
                         "unknown restrictions of agents: the person sees all tickets of the "
                         "role",
                         p->id);
    }
}

static int take_user(struct foreign *f, const struct json *item) {
    struct foreign_person p = {.note = notes_of(f, item)};
    foreign_fill(f, &user, item, item_int(item, "id"), &p);
    take_access(f, item, &p);
    return load_foreign_person(f, &p);
}

static int take_zendesk_identity(struct foreign *f, const struct json *item) {
    static const struct word kinds[] = {{0, "email"}, {1, "phone_number"}, {0}};
    int64_t id = item_int(item, "user_id");
    int kind = word_id(kinds, json_member_text(item, "type"));
    TRY(foreign_once(f, &f->identities, "id", item_int(item, "id")));
    if (kind < 0) return foreign_skip(f, "accounts of people with other services", id), 0;
    return load_identity(f, id, kind == 1, json_member_text(item, "value"));
}

static int take_membership(struct foreign *f, const struct json *item) {
    return load_member(f, item_int(item, "user_id"), item_int(item, "group_id"));
}

/* ---- tickets --------------------------------------------------------------------------------- */

static int take_zendesk_files(struct foreign *f, const struct json *list, const char *path, int64_t id,
                              struct foreign_post *p) {
    int place = 0;
    p->attachments = arena_array(f->item, list ? list->count + 1 : 1, sizeof *p->attachments);
    for (const struct json *a = list ? list->first : NULL; a; a = a->next) {
        TRY(foreign_check(f, &attachment, a, str_fmt(f->item, "%sattachments[%d].", path, place++).p, id));
        if (str_eq(json_member_text(a, "malware_scan_result"), S("malware_found")) &&
            !json_member_true(a, "malware_access_override"))
            foreign_skip(f, "attachments with malware", id);
        else foreign_fill(f, &attachment, a, id, &p->attachments[p->attachment_count++]);
    }
    return 0;
}

static int take_comments(struct foreign *f, const struct json *list, const char *path,
                         struct foreign_case *c) {
    int place = 0;
    c->posts = arena_array(f->item, (list ? list->count : 0) + 1, sizeof *c->posts);
    for (const struct json *j = list ? list->first : NULL; j; j = j->next) {
        struct foreign_post *p = &c->posts[c->post_count++];
        const char *member = str_fmt(f->item, "%s[%d].", path, place++).p;
        TRY(foreign_check(f, &comment, j, member, c->id));
        struct str plain = json_member_text(j, "plain_body");
        foreign_fill(f, &comment, j, c->id, p);
        if (plain.n) p->text = plain;
        TRY(take_zendesk_files(f, item_list(j, "attachments"), member, c->id, p));
    }
    return 0;
}

static void note_left_out(struct foreign *f, const struct json *item, int64_t id) {
    const struct json *fields = item_list(item, "custom_fields");
    struct str score = json_member_text(json_member(item, S("satisfaction_rating")), "score");
    for (const struct json *v = fields ? fields->first : NULL; v; v = v->next)
        if (!foreign_is_empty(json_member(v, S("value")))) foreign_skip(f, "values of custom fields", id);
    /* offered, unoffered: nobody has rated */
    if (score.n && !str_eq(score, S("offered")) && !str_eq(score, S("unoffered")))
        foreign_skip(f, "ratings", id);
}

static int take_ticket(struct foreign *f, const struct json *item) {
    const struct json *comments = item_list(item, "comments");
    const char *path = "comments";
    struct foreign_case c = {.id = item_int(item, "id")};
    if (str_eq(json_member_text(item, "status"), S("deleted")))
        return foreign_skip(f, "deleted tickets", c.id), 0;
    foreign_fill(f, &ticket, item, c.id, &c);
    int source = word_id(channel_sources, json_member_text(json_member(item, S("via")), "channel"));
    c.source = source < 0 ? SOURCE_API : source;
    if (!comments) TRY(foreign_read_of(f, "comments", c.id, &comments, &path));
    TRY(take_comments(f, comments, path, &c));
    if (!c.post_count && json_member_text(item, "description").n) {
        c.posts[c.post_count++] = (struct foreign_post){.author_id = c.requester_id,
                                                        .created_at = c.created_at,
                                                        .text = json_member_text(item, "description")};
        foreign_skip(f, "comments of tickets without a list of them: only the description was imported",
                     c.id);
    }
    note_left_out(f, item, c.id);
    return load_case(f, &c, &(int64_t){0});
}

const struct foreign_system zendesk = {
    "zendesk",
    {{.name = "organizations", .take = take_organization, .shape = &organization},
     {.name = "groups", .take = take_group, .shape = &group},
     {.name = "users", .take = take_user, .shape = &user, .needed = true},
     {.name = "identities", .take = take_zendesk_identity, .shape = &identity},
     {.name = "group_memberships", .take = take_membership, .shape = &membership},
     {.name = "tickets", .take = take_ticket, .shape = &ticket, .needed = true}},
    {"comments"},
    false};
