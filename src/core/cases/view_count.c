/* Twenty views of fifty agents are counted every ten seconds. Counting each for each agent would read all
 * conversations a hundred times a second. Instead, a process keeps for each condition the number of
 * conversations that meet it, by team and agent. The visibility of staff depends on team and agent alone
 * (access_case_of), so the numbers serve every caller: the count is a sum.
 *
 *     key    a hash of the condition's text and values. Another predicate, another day of a relative date, another current user and a
 *            deleted option make another condition.
 *     place  the place in the change log at which the numbers were read. The numbers are exact as long as the place is the same,
 *            whichever process writes (@PLACE@).
 *
 * After a change the numbers are out of date. They are counted again if they are older than a tenth of a
 * millisecond for each active conversation: at 100,000 conversations every ten seconds, below KEPT_FROM at
 * once. A conversation costs less than a microsecond, so a view costs at most a hundredth of a core,
 * whatever the number of callers and of conversations. Until then the count is RELATIVE. One thread counts
 * a condition; others take the numbers that are there. A request stops counting after COUNTING_MS.
 *
 * A cascade changes the organization of conversations without entries in the change log, so numbers are
 * kept for KEPT_MOST at most.
 *
 * Counting again costs less if the ids of the conversations are kept, too: only those that the entries of the
 * log since the place name are read (case_groups_follow). So the total of a view costs the same at any size,
 * but once in KEPT_MOST. Entries about anything but conversations (a person, a team) and conditions on clocks
 * of SLAs need all conversations.
 *
 * A page in an order without an index needs no conversation but its own, if the keys of the order are kept
 * beside the ids: the page is selected among those that the caller sees (core/cases/case_order.c). A list in
 * another order is another entry. Only keys are kept of which each change has an entry in the log
 * (case_column.is_logged).
 *
 * Memory is bounded by ENTRIES, GROUPS and MEMBERS; the entry that was not used for the longest time goes
 * first. */
#include "core/cases/view_count.h"

#include "core/cases/case_groups.h"
#include "core/cases/case_view.h"

#include "base/buf.h"
#include "base/random.h"
#include "core/access/access.h"
#include "core/change/log.h"

#include <pthread.h>
#include <stdlib.h>

#define KEPT_FROM 1000        /* active conversations */
#define KEPT_MOST TIME_MINUTE /* while nothing changes */
#define COUNTING_MS 1000      /* time for counting in one request */
#define ENTRIES 1024
#define GROUPS (256 * 1024)  /* number of groups in all entries: 6 MiB */
#define MEMBERS (512 * 1024) /* number of ids in all entries: 4 MiB; a key takes the room of two */
#define PLACE_MAX 256        /* longer places are not kept */

const struct word count_accuracies[] = {
    {COUNT_KNOWN, "KNOWN"}, {COUNT_RELATIVE, "RELATIVE"}, {COUNT_UNKNOWN, "UNKNOWN"}, {0}};

struct entry {
    unsigned char key[MAC_SIZE];
    struct case_groups kept; /* groups NULL: not counted yet */
    bool large;              /* it has had more members than are listed */
    bool dropped;            /* its members made room for those of another entry */
    char place[PLACE_MAX];
    int64_t at, all_at; /* times of the count and of the last one of all conversations */
    int64_t used;       /* number of the last use, 0: the entry is free */
    bool busy;          /* a thread counts; only it changes the entry, under the lock */
};

struct view_counts {
    pthread_mutex_t lock;
    int64_t uses;
    int groups, members;
    struct entry entries[ENTRIES];
};

struct view_counts *view_counts_new(void) {
    struct view_counts *c = calloc(1, sizeof *c);
    if (c) pthread_mutex_init(&c->lock, NULL);
    return c;
}

void view_counts_free(struct view_counts *c) {
    if (c == NULL) return;
    for (int i = 0; i < ENTRIES; i++) {
        free(c->entries[i].kept.groups);
        free(c->entries[i].kept.members);
        free(c->entries[i].kept.keys);
    }
    pthread_mutex_destroy(&c->lock);
    free(c);
}

