#include "core/access/stranger.h"

#include <ctype.h>

/* ---- fingerprints ---------------------------------------------------------------------------- */

#define UUID_SIZE 36
#define HASH_DIGITS 32

/* The UUID in lower case; p NULL: the text is no UUID, or the nil UUID. */
static struct str uuid_key(struct arena *a, struct str sent) {
    static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    struct str key = str_dup(a, sent);
    if (key.n != UUID_SIZE) return (struct str){0};
    for (size_t i = 0; i < UUID_SIZE; i++) {
        char *c = (char *)(uintptr_t)key.p + i;
        bool fits = form[i] == 'x' ? isxdigit((unsigned char)*c) : *c == form[i];
        if (!fits) return (struct str){0};
        *c = (char)tolower((unsigned char)*c);
    }
    return str_eq(key, S("00000000-0000-0000-0000-000000000000")) ? (struct str){0} : key;
}

struct str fingerprint_hash(const struct desk *d, struct arena *a, struct str sent) {
    struct str key = uuid_key(a, sent);
    if (key.p == NULL) return key;
    return (struct str){mac_hex(a, &d->fingerprint_key, key).p, HASH_DIGITS};
}

struct str fingerprint_hash_of_widget(const struct desk *d, struct arena *a, struct str sent,
                                      int64_t brand_id) {
    struct str key = uuid_key(a, sent);
    char brand[INT_TEXT];
    if (key.p == NULL) return key;
    key = STR_CAT(a, key, S("@"), str_int(brand, brand_id));
    return (struct str){mac_hex(a, &d->fingerprint_key, key).p, HASH_DIGITS};
}

/* ---- pseudonyms ------------------------------------------------------------------------------ */

#define SHOWS_REQUESTER "CASE WHEN c.requester_is_new = 1 AND c.fingerprint = :fingerprint THEN 1 ELSE 0 END"
QUERY(stranger_cases_of_ids, "SELECT c.id, c.requester_id, " SHOWS_REQUESTER
                             ", CASE WHEN u.purged_at IS NULL THEN c.requester_name END "
                             "FROM cases c JOIN users u ON u.id = c.requester_id "
                             "WHERE c.id IN @LIST(:ids)");
#define PEOPLE(person, from)                                                         \
    "SELECT c.id, c.requester_id, " SHOWS_REQUESTER ", " person " FROM cases c" from \
    " WHERE c.state = 1 AND c.fingerprint = :fingerprint"
QUERY(stranger_people,
      PEOPLE("p.user_id", " JOIN case_participants p ON p.case_id = c.id") " UNION ALL " PEOPLE(
          "c.requester_id", "") " UNION ALL " PEOPLE("c.assigned_agent_id",
                                                     "") " AND c.assigned_agent_id IS NOT NULL");

static struct stranger_case stranger_read_case(struct stmt *row) {
    return (struct stranger_case){
        .id = col_int(row, 0), .requester_id = col_int(row, 1), .shows_requester = col_int(row, 2) != 0};
}

int stranger_cases(struct work *w, struct str ids, struct stranger_case **out) {
    struct stranger_case *list = NULL;
    int n = 0, room = 0, rc;
    DB_ROWS(rc, w->conn, &stranger_cases_of_ids,
            BINDS(B_TEXT("ids", ids), B_TEXT("fingerprint", w->actor.fingerprint)), row) {
        list = arena_more(w->arena, list, n, &room, sizeof *list);
        list[n] = stranger_read_case(row);
        list[n++].requester_name = str_dup(w->arena, col_text(row, 3));
    }
    *out = list;
    return rc < 0 ? rc : n;
}

int64_t stranger_person(const struct desk *d, const struct stranger_case *c, int64_t user_id) {
    const int64_t of[] = {c->id, user_id};
    unsigned char out[MAC_SIZE];
    uint64_t bits;
    if (c->shows_requester && user_id == c->requester_id) return user_id;
    mac(out, &d->pseudonym_key, (struct str){(const char *)of, sizeof of});
    memcpy(&bits, out, sizeof bits);
    bits >>= 11;
    return bits ? (int64_t)bits : 1;
}

struct str stranger_name(const struct stranger_case *c, int64_t user_id) {
    return user_id == c->requester_id ? c->requester_name : (struct str){0};
}

int stranger_find(struct work *w, int64_t shown, int64_t *case_id, int64_t *user_id) {
    int found = 0, rc;
    if (w->actor.fingerprint.p == NULL) return 0;
    DB_ROWS(rc, w->conn, &stranger_people, BINDS(B_TEXT("fingerprint", w->actor.fingerprint)), row) {
        const struct stranger_case c = stranger_read_case(row);
        if (found || stranger_person(w->desk, &c, col_int(row, 3)) != shown) continue;
        *case_id = c.id;
        *user_id = col_int(row, 3);
        found = 1;
    }
    return rc < 0 ? rc : found;
}

/* ---- proofs in addresses of pictures --------------------------------------------------------- */

struct str picture_proof_text(const struct desk *d, struct arena *a, const struct picture_proof *p) {
    struct str sealed = seal_same(a, &d->picture_key, (struct str){(const char *)p, sizeof *p});
    return str_hex(a, sealed.p, sealed.n);
}

bool picture_proof_read(const struct desk *d, struct arena *a, struct str text, struct picture_proof *p) {
    struct str opened = seal_text_open(a, &d->picture_key, text);
    if (opened.n != sizeof *p) return false;
    memcpy(p, opened.p, sizeof *p);
    return true;
}
