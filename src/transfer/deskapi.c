/* Import from another server of this API. api_fetch.c writes the files. Rows keep their ids, so rows of the
 * system (roles, statuses, priorities, types) are found by their type. */
#include "core/access/permission.h"
#include "core/people/authority.h"
#include "transfer/foreign.h"

#include <stdio.h>

#include "base/error.h"
#include "core/words.h"
#include "transfer/api_items.h"
#include "transfer/deskapi_parts.h"
#include "transfer/foreign_row.h"
#include "transfer/imported.h"

#define OF_A_LINE "_id _updated _fetched _posts _permissions _extra resource_type resource_url "

/* ---- values ---------------------------------------------------------------------------------- */

static struct str reference_text(const struct json *item, const char *name, const char *member) {
    const struct json *j = json_member(item, str_of(name));
    return j && j->type == JSON_OBJECT ? json_member_text(j, member) : (struct str){0};
}

/* Names of tags, or of domains, of a list of objects. */
static const struct json *names_of(struct foreign *f, const struct json *list, const char *member) {
    struct json *names = json_new(f->item, JSON_ARRAY);
    for (const struct json *j = list ? list->first : NULL; j; j = j->next)
        if (json_member_text(j, member).n)
            json_append(names, json_string(f->item, json_member_text(j, member)));
    return names;
}

/* ---- organizations --------------------------------------------------------------------------- */

static const struct foreign_shape organization = {
    "organizations",
    OF_A_LINE "updated_at pinned_notes_count",
    {{"id", .is = MEMBER_ID | MEMBER_NEEDED, INTO(foreign_organization, id)},
     {"name", .is = MEMBER_TEXT, INTO(foreign_organization, name)},
     {"legacy_id", .is = MEMBER_TEXT, INTO(foreign_organization, legacy_id)},
     {"created_at", .is = MEMBER_TIME, INTO(foreign_organization, created_at)},
     {"is_shared", .is = MEMBER_FLAG, INTO(foreign_organization, is_shared)},
     {"is_validated", .is = MEMBER_FLAG, .is_negated = true, INTO(foreign_organization, is_unvalidated)},
     {"domains", .is = MEMBER_LIST},
     {"tags", .is = MEMBER_LIST},
     {"custom_fields", .is = MEMBER_LIST},
     {"phone", .is = MEMBER_LIST, INTO(foreign_organization, phones)},
     {"addresses", .left = "postal addresses of organizations"},
     {"websites", .left = "websites of organizations"}}};

/* ---- posts ----------------------------------------------------------------------------------- */

static const struct foreign_shape post = {"posts",
                                          "",
                                          {{"id", .is = MEMBER_ID | MEMBER_NEEDED, INTO(foreign_post, id)},
                                           {"author", .is = MEMBER_ID, INTO(foreign_post, author_id)},
                                           {"at", .is = MEMBER_TIME, INTO(foreign_post, created_at)},
                                           {"note", .is = MEMBER_FLAG, INTO(foreign_post, is_note)},
                                           {"pinned", .is = MEMBER_FLAG, INTO(foreign_post, is_pinned)},
                                           {"text", .is = MEMBER_TEXT, INTO(foreign_post, text)},
                                           {"html", .is = MEMBER_TEXT, INTO(foreign_post, html)},
                                           {"color", .is = MEMBER_TEXT},
                                           {"channel", .is = MEMBER_TEXT},
                                           {"source", .is = MEMBER_TEXT},
                                           {"files", .is = MEMBER_LIST}}};

static const struct foreign_shape file = {
    "files",
    "",
    {{"id", .is = MEMBER_ID | MEMBER_NEEDED, INTO(foreign_attachment, id)},
     {"name", .is = MEMBER_TEXT, INTO(foreign_attachment, name)},
     {"type", .is = MEMBER_TEXT, INTO(foreign_attachment, content_type)}}};