/* ---- entries, under the lock ----------------------------------------------------------------- */

static int members_room(const struct case_groups *g) { return g->member_count * (g->keys ? 3 : 1); }

static void members_free(struct view_counts *c, struct case_groups *g) {
    c->members -= members_room(g);
    free(g->members);
    free(g->keys);
    g->members = NULL;
    g->keys = NULL;
    g->member_count = 0;
}

static void kept_free(struct view_counts *c, struct case_groups *g) {
    members_free(c, g);
    c->groups -= g->count;
    free(g->groups);
    *g = (struct case_groups){0};
}

static void entry_clear(struct view_counts *c, struct entry *e) {
    kept_free(c, &e->kept);
    *e = (struct entry){0};
}

/* The entry that was not used for the longest time, or a free one; NULL: all are busy. */
static struct entry *entry_oldest(struct view_counts *c) {
    struct entry *oldest = NULL;
    for (struct entry *e = c->entries; e < c->entries + ENTRIES; e++)
        if (!e->busy && (oldest == NULL || e->used < oldest->used)) oldest = e;
    return oldest;
}

static struct entry *entry_find(struct view_counts *c, const unsigned char *key) {
    for (struct entry *e = c->entries; e < c->entries + ENTRIES; e++)
        if (e->used && memcmp(e->key, key, MAC_SIZE) == 0) return e;
    return NULL;
}

/* Finds or makes an entry. NULL: there is no room. */
static struct entry *entry_take(struct view_counts *c, const unsigned char *key) {
    struct entry *e = entry_find(c, key);
    if (e == NULL && (e = entry_oldest(c))) {
        entry_clear(c, e);
        memcpy(e->key, key, MAC_SIZE);
    }
    if (e) e->used = ++c->uses;
    return e;
}

/* Returns the entry that was not used for the longest time and may be freed, or NULL. members: only entries
 * with members are looked at. */
static struct entry *oldest_entry(struct view_counts *c, const struct entry *kept, bool members) {
    struct entry *oldest = NULL;
    for (struct entry *e = c->entries; e < c->entries + ENTRIES; e++) {
        bool held = members ? e->kept.members != NULL : e->kept.groups != NULL;
        if (held && e != kept && !e->busy && (oldest == NULL || e->used < oldest->used)) oldest = e;
    }
    return oldest;
}

/* Frees entries until n more groups fit. Keeps `kept`. */
static bool groups_fit(struct view_counts *c, int n, const struct entry *kept) {
    while (c->groups + n > GROUPS) {
        struct entry *oldest = oldest_entry(c, kept, false);
        if (oldest == NULL) return false;
        entry_clear(c, oldest);
    }
    return true;
}

/* The same for members. Other entries lose theirs, not their groups. */
static bool members_fit(struct view_counts *c, int n, const struct entry *kept) {
    while (c->members + n > MEMBERS) {
        struct entry *oldest = oldest_entry(c, kept, true);
        if (oldest == NULL) return false;
        members_free(c, &oldest->kept);
        oldest->dropped = true;
    }
    return true;
}

static void *array_copy(const void *list, int n, size_t size) {
    void *copy = malloc(((size_t)n + 1) * size);
    if (copy && n) memcpy(copy, list, (size_t)n * size);
    return copy;
}

/* The members and keys in memory of their own, both or none. */
static void members_copy(struct view_counts *c, struct case_groups *g, const struct entry *e) {
    int n = g->member_count;
    bool fit = g->members && members_fit(c, members_room(g), e);
    g->members = fit ? array_copy(g->members, n, sizeof *g->members) : NULL;
    struct case_key *keys = g->members && g->keys ? array_copy(g->keys, n, sizeof *g->keys) : NULL;
    if (g->keys && keys == NULL) {
        free(g->members);
        g->members = NULL;
    }
    g->keys = keys;
    if (g->members == NULL) g->member_count = 0;
}

