/* Pages, and the brand of a host, are kept in memory under the generation that they were made in. They are
 * exact while the generation is the same.
 *
 *     SQLite       All writes run in this process. The store counts the COMMITs that changed a tracked table (db_generation), before it answers.
 *     PostgreSQL   A write that changes a tracked table adds an entry to the outbox, in its own transaction (db_config.on_change). A generation has the
 *                  place of a snapshot. A snapshot that has no entries after this place has the same rows, so it has the same generation. This
 *                  is one query for each page, and it is exact whichever process writes: nobody waits for a notification.
 *
 * Two snapshots that find new entries at the same time have no known order. So the first one begins the
 * next generation, and what is made in the other one is not kept. Entries are deleted after OUTBOX_KEPT.
 * So a place that is half as old begins a new generation, too.
 *
 * The list has all tables that the pages of callers without login read. A page that reads another one is
 * not kept: db_untracked finds it on SQLite. Pages for people with a login are not kept: they also depend on
 * teams, tags and roles. */
#include "core/helpcenter/generation.h"

#include "core/change/outbox.h"

#include <pthread.h>
#include <stdlib.h>

#define PLACE_OLD_MS (OUTBOX_KEPT / 2)
#define PLACE_MOVED_MS (10 * TIME_SECOND) /* a young place keeps the range of the query small */

const struct db_tracked_table help_center_tables[] = {
    {"brands", NULL, NULL},
    {"brand_logos", NULL, NULL},
    {"brand_pictures", NULL, NULL},
    {"locales", NULL, NULL},
    {"templates", NULL, NULL},
    {"categories", NULL, NULL},
    {"sections", NULL, NULL},
    /* written views and votes change the order of lists; pages see it later (pages/page_cache.h) */
    {"articles", NULL, "views"},
    {"article_tags", NULL, NULL},
    {"article_attachments", NULL, NULL},
    {"article_comments", NULL, NULL},
    {"comment_likes", "", NULL}, /* each changes the comment, too */
    {"locale_fields", NULL, NULL},
    {"tags", "name", NULL},
    {"users", "full_name", NULL},
    {"files", "", NULL}, /* the name and the size of an attached file never change */
    {0},
};

#define HELP_CENTER_TOPIC "'help_center'"
QUERY(help_center_changed,
      "INSERT INTO outbox (topic, payload, origin, created_at) VALUES (" HELP_CENTER_TOPIC ", '', '', :now)");
QUERY(help_center_place, "SELECT 1, CAST(@PLACE(outbox) AS TEXT)");
QUERY(help_center_changes,
      "SELECT CASE WHEN EXISTS (SELECT 1 FROM outbox WHERE @UNSEEN(:place) AND topic = " HELP_CENTER_TOPIC
      ") THEN 1 ELSE 0 END, CAST(@PLACE(outbox) AS TEXT)");

const struct query *help_center_change(void) { return &help_center_changed; }

#define PLACE_MAX 1024 /* bytes of a place; a longer one, with many running transactions, is not kept */

struct generations {
    pthread_mutex_t lock;
    int64_t now; /* generation; 0: none yet */
    int64_t at;  /* clock_monotonic() before the place was read */
    char place[PLACE_MAX];
    size_t place_bytes;
};

struct generations *generations_new(void) {
    struct generations *g = calloc(1, sizeof *g);
    if (g) pthread_mutex_init(&g->lock, NULL);
    return g;
}

void generations_free(struct generations *g) {
    if (g == NULL) return;
    pthread_mutex_destroy(&g->lock);
    free(g);
}

int64_t help_center_generation(const struct desk *d) { return d->generations ? db_generation(d->db) : 0; }

struct generation_place {
    int64_t generation, at;
    struct str place; /* p NULL: none that may be used */
};

static struct generation_place place_known(struct generations *g, struct arena *a, int64_t now) {
    pthread_mutex_lock(&g->lock);
    struct generation_place p = {g->now, g->at, {0}};
    if (g->now && now - g->at < PLACE_OLD_MS) p.place = str_dup(a, (struct str){g->place, g->place_bytes});
    pthread_mutex_unlock(&g->lock);
    return p;
}

/* Moves the place to a snapshot of generation p->generation, or begins the next generation with it.
 * Returns the generation of the snapshot, or 0. */
static int64_t place_move(struct generations *g, const struct generation_place *p, struct str place,
                          int64_t now, bool changed) {
    int64_t generation = 0;
    pthread_mutex_lock(&g->lock);
    if (g->now == p->generation && place.n <= PLACE_MAX) {
        g->now = generation = p->generation + changed;
        memcpy(g->place, place.p, place.n);
        g->place_bytes = place.n;
        g->at = now;
    }
    pthread_mutex_unlock(&g->lock);
    return generation ? generation : changed ? 0 : p->generation;
}

int help_center_generation_in(struct work *w, int64_t *out) {
    struct generations *g = w->desk->generations;
    int64_t now = clock_monotonic();
    struct stmt *row;
    *out = 0;
    if (g == NULL) return 0;
    struct generation_place p = place_known(g, w->arena, now);
    int rc = db_row(w->conn, p.place.p ? &help_center_changes : &help_center_place,
                    BINDS(B_TEXT("place", p.place)), &row);
    if (rc <= 0) return rc;
    bool changed = col_int(row, 0) != 0;
    struct str place = col_text(row, 1);
    *out = changed || now - p.at > PLACE_MOVED_MS ? place_move(g, &p, place, now, changed) : p.generation;
    stmt_end(row);
    return 0;
}
