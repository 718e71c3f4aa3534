#include "outgoing/fetch.h"

#include "base/buf.h"
#include "outgoing/reach.h"

#define FETCH_HEAD_MAX (32 * 1024)

struct fetching {
    const struct fetch *f;
    struct reach reach;
    struct buf body;
    size_t head;
    bool too_long;
};

static size_t fetch_head(char *line, size_t size, size_t count, void *arg) {
    struct fetching *x = arg;
    (void)line;
    x->head += size * count;
    x->too_long = x->too_long || x->head > FETCH_HEAD_MAX;
    return x->too_long ? 0 : size * count;
}

static size_t fetch_body(char *bytes, size_t size, size_t count, void *arg) {
    struct fetching *x = arg;
    if (size * count > x->f->most - x->body.n) {
        x->too_long = true;
        return 0;
    }
    buf_add(&x->body, bytes, size * count);
    return size * count;
}

static int fetch_goes_on(void *arg, curl_off_t all, curl_off_t now, curl_off_t up, curl_off_t sent) {
    const struct fetching *x = arg;
    (void)all, (void)now, (void)up, (void)sent;
    return x->f->stopping && atomic_load(x->f->stopping);
}

static struct curl_slist *fetch_headers(struct arena *a, const struct fetch *f) {
    struct curl_slist *list = curl_slist_append(NULL, "Accept: application/json");
    struct curl_slist *longer = curl_slist_append(list, "Expect:");
    if (longer) list = longer;
    if (f->authorization.p) {
        longer = curl_slist_append(list, STR_CAT(a, S("Authorization: "), f->authorization).p);
        if (longer) list = longer;
    }
    return list;
}

static void fetch_set(CURL *c, struct fetching *x, struct arena *a) {
    const struct fetch *f = x->f;
    reach_set(c, &x->reach);
    curl_easy_setopt(c, CURLOPT_URL, str_dup(a, f->url).p);
    curl_easy_setopt(c, CURLOPT_USERAGENT, "deskd/" DESKD_VERSION);
    curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, (long)f->timeout_ms);
    curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, fetch_head);
    curl_easy_setopt(c, CURLOPT_HEADERDATA, x);
    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, fetch_body);
    curl_easy_setopt(c, CURLOPT_WRITEDATA, x);
    curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, fetch_goes_on);
    curl_easy_setopt(c, CURLOPT_XFERINFODATA, x);
    if (f->form.p == NULL) return;
    curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)f->form.n);
    curl_easy_setopt(c, CURLOPT_POSTFIELDS, f->form.p);
}

static struct str fetch_failure(struct arena *a, const struct fetching *x, CURLcode rc) {
    if (*x->reach.refused)
        return str_fmt(a, "%s is an address of this machine or of a private network.", x->reach.refused);
    if (x->reach.refused_port) return S("The port is one of a service that does not speak HTTP.");
    if (x->too_long) return S("The reply is too long.");
    if (rc == CURLE_OPERATION_TIMEDOUT)
        return str_fmt(a, "There was no complete reply within %d s.", (int)((x->f->timeout_ms + 999) / 1000));
    return str_fmt(a, "%s.", curl_easy_strerror(rc));
}

void fetch_run(struct arena *a, const struct fetch *f, struct fetched *out) {
    struct fetching x = {.f = f, .reach = {.private_allowed = f->private_allowed}};
    CURL *c = curl_easy_init();
    struct curl_slist *headers = fetch_headers(a, f);
    long code = 0;
    *out = (struct fetched){.why = S("The memory is short.")};
    if (c && headers) {
        fetch_set(c, &x, a);
        curl_easy_setopt(c, CURLOPT_HTTPHEADER, headers);
        CURLcode rc = curl_easy_perform(c);
        curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &code);
        if (rc == CURLE_OK) *out = (struct fetched){(int)code, buf_take(&x.body, a), {0}};
        else out->why = fetch_failure(a, &x, rc);
    }
    buf_free(&x.body);
    curl_slist_free_all(headers);
    curl_easy_cleanup(c);
}
