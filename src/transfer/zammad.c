/* Zammad: JSON of its REST API, with or without expand=true. docs/TRANSFER.md lists what is mapped. */
#include "transfer/foreign.h"

#include "core/words.h"

#define IGNORED 99 /* a state whose tickets are left out */

/* ---- words ----------------------------------------------------------------------------------- */

/* The states of a new installation, and the types of states. */
static const struct word states[] = {{STATUS_NEW, "new"},
                                     {STATUS_OPEN, "open"},
                                     {STATUS_PENDING, "pending reminder"},
                                     {STATUS_PENDING, "pending close"},
                                     {STATUS_PENDING, "pending action"},
                                     {STATUS_COMPLETED, "closed"},
                                     {IGNORED, "merged"},
                                     {IGNORED, "removed"},
                                     {0}};
/* The ids that Zammad's installation gives; -1: unknown. */
static const int state_ids[] = {-1,      STATUS_NEW, STATUS_OPEN,   STATUS_PENDING, STATUS_COMPLETED,
                                IGNORED, IGNORED,    STATUS_PENDING};
static const int state_type_ids[] = {
    -1, STATUS_NEW, STATUS_OPEN, STATUS_PENDING, STATUS_PENDING, STATUS_COMPLETED, IGNORED, IGNORED};
/* The rows that each desk begins with: Low, Normal, High. */
static const struct word priorities[] = {{1, "1 low"}, {2, "2 normal"}, {3, "3 high"}, {0}};
static const int priority_ids[] = {-1, 1, 2, 3};
enum { ADMIN = 1, AGENT = 2, CUSTOMER = 4 };
static const struct word roles[] = {{ADMIN, "Admin"}, {AGENT, "Agent"}, {CUSTOMER, "Customer"}, {0}};
static const int role_ids[] = {-1, ADMIN, AGENT, CUSTOMER};
static const struct word channel_sources[] = {
    {SOURCE_MAIL, "email"}, {SOURCE_HELPCENTER, "web"}, {SOURCE_MESSENGER, "chat"}, {0}};

/* ---- shapes ---------------------------------------------------------------------------------- */

#define BY_WHOM "created_by_id updated_by_id created_by updated_by updated_at "

static const struct foreign_shape state = {
    "ticket_states",
    BY_WHOM "next_state_id next_state ignore_escalation default_create default_follow_up note active "
            "created_at",
    {{"id", .is = MEMBER_ID | MEMBER_NEEDED},
     {"name", .is = MEMBER_TEXT | MEMBER_NEEDED},
     {"state_type_id", .is = MEMBER_ID},
     {"state_type", .is = MEMBER_TEXT}}};

static const struct foreign_shape role = {
    "roles",
    BY_WHOM "preferences default_at_signup active note created_at permission_ids "
            "knowledge_base_permission_ids knowledge_base_permissions group_ids groups",
    {{"id", .is = MEMBER_ID | MEMBER_NEEDED},
     {"name", .is = MEMBER_TEXT | MEMBER_NEEDED},
     {"permissions", .is = MEMBER_LIST}}};

static const struct foreign_shape organization = {
    "organizations",
    BY_WHOM "domain_assignment active vip member_ids members "
            "secondary_member_ids secondary_members",
    {{"id", .is = MEMBER_ID | MEMBER_NEEDED, INTO(foreign_organization, id)},
     {"name", .is = MEMBER_TEXT, INTO(foreign_organization, name)},
     {"created_at", .is = MEMBER_TIME, INTO(foreign_organization, created_at)},
     {"domain", .is = MEMBER_TEXT},
     {"shared", .is = MEMBER_FLAG, INTO(foreign_organization, is_shared)},
     {"note", .is = MEMBER_TEXT, INTO(foreign_organization, note)}}};

