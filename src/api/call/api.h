/* The API machine: what main uses. */
#ifndef API_CALL_API_H
#define API_CALL_API_H

#include "api/call/call.h"
#include "work/work.h"

/* A handler of paths outside of /api/v1: pages, OAuth, metrics. The program passes them to the API, which
 * knows none of them. */
struct outside {
    bool (*handle)(struct api *api, struct http_request *r); /* true: replied or deferred */
    /* true: the request is a form whose file parts are kept; NULL: none is */
    bool (*takes_files)(const struct http_request *r);
};

struct api_config {
    int pool_threads;           /* threads for blocking or long work */
    int public_writes_a_minute; /* for each address; 0: no limit */
    bool access_log;
    bool console;                  /* the console of staff is served (src/console) */
    const struct outside *outside; /* asked in this order; ends with handle NULL; NULL: none */
    struct pages *pages;           /* memory of the pages (pages/outside.h); NULL: there are no pages */
    struct signin_memory
        *signin; /* memory of logins by providers (signin/metadata.h); NULL: there are none */
};

/* Compiles and checks the tables. A route without roles, scope, summary or handler, two routes with one
 * path, or an unknown reference: returns NULL, with one line in err. */
struct api *api_new(struct desk *d, const struct api_config *cfg, char *err, size_t err_size);
void api_free(struct api *api);                          /* call it after http_stop; waits for the pool */
const struct http_app *api_app(void);                    /* callbacks for http_start; ctx is the struct api */
void api_attach(struct api *api, struct http_server *s); /* for metrics */
void api_access_log(struct api *api, bool on);
void api_draining(struct api *api); /* /readyz answers 503 from now on */

#endif
