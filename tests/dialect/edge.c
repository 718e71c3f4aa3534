/* The functions of http.h that the API calls, for requests that no connection made. */
#include "http/http.h"

struct str http_header(const struct http_request *r, const char *name) {
    (void)r, (void)name;
    return (struct str){0};
}
struct str http_cookie(const struct http_request *r, const char *name) {
    (void)r, (void)name;
    return (struct str){0};
}
struct http_request *http_inner(struct http_request *outer, struct str method, struct str path,
                                struct str query) {
    (void)method, (void)path, (void)query;
    return outer;
}
void http_inner_header(struct http_request *inner, const char *name, struct str value) {
    (void)inner, (void)name, (void)value;
}
void http_defer(struct http_request *r) { (void)r; }
void http_begun(struct http_request *r, const struct http_plan *plan) { (void)r, (void)plan; }
void http_reply_shared(struct http_request *r, int status, struct shared *bytes) {
    (void)r, (void)status, (void)bytes;
}
bool http_hold(struct http_request *r, int64_t person, size_t n, bool always) {
    (void)r, (void)person, (void)n, (void)always;
    return true;
}
bool http_is_deferred(const struct http_request *r) { return (void)r, false; }
void http_add_header(struct http_request *r, const char *name, struct str value) {
    (void)r, (void)name, (void)value;
}
void http_close_after(struct http_request *r) { (void)r; }
void http_stats(const struct http_server *s, struct http_stats *out) { (void)s, (void)out; }
void http_reply(struct http_request *r, int status, struct buf *body) { (void)r, (void)status, (void)body; }
void http_reply_file(struct http_request *r, int status, int fd, int64_t at, int64_t n) {
    (void)r, (void)status, (void)fd, (void)at, (void)n;
}
void http_reply_stream(struct http_request *r, int status, const struct http_stream *s) {
    (void)r, (void)status, (void)s;
}
struct http_request *http_alone(struct arena *a, struct str method, struct str path, struct str query,
                                struct str remote) {
    (void)a, (void)method, (void)path, (void)query, (void)remote;
    return NULL;
}
void http_header_set(struct http_request *r, const char *name, struct str value) {
    (void)r, (void)name, (void)value;
}
void http_give(struct http_request *r, int status, const struct http_taking *t) {
    (void)r, (void)status, (void)t;
}