static const struct foreign_shape group = {
    "groups",
    BY_WHOM "signature_id signature email_address_id email_address assignment_timeout follow_up_possible "
            "reopen_time_in_days follow_up_assignment active shared_drafts note name_last parent_id parent "
            "user_ids users summary_generation",
    {{"id", .is = MEMBER_ID | MEMBER_NEEDED, INTO(foreign_team, id)},
     {"name", .is = MEMBER_TEXT, INTO(foreign_team, name)},
     {"created_at", .is = MEMBER_TIME, INTO(foreign_team, created_at)}}};

static const struct foreign_shape user = {
    "users",
    BY_WHOM "image image_source vip verified last_login source login_failed out_of_office "
            "out_of_office_start_at out_of_office_end_at out_of_office_replacement_id preferences "
            "two_factor_preference_ids two_factor_preferences authorization_ids authorizations "
            "overview_sorting_ids overview_sortings organization groups organizations password",
    {{"id", .is = MEMBER_ID | MEMBER_NEEDED, INTO(foreign_person, id)},
     {"login", .is = MEMBER_TEXT},
     {"firstname", .is = MEMBER_TEXT},
     {"lastname", .is = MEMBER_TEXT},
     {"email", .is = MEMBER_TEXT, INTO(foreign_person, email)},
     {"phone", .is = MEMBER_TEXT, INTO(foreign_person, phone)},
     {"mobile", .is = MEMBER_TEXT, INTO(foreign_person, mobile)},
     {"note", .is = MEMBER_TEXT, INTO(foreign_person, note)},
     {"active", .is = MEMBER_FLAG, INTO(foreign_person, is_disabled), .is_negated = true},
     {"organization_id", .is = MEMBER_ID, INTO(foreign_person, organization_id)},
     {"created_at", .is = MEMBER_TIME, INTO(foreign_person, created_at)},
     {"role_ids", .is = MEMBER_LIST},
     {"roles", .is = MEMBER_LIST},
     {"group_ids", .is = MEMBER_OBJECT | MEMBER_LIST},
     {"organization_ids", .left = "second organizations of people"},
     {"fax", .left = "fax numbers"},
     {"web", .left = "web pages of people"},
     {"department", .left = "departments of people"},
     {"street", .left = "postal addresses"},
     {"zip", .left = "postal addresses"},
     {"city", .left = "postal addresses"},
     {"country", .left = "postal addresses"},
     {"address", .left = "postal addresses"}}};

static const struct foreign_shape ticket = {
    "tickets",
    BY_WHOM
    "number group organization organization_id owner customer article_ids preferences first_response_at "
    "first_response_escalation_at first_response_in_min first_response_diff_in_min close_at "
    "close_escalation_at close_in_min close_diff_in_min update_escalation_at update_in_min "
    "update_diff_in_min last_close_at last_contact_at last_contact_agent_at last_contact_customer_at "
    "last_owner_update_at create_article_type_id create_article_type create_article_sender_id "
    "create_article_sender escalation_at ticket_time_accounting_ids ticket_time_accounting "
    "referencing_checklist_ids referencing_checklists ai_stored_result_ids ai_stored_results",
    {{"id", .is = MEMBER_ID | MEMBER_NEEDED, INTO(foreign_case, id)},
     {"title", .is = MEMBER_TEXT, INTO(foreign_case, subject)},
     {"state_id", .is = MEMBER_ID},
     {"state", .is = MEMBER_TEXT},
     {"priority_id", .is = MEMBER_ID},
     {"priority", .is = MEMBER_TEXT},
     {"customer_id", .is = MEMBER_ID, INTO(foreign_case, requester_id)},
     {"owner_id", .is = MEMBER_ID, INTO(foreign_case, agent_id)},
     {"group_id", .is = MEMBER_ID, INTO(foreign_case, team_id)},
     {"created_at", .is = MEMBER_TIME, INTO(foreign_case, created_at)},
     {"updated_at", .is = MEMBER_TIME, INTO(foreign_case, updated_at)},
     {"article_count", .is = MEMBER_ID},
     {"articles", .is = MEMBER_LIST},
     {"tags", .is = MEMBER_LIST | MEMBER_TEXT},
     {"note", .left = "notes of tickets"},
     {"pending_time", .left = "times of reminders"},
     {"time_unit", .left = "working times"},
     {"checklist_id", .left = "checklists"}}};

