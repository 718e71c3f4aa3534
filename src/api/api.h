/* The machine as main sees it, and what its parts share. */
#ifndef API_API_H
#define API_API_H

#include "api/call.h"
#include "work/work.h"

struct api_config {
    int pool_threads;           /* workers for what blocks or burns */
    int public_writes_a_minute; /* for each address; 0: no limit */
    bool access_log;
};

/* Compiles and checks the tables: a route without roles, scope, summary or handler, two routes of one address, an unknown
 * reference: one line in err, NULL. */
struct api *api_new(struct desk *d, const struct api_config *cfg, char *err, size_t err_size);
void api_free(struct api *api);                          /* after http_stop: waits for the pool */
const struct http_app *api_app(void);                    /* callbacks for http_start; ctx is the struct api */
void api_attach(struct api *api, struct http_server *s); /* for metrics */
void api_access_log(struct api *api, bool on);
void api_draining(struct api *api); /* /readyz says 503 from now on */

#endif
