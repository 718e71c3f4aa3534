#include "core/mail/sender.h"

#include "base/fold.h"
#include "base/limits.h"
#include "core/access/access.h"
#include "core/access/permission.h"
#include "core/cases/case.h"
#include "core/desk/setting.h"
#include "core/login/session.h"
#include "core/mail/mailbox.h"
#include "core/people/user.h"
#include "core/people/identity.h"

#include <glib.h>

/* ---- addresses and names --------------------------------------------------------------------- */

static bool hides_itself(gunichar c) {
    GUnicodeType t = g_unichar_type(c);
    return t == G_UNICODE_CONTROL || t == G_UNICODE_FORMAT || t == G_UNICODE_UNASSIGNED ||
           t == G_UNICODE_PRIVATE_USE || t == G_UNICODE_SURROGATE || t == G_UNICODE_LINE_SEPARATOR ||
           t == G_UNICODE_PARAGRAPH_SEPARATOR;
}

/* The name of a person in a mail, without invisible characters. A name that has an @ could pretend to be
 * another address, so it is not taken: the name is the part before the @ of the address then. */
static struct str mail_person_name(struct arena *a, const struct mail_person *p) {
    struct str address = p->address, local = str_cut(&address, '@');
    char *text = arena_bytes(a, p->name.n + 1);
    size_t n = 0;
    int characters = 0;
    const char *end = p->name.p + p->name.n;
    for (const char *at = p->name.p; at && at < end && characters < LIMIT_TITLE; at = g_utf8_next_char(at)) {
        gunichar c = g_utf8_get_char(at);
        if (c == '@') return local;
        if (hides_itself(c)) continue;
        memcpy(text + n, at, (size_t)(g_utf8_next_char(at) - at));
        n += (size_t)(g_utf8_next_char(at) - at);
        characters++;
    }
    struct str name = str_trim((struct str){text, n});
    return name.n ? name : local;
}

/* True if the address has a form that a person may have, and no character that hides how it reads. */
static bool mail_address_plain(struct arena *a, struct str address) {
    if (!email_valid(address) || !utf8_valid(address)) return false;
    for (const char *at = address.p; at < address.p + address.n; at = g_utf8_next_char(at))
        if (hides_itself(g_utf8_get_char(at)) || g_unichar_isspace(g_utf8_get_char(at)) ||
            in_set(*at, "<>\"\\,;:()[]"))
            return false;
    const char *domain = memrchr(address.p, '@', address.n);
    return domain_read(a, (struct str){domain + 1, (size_t)(address.p + address.n - domain - 1)}).p != NULL;
}

static bool local_part_is_one_of(struct str address, const char *const *names) {
    char folded[64];
    struct str local = str_cut(&address, '@');
    size_t n = 0;
    for (size_t i = 0; i < local.n && local.p[i] != '+' && n < sizeof folded; i++)
        if (!in_set(local.p[i], "-_.")) folded[n++] = local.p[i];
    for (; *names; names++)
        if (str_eqi((struct str){folded, n}, str_of(*names))) return true;
    return false;
}

bool mail_address_is_daemon(struct str address) {
    static const char *const names[] = {"mailerdaemon", "maildaemon", "postmaster", NULL};
    return local_part_is_one_of(address, names);
}

bool mail_address_is_noreply(struct str address) {
    static const char *const names[] = {"noreply",       "donotreply",   "dontreply", "noresponse",
                                        "nepasrepondre", "keineantwort", NULL};
    return local_part_is_one_of(address, names);
}

/* A line is an address, a domain, or "*." and a domain, which stands for all domains below it. */
static bool line_blocks(struct arena *a, struct str line, struct str key, struct str domain) {
    if (line.n == 0) return false;
    if (memchr(line.p, '@', line.n)) return str_eq(email_key(a, line), key);
    if (!str_starts(line, S("*."))) return str_eq(domain_key(a, line), domain);
    struct str above = domain_key(a, (struct str){line.p + 2, line.n - 2});
    return above.p && domain.n > above.n + 1 && domain.p[domain.n - above.n - 1] == '.' &&
           memcmp(domain.p + domain.n - above.n, above.p, above.n) == 0;
}

bool mail_address_blocked(const struct desk *d, struct arena *a, struct str address) {
    struct str lines = setting_text(d, "mail.blocklist", a), key = email_key(a, address);
    const char *at = key.n ? memrchr(key.p, '@', key.n) : NULL;
    if (at == NULL) return false;
    struct str domain = {at + 1, (size_t)(key.p + key.n - at - 1)};
    while (lines.p)
        if (line_blocks(a, str_trim(str_cut(&lines, '\n')), key, domain)) return true;
    return false;
}

/* ---- the sender ------------------------------------------------------------------------------ */

QUERY(sender_owner, "SELECT u.id, r.type, u.is_enabled, e.is_validated "
                    "FROM identity_emails e JOIN users u ON u.id = e.user_id AND u.deleted_at IS NULL "
                    "JOIN roles r ON r.id = u.role_id WHERE e.email_key = :key AND e.is_claim = 0");

int sender_find(struct work *w, const struct incoming *m, struct mail_sender *out) {
    struct stmt *row;
    *out = (struct mail_sender){.address = m->from.address};
    if (m->from.address.p == NULL || !mail_address_plain(w->arena, m->from.address)) return 0;
    out->key = email_key(w->arena, m->from.address);
    int rc = db_row(w->conn, &sender_owner, BINDS(B_TEXT("key", out->key)), &row);
    if (rc <= 0) return rc;
    out->user_id = col_int(row, 0);
    out->rank = (int)col_int(row, 1);
    out->is_enabled = col_int(row, 2) != 0;
    out->is_validated = col_int(row, 3) != 0;
    stmt_end(row);
    return 0;
}

