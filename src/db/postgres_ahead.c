/* Reads of a write that go out before they are started.
 *
 * A write reads a row and then decides, so it waits for each of its reads, and holds its locks meanwhile.
 * But writes of a kind run the same statements: after the lock of a conversation come the conversation,
 * its tags, the facts that rules need, the reply. So each connection remembers which reads followed a
 * statement, and sends them with it the next time, in the same pipeline. A read that is started with the
 * text and the values of one that was sent takes its result, and waits for nothing.
 *
 *     INSERT post   UPDATE case, SELECT facts, message, clocks   INSERT change, COMMIT
 *     3 round trips in place of 6
 *
 * A statement and the reads that follow it are a group. Its key is a hash of the texts of all statements
 * of the task up to its first, so a group belongs to one path through the code. The values of its reads
 * are numbers that come from values of earlier statements of the task, by their place: the id of a new
 * message is a value of the read marker that is written before the reply is read. A number that is found
 * at no place must be the same each time. A read with other values is never sent.
 *
 * Nothing is read too early. PostgreSQL runs the reads in the order in which the task ran them last time,
 * after the first of the group. A statement of the task that changes or locks something and was not
 * itself sent with the group makes the results that are left out of date, and they are dropped; so do
 * savepoints. A read may lock rows (@LOCK@): then it runs in its place, and reads after it see what it
 * waited for.
 *
 * A group decides nothing: a result is used only by a statement with the same text and values. A read is
 * sent only if the last two tasks on this path ran it and its values were foreseen. If a read that was
 * sent fails, the transaction has failed, and the task runs again with each statement awaited
 * (postgres_pipeline.c). */
#include "db/postgres.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>

#define FOLLOWERS 16      /* reads of a group */
#define FOLLOWER_VALUES 6 /* of a read */
#define GROUPS 128        /* that a connection remembers */
#define PLACES 512        /* values of a task; later ones are not remembered */

/* The form of a number among the values; ABSENT: null. */
enum form { ABSENT, EIGHT_BYTES, FOUR_BYTES, DIGITS, LIST_OF_ONE };

struct number {
    enum form form;
    int place; /* of the value of the task that it equals; -1: none, it is constant */
    int64_t number;
};

struct follower {
    uint64_t hash; /* of its text */
    int count;
    bool locks;
    bool certain; /* the task before ran it, too, with values that were foreseen */
    struct number values[FOLLOWER_VALUES];
};

struct group {
    uint64_t key;
    int count;
    struct follower list[FOLLOWERS];
};

struct pg_ahead {
    uint64_t chain; /* hash of the texts that the task has started */
    int place_count;
    int64_t places[PLACES]; /* the values of its statements, in order */
    bool known[PLACES];     /* the value is a number */
    struct group now; /* reads that followed the first statement of the present group; key 0: no group */
    int first_places; /* places before the reads of the group */
    bool begins;      /* its first statement is about to be sent, with reads */
    bool awaits;      /* the results of the reads are not read yet */
    int sent_count;
    struct sent_read {
        const struct pg_stmt *stmt; /* NULL: it is gone */
        struct follower read;
        PGresult *result; /* NULL: not read yet, taken, or out of date */
    } sent[FOLLOWERS];
    struct group kept[GROUPS];
};

/* ---- values ---------------------------------------------------------------------------------- */

/* Reads a value. Returns false if it is no number, or not written as number_bind writes it. */
static bool number_read(const struct pg_stmt *p, int i, struct number *out) {
    uint64_t eight;
    uint32_t four;
    const char *v = p->values[i];
    *out = (struct number){.form = ABSENT, .place = -1};
    if (v == NULL) return true;
    size_t n = p->formats[i] ? (size_t)p->lengths[i] : strlen(v);
    bool binary = p->formats[i] != 0;
    if (binary && p->types[i] == TYPE_INT8 && n == sizeof eight) {
        out->form = EIGHT_BYTES;
        out->number = (int64_t)be64toh(*(const uint64_t *)memcpy(&eight, v, sizeof eight));
        return true;
    }
    if (binary && p->types[i] == TYPE_INT4 && n == sizeof four) {
        out->form = FOUR_BYTES;
        out->number = (int32_t)be32toh(*(const uint32_t *)memcpy(&four, v, sizeof four));
        return true;
    }
    out->form = binary ? LIST_OF_ONE : DIGITS;
    bool listed = binary && n > 2 && v[0] == '[' && v[n - 1] == ']';
    struct str digits = listed ? (struct str){v + 1, n - 2} : (struct str){v, n};
    char room[INT_TEXT];
    return listed == binary && n < PG_NUMBER_MAX && str_to_int(digits, &out->number) &&
           str_eq(str_int(room, out->number), digits);
}

