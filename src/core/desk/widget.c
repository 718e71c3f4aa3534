#include "core/desk/widget.h"

#include "base/fold.h"
#include "base/log.h"
#include "core/change/change.h"
#include "core/change/outbox.h"
#include "core/words.h"
#include "json/json.h"

#include <pthread.h>
#include <stdlib.h>

#define READ_MS 5000 /* budget of a read of the list */

/* ---- one origin ------------------------------------------------------------------------------ */

static bool is_here(struct str host) { return str_eqi(host, S("localhost")) || str_eq(host, S("127.0.0.1")); }

/* The port with its colon; empty: none, or that of the scheme. p NULL: it is wrong. */
static struct str port_text(struct arena *a, struct str port, bool secure) {
    int64_t n;
    if (port.p == NULL) return S("");
    if (port.n == 0 || port.p[0] == '0' || !str_to_int(port, &n) || n < 1 || n > 65535)
        return (struct str){0};
    return n == (secure ? 443 : 80) ? S("") : str_fmt(a, ":%d", (int)n);
}

struct str widget_origin_read(struct arena *a, struct str text) {
    struct str wrong = {0}, rest = str_trim(text);
    bool secure = rest.n > 8 && str_eqi((struct str){rest.p, 8}, S("https://"));
    if (!secure && (rest.n <= 7 || !str_eqi((struct str){rest.p, 7}, S("http://")))) return wrong;
    size_t scheme = secure ? 8 : 7;
    rest = (struct str){rest.p + scheme, rest.n - scheme};
    for (size_t i = 0; i < rest.n; i++)
        if (rest.p[i] == ' ' || rest.p[i] == '\t') return wrong;
    struct str host = str_cut(&rest, ':'), port = port_text(a, rest, secure);
    struct str key = is_here(host) ? domain_key(a, host) : secure ? domain_read(a, host) : wrong;
    if (key.p == NULL || port.p == NULL) return wrong;
    return STR_CAT(a, secure ? S("https://") : S("http://"), key, port);
}

/* ---- the list in memory ---------------------------------------------------------------------- */

struct widget_origin {
    struct str origin;
    int64_t brand_id;
};
struct widgets {
    pthread_rwlock_t lock;
    struct arena *arena; /* that `list` is in */
    struct widget_origin *list;
    int count;
};

struct widgets *widgets_new(void) {
    struct widgets *x = calloc(1, sizeof *x);
    if (x) pthread_rwlock_init(&x->lock, NULL);
    return x;
}

void widgets_free(struct widgets *x) {
    if (x == NULL) return;
    pthread_rwlock_destroy(&x->lock);
    arena_free(x->arena);
    free(x);
}

QUERY(widget_origins, "SELECT x.brand_id, x.origins FROM brand_widgets x JOIN brands b ON b.id = x.brand_id "
                      "WHERE b.is_enabled = 1 ORDER BY x.brand_id");
QUERY(widget_origins_of_others,
      "SELECT x.brand_id, x.origins FROM brand_widgets x WHERE x.brand_id <> :brand ORDER BY x.brand_id");

static int compare_origins(const void *x, const void *y) {
    const struct widget_origin *a = x, *b = y;
    size_t n = a->origin.n < b->origin.n ? a->origin.n : b->origin.n;
    int order = memcmp(a->origin.p, b->origin.p, n);
    return order ? order : (a->origin.n > b->origin.n) - (a->origin.n < b->origin.n);
}

/* Reads origins into *out, sorted. Returns their number, or a negative error. */
static int origins_load(struct conn *c, struct arena *a, const struct query *q, int64_t brand_id,
                        struct widget_origin **out) {
    struct widget_origin *list = NULL;
    struct json_error err;
    struct json *array;
    int n = 0, room = 0, rc;
    DB_ROWS(rc, c, q, BINDS(B_INT("brand", brand_id)), row) {
        if (json_parse(a, col_text(row, 1), &array, &err) < 0) continue;
        for (const struct json *j = array->first; j; j = j->next) {
            list = arena_more(a, list, n, &room, sizeof *list);
            list[n++] = (struct widget_origin){j->text, col_int(row, 0)};
        }
    }
    if (n) qsort(list, (size_t)n, sizeof *list, compare_origins);
    *out = list;
    return rc < 0 ? rc : n;
}

