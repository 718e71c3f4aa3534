#include "core/helpcenter/tally.h"

#include "base/buf.h"
#include "base/fold.h"
#include "base/log.h"
#include "core/helpcenter/rank.h"
#include "core/words.h"
#include "json/json.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <xxhash.h>

#define FIRST_SLOTS 1024
#define ROWS_AT_ONCE 500

struct viewed {
    int64_t id, n; /* id 0: the slot is free */
};
struct views {
    struct viewed *slots; /* NULL: none yet. Open addressing; the size is a power of two */
    size_t size, used;
};

struct searched {
    struct str key, name; /* key.p NULL: the slot is free. Both are in one block */
    int64_t attempts, results, at;
};
struct searches {
    struct searched slots[GATHERED_SEARCHES];
    size_t used;
};

struct gathered {
    pthread_mutex_t lock;
    struct views views;
    struct searches *searches; /* NULL: none yet */
    int64_t dropped;           /* since the last write */
    atomic_bool waits;
};

struct gathered *gathered_new(void) {
    struct gathered *g = calloc(1, sizeof *g);
    if (g) pthread_mutex_init(&g->lock, NULL);
    return g;
}

static void searches_free(struct searches *s) {
    for (size_t i = 0; s && i < GATHERED_SEARCHES; i++) free((char *)s->slots[i].key.p);
    free(s);
}

void gathered_free(struct gathered *g) {
    if (g == NULL) return;
    free(g->views.slots);
    searches_free(g->searches);
    pthread_mutex_destroy(&g->lock);
    free(g);
}

/* Wakes the runner once for each time that a table becomes half full. */
static void ask_for_flush(struct desk *d) {
    if (!atomic_exchange(&d->gathered->waits, true) && d->wake_jobs) d->wake_jobs(d->wake_arg);
}

bool gathered_waits(const struct desk *d) { return d->gathered && atomic_load(&d->gathered->waits); }

/* ---- views, under the lock ------------------------------------------------------------------- */

static struct viewed *slot_of_view(const struct views *v, int64_t id) {
    size_t at = ((size_t)id * 0x9E3779B97F4A7C15u >> 20) & (v->size - 1);
    while (v->slots[at].id && v->slots[at].id != id) at = (at + 1) & (v->size - 1);
    return &v->slots[at];
}

/* Makes room for one more article. Returns false if the table is full. */
static bool views_grow(struct views *v) {
    if (v->size && v->used < v->size / 4 * 3) return true;
    struct views more = {.size = v->size ? v->size * 2 : FIRST_SLOTS, .used = v->used};
    if (more.size > GATHERED_ARTICLES) return false;
    more.slots = calloc(more.size, sizeof *more.slots);
    if (more.slots == NULL) return false;
    for (size_t i = 0; i < v->size; i++)
        if (v->slots[i].id) *slot_of_view(&more, v->slots[i].id) = v->slots[i];
    free(v->slots);
    *v = more;
    return true;
}

static void views_add(struct gathered *g, int64_t id, int64_t n) {
    struct views *v = &g->views;
    struct viewed *slot = v->size ? slot_of_view(v, id) : NULL;
    if (slot == NULL || slot->id == 0) {
        if (!views_grow(v)) {
            g->dropped += n;
            return;
        }
        slot = slot_of_view(v, id);
        slot->id = id;
        v->used++;
    }
    slot->n += n;
}

void article_viewed(struct desk *d, int64_t article_id) {
    struct gathered *g = d->gathered;
    if (g == NULL || article_id <= 0) return;
    pthread_mutex_lock(&g->lock);
    views_add(g, article_id, 1);
    bool crowded = g->views.used >= GATHERED_ARTICLES / 2;
    pthread_mutex_unlock(&g->lock);
    if (crowded) ask_for_flush(d);
}

/* Words in the user agents of crawlers, monitors, previews of links and libraries, in lower case. */
static const char *const bot_words[] = {
    "bot",     "crawl",   "spider", "slurp",      "preview",     "facebookexternalhit",
    "monitor", "pingdom", "uptime", "lighthouse", "headless",    "curl/",
    "wget/",   "python-", "scrapy", "feed",       "http-client", "httpclient",
    "go-http", "java/",   "libwww", "archiver",   "scan"};

