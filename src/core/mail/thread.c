#include "core/mail/thread.h"

#include "core/cases/forward.h"
#include "core/mail/mailbox.h"
#include "core/letters/letter.h"
#include "json/json.h"

#define MERGES_MAX 100 /* conversations that were merged into each other, one by one */
#define SPLITS_MAX 10  /* conversations that were split from each other, one by one */
#define FORGED_MAX 20  /* addresses of To and Cc with a forged token that are looked up */
#define TOKEN_LONGEST 40

/* Returns true if the token is good. forward: its kind in mails of a forward. */
static bool thread_try(struct work *w, enum token_kind kind, enum token_kind forward, struct str text,
                       struct thread *t, bool *forged) {
    int64_t id;
    bool forwards = !mail_token_has_form(kind, text);
    enum token_verdict verdict = mail_token_read(w->desk, forwards ? forward : kind, text, &id);
    *forged = verdict == TOKEN_FORGED;
    if (verdict != TOKEN_GOOD) return false;
    t->verdict = TOKEN_GOOD;
    *(forwards ? &t->forward_id : &t->case_id) = id;
    return true;
}

static void thread_forged(struct thread *t, struct str token) {
    if (t->verdict != TOKEN_ABSENT) return;
    t->verdict = TOKEN_FORGED;
    t->forged = token;
}

/* ---- recipients ------------------------------------------------------------------------------ */

/* Returns 1 if the token of the address is good, 0, or a negative error. *lookups: that are left. */
static int thread_try_address(struct work *w, struct str address, struct thread *t, int *lookups) {
    struct str token;
    bool forged;
    address_without_plus(w->arena, address, &token);
    if (token.p == NULL) return 0;
    if (thread_try(w, TOKEN_REPLY, TOKEN_FORWARD_REPLY, token, t, &forged)) return 1;
    if (!forged || t->verdict == TOKEN_FORGED || (*lookups)-- <= 0) return 0;
    int ours = mailbox_owns(w, address);
    if (ours > 0) thread_forged(t, token);
    return ours < 0 ? ours : 0;
}

static int thread_by_address(struct work *w, const struct incoming *m, struct thread *t) {
    int lookups = FORGED_MAX, rc = m->recipient.p ? thread_try_address(w, m->recipient, t, &lookups) : 0;
    for (int i = 0; i < m->to_count && rc == 0; i++)
        rc = thread_try_address(w, m->to[i].address, t, &lookups);
    for (int i = 0; i < m->cc_count && rc == 0; i++)
        rc = thread_try_address(w, m->cc[i].address, t, &lookups);
    return rc;
}

/* ---- references ------------------------------------------------------------------------------ */

/* The token ends at a dot, behind which a Message-ID has something of its own, or at the @. */
static bool thread_by_reference(struct work *w, const struct incoming *m, struct thread *t) {
    struct str host = letter_host(w->desk, w->arena);
    for (int i = m->reference_count; i-- > 0;) {
        struct str domain = m->references[i], left = str_cut(&domain, '@'), token = str_cut(&left, '.');
        bool forged;
        if (thread_try(w, TOKEN_MESSAGE_ID, TOKEN_FORWARD_ID, token, t, &forged)) return true;
        if (forged && domain.p && str_eqi(domain, host)) thread_forged(t, token);
    }
    return false;
}

/* ---- subject --------------------------------------------------------------------------------- */

/* Finds the next text in brackets that may be a token. *rest: what follows. Returns its text, p NULL:
 * none. */
static struct str subject_bracket(struct str *rest) {
    for (const char *from; rest->n && (from = memchr(rest->p, '[', rest->n)) != NULL;) {
        size_t left = (size_t)(rest->p + rest->n - from - 1);
        const char *to = memchr(from + 1, ']', left < TOKEN_LONGEST ? left : TOKEN_LONGEST);
        *rest = (struct str){from + 1, left};
        if (to == NULL) continue;
        *rest = (struct str){to + 1, (size_t)(rest->p + rest->n - to - 1)};
        return (struct str){from + 1, (size_t)(to - from - 1)};
    }
    return (struct str){0};
}

static bool thread_by_subject(struct work *w, struct str subject, struct thread *t) {
    bool forged;
    for (struct str token; (token = subject_bracket(&subject)).p;) {
        if (thread_try(w, TOKEN_SUBJECT, TOKEN_FORWARD_SUBJECT, token, t, &forged)) return true;
        if (forged) thread_forged(t, token);
    }
    return false;
}

