#include "api/table/check.h"
#include "api/caller/remembered_login.h"
#include "api/caller/rate.h"
#include "api/docs/site.h"
#include "api/call/machine.h"
#include "base/limits.h"
#include "base/slots.h"
#include "files/content.h"

#include <stdio.h>
#include <stdlib.h>

/* Checks that .visible of each resource binds all values that it names. */
static bool rows_are_seen_by_bound_names(struct desk *d, char *err, size_t size) {
    struct work w;
    bool ok = true;
    work_init(&w, d, arena_new());
    w.conn = db_reader(d->db);
    if (w.conn == NULL || db_read_begin(w.conn, 0) < 0)
        ok = (snprintf(err, size, "the store can't be read"), false);
    for (const struct resource *const *p = resources; ok && *p; p++)
        if ((*p)->visible) ok = visible_check(&w, *p, err, size);
    if (w.conn) db_read_end(w.conn);
    arena_free(w.arena);
    return ok;
}

struct api *api_new(struct desk *d, const struct api_config *cfg, char *err, size_t err_size) {
    struct api *api = calloc(1, sizeof *api);
    if (api == NULL) return NULL;
    api->desk = d;
    api->cfg = *cfg;
    api->arena = arena_new();
    api->exposed = exposed_headers(api->arena);
    api->site = site_new();
    api->limits = limits_new();
    api->started = clock_monotonic();
    api->started_at = clock_now(&d->clock);
    api_access_log(api, cfg->access_log);
    random_bytes(&api->serial_mask, sizeof api->serial_mask);
    api->logins = remembered_logins_new();
    api->rates = rates_new();
    pthread_mutex_init(&api->hashing, NULL);
    if (!router_make(&api->router, api->arena, err, err_size)) return api_free(api), NULL;
    if (!rows_are_seen_by_bound_names(d, err, err_size)) return api_free(api), NULL;
    api->pool = pool_new(cfg->pool_threads, d->files && d->files->remote);
    api->delays = delays_new(LIMIT_DELAYED);
    api->refusals = delays_new(LIMIT_REFUSALS);
    if (api->pool && api->delays && api->refusals && api->limits && api->logins && api->rates) return api;
    snprintf(err, err_size, "no thread could be started for the pool, or there is no memory");
    api_free(api);
    return NULL;
}

void api_free(struct api *api) {
    if (api == NULL) return;
    delays_free(api->delays);
    delays_free(api->refusals);
    pool_free(api->pool);
    slots_free(api->logins);
    slots_free(api->rates);
    pthread_mutex_destroy(&api->hashing);
    site_free(api->site);
    limits_free(api->limits);
    arena_free(api->arena);
    free(api);
}

void api_attach(struct api *api, struct http_server *s) { atomic_store(&api->http, s); }
void api_access_log(struct api *api, bool on) { atomic_store(&api->access_log, on); }
void api_draining(struct api *api) {
    atomic_store(&api->draining, true);
    delays_end(api->delays);
    delays_end(api->refusals);
}
