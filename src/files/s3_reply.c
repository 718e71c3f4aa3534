#include "files/s3_reply.h"

#include "base/clock.h"

#include <curl/curl.h>
#include <stdio.h>
#include <string.h>

/* Moves *rest behind the next element of this name, and returns its text; p NULL: there is none. */
static struct str element_next(struct str *rest, const char *name) {
    char begin[48], end[48];
    int begins = snprintf(begin, sizeof begin, "<%s>", name), ends = snprintf(end, sizeof end, "</%s>", name);
    const char *from = rest->n ? memmem(rest->p, rest->n, begin, (size_t)begins) : NULL;
    if (from == NULL) return (struct str){0};
    from += begins;
    size_t left = (size_t)(rest->p + rest->n - from);
    const char *to = memmem(from, left, end, (size_t)ends);
    if (to == NULL) return (struct str){0};
    *rest = (struct str){to + ends, left - (size_t)(to - from) - (size_t)ends};
    return (struct str){from, (size_t)(to - from)};
}

struct str s3_member(struct arena *a, struct str xml, const char *name) {
    struct str found = element_next(&xml, name);
    return found.p ? str_dup(a, found) : found;
}

static bool is_word_of_code(struct str s) {
    for (size_t i = 0; i < s.n; i++)
        if (!((s.p[i] >= 'a' && s.p[i] <= 'z') || (s.p[i] >= 'A' && s.p[i] <= 'Z'))) return false;
    return s.n > 0 && s.n <= 60;
}

struct str s3_code(struct str xml) {
    struct str code = element_next(&xml, "Code");
    return is_word_of_code(code) ? code : S("");
}

static int64_t now_there(struct str date) {
    time_t there = date.n ? curl_getdate(date.p, NULL) : -1;
    return there < 0 ? clock_now(&(struct clock){0}) : (int64_t)there * TIME_SECOND;
}

int s3_uploads_older(struct str xml, struct str date, int64_t age) {
    struct str rest = xml, item;
    int64_t now = now_there(date), begun;
    int n = 0;
    while ((item = element_next(&rest, "Upload")).p)
        if (time_parse_iso(element_next(&item, "Initiated"), &begun) && now - begun >= age) n++;
    return n;
}

bool s3_found_add(struct s3_found *f, struct str xml, struct str date) {
    struct str rest = xml, item, truncated = element_next(&(struct str){xml.p, xml.n}, "IsTruncated");
    int64_t now = now_there(date);
    while ((item = element_next(&rest, "Contents")).p) {
        struct str in = item, key = element_next(&in, "Key"), size, written;
        int64_t bytes = -1, at = now;
        in = item, size = element_next(&in, "Size");
        in = item, written = element_next(&in, "LastModified");
        str_to_int(size, &bytes);
        time_parse_iso(written, &at);
        if (key.n < f->skipped) continue;
        f->list = arena_more(f->arena, f->list, f->count, &f->room, sizeof *f->list);
        f->list[f->count++] =
            (struct s3_object){str_dup(f->arena, (struct str){key.p + f->skipped, key.n - f->skipped}), bytes,
                               now > at ? now - at : 0};
    }
    return str_eq(truncated, S("true"));
}
