/* The last uses of sessions, grants, clients and API tokens. A read never writes, so uses are gathered in
 * memory, and the job runner writes them in batches. */
#ifndef CORE_LOGIN_LAST_USE_H
#define CORE_LOGIN_LAST_USE_H

#include "work/work.h"

enum touched { TOUCHED_SESSION = 1, TOUCHED_GRANT, TOUCHED_CLIENT, TOUCHED_API_TOKEN };

struct touch {
    enum touched what;
    int64_t id;
    /* The person of a session, who was active. 0: none, because use by a program is no activity of a
     * person. */
    int64_t user_id;
    int64_t at;
};

struct touches *touches_new(void);
void touches_free(struct touches *t);
/* last: the stored time. At most once a minute for each row */
void touch(struct desk *d, struct touch t, int64_t last);
/* 0: no touch since the last flush */
int64_t touched_at(struct desk *d, enum touched what, int64_t id);
/* at most once a minute for each row */
int touch_write(struct conn *c, enum touched what, int64_t id, int64_t at);
int touches_flush(struct desk *d);

#endif