static int64_t origin_owner(const struct widget_origin *list, int n, struct str origin) {
    const struct widget_origin wanted = {origin, 0};
    const struct widget_origin *found =
        n ? bsearch(&wanted, list, (size_t)n, sizeof *list, compare_origins) : NULL;
    return found ? found->brand_id : 0;
}

static int widgets_reload(struct widgets *x, struct conn *c) {
    struct arena *arena = arena_new(), *old;
    struct widget_origin *list;
    int n = origins_load(c, arena, &widget_origins, 0, &list);
    if (n < 0) return arena_free(arena), n;
    pthread_rwlock_wrlock(&x->lock);
    old = x->arena;
    x->arena = arena;
    x->list = list;
    x->count = n;
    pthread_rwlock_unlock(&x->lock);
    arena_free(old);
    return 0;
}

void widgets_notified(struct desk *d, struct str payload) {
    (void)payload;
    if (d->widgets == NULL) return;
    struct conn *c = db_reader(d->db);
    int rc = c ? db_read_begin(c, READ_MS) : -ERR_SERVICE_UNAVAILABLE;
    if (rc >= 0) rc = widgets_reload(d->widgets, c);
    if (c) db_read_end(c);
    if (rc < 0) log_error("origins of widgets could not be reloaded; the previous ones stay in use");
}
TOPIC_CODE(WIDGETS) = widgets_notified;

int64_t widget_brand_of(const struct desk *d, struct str origin) {
    struct widgets *x = d->widgets;
    if (x == NULL || origin.n == 0) return 0;
    pthread_rwlock_rdlock(&x->lock);
    int64_t brand_id = origin_owner(x->list, x->count, origin);
    pthread_rwlock_unlock(&x->lock);
    return brand_id;
}

QUERY(widget_origins_of_brand,
      "SELECT x.brand_id, x.origins FROM brand_widgets x JOIN brands b ON b.id = x.brand_id "
      "WHERE x.brand_id = :brand AND b.is_enabled = 1");

int widget_lists(struct work *w, int64_t brand_id, struct str origin) {
    struct widget_origin *list;
    int n = origins_load(w->conn, w->arena, &widget_origins_of_brand, brand_id, &list);
    return n < 0 ? n : origin_owner(list, n, origin) == brand_id;
}

/* ---- reading --------------------------------------------------------------------------------- */

QUERY(widget_shown, "SELECT b.name, b.color, b.theme, l.locale, COALESCE(b.logo_at, 0), x.greeting, "
                    "COALESCE(x.is_anonymous_allowed, 1), CASE WHEN x.secret IS NULL THEN 0 ELSE 1 END "
                    "FROM brands b JOIN locales l ON l.id = b.locale_id "
                    "LEFT JOIN brand_widgets x ON x.brand_id = b.id WHERE b.id = :brand");
QUERY(widget_anonymous, "SELECT is_anonymous_allowed FROM brand_widgets WHERE brand_id = :brand");

int widget_look(struct work *w, int64_t brand_id, struct widget_look *out) {
    struct stmt *row;
    int rc = db_row(w->conn, &widget_shown, BINDS(B_INT("brand", brand_id)), &row);
    if (rc <= 0) return rc;
    *out = (struct widget_look){.name = str_dup(w->arena, col_text(row, 0)),
                                .color = str_dup(w->arena, col_text(row, 1)),
                                .theme = str_of(word_of(brand_themes, col_int(row, 2))),
                                .locale = str_dup(w->arena, col_text(row, 3)),
                                .logo_at = col_int(row, 4),
                                .greeting = str_dup(w->arena, col_text(row, 5)),
                                .is_anonymous_allowed = col_int(row, 6) != 0,
                                .has_secret = col_int(row, 7) != 0};
    stmt_end(row);
    return 1;
}

