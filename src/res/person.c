#include "res/person.h"

#include "core/desk/channel_name.h"
#include "core/time/hours.h"
#include "core/words.h"
#include "res/avatar.h"
#include "res/groups.h"

void person_name(struct view *v, const struct row *row, const struct value *own) {
    struct str given = view_given_name(v, row);
    jw_str(&v->w, given.p ? given : own->s);
}

/* Without login, the address holds a pseudonym. Its proof has the encrypted id of the person, for known
 * and new requesters alike. */
static struct str proof_without_login(const struct view *v, const struct row *row, const struct value *own) {
    struct picture_proof p = {
        .shown = view_id(v, row->layout, row->id), .case_id = v->conversation->id, .user_id = row->id};
    if (view_given_name(v, row).p == NULL) str_to_int(own->s, &p.moment);
    return picture_proof_text(v->c->work.desk, v->c->work.arena, &p);
}

void person_avatar(struct view *v, const struct row *row, const struct value *own) {
    const struct desk *d = v->c->work.desk;
    char id[INT_TEXT];
    struct str version = v->conversation ? proof_without_login(v, row, own)
                                         : avatar_version(d, v->c->work.arena, row->id, own->s);
    JW_CAT(&v->w, d->base_url, S("/api/v1/users/"), str_int(id, view_id(v, row->layout, row->id)),
           S("/avatar?v="), version);
}

static void person_zone_offset(struct view *v, const struct row *row, const struct value *own) {
    (void)row;
    jw_int(&v->w, time_zone_offset(own->s, v->c->work.now));
}

void person_realtime_channel(struct view *v, const struct row *row, const struct value *own) {
    (void)own;
    write_realtime_channel(v, S("users"), row->id);
}

void person_presence_channel(struct view *v, const struct row *row, const struct value *own) {
    (void)own;
    jw_str(&v->w, channel_of_presence(v->c->work.desk, v->c->work.arena, row->id));
}

int check_time_zone(struct call *c, struct in *in) {
    if (time_zone_known(in->value.s)) return 0;
    return fail_at(&c->work, ERR_FIELD_INVALID, S("time_zone"), in->pointer,
                   "A name of the tz database is expected, like Europe/Berlin.");
}

/* ---- groups of members ----------------------------------------------------------------------- */

#define IDENTITIES_OF(table)             \
    "SELECT i.user_id, i.id FROM " table \
    " i WHERE i.user_id IN @LIST(:ids) ORDER BY i.user_id, i.is_primary DESC, i.updated_at DESC, i.id DESC"

const struct field person_identities[] = {
    {"teams", F_MANY, 0, .ref = "team", .many = TEAMS_OF, .to = TO_CUSTOMERS,
     .doc = "Teams of a staff member."},
    {"emails", F_MANY, 0, .ref = "identity_email", .many = IDENTITIES_OF("identity_emails"), .to = TO_STAFF,
     .doc = "E-mail addresses, the primary one first."},
    {"phones", F_MANY, 0, .ref = "identity_phone", .many = IDENTITIES_OF("identity_phones"), .to = TO_STAFF,
     .doc = "Phone numbers, the primary one first."},
    {"twitter", F_MANY, 0, .ref = "identity_twitter", .many = IDENTITIES_OF("identity_twitter"),
     .to = TO_STAFF, .doc = "Twitter accounts, the primary one first."},
    {"facebook", F_MANY, 0, .ref = "identity_facebook", .many = IDENTITIES_OF("identity_facebook"),
     .to = TO_STAFF, .doc = "Facebook accounts, the primary one first."},
    {0},
};

const struct field person_zone[] = {
    {"time_zone", F_TEXT, NULLABLE, .check = check_time_zone, .to = TO_STAFF,
     .doc = "Time zone: a name of the tz database.", .example = "\"Europe/Berlin\""},
    {"time_zone_offset", F_COMPUTED, READONLY, .column = "t.time_zone", .render = person_zone_offset,
     .to = TO_STAFF, .doc = "Offset of the time zone today, in seconds east of UTC.", .example = "3600"},
    {0},
};

const struct field person_program[] = {
    {"last_seen_user_agent", F_TEXT, READONLY, .to = TO_STAFF, .doc = "Last user agent of the person."},
    {"last_seen_ip", F_TEXT, READONLY, .to = TO_STAFF, .doc = "Last IP address of the person."},
    {0},
};

const struct field person_values[] = {
    {"custom_fields", F_ROWS, READONLY, .ref = "user_field_value", .owned_by = "id", .to = TO_STAFF,
     .doc = "Each enabled custom field with its value, sorted by position."},
    USER_FIELD_VALUES,
    {0},
};

struct str person_words(const struct view *v, int64_t id, struct str name) {
    return view_may_read(v, resource_of("user")) ? name
                                                 : str_fmt(v->c->work.arena, "User %lld", (long long)id);
}
