#include "outgoing/readers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#include "base/clock.h"
#include "outgoing/reach.h"

enum {
    READER_WIDTH = 32,
    READER_HEAD = 32 * 1024,
    CONNECT_MS = 15000,
    SILENCE_S = 30, /* a reply that stands still for so long ends */
    LONGEST_S = 1800
};

struct reader {
    CURL *handle;
    struct reach reach;
    struct reading *now; /* NULL: idle */
    size_t head;
};

struct readers {
    CURLM *multi;
    struct curl_slist *headers;
    struct reader list[READER_WIDTH];
    int width;
};

/* ---- replies --------------------------------------------------------------------------------- */

/* Seconds, or a date (RFC 9110 section 10.2.3). */
static int64_t retry_after(struct str value) {
    int64_t n;
    if (str_to_int(value, &n)) return n < 0 ? 0 : n > 86400 ? 86400000 : n * 1000;
    if (!time_parse_http(value, &n)) return -1;
    n -= clock_now(&(struct clock){0});
    return n < 0 ? 0 : n;
}

static size_t reader_head(char *line, size_t size, size_t count, void *arg) {
    static const char name[] = "retry-after:";
    struct reader *x = arg;
    size_t n = size * count;
    x->head += n;
    if (x->head > READER_HEAD) return x->now->too_long = true, 0;
    if (n >= sizeof name && strncasecmp(line, name, sizeof name - 1) == 0)
        x->now->retry_after_ms =
            retry_after(str_trim((struct str){line + sizeof name - 1, n - sizeof name + 1}));
    return n;
}

static bool reader_write(struct reading *r, const char *bytes, size_t n) {
    for (ssize_t done; n > 0; bytes += done, n -= (size_t)done) {
        done = write(r->file, bytes, n);
        if (done < 0 && errno == EINTR) done = 0;
        if (done < 0) return snprintf(r->why, sizeof r->why, "the file can't be written (%d)", errno), false;
    }
    return true;
}

static size_t reader_body(char *bytes, size_t size, size_t count, void *arg) {
    struct reader *x = arg;
    size_t n = size * count;
    long status = 0;
    if ((int64_t)n > x->now->most - x->now->size) return x->now->too_long = true, 0;
    x->now->size += (int64_t)n;
    curl_easy_getinfo(x->handle, CURLINFO_RESPONSE_CODE, &status);
    if (x->now->file < 0) buf_add(&x->now->body, bytes, n);
    else if (status == 200 && !reader_write(x->now, bytes, n)) return 0;
    return n;
}

static void reader_done(struct readers *r, struct reader *x, CURLcode rc) {
    struct reading *now = x->now;
    long status = 0;
    curl_easy_getinfo(x->handle, CURLINFO_RESPONSE_CODE, &status);
    curl_multi_remove_handle(r->multi, x->handle);
    now->status = rc == CURLE_OK ? (int)status : 0;
    x->now = NULL;
    if (rc == CURLE_OK || *now->why) return;
    if (now->too_long) snprintf(now->why, sizeof now->why, "the reply is too long");
    else if (x->reach.refused_port) snprintf(now->why, sizeof now->why, "the port does not speak HTTP");
    else snprintf(now->why, sizeof now->why, "%s", curl_easy_strerror(rc));
}

/* ---- requests -------------------------------------------------------------------------------- */

static bool reader_set(struct readers *r, struct reader *x) {
    x->reach = (struct reach){.private_allowed = true};
    x->handle = curl_easy_init();
    if (!x->handle) return false;
    reach_set(x->handle, &x->reach);
    curl_easy_setopt(x->handle, CURLOPT_USERAGENT, "deskd/" DESKD_VERSION);
    curl_easy_setopt(x->handle, CURLOPT_HTTPHEADER, r->headers);
    curl_easy_setopt(x->handle, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    curl_easy_setopt(x->handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(x->handle, CURLOPT_LOW_SPEED_TIME, (long)SILENCE_S);
    curl_easy_setopt(x->handle, CURLOPT_TIMEOUT, (long)LONGEST_S);
    curl_easy_setopt(x->handle, CURLOPT_HEADERFUNCTION, reader_head);
    curl_easy_setopt(x->handle, CURLOPT_HEADERDATA, x);
    curl_easy_setopt(x->handle, CURLOPT_WRITEFUNCTION, reader_body);
    curl_easy_setopt(x->handle, CURLOPT_WRITEDATA, x);
    curl_easy_setopt(x->handle, CURLOPT_PRIVATE, x);
    return true;
}

struct readers *readers_open(const char *authorization, int width) {
    struct readers *r = calloc(1, sizeof *r);
    bool made = r != NULL;
    if (!made) return NULL;
    r->multi = curl_multi_init();
    r->headers = curl_slist_append(curl_slist_append(NULL, "Accept: */*"), authorization);
    r->width = width < READER_WIDTH ? width : READER_WIDTH;
    made = r->multi && r->headers;
    for (int i = 0; made && i < r->width; i++) made = reader_set(r, &r->list[i]);
    if (made) return r;
    readers_close(r);
    return NULL;
}

/* A request may be a repetition, so its file begins again. */
static void reader_begin(struct readers *r, struct reader *x, struct reading *next) {
    bool ready = next->file < 0 || (ftruncate(next->file, 0) == 0 && lseek(next->file, 0, SEEK_SET) == 0);
    next->status = 0;
    next->size = 0;
    next->retry_after_ms = -1;
    next->too_long = false;
    *next->why = 0;
    next->body.n = 0;
    x->now = next;
    x->head = 0;
    curl_easy_setopt(x->handle, CURLOPT_URL, ready ? next->url : "");
    curl_multi_add_handle(r->multi, x->handle);
}

/* Ends the requests that have a result. Returns their number. */
static int readers_collect(struct readers *r) {
    int left, done = 0;
    for (CURLMsg *m; (m = curl_multi_info_read(r->multi, &left));) {
        char *private = NULL;
        CURLcode rc = m->data.result;
        if (m->msg != CURLMSG_DONE) continue;
        curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &private);
        reader_done(r, (struct reader *)(void *)private, rc);
        done++;
    }
    return done;
}

void readers_run(struct readers *r, struct reading *list, int count) {
    int begun = 0, done = 0, running = 0;
    while (done < count) {
        for (int i = 0; i < r->width && begun < count; i++)
            if (!r->list[i].now) reader_begin(r, &r->list[i], &list[begun++]);
        curl_multi_perform(r->multi, &running);
        int ended = readers_collect(r);
        done += ended;
        if (!ended && done < count) curl_multi_poll(r->multi, NULL, 0, 1000, NULL);
    }
}

void readers_close(struct readers *r) {
    if (!r) return;
    for (int i = 0; i < r->width; i++) curl_easy_cleanup(r->list[i].handle);
    curl_slist_free_all(r->headers);
    curl_multi_cleanup(r->multi);
    free(r);
}