bool is_bot(struct str user_agent) {
    char lower[256];
    size_t n = user_agent.n < sizeof lower - 1 ? user_agent.n : sizeof lower - 1;
    for (size_t i = 0; i < n; i++) {
        char c = user_agent.p[i];
        lower[i] = c >= 'A' && c <= 'Z' ? (char)(c + 32) : c ? c : ' ';
    }
    lower[n] = 0;
    for (size_t i = 0; i < sizeof bot_words / sizeof *bot_words; i++)
        if (strstr(lower, bot_words[i])) return true;
    return n == 0; /* browsers send a name */
}

void article_read(struct work *w, int64_t article_id) {
    if (w->actor.rank < ROLE_COLLABORATOR && !is_bot(w->actor.user_agent))
        article_viewed(w->desk, article_id);
}

/* ---- searches, under the lock ---------------------------------------------------------------- */

static struct searched *slot_of_search(struct searches *s, struct str key) {
    size_t at = (size_t)XXH3_64bits(key.p, key.n) % GATHERED_SEARCHES;
    while (s->slots[at].key.p && !str_eq(s->slots[at].key, key)) at = (at + 1) % GATHERED_SEARCHES;
    return &s->slots[at];
}

static bool keep_texts(struct searched *slot, struct str key, struct str name) {
    char *block = malloc(key.n + name.n + 1);
    if (block == NULL) return false;
    memcpy(block, key.p, key.n);
    memcpy(block + key.n, name.p, name.n);
    slot->key = (struct str){block, key.n};
    slot->name = (struct str){block + key.n, name.n};
    return true;
}

/* `found` has the texts and the numbers. */
static void searches_add(struct gathered *g, const struct searched *found) {
    if (g->searches == NULL) g->searches = calloc(1, sizeof *g->searches);
    struct searched *slot = g->searches ? slot_of_search(g->searches, found->key) : NULL;
    bool is_new = slot && slot->key.p == NULL;
    if (slot == NULL || (is_new && (g->searches->used >= GATHERED_SEARCHES / 4 * 3 ||
                                    !keep_texts(slot, found->key, found->name)))) {
        g->dropped += found->attempts;
        return;
    }
    if (is_new) g->searches->used++;
    slot->attempts += found->attempts;
    slot->results += found->results;
    if (slot->at < found->at) slot->at = found->at;
}

/* At most GATHERED_TEXT bytes, without a part of a character. */
static struct str shortened(struct str s) {
    if (s.n <= GATHERED_TEXT) return s;
    s.n = GATHERED_TEXT;
    while (s.n && ((unsigned char)s.p[s.n] & 0xC0) == 0x80) s.n--;
    return s;
}