static int take_api_files(struct foreign *f, const struct json *list, struct foreign_post *p) {
    p->attachments = arena_array(f->item, list ? list->count + 1 : 1, sizeof *p->attachments);
    for (const struct json *j = list ? list->first : NULL; j; j = j->next) {
        TRY(foreign_check(f, &file, j, "files.", p->id));
        foreign_fill(f, &file, j, p->id, &p->attachments[p->attachment_count++]);
    }
    return 0;
}

/* The API shows the HTML of each message. That of a plain text is its lines with <br> between them. */
static bool is_plain_text(struct str text, struct str html) {
    static const struct {
        const char *html;
        char c;
    } marks[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&#39;", '\''}};
    size_t at = 0;
    while (html.n) {
        size_t step = 1;
        char c = *html.p;
        if (str_starts(html, S("<br>"))) {
            html = (struct str){html.p + 4, html.n - 4};
            continue;
        }
        if (c == '<') return false;
        for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
            if (str_starts(html, str_of(marks[i].html))) step = strlen(marks[i].html), c = marks[i].c;
        if (at < text.n && text.p[at] == '\r') at++;
        if (at == text.n || text.p[at++] != c) return false;
        html = (struct str){html.p + step, html.n - step};
    }
    return at == text.n;
}

/* Posts of a line, in the arena of the item. Returns their number or a negative error. */
static int posts_of(struct foreign *f, const struct json *item, int64_t id, struct foreign_post **out) {
    const struct json *list = item_list(item, "_posts");
    int n = 0;
    *out = arena_array(f->item, (list ? list->count : 0) + 1, sizeof **out);
    for (const struct json *j = list ? list->first : NULL; j; j = j->next) {
        struct foreign_post *p = &(*out)[n];
        TRY(foreign_check(f, &post, j, str_fmt(f->item, "_posts[%d].", n++).p, id));
        foreign_fill(f, &post, j, id, p);
        p->created_at = time_past(f, p->created_at, id);
        p->channel = p->is_note ? 0 : api_word(channels, json_member_text(j, "channel"));
        p->source = api_word(sources, json_member_text(j, "source"));
        p->color = api_word(note_colors, json_member_text(j, "color"));
        if (is_plain_text(p->text, p->html)) p->html = (struct str){0};
        TRY(take_api_files(f, item_list(j, "files"), p));
    }
    return n;
}

/* Stores the values of custom fields of a new row. */
static int load_values_of(struct foreign *f, enum field_area area, const struct json *item,
                          const struct foreign_earlier *e) {
    int64_t here;
    int found = foreign_found(f, e, item_int(item, "id"), &here);
    return found == 1 ? load_api_values(f, area, item, here) : found;
}

static int take_api_organization(struct foreign *f, const struct json *item) {
    struct foreign_organization o = {0};
    foreign_fill(f, &organization, item, 0, &o);
    o.created_at = time_past(f, o.created_at, o.id);
    o.domains = names_of(f, item_list(item, "domains"), "domain");
    o.tags = names_of(f, item_list(item, "tags"), "name");
    int loaded = load_organization(f, &o);
    return loaded > 0 ? load_values_of(f, AREA_ORGANIZATIONS, item, &foreign_organization) : loaded;
}

/* ---- people ---------------------------------------------------------------------------------- */

static const struct foreign_shape user = {
    "users",
    OF_A_LINE
    "uuid role updated_at avatar is_mfa_enabled pinned_notes_count locale time_zone_offset realtime_channel "
    "presence_channel last_seen_at last_seen_ip last_seen_user_agent last_active_at last_activity_at "
    "last_logged_in_at password_updated_at agent_case_access organization_case_access presence",
    {{"id", .is = MEMBER_ID | MEMBER_NEEDED, INTO(foreign_person, id)},
     {"full_name", .is = MEMBER_TEXT, INTO(foreign_person, name)},
     {"legacy_id", .is = MEMBER_TEXT, INTO(foreign_person, legacy_id)},
     {"created_at", .is = MEMBER_TIME, INTO(foreign_person, created_at)},
     {"is_enabled", .is = MEMBER_FLAG, .is_negated = true, INTO(foreign_person, is_disabled)},
     {"designation", .is = MEMBER_TEXT, INTO(foreign_person, designation)},
     {"time_zone", .is = MEMBER_TEXT, INTO(foreign_person, time_zone)},
     {"signature", .is = MEMBER_TEXT, INTO(foreign_person, signature)},
     {"emails", .is = MEMBER_LIST},
     {"phones", .is = MEMBER_LIST, INTO(foreign_person, phones)},
     {"teams", .is = MEMBER_LIST},
     {"tags", .is = MEMBER_LIST},
     {"custom_fields", .is = MEMBER_LIST},
     {"organization", .is = MEMBER_OBJECT},
     {"avatar_updated_at", .is = MEMBER_TIME},
     {"twitter", .left = "Twitter accounts of people"},
     {"facebook", .left = "Facebook accounts of people"},
     {"external_identifiers", .is = MEMBER_LIST, INTO(foreign_person, identifiers)},
     {"addresses", .left = "postal addresses of people"},
     {"websites", .left = "websites of people"},
     {"greeting", .left = "greetings of people"},
     {"status_message", .left = "status messages of people"}}};

/* A role that the file of roles does not explain gives no rights. */
static int role_of_person(struct foreign *f, const struct json *item, int64_t id) {
    int found = foreign_term(f, "role", api_reference(item, "role"), (struct str){0});
    if (found > 0) return found;
    foreign_skip(f, "unknown roles of people: they are customers", id);
    return ROLE_OF_CUSTOMERS;
}

/* The primary address, or else the first one, comes with the person. */
static void take_address(const struct json *item, struct foreign_person *p) {
    p->emails = item_list(item, "emails");
    const struct json *first = p->emails ? p->emails->first : NULL;
    for (const struct json *j = first; j; j = j->next)
        if (json_member_true(j, "is_primary")) {
            first = j;
            break;
        }
    p->email = first ? json_member_text(first, "email") : (struct str){0};
    p->email_unverified = first && !json_member_true(first, "is_validated");
}

static void take_api_teams(const struct json *item, struct foreign_person *p) {
    const struct json *list = item_list(item, "teams");
    for (const struct json *j = list ? list->first : NULL; j && p->team_count < FOREIGN_TEAMS; j = j->next)
        p->teams[p->team_count++] = item_int(j, "id");
}

static int take_api_user(struct foreign *f, const struct json *item) {
    struct foreign_person p = {0};
    foreign_fill(f, &user, item, 0, &p);
    p.created_at = time_past(f, p.created_at, p.id);
    p.role_id = role_of_person(f, item, p.id);
    p.role_there = api_reference(item, "role");
    p.organization_id = api_reference(item, "organization");
    p.locale_id = foreign_find(f, "locale", api_reference(item, "locale"));
    p.agent_case_access = api_word(case_accesses, json_member_text(item, "agent_case_access"));
    p.organization_case_access =
        api_word(organization_accesses, json_member_text(item, "organization_case_access"));
    p.tags = names_of(f, item_list(item, "tags"), "name");
    take_address(item, &p);
    take_api_teams(item, &p);
    int loaded = load_foreign_person(f, &p);
    if (loaded > 0) TRY(load_api_picture(f, item));
    return loaded > 0 ? load_values_of(f, AREA_USERS, item, &foreign_person) : loaded;
}

/* ---- conversations --------------------------------------------------------------------------- */

static const struct foreign_shape conversation = {
    "cases",
    OF_A_LINE
    "uuid portal source_channel last_public_channel requester creator identity assigned_agent assigned_team "
    "last_assigned_by status priority type read_marker sla_metrics last_replier "
    "last_replier_identity last_updated_by last_completed_by last_closed_by post_count has_notes "
    "pinned_notes_count has_attachments rating_status last_post_status last_post_preview "
    "last_post_type last_message_preview "
    "realtime_channel last_assigned_at last_replied_at last_opened_at last_pending_at last_closed_at "
    "last_completed_at last_agent_activity_at last_customer_activity_at last_reply_by_agent_at "
    "last_reply_by_requester_at "
    "agent_updated_at latest_assignee_update state is_merged metadata brand",
    {{"id", .is = MEMBER_ID | MEMBER_NEEDED, INTO(foreign_case, id)},
     {"subject", .is = MEMBER_TEXT, INTO(foreign_case, subject)},
     {"legacy_id", .is = MEMBER_TEXT, INTO(foreign_case, legacy_id)},
     {"created_at", .is = MEMBER_TIME, INTO(foreign_case, created_at)},
     {"updated_at", .is = MEMBER_TIME, INTO(foreign_case, updated_at)},
     {"tags", .is = MEMBER_LIST},
     {"custom_fields", .is = MEMBER_LIST},
     {"form", .is = MEMBER_OBJECT},
     {"rating", .is = MEMBER_TEXT},
     {"sla_version", .left = "versions and clocks of SLAs: the source shows the present SLA only"},
     {"is_snoozed", .left = "snoozed conversations: they are in the lists"},
     {"snoozed_until", .is = MEMBER_TEXT},
     {"mailbox", .left = "mailboxes of conversations"}}};

static void take_api_words(struct foreign *f, const struct json *item, struct foreign_case *c) {
    c->status_type = api_word(status_types, reference_text(item, "status", "type"));
    c->status_id = foreign_find(f, "case_status", api_reference(item, "status"));
    if (c->status_id == 0 && (c->status_type == 0 || c->status_type == STATUS_CUSTOM)) {
        foreign_skip(f, "statuses that are not here: the conversation is open", c->id);
        c->status_type = STATUS_OPEN;
    }
    c->priority_id = api_here(f, "case_priority", api_reference(item, "priority"));
    c->type_id = api_here(f, "case_type", api_reference(item, "type"));
    c->form_id = api_here(f, "case_form", api_reference(item, "form"));
    c->source = api_word(sources, json_member_text(item, "portal"));
    c->channel = api_word(post_channels, reference_text(item, "source_channel", "type"));
}

/* No message is older than its conversation. One that others were merged into may have older ones. */
static void take_beginning(struct foreign *f, struct foreign_case *c) {
    int64_t earliest = c->created_at;
    for (int i = 0; i < c->post_count; i++)
        if (c->posts[i].created_at && c->posts[i].created_at < earliest) earliest = c->posts[i].created_at;
    if (earliest == c->created_at) return;
    foreign_skip(f, "times of conversations with older posts: they begin with the first post", c->id);
    c->created_at = earliest;
}

/* Returns 1 if an earlier run has carried the conversation as it is now. */
static int is_case_current(struct foreign *f, int64_t id) {
    struct imported row;
    int found = f->maps_ids ? imported_find(f, foreign_case_there.kind, id, &row) : 0;
    return found == 1 ? row.changed_at == f->changed_at : found;
}

/* Lines of a run before ratings were read have none. */
static int ratings_of(struct foreign *f, const struct json *item, struct foreign_case *c) {
    const struct json *list = item_list(item, "_extra");
    if (!list && json_member_text(item, "rating").n)
        foreign_skip(f, "ratings that the source does not give", c->id);
    c->ratings = arena_array(f->item, (list ? list->count : 0) + 1, sizeof *c->ratings);
    for (const struct json *j = list ? list->first : NULL; j; j = j->next) {
        struct foreign_rating *r = &c->ratings[c->rating_count];
        *r = (struct foreign_rating){.id = item_int(j, "id"),
                                     .creator_id = api_reference(j, "creator"),
                                     .created_at = api_time(f, j, "created_at"),
                                     .score = api_word(rating_scores, json_member_text(j, "score")),
                                     .comment = json_member_text(j, "comment")};
        if (r->score) c->rating_count++;
        else foreign_skip(f, "ratings with an unknown score", c->id);
    }
    return 0;
}

static int take_api_case(struct foreign *f, const struct json *item) {
    struct foreign_case c = {0};
    int64_t here;
    int current = is_case_current(f, item_int(item, "id"));
    if (current) return current < 0 ? current : 0;
    foreign_fill(f, &conversation, item, 0, &c);
    c.created_at = time_past(f, c.created_at, c.id);
    c.updated_at = time_past(f, c.updated_at, c.id);
    c.requester_id = api_reference(item, "requester");
    c.agent_id = api_reference(item, "assigned_agent");
    c.team_id = api_reference(item, "assigned_team");
    c.tags = names_of(f, item_list(item, "tags"), "name");
    take_api_words(f, item, &c);
    c.brand_id = api_here(f, "brand", api_reference(item, "brand"));
    TRY(ratings_of(f, item, &c));
    int n = posts_of(f, item, c.id, &c.posts);
    TRY(n);
    c.post_count = n;
    take_beginning(f, &c);
    int loaded = load_case(f, &c, &here);
    return loaded > 0 ? load_api_values(f, AREA_CASES, item, here) : loaded;
}

/* ---- notes ----------------------------------------------------------------------------------- */

/* Notes have authors, so they are read again when all people are there. */
static int take_notes(struct foreign *f, const struct json *item, bool is_person) {
    struct foreign_post *notes;
    int64_t id = item_int(item, "id"), here;
    int n = posts_of(f, item, id, &notes),
        found = foreign_found(f, is_person ? &foreign_person : &foreign_organization, id, &here);
    TRY(n);
    return found == 1 ? load_notes(f, is_person, here, notes, n) : found;
}

static int take_organization_notes(struct foreign *f, const struct json *item) {
    return take_notes(f, item, false);
}
static int take_user_notes(struct foreign *f, const struct json *item) { return take_notes(f, item, true); }

const struct foreign_system deskapi = {
    .name = "api",
    .parts =
        {{.name = "locales", .take = take_api_locale},
         {.name = "brands", .take = take_api_brand},
         {.name = "roles",
          .take = take_api_role,
          .shape = &api_role,
          .needed = true,
          .gone = report_api_gone},
         {.name = "statuses", .take = take_api_status},
         {.name = "priorities", .take = take_api_priority},
         {.name = "types", .take = take_api_type},
         {.name = "case_fields", .take = take_api_case_field},
         {.name = "user_fields", .take = take_api_user_field},
         {.name = "organization_fields", .take = take_api_organization_field, .end = load_api_fields},
         {.name = "businesshours", .take = take_api_hours},
         {.name = "organizations",
          .take = take_api_organization,
          .shape = &organization,
          .needed = true,
          .gone = report_api_gone},
         {.name = "teams",
          .take = take_api_team,
          .shape = &api_team,
          .needed = true,
          .gone = report_api_gone},
         {.name = "mailboxes", .take = take_api_mailbox},
         {.name = "endpoints", .take = take_api_endpoint},
         {.name = "users", .take = take_api_user, .shape = &user, .needed = true, .gone = report_api_gone},
         {.name = "organizations", .take = take_organization_notes, .needed = true},
         {.name = "users", .take = take_user_notes, .needed = true},
         {.name = "forms", .take = take_api_form},
         {.name = "slas", .take = take_api_sla},
         {.name = "macros", .take = take_api_macro},
         {.name = "views", .take = take_api_view},
         {.name = "triggers", .take = take_api_trigger},
         {.name = "monitors", .take = take_api_monitor},
         {.name = "categories", .take = take_api_category},
         {.name = "sections", .take = take_api_section},
         {.name = "articles", .take = take_api_article, .end = remove_api_comments, .gone = report_api_gone},
         {.name = "articles", .take = take_api_links},
         {.name = "categories", .take = take_api_category_links},
         {.name = "sections", .take = take_api_section_links},
         {.name = "macros", .take = take_api_macro_links},
         {.name = "brands", .take = take_api_template_links},
         {.name = "trash", .take = take_api_trash},
         {.name = "cases",
          .take = take_api_case,
          .shape = &conversation,
          .needed = true,
          .gone = report_api_gone},
         {.name = "tags", .take = take_api_tag, .gone = report_api_tags_gone}},
    .is_api = true};
