/* Statements of a GET that go out before they are started.
 *
 * A handler reads a row and then decides, so it waits for each statement. But a caller repeats requests: a
 * client asks for its list again, an agent opens one conversation after the other. So the statements of a
 * GET are remembered under a key (token, route and query), and the next GET with the key sends them with
 * its first statement, in the same pipeline. A statement that is started with the text and the values of
 * one that was sent takes its result, and waits for nothing.
 *
 *     no hints   session -> conversation -> values of fields -> team       4 round trips
 *     hints      session, conversation, values of fields -> team           2
 *
 * A hint never decides what a caller sees. Its result is used only by a statement with the same text and
 * the same values, in the same snapshot, so it is the result that the statement would have had. All rules of
 * access are in the text and the values, which the handler makes anew for each request. A result that
 * nobody asks for is dropped with the read.
 *
 * A value that equals the id in the path of its request is remembered as that id, so the hint serves other
 * ids, too. A hint is sent only if the last two reads with its key ran it, with the same values. If a hint
 * fails (it takes too long, say), the read begins again without hints, and its key gets none any more. */
#include "db/postgres.h"

#include <endian.h>
#include <stdlib.h>

enum how { NONE, TEXT, BINARY, GIVEN }; /* a value is remembered; GIVEN: it is the id in the path */

struct remembered {
    uint64_t hash; /* of its text */
    bool again;    /* the read before had it, too */
    size_t at, n;  /* its values in `bytes` */
};

struct pg_remembered {
    uint64_t key;
    bool failed;
    int count;
    struct remembered list[PG_HINTS];
    char bytes[];
};

/* ---- values ---------------------------------------------------------------------------------- */

static enum how how_of(const struct pg_stmt *p, int i, int64_t given) {
    uint64_t id = htobe64((uint64_t)given);
    if (p->values[i] == NULL) return NONE;
    if (p->formats[i] == 0) return TEXT;
    bool same = given && p->lengths[i] == sizeof id && memcmp(p->values[i], &id, sizeof id) == 0;
    return same ? GIVEN : BINARY;
}

/* Appends the values of a statement: of each how it is remembered, its length, its bytes and a 0. */
static void values_write(const struct pg_stmt *p, int64_t given, struct buf *out) {
    for (int i = 0; i < p->count; i++) {
        enum how how = how_of(p, i, given);
        int n = how == TEXT ? (int)strlen(p->values[i]) : how == BINARY ? p->lengths[i] : 0;
        buf_char(out, (char)how);
        buf_add(out, &n, sizeof n);
        buf_add(out, p->values[i], (size_t)n);
        buf_char(out, 0);
    }
}

static void values_bind(struct pg_stmt *p, int64_t given, const char *at) {
    uint64_t id = htobe64((uint64_t)given);
    for (int i = 0; i < p->count; i++) {
        enum how how = (enum how) * at++;
        memcpy(&p->lengths[i], at, sizeof p->lengths[i]);
        at += sizeof p->lengths[i];
        p->values[i] = how == NONE ? NULL : at;
        p->formats[i] = how != TEXT;
        at += p->lengths[i] + 1;
        if (how != GIVEN) continue;
        p->values[i] = memcpy(p->numbers[i], &id, sizeof id);
        p->lengths[i] = sizeof id;
    }
}

/* ---- sending --------------------------------------------------------------------------------- */

static struct pg_remembered **kept_place(struct conn *c, uint64_t key) {
    return &c->store->postgres->remembered[key % PG_HINT_KEYS];
}

/* Copies what is to be sent, because other threads replace what is remembered. */
static void take_remembered(struct conn *c, struct pg_hints *h) {
    struct pg_store *s = c->store->postgres;
    pthread_mutex_lock(&s->hints_lock);
    const struct pg_remembered *r = *kept_place(c, h->key);
    for (int i = 0; r && r->key == h->key && !r->failed && i < r->count; i++) {
        if (!r->list[i].again) continue;
        h->sent[h->sent_count++] =
            (struct pg_sent){.hash = r->list[i].hash, .at = h->sent_bytes.n, .n = r->list[i].n};
        buf_add(&h->sent_bytes, r->bytes + r->list[i].at, r->list[i].n);
    }
    pthread_mutex_unlock(&s->hints_lock);
}

