#include "res/person.h"

#include "core/rules/hours.h"
#include "core/words.h"
#include "res/avatar.h"

void person_name(struct view *v, const struct row *row, const struct value *own) {
    struct str given = view_given_name(v, row);
    jw_str(&v->w, given.p ? given : own->s);
}

/* Without login, the address holds a pseudonym. Its proof has the encrypted id of the person, for known and new requesters alike. */
static struct str proof_without_login(const struct view *v, const struct row *row, const struct value *own) {
    struct picture_proof p = {.shown = view_id(v, row->layout, row->id), .case_id = v->conversation->id, .user_id = row->id};
    if (view_given_name(v, row).p == NULL) str_to_int(own->s, &p.moment);
    return picture_proof_text(v->c->work.desk, v->c->work.arena, &p);
}

void person_avatar(struct view *v, const struct row *row, const struct value *own) {
    const struct desk *d = v->c->work.desk;
    char id[INT_TEXT];
    struct str version = v->conversation ? proof_without_login(v, row, own) : avatar_version(d, v->c->work.arena, row->id, own->s);
    JW_CAT(&v->w, d->base_url, S("/api/v1/users/"), str_int(id, view_id(v, row->layout, row->id)), S("/avatar?v="), version);
}

void person_zone_offset(struct view *v, const struct row *row, const struct value *own) {
    (void)row;
    jw_int(&v->w, time_zone_offset(own->s, v->c->work.now));
}

void person_realtime_channel(struct view *v, const struct row *row, const struct value *own) {
    (void)own;
    char id[INT_TEXT];
    JW_CAT(&v->w, S("presence-"), v->c->work.desk->installation, S("@v1_users_"), str_int(id, row->id));
}

void person_presence_channel(struct view *v, const struct row *row, const struct value *own) {
    const struct desk *d = v->c->work.desk;
    struct arena *a = v->c->work.arena;
    (void)row;
    jw_str(&v->w, str_fmt(a, "user_presence-%s@%.40s", d->installation.p, mac_hex(a, &d->account_key, own->s).p));
}

int check_time_zone(struct call *c, struct in *in) {
    if (time_zone_known(in->value.s)) return 0;
    return fail_at(&c->work, ERR_FIELD_INVALID, S("time_zone"), in->pointer, "A name of the tz database is expected, like Europe/Berlin.");
}
