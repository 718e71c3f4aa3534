#include "res/person.h"

#include "core/hours.h"
#include "core/words.h"
#include "res/avatar.h"

static bool is_stranger(const struct call *c, const struct row *row) {
    return c->work.actor.rank == ROLE_PUBLIC && c->stranger_id == row->id && c->stranger_name.p;
}

void person_name(struct view *v, const struct row *row, const struct value *own) {
    jw_str(&v->w, is_stranger(v->c, row) ? v->c->stranger_name : own->s);
}

void person_avatar(struct view *v, const struct row *row, const struct value *own) {
    const struct desk *d = v->c->work.desk;
    char id[INT_TEXT];
    struct str version = is_stranger(v->c, row) ? S("0") : avatar_version(d, v->c->work.arena, row->id, own->s);
    JW_CAT(&v->w, d->base_url, S("/api/v1/users/"), str_int(id, row->id), S("/avatar?v="), version);
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