void search_counted(struct desk *d, struct str text, int results) {
    struct gathered *g = d->gathered;
    struct str name = shortened(str_trim(text));
    if (g == NULL || name.n == 0) return;
    struct arena *a = arena_new();
    struct searched found = {fold_key(a, name), name, 1, results, clock_now(&d->clock)};
    pthread_mutex_lock(&g->lock);
    if (found.key.n) searches_add(g, &found);
    bool crowded = g->searches && g->searches->used >= GATHERED_SEARCHES / 2;
    pthread_mutex_unlock(&g->lock);
    arena_free(a);
    if (crowded) ask_for_flush(d);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Locked in the order of ids, because processes write the same articles at the same time. */
QUERY(views_lock, "SELECT id FROM articles WHERE id IN @LIST(:ids) ORDER BY id @LOCK@");
/* A row is [id, views]. */
QUERY(views_write, "UPDATE articles SET views = views + v.n, rank = " ARTICLE_RANK(
                       "views + v.n", "upvote_count",
                       "downvote_count") " FROM (SELECT CAST(r.value ->> 0 AS BIGINT) AS id, "
                                         "CAST(r.value ->> 1 AS BIGINT) AS n FROM @ROWS(:rows) r) v "
                                         "WHERE articles.id = v.id");
/* A row is [key, name, attempts, results, time]. */
QUERY(searches_write, "INSERT INTO help_center_searches (name_key, name, attempts, results, searched_at) "
                      "SELECT r.value ->> 0, r.value ->> 1, CAST(r.value ->> 2 AS BIGINT), "
                      "CAST(r.value ->> 3 AS BIGINT), CAST(r.value ->> 4 AS BIGINT) "
                      "FROM @ROWS(:rows) r");

struct batch {
    struct str ids, rows;
};

static int write_views(struct conn *c, void *arg) {
    const struct batch *b = arg;
    int64_t *ids;
    struct arena *a = arena_new();
    int rc = db_ids(c, &views_lock, BINDS(B_TEXT("ids", b->ids)), a, &ids);
    arena_free(a);
    return rc < 0 ? rc : db_exec(c, &views_write, BINDS(B_TEXT("rows", b->rows)));
}

static int write_searches(struct conn *c, void *arg) {
    const struct batch *b = arg;
    return db_exec(c, &searches_write, BINDS(B_TEXT("rows", b->rows)));
}

/* Writes slots from *at on. Moves *at behind them. */
static int flush_some_views(struct desk *d, const struct views *v, size_t *at) {
    struct arena *a = arena_new();
    struct buf rows = {0};
    struct json_writer w;
    int64_t *ids = arena_array(a, ROWS_AT_ONCE, sizeof *ids);
    size_t n = 0;
    jw_init(&w, &rows);
    jw_array(&w);
    for (; *at < v->size && n < ROWS_AT_ONCE; ++*at) {
        const struct viewed *slot = &v->slots[*at];
        if (slot->id == 0) continue;
        ids[n++] = slot->id;
        jw_array(&w);
        jw_int(&w, slot->id);
        jw_int(&w, slot->n);
        jw_end(&w);
    }
    jw_end(&w);
    int rc = n ? db_write(d->db, write_views, &(struct batch){json_ids(a, ids, n), buf_view(&rows)}) : 0;
    buf_free(&rows);
    arena_free(a);
    return rc;
}

static int flush_views(struct desk *d, const struct views *v) {
    struct gathered *g = d->gathered;
    for (size_t at = 0, from; at < v->size;) {
        from = at;
        int rc = flush_some_views(d, v, &at);
        if (rc >= 0) continue;
        pthread_mutex_lock(&g->lock);
        for (; from < v->size; from++)
            if (v->slots[from].id) views_add(g, v->slots[from].id, v->slots[from].n);
        pthread_mutex_unlock(&g->lock);
        return rc;
    }
    return 0;
}

static int flush_some_searches(struct desk *d, const struct searches *s, size_t *at) {
    struct buf rows = {0};
    struct json_writer w;
    size_t n = 0;
    jw_init(&w, &rows);
    jw_array(&w);
    for (; *at < GATHERED_SEARCHES && n < ROWS_AT_ONCE; ++*at) {
        const struct searched *slot = &s->slots[*at];
        if (slot->key.p == NULL) continue;
        n++;
        jw_array(&w);
        jw_str(&w, slot->key);
        jw_str(&w, slot->name);
        jw_int(&w, slot->attempts);
        jw_int(&w, slot->results);
        jw_int(&w, slot->at);
        jw_end(&w);
    }
    jw_end(&w);
    int rc = n ? db_write(d->db, write_searches, &(struct batch){.rows = buf_view(&rows)}) : 0;
    buf_free(&rows);
    return rc;
}

static int flush_searches(struct desk *d, const struct searches *s) {
    struct gathered *g = d->gathered;
    for (size_t at = 0, from; s && at < GATHERED_SEARCHES;) {
        from = at;
        int rc = flush_some_searches(d, s, &at);
        if (rc >= 0) continue;
        pthread_mutex_lock(&g->lock);
        for (; from < GATHERED_SEARCHES; from++)
            if (s->slots[from].key.p) searches_add(g, &s->slots[from]);
        pthread_mutex_unlock(&g->lock);
        return rc;
    }
    return 0;
}

int gathered_flush(struct desk *d) {
    struct gathered *g = d->gathered;
    if (g == NULL) return 0;
    pthread_mutex_lock(&g->lock);
    struct views views = g->views;
    struct searches *searches = g->searches;
    int64_t dropped = g->dropped;
    g->views = (struct views){0};
    g->searches = NULL;
    g->dropped = 0;
    atomic_store(&g->waits, false);
    pthread_mutex_unlock(&g->lock);
    if (dropped)
        log_warn("%lld views and searches of the help center were not counted: too many different "
                 "ones",
                 (long long)dropped);
    int rc = flush_views(d, &views), other = flush_searches(d, searches);
    free(views.slots);
    searches_free(searches);
    if (rc < 0 || other < 0) atomic_store(&g->waits, true); /* the runner tries again in its next turn */
    return rc < 0 ? rc : other;
}