bool sender_is_proven_staff(const struct mail_sender *s, const struct mail_authentication *seen) {
    return s->rank >= ROLE_COLLABORATOR && seen->dmarc == VERDICT_PASS;
}

QUERY(sender_participates, "SELECT 1 FROM case_participants WHERE case_id = :case AND user_id = :user");

int sender_sees(struct work *w, const struct mail_sender *s, const struct case_now *c) {
    struct actor before = w->actor;
    struct case_reader *reader;
    if (!s->is_enabled) return 0;
    int rc = actor_load(w, s->user_id);
    if (rc >= 0) rc = access_case_reader(w, &reader);
    w->actor = before;
    return rc < 0 ? rc : access_case_of(reader, c->assigned_team_id, c->assigned_agent_id);
}

int sender_takes_part(struct work *w, const struct mail_sender *s, const struct case_now *c) {
    int64_t found;
    if (s->user_id == 0) return 0;
    if (s->user_id == c->requester_id) return 1;
    return db_int(w->conn, &sender_participates, BINDS(B_INT("case", c->id), B_INT("user", s->user_id)),
                  &found);
}

int sender_act(struct work *w, const struct incoming *m, struct mail_sender *s, bool as_staff) {
    if (s->user_id && !s->is_enabled) return 0;
    if (s->user_id == 0) {
        TRY(customer_of_address(w, mail_person_name(w->arena, &m->from), s->address, &s->user_id));
        s->rank = ROLE_CUSTOMER;
        s->is_enabled = true;
    }
    struct str cause = w->actor.cause;
    TRY(actor_load(w, s->user_id));
    w->actor.kind = ACTOR_MAIL;
    w->actor.cause = cause;
    w->actor.scopes = UINT32_MAX;
    if (!as_staff) w->actor.rank = ROLE_CUSTOMER;
    return 1;
}

/* ---- copies ---------------------------------------------------------------------------------- */

QUERY(participants_number, "SELECT COUNT(*) FROM case_participants WHERE case_id = :case");

/* People of one mail who join a conversation. */
struct joining {
    struct work *w;
    struct str sender, recipient; /* keys of addresses. recipient: of the envelope; p NULL: unknown */
    int64_t case_id, room;        /* room: for so many more */
};

/* Returns 1 if the address may join, 0 if not, or a negative error. */
static int copy_may_join(const struct joining *j, const struct mail_person *p) {
    struct work *w = j->w;
    if (p->address.p == NULL || !mail_address_plain(w->arena, p->address)) return 0;
    if (str_eq(email_key(w->arena, p->address), j->sender)) return 0;
    if (j->recipient.p && str_eq(mailbox_key(w->arena, p->address), j->recipient)) return 0;
    if (mail_address_is_daemon(p->address) || mail_address_is_noreply(p->address)) return 0;
    if (mail_address_blocked(w->desk, w->arena, p->address)) return 0;
    int ours = mailbox_owns(w, p->address);
    return ours < 0 ? ours : !ours;
}

static int people_join(struct joining *j, const struct mail_person *people, int count) {
    for (int i = 0; i < count && j->room > 0; i++) {
        int64_t user;
        int may = copy_may_join(j, &people[i]);
        TRY(may);
        if (!may) continue;
        TRY(customer_of_address(j->w, mail_person_name(j->w->arena, &people[i]), people[i].address, &user));
        TRY(participant_add(j->w, j->case_id, user));
        j->room--;
    }
    return 0;
}

int sender_copies_join(struct work *w, const struct incoming *m, const struct mail_sender *s, bool desk_known,
                       int64_t case_id) {
    int64_t there;
    if (m->to_count + m->cc_count == 0) return 0;
    TRY(db_int(w->conn, &participants_number, BINDS(B_INT("case", case_id)), &there));
    int64_t room = PARTICIPANTS_BY_MAIL - there;
    struct str recipient = m->recipient.p ? mailbox_key(w->arena, m->recipient) : (struct str){0};
    struct joining j = {w, s->key, recipient, case_id, room < COPIES_OF_MAIL ? room : COPIES_OF_MAIL};
    if (desk_known || m->recipient.p) TRY(people_join(&j, m->to, m->to_count));
    return people_join(&j, m->cc, m->cc_count);
}

/* ---- recipients ------------------------------------------------------------------------------ */

QUERY(mail_recipient_insert, "INSERT INTO mail_recipients (mail_id, post_id, user_id, address, type) "
                             "VALUES (:mail, :post, :user, :address, :type)");

static int recipients_keep(struct work *w, const struct mail_person *people, int count,
                           enum recipient_type type, int64_t mail_id, int64_t post_id) {
    for (int i = 0; i < count && i < RECIPIENTS_OF_MAIL; i++) {
        int64_t user;
        if (people[i].address.p == NULL || !mail_address_plain(w->arena, people[i].address)) continue;
        int known = identity_owner(w, IDENTITY_EMAIL, people[i].address, &user);
        TRY(known);
        if (known)
            TRY(db_exec(w->conn, &mail_recipient_insert,
                        BINDS(B_INT("mail", mail_id), B_INT("post", post_id), B_INT("user", user),
                              B_TEXT("address", people[i].address), B_INT("type", type))));
    }
    return 0;
}

int sender_recipients_keep(struct work *w, const struct incoming *m, int64_t mail_id, int64_t post_id) {
    TRY(recipients_keep(w, m->to, m->to_count, RECIPIENT_TO, mail_id, post_id));
    return recipients_keep(w, m->cc, m->cc_count, RECIPIENT_CC, mail_id, post_id);
}