static void number_bind(struct pg_stmt *p, int i, const struct number *v, int64_t number) {
    uint64_t eight = htobe64((uint64_t)number);
    uint32_t four = htobe32((uint32_t)number);
    char *to = p->numbers[i];
    p->values[i] = v->form == ABSENT ? NULL : to;
    p->formats[i] = v->form != DIGITS;
    switch (v->form) {
    case ABSENT: return;
    case EIGHT_BYTES: p->lengths[i] = sizeof eight, memcpy(to, &eight, sizeof eight); return;
    case FOUR_BYTES: p->lengths[i] = sizeof four, memcpy(to, &four, sizeof four); return;
    case DIGITS: p->lengths[i] = snprintf(to, PG_NUMBER_MAX, "%lld", (long long)number); return;
    case LIST_OF_ONE: p->lengths[i] = snprintf(to, PG_NUMBER_MAX, "[%lld]", (long long)number); return;
    }
}

/* Describes a statement as a read of a group. Returns false if it can't be one. */
static bool follower_of(const struct stmt *s, struct follower *out) {
    const struct pg_stmt *p = s->handle;
    *out = (struct follower){.hash = s->hash, .count = p->count, .locks = p->effect == PG_LOCKS};
    if (p->effect == PG_CHANGES || p->count > FOLLOWER_VALUES || p->by_values) return false;
    for (int i = 0; i < p->count; i++)
        if (!number_read(p, i, &out->values[i])) return false;
    return true;
}

static bool followers_equal(const struct follower *a, const struct follower *b) {
    if (a->hash != b->hash || a->count != b->count) return false;
    for (int i = 0; i < a->count; i++)
        if (a->values[i].form != b->values[i].form || a->values[i].number != b->values[i].number)
            return false;
    return true;
}

/* ---- groups ---------------------------------------------------------------------------------- */

static bool foresees(const struct pg_ahead *a, const struct number *v, int64_t number) {
    if (v->place < 0) return v->number == number;
    return a->known[v->place] && a->places[v->place] == number;
}

/* The last place before the group with this number; -1: none. */
static int place_before(const struct pg_ahead *a, int64_t number) {
    for (int i = a->first_places - 1; i >= 0; i--)
        if (a->known[i] && a->places[i] == number) return i;
    return -1;
}

/* Learns where the values of a read come from. before: the same read of the last task; NULL: there was
 * none. */
static void learn(const struct pg_ahead *a, struct follower *now, const struct follower *before) {
    now->certain = before != NULL;
    for (int i = 0; i < now->count; i++) {
        struct number *v = &now->values[i];
        const struct number *was = before && before->values[i].form == v->form ? &before->values[i] : NULL;
        if (was && foresees(a, was, v->number)) {
            v->place = was->place;
            continue;
        }
        now->certain = false;
        v->place = was && was->number == v->number ? -1 : place_before(a, v->number);
    }
}

static void groups_learn(struct pg_ahead *a) {
    struct group *before = &a->kept[a->now.key % GROUPS];
    bool used[FOLLOWERS] = {0};
    if (before->key != a->now.key) before->count = 0;
    for (int i = 0; i < a->now.count; i++) {
        const struct follower *was = NULL;
        for (int k = 0; k < before->count && was == NULL; k++) {
            if (used[k] || before->list[k].hash != a->now.list[i].hash) continue;
            used[k] = true;
            was = &before->list[k];
        }
        learn(a, &a->now.list[i], was);
    }
    *before = a->now;
}

static void results_drop(struct pg_ahead *a) {
    for (int i = 0; i < a->sent_count; i++) PQclear(a->sent[i].result);
    a->sent_count = 0;
}

static void group_end(struct pg_ahead *a, bool learns) {
    results_drop(a);
    if (a->now.key && learns) groups_learn(a);
    a->now.key = 0;
    a->now.count = 0;
    a->begins = a->awaits = false;
}

/* ---- the statements of a task ---------------------------------------------------------------- */

static struct pg_ahead *ahead_of(const struct conn *c) {
    bool writes = c->role == CONN_WRITER && c->transaction && !c->pg->at_once;
    return writes ? c->pg->ahead : NULL;
}

void pg_ahead_begin(struct conn *c) {
    struct pg *g = c->pg;
    if (c->role != CONN_WRITER) return;
    if (g->ahead == NULL) g->ahead = calloc(1, sizeof *g->ahead);
    if (g->ahead == NULL) return;
    group_end(g->ahead, false);
    g->ahead->chain = 0;
    g->ahead->place_count = 0;
}