static void entry_store(struct view_counts *c, struct entry *e, const struct counting *g,
                        const struct case_groups *counted) {
    struct case_groups copy = *counted;
    if (copy.count > GROUPS / 16 || g->place.n >= PLACE_MAX) return;
    kept_free(c, &e->kept); /* the new ones may need its room */
    if (!groups_fit(c, copy.count, e)) return;
    copy.groups = array_copy(copy.groups, copy.count, sizeof *copy.groups);
    if (copy.groups == NULL) return;
    members_copy(c, &copy, e);
    e->kept = copy;
    e->dropped = counted->members && copy.members == NULL;
    c->groups += copy.count;
    c->members += members_room(&copy);
    e->at = g->work->now;
    memcpy(e->place, g->place.p, g->place.n);
    e->place[g->place.n] = 0;
}

/* ---- counting -------------------------------------------------------------------------------- */

static int64_t visible_sum(const struct case_reader *r, const struct case_groups *g) {
    int64_t sum = 0;
    for (int i = 0; i < g->count; i++)
        if (access_case_of(r, g->groups[i].team, g->groups[i].agent)) sum += g->groups[i].n;
    return sum;
}

/* n: the number of conversations that the actor sees. */
static void list_visible(struct counting *c, const struct case_groups *g, int64_t n) {
    struct arena *a = c->work->arena;
    bool lists = n <= c->most && g->members, places = c->page && g->keys;
    if (!lists && !places) return;
    bool *sees = arena_array(a, (size_t)g->count + 1, sizeof *sees);
    for (int i = 0; i < g->count; i++)
        sees[i] = access_case_of(c->reader, g->groups[i].team, g->groups[i].agent);
    if (lists) c->ids = arena_array(a, (size_t)n + 1, sizeof *c->ids);
    if (places) c->places = arena_array(a, (size_t)n + 1, sizeof *c->places);
    for (int i = 0; i < g->member_count; i++) {
        if (!sees[member_group(g->members[i])]) continue;
        int64_t id = member_id(g->members[i]);
        if (lists) c->ids[c->id_count++] = id;
        if (places) c->places[c->place_count++] = (struct case_place){g->keys[i], id};
    }
}

static void view_key(struct work *w, const struct view_rows *rows, unsigned char out[MAC_SIZE]) {
    struct buf b = {0};
    char number[INT_TEXT];
    buf_fmt(&b, "%s|%s|%s", rows->order ? rows->order->key : "", rows->state, rows->condition.sql);
    for (int i = 0; i < rows->condition.count; i++) {
        const struct bind *v = &rows->condition.binds[i];
        struct str value = v->type == BIND_INT ? str_int(number, v->i) : v->s;
        buf_fmt(&b, "|%s|%zu|", v->name, value.n);
        buf_str(&b, value);
    }
    mac(out, &w->desk->credential_key, buf_view(&b));
    buf_free(&b);
}

QUERY(counting_active, "SELECT COALESCE(SUM(n1 + n2 + n3 + n4 + n5 + n6), 0) FROM case_totals "
                       "WHERE kind = 1 AND id = 0 AND with_id = -1");

int counting_begin(struct work *w, bool exact, struct counting *out) {
    int64_t active = 0;
    *out = (struct counting){.work = w, .exact = exact, .until = clock_monotonic() + COUNTING_MS};
    TRY(change_log_place(w, &out->place));
    TRY(db_int(w->conn, &counting_active, NULL, &active));
    out->kept_for = active < KEPT_FROM ? 0 : active / 10;
    return access_case_reader(w, &out->reader);
}

enum found { COUNT_AGAIN, COUNT_TAKEN };

/* Takes the kept numbers if they are good enough. Otherwise this thread counts, and *e is its entry (NULL:
 * no room). A view with more members than are listed has no page, so it is not counted for one. */