/* Removes the tokens. One blank joins the texts around a token. */
struct str thread_subject(struct arena *a, struct str subject) {
    struct str rest = subject, kept = S("");
    const char *from = subject.p;
    for (struct str token; (token = subject_bracket(&rest)).p;) {
        if (!mail_token_has_form(TOKEN_SUBJECT, token) && !mail_token_has_form(TOKEN_FORWARD_SUBJECT, token))
            continue;
        struct str before = str_trim((struct str){from, (size_t)(token.p - 1 - from)});
        kept = STR_CAT(a, kept, kept.n && before.n ? S(" ") : S(""), before);
        from = rest.p;
    }
    struct str last = str_trim((struct str){from, (size_t)(subject.p + subject.n - from)});
    return STR_CAT(a, kept, kept.n && last.n ? S(" ") : S(""), last);
}

/* ---- the conversation ------------------------------------------------------------------------ */

static int case_load_merged(struct work *w, int64_t id, struct case_now *out) {
    int rc = case_load(w, id, out);
    for (int i = 0; rc == 1 && out->merged_into_id && i < MERGES_MAX; i++)
        rc = case_load(w, out->merged_into_id, out);
    return rc;
}

/* A split moves the mails of its messages, so the newest mail that is answered says in which conversation its
 * message is now. Only conversations that were split from that of the token count: a Message-ID alone proves
 * nothing. */
#define SPLIT_OFF "k.split_from_id IN (:case, :token)"
#define SPLIT_FROM_CASE "(SELECT k.id FROM cases k WHERE k.id = :case OR " SPLIT_OFF ")"
QUERY(thread_is_split, "SELECT 1 FROM cases k WHERE " SPLIT_OFF " LIMIT 1");
QUERY(thread_answered,
      "SELECT m.message_id, m.case_id FROM outgoing_mails m WHERE m.message_id IN @TEXTS(:references) "
      "AND m.post_id IS NOT NULL AND m.case_id IN " SPLIT_FROM_CASE
      " UNION ALL SELECT m.message_id, m.case_id FROM mails m WHERE m.case_id IN " SPLIT_FROM_CASE
      " AND m.post_id IS NOT NULL AND m.message_id IN @TEXTS(:references)");

/* *answered: the conversation of the newest mail in References; 0: none is known. */
static int thread_answers(struct work *w, const struct incoming *m, const struct thread *t,
                          int64_t *answered) {
    int newest = -1, rc;
    struct str references = json_texts(w->arena, m->references, (size_t)m->reference_count);
    *answered = 0;
    DB_ROWS(rc, w->conn, &thread_answered,
            BINDS(B_INT("case", t->now.id), B_INT("token", t->case_id), B_TEXT("references", references)),
            row) {
        for (int i = m->reference_count - 1; i > newest; i--)
            if (str_eq(m->references[i], col_text(row, 0))) newest = i, *answered = col_int(row, 1);
    }
    return rc;
}

/* Returns 1, 0 if a conversation is being deleted, or a negative error. */
static int thread_follow_splits(struct work *w, const struct incoming *m, struct thread *t) {
    for (int i = 0; m->reference_count && i < SPLITS_MAX; i++) {
        int64_t id = t->now.id, answered;
        int rc = db_int(w->conn, &thread_is_split, BINDS(B_INT("case", id), B_INT("token", t->case_id)),
                        &answered);
        if (rc <= 0) return rc < 0 ? rc : 1;
        TRY(thread_answers(w, m, t, &answered));
        if (answered == 0 || answered == id) return 1;
        rc = case_load_merged(w, answered, &t->now);
        if (rc <= 0) return rc;
    }
    return 1;
}

static int thread_load(struct work *w, const struct incoming *m, struct thread *t) {
    int rc = case_load_merged(w, t->case_id, &t->now);
    if (rc == 1) rc = thread_follow_splits(w, m, t);
    t->found = rc == 1;
    t->open = t->found && t->now.state == CASE_ACTIVE && t->now.status_type != STATUS_CLOSED;
    return rc < 0 ? rc : 0;
}

/* The note of the forward says where its conversation is, also after a merge and after a split. */
static int thread_load_forward(struct work *w, struct thread *t) {
    int rc = forward_case(w, t->forward_id, &t->case_id);
    if (rc == 1) rc = case_load_merged(w, t->case_id, &t->now);
    t->found = rc == 1;
    t->open = t->found && t->now.state == CASE_ACTIVE;
    return rc < 0 ? rc : 0;
}

int thread_find(struct work *w, const struct incoming *m, struct thread *out) {
    *out = (struct thread){0};
    int rc = thread_by_address(w, m, out);
    TRY(rc);
    if (rc == 0 && !thread_by_reference(w, m, out))
        thread_by_subject(w, m->subject.p ? m->subject : S(""), out);
    if (out->verdict != TOKEN_GOOD) return 0;
    return out->forward_id ? thread_load_forward(w, out) : thread_load(w, m, out);
}