static const struct foreign_shape article = {
    "articles",
    "updated_at updated_by_id updated_by created_by ticket_id type_id from to subject reply_to message_id "
    "message_id_md5 in_reply_to references preferences origin_by",
    {{"id", .is = MEMBER_ID, INTO(foreign_post, id)},
     {"created_by_id", .is = MEMBER_ID},
     {"origin_by_id", .is = MEMBER_ID},
     {"created_at", .is = MEMBER_TIME | MEMBER_NEEDED, INTO(foreign_post, created_at)},
     {"internal", .is = MEMBER_FLAG | MEMBER_NEEDED, INTO(foreign_post, is_note)},
     {"content_type", .is = MEMBER_TEXT},
     {"body", .is = MEMBER_TEXT},
     {"type", .is = MEMBER_TEXT},
     {"sender", .is = MEMBER_TEXT},
     {"sender_id", .is = MEMBER_ID},
     {"attachments", .is = MEMBER_LIST},
     {"cc", .left = "people in copy of articles"},
     {"time_unit", .left = "working times"}}};

static const struct foreign_shape attachment = {
    "attachments",
    "store_file_id size",
    {{"id", .is = MEMBER_ID | MEMBER_NEEDED, INTO(foreign_attachment, id)},
     {"filename", .is = MEMBER_TEXT, INTO(foreign_attachment, name)},
     {"preferences", .is = MEMBER_OBJECT}}};

static int id_by_number(const int *list, size_t n, int64_t id) {
    return id > 0 && (size_t)id < n ? list[id] : list[0];
}
#define BY_NUMBER(list, id) id_by_number((list), sizeof(list) / sizeof *(list), (id))

/* Returns the number of the word, by the files of the kind, by name, or by id. -1: unknown. */
static int resolve(const struct foreign *f, const char *kind, const struct word *words, struct str name,
                   int by_id, int64_t id) {
    int found = foreign_term(f, kind, id, name);
    if (found < 0 && name.n) found = word_id(words, name);
    return found < 0 ? by_id : found;
}

static int take_state(struct foreign *f, const struct json *item) {
    struct str type = json_member_text(item, "state_type");
    int value = type.n ? word_id(states, type) : BY_NUMBER(state_type_ids, item_int(item, "state_type_id"));
    if (value >= 0) foreign_explain(f, "state", item_int(item, "id"), json_member_text(item, "name"), value);
    return 0;
}

static bool list_has(const struct json *list, struct str text) {
    const struct json *j = list ? list->first : NULL;
    while (j && !(j->type == JSON_STRING && str_eq(j->text, text))) j = j->next;
    return j != NULL;
}

/* Permissions have names only with expand=true. "ticket" includes "ticket.agent". */
static int take_role(struct foreign *f, const struct json *item) {
    const struct json *list = item_list(item, "permissions");
    bool is_agent = list_has(list, S("ticket.agent")) || list_has(list, S("ticket"));
    int value = list_has(list, S("admin")) ? ADMIN : is_agent ? AGENT : CUSTOMER;
    if (list) foreign_explain(f, "role", item_int(item, "id"), json_member_text(item, "name"), value);
    return 0;
}

static int take_zammad_organization(struct foreign *f, const struct json *item) {
    struct json *domains = json_new(f->item, JSON_ARRAY);
    struct str domain = json_member_text(item, "domain");
    if (domain.n) json_append(domains, json_string(f->item, domain));
    struct foreign_organization o = {.domains = domains};
    foreign_fill(f, &organization, item, 0, &o);
    return load_organization(f, &o);
}

static int take_zammad_group(struct foreign *f, const struct json *item) {
    struct foreign_team t = {0};
    foreign_fill(f, &group, item, 0, &t);
    return load_team(f, &t);
}

/* ---- people ---------------------------------------------------------------------------------- */

static int rank_of(int role_id) { return role_id == ADMIN ? 3 : role_id == AGENT ? 2 : 1; }

