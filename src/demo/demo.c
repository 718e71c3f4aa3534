/* Fills a desk in this order: owner and settings, drop indexes, people, conversations, create indexes,
 * counters, the mark that the desk is complete. plan.c decides the events, text.c writes the texts. This
 * file inserts the rows in large transactions by the store's one writer. Only this process uses the store,
 * so no transaction is run twice. */
#include "demo/demo.h"

#include "core/cases/total_sql.h"
#include "demo/extras.h"
#include "demo/index.h"
#include "core/all/desk.h"
#include "core/search/index.h"
#include "work/work.h"

#define BATCH 4096 /* rows of a transaction, each with its dependent rows */

/* ---- many rows ------------------------------------------------------------------------------- */

struct batch {
    struct filling *filling;
    int (*one)(struct conn *c, struct filling *f, int64_t number);
    int64_t first, last;
};

static int batch_run(struct conn *c, void *arg) {
    const struct batch *b = arg;
    for (int64_t i = b->first; i <= b->last; i++) TRY(b->one(c, b->filling, i));
    return 0;
}

static void progress(const struct filling *f, const char *what, int64_t done, int64_t total) {
    if (f->progress) f->progress(what, done, total);
}

static int many(struct db *db, struct filling *f, const char *what, int64_t total,
                int (*one)(struct conn *c, struct filling *f, int64_t number)) {
    for (int64_t first = 1; first <= total; first += BATCH) {
        struct batch b = {f, one, first, first + BATCH - 1 < total ? first + BATCH - 1 : total};
        TRY(db_write(db, batch_run, &b));
        progress(f, what, b.last, total);
    }
    return 0;
}

/* ---- indexes --------------------------------------------------------------------------------- */

static int run_text(struct conn *c, void *arg) { return db_exec_text(c, arg, NULL); }

static int drop_indexes(struct conn *c, void *arg) {
    for (const struct index *i = arg; i; i = i->next) TRY(db_exec_text(c, i->drop, NULL));
    return 0;
}

/* Each in a transaction of its own, because the largest takes a while. */
static int create_indexes(struct db *db, const struct filling *f, const struct index *list) {
    int64_t total = 0, done = 0;
    for (const struct index *i = list; i; i = i->next) total++;
    for (const struct index *i = list; i; i = i->next) {
        struct str text = str_of(i->create);
        TRY(db_write(db, run_text, (void *)(uintptr_t)text.p));
        progress(f, "indexes", ++done, total);
    }
    return 0;
}

/* ---- search ---------------------------------------------------------------------------------- */

#define INDEXED 1000 /* texts of a transaction */

struct indexing {
    struct filling *filling;
    struct search_progress progress;
    int more;
};

static int index_run(struct conn *c, void *arg) {
    struct indexing *i = arg;
    struct arena_mark m = arena_mark(i->filling->arena);
    int rc = search_index_part(c, i->filling->arena, &i->progress, INDEXED);
    arena_return(i->filling->arena, m);
    i->more = rc;
    return rc < 0 ? rc : 0;
}

static int index_texts(struct db *db, struct filling *f) {
    struct indexing i = {.filling = f, .progress = {.last = SEARCH_TABLES - 1}, .more = 1};
    int64_t total = f->world.conversations * 5, done = 0; /* a head and about four posts each */
    while (i.more == 1) {
        TRY(db_write(db, index_run, &i));
        done += INDEXED;
        progress(f, "search", done < total ? done : total, total);
    }
    progress(f, "search", total, total);
    return i.more;
}

/* ---- the desk -------------------------------------------------------------------------------- */

QUERY(demo_totals,
      "INSERT INTO case_totals (" TOTAL_COLUMNS ") SELECT " TOTAL_COLUMNS " FROM (" CASE_TOTALS ") a");

static int begin_run(struct conn *c, void *arg) {
    struct filling *f = arg;
    struct chance chance = chance_of(f->world.seed, OF_UUID, 0);
    char uuid[36];
    chance_uuid(&chance, uuid);
    struct new_desk n = {.now = f->world.start,
                         .owner_name = S("Olga Winter"),
                         .owner_email = str_of(demo_logins[0]),
                         .owner_uuid = {uuid, sizeof uuid},
                         .password_hash = f->password_hashes[0]};
    return desk_begin(c, &n);
}

static int settle_ids_run(struct conn *c, void *arg) { return (void)arg, db_settle_ids(c); }
static int analyze_run(struct conn *c, void *arg) { return (void)arg, db_analyze(c); }
static int staff_run(struct conn *c, void *arg) { return fill_staff(c, arg); }

static int fields_run(struct conn *c, void *arg) {
    TRY(fill_help_center(c, arg));
    return fill_tags_and_fields(c, arg);
}

static int finish_run(struct conn *c, void *arg) {
    struct filling *f = arg;
    TRY(db_exec(c, &demo_totals, NULL));
    TRY(fill_views(c, f));
    TRY(search_is_built(c, f->world.start));
    TRY(fill_slas(c, f));
    TRY(fill_rules(c, f));
    TRY(fill_programs(c, f));
    TRY(fill_merges(c, arg));
    TRY(fill_notifications(c, f));
    TRY(fill_mails(c, f));
    TRY(fill_events(c, f));
    return desk_finish(c, &(struct new_desk){.now = f->world.start});
}

static int fill_desk(struct db *db, struct filling *f) {
    struct index *indexes = indexes_of_schema(f->arena);
    TRY(db_write(db, begin_run, f));
    TRY(db_write(db, drop_indexes, indexes));
    TRY(many(db, f, "organizations", f->world.organizations, fill_organization));
    TRY(db_write(db, staff_run, f));
    TRY(db_write(db, fields_run, f));
    TRY(many(db, f, "customers", f->world.customers, fill_customer));
    TRY(many(db, f, "conversations", f->world.conversations, fill_conversation));
    TRY(create_indexes(db, f, indexes));
    TRY(db_write(db, settle_ids_run, NULL));
    TRY(index_texts(db, f));
    TRY(db_write(db, finish_run, f));
    return db_write(db, analyze_run, NULL);
}

int demo_fill(struct db *db, const struct demo *d) {
    struct filling f = {.db = db,
                        .password_hashes = d->password_hashes,
                        .progress = d->progress,
                        .keep = d->keep,
                        .keep_arg = d->keep_arg,
                        .arena = arena_new()};
    demo_world(&f.world, d->seed, d->conversations);
    demo_names(&f.names, f.arena);
    int rc = fill_desk(db, &f);
    buf_free(&f.text);
    buf_free(&f.subject);
    buf_free(&f.preview);
    arena_free(f.arena);
    return rc;
}