static bool send_hint(struct conn *c, struct pg_sent *sent) {
    struct pg *g = c->pg;
    struct stmt *s = statement_of_hash(c, sent->hash);
    struct pg_stmt *p = s ? s->handle : NULL;
    if (p == NULL || p->generation != g->generation) return false;
    values_bind(p, g->hints.given, g->hints.sent_bytes.p + sent->at);
    if ((PQpipelineStatus(g->handle) == PQ_PIPELINE_OFF && !PQenterPipelineMode(g->handle)) ||
        !pg_send_statement(g->handle, p)) {
        pg_drop(c);
        return false;
    }
    sent->stmt = p;
    return true;
}

void pg_expect(struct conn *c, uint64_t key, int64_t given) {
    struct pg_hints *h = &c->pg->hints;
    if (!c->pg->pipes || c->pg->begin == NULL || h->key) return;
    h->key = key ? key : 1;
    h->given = given;
    take_remembered(c, h);
    int count = h->sent_count, n = 0;
    h->sent_count = 0;
    if (count == 0 || pg_begin_ready(c) < 0) return;
    h->generation = c->pg->generation;
    for (int i = 0; i < count && pg_alive(c->pg); i++) {
        struct pg_sent one = h->sent[i];
        if (send_hint(c, &one)) h->sent[n++] = one;
        if (pg_alive(c->pg)) h->sent_count = n;
    }
}

/* Reads the results of the statements that were sent, once. Returns the one that failed, or NULL. */
static PGresult *hints_read(struct conn *c) {
    struct pg_hints *h = &c->pg->hints;
    PGresult *failed = NULL;
    if (h->read || h->generation != c->pg->generation) return NULL;
    h->read = h->sent_count > 0;
    for (int i = 0; i < h->sent_count && failed == NULL; i++) {
        PGresult *r = pg_next_result(c);
        if (PQresultStatus(r) == PGRES_TUPLES_OK) h->sent[i].result = r;
        else failed = r, h->failed = true;
        if (!pg_alive(c->pg)) break;
    }
    return failed;
}

PGresult *pg_pipe(struct conn *c, pg_send *send, const void *command) {
    struct pg *g = c->pg;
    pg_wait(c, pg_limit(c));
    bool sent = (PQpipelineStatus(g->handle) != PQ_PIPELINE_OFF || PQenterPipelineMode(g->handle)) &&
                (send == NULL || send(g->handle, command)) && PQsendFlushRequest(g->handle);
    PGresult *r = sent ? hints_read(c) : NULL;
    if (sent && send && !r) r = pg_next_result(c);
    if (pg_alive(g) && (!sent || (send && !r))) pg_drop(c);
    if (pg_alive(g)) g->begin = NULL;
    pg_waited(c);
    return r;
}

/* ---- the statements that are started --------------------------------------------------------- */

int pg_hint_of(struct conn *c, const struct stmt *s) {
    struct pg_hints *h = &c->pg->hints;
    const struct pg_stmt *p = s->handle;
    size_t at = h->bytes.n;
    int found = -1;
    if (h->key == 0 || h->count == PG_HINTS) return -1;
    values_write(p, h->given, &h->bytes);
    size_t n = h->bytes.n - at;
    for (int i = 0; i < h->sent_count && found < 0; i++) {
        const struct pg_sent *sent = &h->sent[i];
        bool same =
            sent->stmt == p && sent->n == n && memcmp(h->sent_bytes.p + sent->at, h->bytes.p + at, n) == 0;
        if (same && (sent->result || !h->read)) found = i;
    }
    h->list[h->count++] = (struct pg_seen){s->hash, at, n};
    return found;
}

PGresult *pg_hinted(struct conn *c, const struct pg_stmt *p, int hint) {
    struct pg_hints *h = &c->pg->hints;
    if (hint < 0 || h->generation != c->pg->generation || h->sent_count == 0)
        return pg_pipe(c, pg_send_statement, p);
    PGresult *r = h->read ? NULL : pg_pipe(c, NULL, NULL);
    if (r || !pg_alive(c->pg)) return r;
    r = h->sent[hint].result;
    h->sent[hint].result = NULL;
    return r;
}