/* The role with the most rights, by names or by ids. Only agents have groups, so a person with groups and
 * an unknown role is one. */
static int role_of(struct foreign *f, const struct json *item, int64_t person) {
    int most = CUSTOMER;
    const struct json *names = item_list(item, "roles"), *ids = item_list(item, "role_ids");
    for (const struct json *j = names ? names->first : ids ? ids->first : NULL; j; j = j->next) {
        int64_t number = 0;
        if (!names) whole_number(j, &number);
        int found = resolve(f, "role", roles, names ? j->text : S(""), BY_NUMBER(role_ids, number), number);
        if (found < 0)
            foreign_skip(f,
                         "roles of one's own: without the file roles, people with groups are "
                         "agents",
                         person);
        if (found < 0) found = foreign_is_empty(json_member(item, S("group_ids"))) ? CUSTOMER : AGENT;
        if (rank_of(found) > rank_of(most)) most = found;
    }
    return most;
}

/* group_ids: {"1": ["full"]}, or [1] in old versions */
static void take_teams(const struct json *item, struct foreign_person *p) {
    const struct json *groups = json_member(item, S("group_ids"));
    for (const struct json *j = groups ? groups->first : NULL; j && p->team_count < FOREIGN_TEAMS;
         j = j->next)
        if (groups->type == JSON_OBJECT ? str_to_int(j->name, &p->teams[p->team_count])
                                        : whole_number(j, &p->teams[p->team_count]))
            p->team_count++;
}

static int take_zammad_user(struct foreign *f, const struct json *item) {
    struct str first = json_member_text(item, "firstname"), last = json_member_text(item, "lastname");
    struct foreign_person p = {0};
    foreign_fill(f, &user, item, 0, &p);
    if (p.id == 1 && str_eq(json_member_text(item, "login"), S("-")))
        return foreign_skip(f, "the system user of Zammad", p.id), 0;
    p.role_id = role_of(f, item, p.id);
    p.name = str_trim(STR_CAT(f->item, first.p ? first : S(""), S(" "), last.p ? last : S("")));
    if (!p.name.n) p.name = p.email.n ? p.email : json_member_text(item, "login");
    take_teams(item, &p);
    return load_foreign_person(f, &p);
}

/* ---- tickets --------------------------------------------------------------------------------- */

static int take_files(struct foreign *f, const struct json *list, const char *path, int64_t id,
                      struct foreign_post *p) {
    int place = 0;
    p->attachments = arena_array(f->item, list ? list->count + 1 : 1, sizeof *p->attachments);
    for (const struct json *a = list ? list->first : NULL; a; a = a->next) {
        TRY(foreign_check(f, &attachment, a, str_fmt(f->item, "%sattachments[%d].", path, place++).p, id));
        const struct json *about = json_member(a, S("preferences"));
        struct str type = json_member_text(about, "Content-Type");
        if (!type.p) type = json_member_text(about, "Mime-Type");
        struct foreign_attachment *file = &p->attachments[p->attachment_count++];
        foreign_fill(f, &attachment, a, id, file);
        file->content_type = str_cut(&type, ';'); /* without charset=... */
    }
    return 0;
}

static int64_t author_of_article(const struct json *j) {
    int64_t origin = item_int(j, "origin_by_id"); /* an agent wrote it for this person */
    return origin ? origin : item_int(j, "created_by_id");
}

enum { SENDER_SYSTEM = 3 };

static bool is_of_system(const struct json *j) {
    struct str sender = json_member_text(j, "sender");
    return sender.n ? str_eq(sender, S("System")) : item_int(j, "sender_id") == SENDER_SYSTEM;
}

