#include "res/avatar.h"

#include "api/rows/generic.h"
#include "core/people/avatar.h"
#include "core/access/stranger.h"
#include "core/words.h"
#include "res/file_content.h"
#include "res/upload.h"

#include <inttypes.h>

QUERY(avatar_of, "SELECT full_name FROM users WHERE id = :id");
QUERY(avatar_of_requester, "SELECT requester_name FROM cases "
                           "WHERE id = :case AND requester_id = :user AND requester_name IS NOT NULL");

/* Returns the length in bytes of the first character of a word, or 0 if it is not a letter or digit that
 * XML can contain unescaped. */
static size_t initial(struct str word) {
    if (word.n == 0 || in_set(word.p[0], "<>&\"'") || (unsigned char)word.p[0] <= ' ') return 0;
    size_t n = 1;
    while (n < word.n && ((unsigned char)word.p[n] & 0xC0) == 0x80) n++;
    return n;
}

/* The initials: the first characters of the first and of the last word. */
static struct str initials(struct arena *a, struct str name) {
    struct str first = {0}, last = {0};
    for (struct str rest = name; rest.p;) {
        struct str word = str_cut(&rest, ' ');
        word.n = initial(word);
        if (word.n == 0) continue;
        if (first.p == NULL) first = word;
        else last = word;
    }
    return str_fmt(a, "%.*s%.*s", (int)first.n, first.p ? first.p : "", (int)last.n, last.p ? last.p : "");
}

static void draw_initials(struct call *c, struct str name) {
    struct arena *a = c->work.arena;
    /* Hues are spread by the golden angle, so that people with neighbouring ids look different. A
     * lightness of 40 % keeps white letters readable. */
    int64_t hue = c->vars[0].id * 137 % 360;
    buf_fmt(&c->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 64 64\" role=\"img\"><rect "
            "width=\"64\" height=\"64\" fill=\"hsl(%" PRId64
            ",45%%,40%%)\"/><text x=\"32\" y=\"42\" font-family=\"sans-serif\" "
            "font-size=\"28\" fill=\"#fff\" text-anchor=\"middle\">%s</text></svg>\n",
            hue, initials(a, name).p);
    call_header(c, "Content-Type", S("image/svg+xml"));
}

struct str avatar_version(const struct desk *d, struct arena *a, int64_t user_id, struct str moment) {
    char id[INT_TEXT];
    struct str proof =
        mac_hex(a, &d->account_key, STR_CAT(a, S("avatar "), str_int(id, user_id), S(" "), moment));
    return STR_CAT(a, moment, S("."), ((struct str){proof.p, 16}));
}

const struct field avatar_args[] = {
    {"v", F_TEXT, NULLABLE,
     .doc = "Signature from the `avatar` address of the person. Without it, only staff get the picture; "
            "others get a blank picture."},
    {0},
};

/* Returns the id of the person whose picture address the proof belongs to, or 0. */
static int64_t proved(struct call *c, struct picture_proof *p) {
    struct str given = arg(c, "v")->value.s, moment = given;
    int64_t asked = c->vars[0].id;
    *p = (struct picture_proof){0};
    if (given.p == NULL) return 0;
    if (picture_proof_read(c->work.desk, c->work.arena, given, p)) return asked == p->shown ? p->user_id : 0;
    return secret_eq(given, avatar_version(c->work.desk, c->work.arena, asked, str_cut(&moment, '.'))) ? asked
                                                                                                       : 0;
}

static int send_picture(struct call *c, int64_t user_id) {
    struct str name, type, data;
    TRY_FOUND(&c->work, db_text(c->work.conn, &avatar_of, BINDS(B_INT("id", user_id)), c->work.arena, &name));
    int uploaded = avatar_find(&c->work, user_id, &type, &data);
    TRY(uploaded);
    if (!uploaded) {
        draw_initials(c, name);
        return 0;
    }
    buf_str(&c->out, data);
    call_header(c, "Content-Type", type);
    return 0;
}

/* For callers without login, the drawing of a requester uses the name that was given, never the name or
 * picture of the address's owner. */
static int send_proved(struct call *c, const struct picture_proof *p, int64_t user_id) {
    struct str given = {0};
    if (p->case_id)
        TRY(db_text(c->work.conn, &avatar_of_requester,
                    BINDS(B_INT("case", p->case_id), B_INT("user", user_id)), c->work.arena, &given));
    if (given.p == NULL) return send_picture(c, user_id);
    draw_initials(c, given);
    return 0;
}

/* Staff get all pictures. Other callers get the pictures whose addresses they were shown. Every other
 * address gets the same blank picture, without a read of the store: neither the reply nor its time reveals
 * whether there is such a person or picture. */
int get_user_avatar(struct call *c) {
    struct picture_proof p;
    TRY(api_input(c));
    int64_t user_id = proved(c, &p);
    if (user_id) TRY(send_proved(c, &p, user_id));
    else if (c->work.actor.rank >= ROLE_COLLABORATOR) TRY(send_picture(c, c->vars[0].id));
    else draw_initials(c, S(""));
    c->raw = true;
    picture_guards(c);
    return 0;
}

/* ---- uploads --------------------------------------------------------------------------------- */

static int avatar_make(const char *path, int side, struct arena *a, const struct picture *p,
                       struct thumbnail *out) {
    out->type = p->type == PICTURE_JPEG ? S("image/jpeg") : S("image/png");
    return picture_square(path, side, a, p, &out->data);
}

static const struct picture_form avatar_form = {"avatar", "avatar_file_id", true, AVATAR_SIDE, avatar_make};

int avatar_prepare(struct call *c) {
    c->prepared = ARENA_NEW(c->work.arena, struct picture_input);
    return picture_input_read(c, &avatar_form, c->prepared);
}

bool avatar_given(struct call *c) { return given(c, "avatar") || given(c, "avatar_file_id"); }

int avatar_check(struct call *c, struct in *in) { return picture_input_check(c, in, c->prepared); }

int avatar_store(struct call *c, int64_t user_id) {
    const struct thumbnail *made = &((const struct picture_input *)c->prepared)->made;
    return made->data.n ? avatar_set(&c->work, user_id, made->type, made->data) : 0;
}