/* ---- remembering ----------------------------------------------------------------------------- */

static bool was_there(const struct pg_remembered *before, const struct pg_hints *h, const struct pg_seen *s) {
    for (int i = 0; before && before->key == h->key && i < before->count; i++) {
        const struct remembered *r = &before->list[i];
        if (r->hash != s->hash || r->n != s->n) continue;
        if (memcmp(before->bytes + r->at, h->bytes.p + s->at, s->n) == 0) return true;
    }
    return false;
}

static void hints_remember(struct conn *c, const struct pg_hints *h) {
    struct pg_store *s = c->store->postgres;
    struct pg_remembered *now = calloc(1, sizeof *now + h->bytes.n), *before;
    if (now == NULL) return;
    now->key = h->key;
    now->count = h->count;
    memcpy(now->bytes, buf_view(&h->bytes).p, h->bytes.n);
    pthread_mutex_lock(&s->hints_lock);
    struct pg_remembered **place = kept_place(c, h->key);
    before = *place;
    for (int i = 0; i < h->count; i++)
        now->list[i] = (struct remembered){h->list[i].hash, was_there(before, h, &h->list[i]), h->list[i].at,
                                           h->list[i].n};
    now->failed = h->failed || (before && before->key == h->key && before->failed);
    *place = now;
    pthread_mutex_unlock(&s->hints_lock);
    free(before);
}

static void hints_forget(struct pg_hints *h) {
    for (int i = 0; i < h->sent_count; i++) PQclear(h->sent[i].result);
    h->sent_count = 0;
    h->sent_bytes.n = 0;
    h->read = false;
}

static void hints_end(struct conn *c) {
    struct pg_hints *h = &c->pg->hints;
    hints_forget(h);
    if (h->bytes.n > PG_HINT_BYTES) h->count = 0, h->bytes.n = 0;
    if (h->key) hints_remember(c, h);
    h->key = 0;
    h->count = 0;
    h->bytes.n = 0;
    h->failed = false;
}

bool pg_hints_failed(const struct conn *c) { return c->pg->hints.sent_count && c->pg->hints.failed; }

void pg_hints_withdraw(struct conn *c) {
    struct pg *g = c->pg;
    if (g->hints.sent_count == 0) return;
    if (pg_alive(g) && PQpipelineSync(g->handle)) pg_pipeline_ended(c);
    else pg_drop(c);
    hints_forget(&g->hints);
    g->begin = "";
}

void pg_hints_gone(struct conn *c, const struct pg_stmt *p) {
    for (int i = 0; i < c->pg->hints.sent_count; i++)
        if (c->pg->hints.sent[i].stmt == p) c->pg->hints.sent[i].stmt = NULL;
}

void pg_hints_free(struct pg_store *s) {
    for (int i = 0; i < PG_HINT_KEYS; i++) free(s->remembered[i]);
    pthread_mutex_destroy(&s->hints_lock);
}

/* ---- reads ----------------------------------------------------------------------------------- */

/* A read without a budget may be a copy of tables, for which a pipeline has no commands. */
int pg_read_begin(struct conn *c, int budget_ms) {
    int most = c->store->postgres->statement_ms;
    bool pipes = budget_ms > 0;
    int rc = pg_begin(c, pipes ? "" : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
                      budget_ms < most ? budget_ms : most);
    c->pg->pipes = rc == 0 && pipes;
    return rc;
}

void pg_read_end(struct conn *c) {
    struct pg *g = c->pg;
    if (!c->transaction) return;
    statements_end(c);
    c->transaction = false;
    bool pipes = g->pipes, hinted = g->hints.sent_count > 0;
    g->pipes = false;
    hints_end(c);
    if (pg_unbegun(c) && !hinted) return;
    if (pg_alive(g)) g->sent = (pipes ? PQpipelineSync(g->handle) : PQsendQuery(g->handle, "COMMIT")) == 1;
}