static int take_articles(struct foreign *f, const struct json *list, const char *path,
                         struct foreign_case *c) {
    int place = 0;
    c->posts = arena_array(f->item, (list ? list->count : 0) + 1, sizeof *c->posts);
    for (const struct json *j = list ? list->first : NULL; j; j = j->next) {
        const char *member = str_fmt(f->item, "%s[%d].", path, place++).p;
        TRY(foreign_check(f, &article, j, member, c->id));
        if (is_of_system(j)) {
            foreign_skip(f, "articles by the system (automatic replies)", c->id);
            continue;
        }
        struct foreign_post *p = &c->posts[c->post_count++];
        bool html = str_eq(json_member_text(j, "content_type"), S("text/html"));
        foreign_fill(f, &article, j, c->id, p);
        p->author_id = author_of_article(j);
        if (html) p->html = json_member_text(j, "body");
        else p->text = json_member_text(j, "body");
        TRY(take_files(f, item_list(j, "attachments"), member, c->id, p));
    }
    return 0;
}

/* Tags are no member of Zammad's tickets: the API lists them for each ticket. An exporter may add them, as
 * a list or a text with commas. */
static int tags_of_ticket(struct foreign *f, const struct json *item, struct foreign_case *c) {
    const char *path;
    struct str rest = json_member_text(item, "tags");
    c->tags = item_list(item, "tags");
    if (!c->tags && !rest.n) return foreign_read_of(f, "tags", c->id, &c->tags, &path);
    struct json *made = json_new(f->item, JSON_ARRAY);
    while (rest.p) {
        struct str tag = str_trim(str_cut(&rest, ','));
        if (tag.n) json_append(made, json_string(f->item, tag));
    }
    if (!c->tags) c->tags = made;
    return 0;
}

/* Sets the state and the priority. Returns false if tickets of this state are left out. */
static bool take_words(struct foreign *f, const struct json *item, struct foreign_case *c) {
    int64_t state_id = item_int(item, "state_id"), priority = item_int(item, "priority_id");
    struct str priority_name = json_member_text(item, "priority");
    int status = resolve(f, "state", states, json_member_text(item, "state"), BY_NUMBER(state_ids, state_id),
                         state_id);
    int found =
        resolve(f, "priority", priorities, priority_name, BY_NUMBER(priority_ids, priority), priority);
    if (status < 0)
        foreign_skip(f,
                     "unknown states: without the file ticket_states, the conversation is "
                     "open",
                     c->id);
    if (found < 0 && (priority || priority_name.n)) foreign_skip(f, "unknown priorities", c->id);
    c->status_type = status < 0 ? STATUS_OPEN : status;
    c->priority_id = found < 0 ? 0 : found;
    return status != IGNORED;
}

static int take_zammad_ticket(struct foreign *f, const struct json *item) {
    const struct json *articles = item_list(item, "articles");
    const char *path = "articles";
    struct foreign_case c = {0};
    foreign_fill(f, &ticket, item, 0, &c);
    if (!take_words(f, item, &c)) return foreign_skip(f, "merged or removed tickets", c.id), 0;
    if (c.agent_id == 1) c.agent_id = 0; /* the system user: nobody */
    TRY(tags_of_ticket(f, item, &c));
    if (!articles) TRY(foreign_read_of(f, "articles", c.id, &articles, &path));
    TRY(take_articles(f, articles, path, &c));
    struct str type = json_member_text(articles ? articles->first : NULL, "type");
    int source = word_id(channel_sources, type.n ? type : json_member_text(item, "create_article_type"));
    c.source = source < 0 ? SOURCE_API : source;
    if (!articles) foreign_skip(f, "tickets without a file of articles: only the title was imported", c.id);
    else if (articles->count < item_int(item, "article_count"))
        foreign_skip(f, "articles that are counted in tickets, but are not in the files", c.id);
    return load_case(f, &c, &(int64_t){0});
}

const struct foreign_system zammad = {
    "zammad",
    {{.name = "roles", .take = take_role, .shape = &role},
     {.name = "ticket_states", .take = take_state, .shape = &state},
     {.name = "organizations", .take = take_zammad_organization, .shape = &organization},
     {.name = "groups", .take = take_zammad_group, .shape = &group},
     {.name = "users", .take = take_zammad_user, .shape = &user, .needed = true},
     {.name = "tickets", .take = take_zammad_ticket, .shape = &ticket, .needed = true}},
    {"articles", "tags"},
    false};