static enum found count_kept(struct counting *c, const unsigned char *key, struct entry **mine, int64_t *n,
                             enum count_accuracy *accuracy) {
    struct view_counts *all = c->work->desk->view_counts;
    struct entry *e = entry_take(all, key);
    *mine = NULL;
    if (e == NULL) return COUNT_AGAIN;
    if (c->page && e->large) return COUNT_TAKEN;
    int64_t age = c->work->now - e->at;
    bool known = e->kept.groups != NULL;
    bool lists = c->most > 0 || c->page;
    bool current = known && !(lists && e->dropped) && str_eq(str_of(e->place), c->place) &&
                   c->work->now - e->all_at < KEPT_MOST;
    bool spent = e->busy || clock_monotonic() > c->until;
    if (known) *n = visible_sum(c->reader, &e->kept);
    *accuracy = current ? COUNT_KNOWN : known ? COUNT_RELATIVE : COUNT_UNKNOWN;
    if (current) list_visible(c, &e->kept, *n);
    if (current || (!c->exact && (spent || (known && age < c->kept_for)))) return COUNT_TAKEN;
    if (!e->busy) (*mine = e)->busy = true;
    return COUNT_AGAIN;
}

/* Counts in the store. e: the entry of this thread, or NULL. Returns 1 if all conversations were read, 0 if
 * those that have changed, or a negative error. */
static int count_stored(struct counting *c, const struct view_rows *rows, const struct entry *e,
                        struct case_groups *out) {
    bool recent = e && e->kept.members && c->work->now - e->all_at < KEPT_MOST;
    int rc = recent ? case_groups_follow(c->work, rows, &e->kept, str_of(e->place), out) : 0;
    if (rc) return rc < 0 ? rc : 0;
    rc = case_groups_count(c->work, rows, e && !e->large, out);
    return rc < 0 ? rc : 1;
}

/* Ends the counting of an entry. all: all conversations were read. */
static void count_keep(struct counting *c, struct entry *e, const struct case_groups *counted, bool all) {
    if (all) e->all_at = c->work->now;
    e->large = e->large || counted->large;
    entry_store(c->work->desk->view_counts, e, c, counted);
}

int counting_count(struct counting *c, const struct view_rows *rows, int64_t *n,
                   enum count_accuracy *accuracy) {
    struct view_counts *all = c->work->desk->view_counts;
    struct entry *mine = NULL;
    struct case_groups counted;
    unsigned char key[MAC_SIZE];
    enum found found = COUNT_AGAIN;
    *n = 0;
    if (all) {
        view_key(c->work, rows, key);
        pthread_mutex_lock(&all->lock);
        found = count_kept(c, key, &mine, n, accuracy);
        pthread_mutex_unlock(&all->lock);
    }
    if (found == COUNT_TAKEN) return 0;
    int rc = count_stored(c, rows, mine, &counted);
    if (mine) {
        pthread_mutex_lock(&all->lock);
        mine->busy = false;
        if (rc >= 0) count_keep(c, mine, &counted, rc == 1);
        pthread_mutex_unlock(&all->lock);
    }
    if (rc < 0) return rc;
    *n = visible_sum(c->reader, &counted);
    *accuracy = COUNT_KNOWN;
    list_visible(c, &counted, *n);
    return 0;
}

int counting_exact(struct work *w, const struct view_rows *rows, int64_t *n) {
    struct counting c;
    enum count_accuracy accuracy;
    TRY(counting_begin(w, true, &c));
    TRY(counting_count(&c, rows, n, &accuracy));
    return 1;
}

int counting_list(struct work *w, const struct view_rows *rows, int most, int64_t **ids) {
    struct counting c;
    enum count_accuracy accuracy;
    int64_t n;
    TRY(counting_begin(w, true, &c));
    c.most = most;
    TRY(counting_count(&c, rows, &n, &accuracy));
    *ids = c.ids;
    return c.id_count;
}

int counting_page(struct work *w, const struct view_rows *rows, struct case_page *page, int64_t **ids) {
    struct counting c;
    enum count_accuracy accuracy;
    int64_t n;
    TRY(counting_begin(w, true, &c));
    c.page = true;
    TRY(counting_count(&c, rows, &n, &accuracy));
    *ids = NULL;
    if (c.places == NULL) return 0;
    int listed = case_places_page(c.places, c.place_count, page);
    *ids = arena_array(w->arena, (size_t)listed + 1, sizeof **ids);
    for (int i = 0; i < listed; i++) (*ids)[i] = c.places[i].id;
    return listed;
}
