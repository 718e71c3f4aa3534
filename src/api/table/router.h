/* Routes: the tables compiled into segments, and the route of a request. */
#ifndef API_TABLE_ROUTER_H
#define API_TABLE_ROUTER_H

#include "api/call/call.h"

#define PATH_SEGMENTS 8

struct compiled {
    const struct route *route;
    const struct resource *home, *reply;
    const struct within *within; /* NULL: not nested */
    const char *where;
    const struct field *args;           /* arguments of the route, with those that every list has */
    struct str segments[PATH_SEGMENTS]; /* a variable begins with a colon */
    int count, variables;
    enum method method; /* of the route */
};

struct router {
    struct compiled
        *routes; /* by number of segments, then of variables; behind the last, one without segments */
    int count;
    int first[PATH_SEGMENTS + 1]; /* index of the first route with so many segments */
};

/* Checks the tables of one resource. Returns false, with one line in err, if something is missing. */
bool router_check(struct arena *a, const struct resource *r, char *err, size_t err_size);

/* Compiles and checks all tables. Returns false, with one line in err, if something is missing. */
bool router_make(struct router *r, struct arena *a, char *err, size_t err_size);

/* Finds the route of a raw request target. Returns 0, -ERR_RESOURCE_NOT_FOUND, or
 * -ERR_METHOD_NOT_SUPPORTED with *allow set. */
int router_match(const struct router *r, struct call *c, enum method m, struct str path, struct str *allow);
/* The methods of the routes of the request's path that pages of a widget may call; empty: none. */
struct str router_widget_methods(const struct router *r, const struct call *c);
/* Splits the path after /api/v1 into at most PATH_SEGMENTS segments, the last without .json. Returns their
 * number, or -1 for another path. */
int path_split(struct arena *a, struct str path, struct str *segments);
/* Finds the address that a caller probably meant by a path without route, for people to read. Returns
 * false if none is near. */
bool router_nearest(const struct router *r, struct arena *a, enum method m, struct str path, struct str *out);
/* Decodes one segment of a request target. Returns false if it is not percent-encoded UTF-8 without NUL. */
bool segment_decode(struct arena *a, struct str s, struct str *out);
#endif