int widget_allows_anonymous(struct work *w, int64_t brand_id) {
    int64_t allowed = 1;
    int rc = db_int(w->conn, &widget_anonymous, BINDS(B_INT("brand", brand_id)), &allowed);
    return rc < 0 ? rc : allowed != 0;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void widgets_reload_after(struct desk *d, void *arg) {
    (void)arg;
    widgets_notified(d, (struct str){0});
}

int widgets_changed(struct work *w) {
    after_commit(w, widgets_reload_after, NULL);
    return outbox_add(w, TOPIC_WIDGETS, S(""));
}

static int origins_check(struct work *w, int64_t brand_id, const struct widget_change *x) {
    struct widget_origin *others;
    int n = origins_load(w->conn, w->arena, &widget_origins_of_others, brand_id, &others);
    TRY(n);
    for (int i = 0; i < x->origin_count; i++)
        if (origin_owner(others, n, x->origins[i]))
            fail_at(w, ERR_FIELD_DUPLICATE, S("origins"), str_fmt(w->arena, "origins/%d", i),
                    "The origin belongs to another brand. Remove it there first.");
    return failed(w) ? -(int)failure(w) : 0;
}

static struct str origins_json(struct arena *a, const struct widget_change *x) {
    struct buf b = {0};
    struct json_writer w;
    jw_init(&w, &b);
    jw_array(&w);
    for (int i = 0; i < x->origin_count; i++) jw_str(&w, x->origins[i]);
    jw_end(&w);
    return buf_take(&b, a);
}

QUERY(widget_now,
      "SELECT origins, greeting, is_anonymous_allowed FROM brand_widgets WHERE brand_id = :brand");
QUERY(widget_put, "INSERT INTO brand_widgets (brand_id, origins, greeting, is_anonymous_allowed, updated_at) "
                  "VALUES (:brand, :origins, :greeting, :anonymous, :now) ON CONFLICT (brand_id) DO UPDATE "
                  "SET origins = excluded.origins, greeting = excluded.greeting, "
                  "is_anonymous_allowed = excluded.is_anonymous_allowed, updated_at = excluded.updated_at");

int widget_change(struct work *w, int64_t brand_id, const struct widget_change *x) {
    struct changed object = {"brand", brand_id, 0};
    struct str origins = S("[]"), greeting = {0};
    bool anonymous = true;
    struct stmt *row;
    TRY(db_lock(w->conn, S("widgets"))); /* an origin belongs to one brand */
    int rc = db_row(w->conn, &widget_now, BINDS(B_INT("brand", brand_id)), &row);
    TRY(rc);
    if (rc) {
        origins = str_dup(w->arena, col_text(row, 0));
        greeting = str_dup(w->arena, col_text(row, 1));
        anonymous = col_int(row, 2) != 0;
        stmt_end(row);
    }
    struct str wanted = x->set & WIDGET_ORIGINS ? origins_json(w->arena, x) : origins;
    bool allowed = x->set & WIDGET_ANONYMOUS ? x->is_anonymous_allowed : anonymous;
    if (x->set & WIDGET_ORIGINS) TRY(origins_check(w, brand_id, x));
    change_property(w, object, "widget_origins", changed_text(origins), changed_text(wanted));
    change_property(w, object, "widget_anonymous", changed_bool(anonymous), changed_bool(allowed));
    TRY(db_exec(w->conn, &widget_put,
                BINDS(B_INT("brand", brand_id), B_TEXT("origins", wanted),
                      B_TEXT("greeting", x->set & WIDGET_GREETING ? x->greeting : greeting),
                      B_INT("anonymous", allowed), B_INT("now", w->now))));
    return widgets_changed(w);
}