void pg_ahead_end(struct conn *c, bool learns) {
    if (c->pg->ahead) group_end(c->pg->ahead, learns && !c->pg->at_once);
}

static void note_values(struct pg_ahead *a, const struct stmt *s) {
    const struct pg_stmt *p = s->handle;
    struct number v;
    a->chain = (a->chain ^ s->hash) * UINT64_C(0x9E3779B97F4A7C15) | 1;
    for (int i = 0; i < p->count && a->place_count < PLACES; i++) {
        int at = a->place_count++;
        a->known[at] = number_read(p, i, &v) && v.form != ABSENT;
        a->places[at] = v.number;
    }
}

void pg_ahead_pass(const struct stmt *s) {
    struct pg_ahead *a = ahead_of(s->conn);
    if (a == NULL) return;
    group_end(a, true);
    note_values(a, s);
}

/* Returns the group as the task before ran it, or NULL if none of its reads is certain. */
static const struct group *group_to_send(const struct pg_ahead *a) {
    const struct group *g = &a->kept[a->now.key % GROUPS];
    for (int i = 0; g->key == a->now.key && i < g->count; i++)
        if (g->list[i].certain) return g;
    return NULL;
}

PGresult *pg_ahead_take(const struct stmt *s) {
    struct pg_ahead *a = ahead_of(s->conn);
    const struct pg_stmt *p = s->handle;
    struct follower read;
    PGresult *found = NULL;
    if (a == NULL) return NULL;
    bool follows = follower_of(s, &read);
    if (a->now.key && follows && a->now.count < FOLLOWERS) a->now.list[a->now.count++] = read;
    else if (p->effect != PG_READS) group_end(a, true);
    for (int i = 0; i < a->sent_count && follows && found == NULL; i++) {
        if (a->sent[i].stmt != p || !followers_equal(&a->sent[i].read, &read)) continue;
        found = a->sent[i].result;
        a->sent[i].result = NULL;
    }
    note_values(a, s);
    if (found) return found;
    if (p->effect != PG_READS) results_drop(a);
    if (a->now.key == 0) {
        a->now.key = a->chain;
        a->first_places = a->place_count;
        a->begins = group_to_send(a) != NULL;
    }
    return NULL;
}

/* ---- sending --------------------------------------------------------------------------------- */

/* Sends a read with the values that are foreseen. Returns 1 if it was sent, 0 if it can't be, or -1 if the
 * connection failed. */
static int send_read(struct conn *c, struct pg_ahead *a, const struct follower *f) {
    struct stmt *s = f->certain ? statement_of_hash(c, f->hash) : NULL;
    struct pg_stmt *p = s ? s->handle : NULL;
    struct sent_read *sent = &a->sent[a->sent_count];
    if (p == NULL || p->generation != c->pg->generation || p->count != f->count) return 0;
    *sent = (struct sent_read){.stmt = p, .read = *f};
    for (int i = 0; i < f->count; i++) {
        struct number *v = &sent->read.values[i];
        if (v->place >= 0 && !a->known[v->place]) return 0;
        if (v->place >= 0) v->number = a->places[v->place];
        number_bind(p, i, v, v->number);
    }
    if (!pg_send_statement(c->pg->handle, p)) return -1;
    a->sent_count++;
    return 1;
}

bool pg_ahead_any(const struct conn *c) {
    const struct pg_ahead *a = ahead_of(c);
    return a && a->begins;
}

bool pg_ahead_send(struct conn *c) {
    struct pg_ahead *a = ahead_of(c);
    const struct group *g = a && a->begins ? group_to_send(a) : NULL;
    if (a == NULL) return true;
    a->begins = false;
    a->awaits = g != NULL;
    for (int i = 0; g && i < g->count; i++) {
        int rc = send_read(c, a, &g->list[i]);
        if (rc < 0) return false;
        if (rc == 0 && g->list[i].locks) break; /* reads after it must see what it waits for */
    }
    return true;
}

void pg_ahead_read(struct conn *c) {
    struct pg_ahead *a = ahead_of(c);
    if (a == NULL || !a->awaits) return;
    a->awaits = false;
    for (int i = 0; i < a->sent_count && pg_alive(c->pg); i++) {
        PGresult *r = pg_next_result(c);
        if (PQresultStatus(r) == PGRES_TUPLES_OK) {
            a->sent[i].result = r;
            continue;
        }
        PQclear(r);
        c->pg->late = true;
        break;
    }
}

void pg_ahead_gone(struct conn *c, const struct pg_stmt *p) {
    struct pg_ahead *a = c->pg->ahead;
    for (int i = 0; a && i < a->sent_count; i++)
        if (a->sent[i].stmt == p) a->sent[i].stmt = NULL;
}
