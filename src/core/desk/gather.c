#include "core/desk/gather.h"

#include "base/log.h"
#include "json/json.h"

#include <assert.h>
#include <glib.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <xxhash.h>

#define KINDS 8
#define ROWS_AT_ONCE 500

/* Rows of one kind: a set of struct gathered, each in one block with its texts. */
struct gather_part {
    const struct gather_kind *kind; /* NULL: the part is free */
    GHashTable *rows;
};

struct gathering {
    pthread_mutex_t lock;
    struct gather_part parts[KINDS];
    int64_t dropped; /* since the last write */
    atomic_bool waits;
};

/* ---- rows, under the lock -------------------------------------------------------------------- */

static guint row_hash(gconstpointer of) {
    const struct gathered *r = of;
    return (guint)XXH3_64bits_withSeed(r->key.n ? r->key.p : "", r->key.n, (uint64_t)r->id);
}

static gboolean row_equal(gconstpointer one, gconstpointer other) {
    const struct gathered *a = one, *b = other;
    return a->id == b->id && str_eq(a->key, b->key);
}

static struct gather_part *part_of_kind(struct gathering *g, const struct gather_kind *kind) {
    struct gather_part *p = g->parts;
    while (p->kind && p->kind != kind) assert(++p < g->parts + KINDS);
    if (p->kind == NULL)
        *p = (struct gather_part){kind, g_hash_table_new_full(row_hash, row_equal, free, NULL)};
    return p;
}

static struct gathered *row_copy(const struct gathered *r) {
    struct gathered *copy = malloc(sizeof *copy + r->key.n + r->name.n);
    if (copy == NULL) return NULL;
    char *texts = (char *)(copy + 1);
    *copy = *r;
    if (r->key.n) memcpy(texts, r->key.p, r->key.n);
    if (r->name.n) memcpy(texts + r->key.n, r->name.p, r->name.n);
    copy->key.p = texts;
    copy->name.p = texts + r->key.n;
    return copy;
}

/* Returns true if the rows of the kind are half of their limit. */
static bool row_add(struct gathering *g, const struct gather_kind *kind, const struct gathered *row) {
    struct gather_part *p = part_of_kind(g, kind);
    struct gathered *kept = g_hash_table_lookup(p->rows, row);
    if (kept) {
        kept->count += row->count;
        kept->sum += row->sum;
        if (kept->at < row->at) kept->at = row->at;
    } else if (g_hash_table_size(p->rows) < kind->most && (kept = row_copy(row)) != NULL) {
        g_hash_table_add(p->rows, kept);
    } else {
        g->dropped++;
    }
    return g_hash_table_size(p->rows) >= kind->most / 2;
}

/* ---- gathering ------------------------------------------------------------------------------- */

struct gathering *gathering_new(void) {
    struct gathering *g = calloc(1, sizeof *g);
    if (g) pthread_mutex_init(&g->lock, NULL);
    return g;
}

static void parts_free(struct gather_part *parts) {
    for (struct gather_part *p = parts; p < parts + KINDS && p->kind; p++) g_hash_table_destroy(p->rows);
}

void gathering_free(struct gathering *g) {
    if (g == NULL) return;
    parts_free(g->parts);
    pthread_mutex_destroy(&g->lock);
    free(g);
}

void gather_row(struct desk *d, const struct gather_kind *kind, const struct gathered *row) {
    struct gathering *g = d->gathering;
    if (g == NULL) return;
    pthread_mutex_lock(&g->lock);
    bool crowded = row_add(g, kind, row);
    pthread_mutex_unlock(&g->lock);
    /* wakes the runner once for each time that a kind becomes half full */
    if (crowded && !atomic_exchange(&g->waits, true) && d->wake_jobs) d->wake_jobs(d->wake_arg);
}

int64_t gathered_at(struct desk *d, const struct gather_kind *kind, int64_t id) {
    struct gathering *g = d->gathering;
    if (g == NULL) return 0;
    pthread_mutex_lock(&g->lock);
    const struct gathered *row =
        g_hash_table_lookup(part_of_kind(g, kind)->rows, &(struct gathered){.id = id});
    int64_t at = row ? row->at : 0;
    pthread_mutex_unlock(&g->lock);
    return at;
}

bool gathering_waits(const struct desk *d) { return d->gathering && atomic_load(&d->gathering->waits); }

/* ---- writing --------------------------------------------------------------------------------- */

struct gathered_batch {
    const struct gather_kind *kind;
    struct arena *arena;
    struct str ids, rows;
};

static int batch_write(struct conn *c, void *arg) {
    const struct gathered_batch *b = arg;
    int64_t *locked;
    if (b->kind->lock) TRY(db_ids(c, b->kind->lock, BINDS(B_TEXT("ids", b->ids)), b->arena, &locked));
    TRY(db_exec(c, b->kind->write, BINDS(B_TEXT("rows", b->rows))));
    return b->kind->also ? db_exec(c, b->kind->also, BINDS(B_TEXT("rows", b->rows))) : 0;
}

static void row_json(struct json_writer *w, const struct gathered *r) {
    jw_array(w);
    jw_int(w, r->id);
    jw_str(w, r->key);
    jw_str(w, r->name);
    jw_int(w, r->count);
    jw_int(w, r->sum);
    jw_int(w, r->at);
    jw_end(w);
}

static int rows_write(struct desk *d, const struct gather_kind *kind, gpointer *rows, guint count) {
    struct arena *a = arena_new();
    int64_t *ids = arena_array(a, count, sizeof *ids);
    struct buf text = {0};
    struct json_writer w;
    jw_init(&w, &text);
    jw_array(&w);
    for (guint i = 0; i < count; i++) {
        const struct gathered *r = rows[i];
        ids[i] = r->id;
        row_json(&w, r);
    }
    jw_end(&w);
    int rc = db_write(d->db, batch_write,
                      &(struct gathered_batch){kind, a, json_ids(a, ids, count), buf_take(&text, a)});
    arena_free(a);
    return rc;
}

static int part_flush(struct desk *d, const struct gather_part *p) {
    struct gathering *g = d->gathering;
    guint n;
    gpointer *rows = g_hash_table_get_keys_as_array(p->rows, &n);
    int rc = 0;
    for (guint at = 0; at < n; at += ROWS_AT_ONCE) {
        guint count = n - at < ROWS_AT_ONCE ? n - at : ROWS_AT_ONCE;
        rc = rows_write(d, p->kind, rows + at, count);
        if (rc >= 0) continue;
        pthread_mutex_lock(&g->lock);
        for (; at < n; at++) row_add(g, p->kind, rows[at]);
        pthread_mutex_unlock(&g->lock);
        break;
    }
    g_free(rows);
    return rc;
}

int gathering_flush(struct desk *d) {
    struct gathering *g = d->gathering;
    struct gather_part parts[KINDS];
    int failed = 0;
    if (g == NULL) return 0;
    pthread_mutex_lock(&g->lock);
    memcpy(parts, g->parts, sizeof parts);
    memset(g->parts, 0, sizeof g->parts);
    int64_t dropped = g->dropped;
    g->dropped = 0;
    atomic_store(&g->waits, false);
    pthread_mutex_unlock(&g->lock);
    if (dropped)
        log_warn("%lld views, searches and last uses were not kept: too many different ones",
                 (long long)dropped);
    for (struct gather_part *p = parts; p < parts + KINDS && p->kind; p++) {
        int rc = part_flush(d, p);
        if (rc < 0) failed = rc;
    }
    parts_free(parts);
    if (failed) atomic_store(&g->waits, true); /* the runner tries again in its next turn */
    return failed;
}
