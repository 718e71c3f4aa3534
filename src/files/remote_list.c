/* Lists the contents of a bucket, and sends requests about one of them. */
#include "files/remote.h"

#include "base/log.h"

#include <errno.h>
#include <stdlib.h>

/* ---- listing --------------------------------------------------------------------------------- */

/* The subfolder of an object that is a content; -1: it is another one. */
static int subfolder_of(struct str name) {
    char digits[3] = "";
    if (name.n != 67 || name.p[2] != '/' || !str_is_hex((struct str){name.p + 3, 64}) ||
        memcmp(name.p, name.p + 3, 2) != 0)
        return -1;
    memcpy(digits, name.p, 2);
    return (int)strtol(digits, NULL, 16);
}

int remote_content_compare(const void *x, const void *y) {
    const struct remote_content *a = x, *b = y;
    return memcmp(a->sha256.p, b->sha256.p, 64);
}

struct remote_walk {
    const struct contents *contents;
    struct str beginning; /* of the names */
    struct arena *arena;  /* of the page */
    struct s3_object *page;
    int count, at;
    bool more;
};

struct remote_walk *remote_walk_new(const struct contents *k) {
    struct remote_walk *w = calloc(1, sizeof *w);
    if (w) *w = (struct remote_walk){.contents = k, .beginning = S(""), .arena = arena_new(), .more = true};
    return w;
}

void remote_walk_free(struct remote_walk *w) {
    if (w) arena_free(w->arena);
    free(w);
}

/* Reads the next page if this one is at its end. Returns false if there is none, or with a reason. */
static int walk_turn(struct remote_walk *w, struct why why) {
    if (w->at < w->count || !w->more) return w->at < w->count;
    struct arena *a = arena_new();
    struct str after = w->count ? w->page[w->count - 1].name : S("");
    int n = s3_page(remote_s3(w->contents->remote), a, w->beginning, after, &w->page, &w->more, why);
    arena_free(w->arena);
    w->arena = a;
    w->at = 0;
    w->count = n < 0 ? 0 : n;
    return n < 0 ? -1 : n > 0;
}

int remote_walk_next(struct remote_walk *w, struct arena *a, int nth, struct remote_content **contents,
                     struct why why) {
    int n = 0, room = 0, rc;
    *contents = NULL;
    while ((rc = walk_turn(w, why)) == 1) {
        const struct s3_object *o = &w->page[w->at];
        int in = subfolder_of(o->name);
        if (in > nth) break;
        w->at++;
        if (in < nth) continue;
        *contents = arena_more(a, *contents, n, &room, sizeof **contents);
        (*contents)[n++] =
            (struct remote_content){str_dup(a, (struct str){o->name.p + 3, 64}), o->size, o->age};
    }
    return rc < 0 ? -1 : n;
}

int remote_contents(struct arena *a, const struct contents *k, int nth, struct remote_content **contents,
                    struct why why) {
    struct remote_walk *w = remote_walk_new(k);
    if (w == NULL) return -1;
    w->beginning = str_fmt(a, "%02x/", nth);
    int n = remote_walk_next(w, a, nth, contents, why);
    remote_walk_free(w);
    return n;
}

/* ---- one content ----------------------------------------------------------------------------- */

int remote_size(const struct contents *k, struct str sha256, int64_t *size, struct why why) {
    struct arena *a = arena_new();
    enum s3_outcome outcome = s3_head(remote_s3(k->remote), remote_object(a, sha256), size, why);
    arena_free(a);
    return outcome == S3_FAILED ? -1 : outcome == S3_DONE;
}

struct str remote_address(struct arena *a, const struct contents *k, struct str sha256,
                          const struct s3_shown *as) {
    return s3_address(remote_s3(k->remote), a, remote_object(a, sha256), as, k->presigned);
}

int remote_uploads_left(const struct contents *k) { return s3_uploads_left(remote_s3(k->remote), TIME_DAY); }

int remote_listed(struct arena *a, const struct contents *k, int nth, struct str **contents) {
    struct remote_content *all;
    char said[300] = "";
    int n = remote_contents(a, k, nth, &all, (struct why){said, sizeof said});
    if (n < 0) log_error("%s can't be listed: %s", s3_name(a, remote_s3(k->remote)).p, said);
    if (n < 0) return errno = EIO, -1;
    *contents = arena_array(a, (size_t)n + 1, sizeof **contents);
    for (int i = 0; i < n; i++) (*contents)[i] = all[i].sha256;
    return n;
}

int remote_read(const struct contents *k, struct str sha256, int64_t size, int to, struct why why) {
    struct arena *a = arena_new();
    enum s3_outcome outcome = s3_get(remote_s3(k->remote), remote_object(a, sha256), sha256, size, to, why);
    arena_free(a);
    return outcome == S3_DONE ? 0 : -1;
}

int remote_write(const struct contents *k, struct str sha256, const char *from, int64_t size,
                 struct why why) {
    struct arena *a = arena_new();
    enum s3_outcome outcome = s3_put(remote_s3(k->remote), remote_object(a, sha256), sha256, from, size, why);
    arena_free(a);
    return outcome == S3_DONE ? 0 : -1;
}
