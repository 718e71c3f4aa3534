#include "core/access/scope.h"

#include "base/buf.h"

#include <stdio.h>

const struct scope scopes[] = {
    {"users", "See people, organizations and teams",
     "See, add, change and delete people, organizations and teams"},
    {"conversations", "Read conversations, notes, mails and articles",
     "Read, write, change and delete conversations, notes, mails and articles"},
    {"insights", "See reports", "See and change reports"},
    {"search", "Search everything that you may see", "Search everything that you may see"},
    {"configuration", "See the configuration of the desk", "See and change the configuration of the desk"},
    {0},
};

#define WRITES UINT32_C(0xAAAAAAAA) /* the write bits: odd positions */

uint32_t scope_bit(struct str name, bool writes) {
    for (int i = 0; scopes[i].name; i++)
        if (str_eq(str_of(scopes[i].name), name)) return UINT32_C(1) << (2 * i + writes);
    return 0;
}

static uint32_t scope_bits(int i, bool writes) { return UINT32_C(1) << (2 * i + writes); }

bool scope_parse(struct str text, uint32_t *mask) {
    const char *colon = memchr(text.p ? text.p : "", ':', text.n);
    struct str name = colon ? (struct str){text.p, (size_t)(colon - text.p)} : text;
    struct str level = colon ? (struct str){colon + 1, text.n - name.n - 1} : S("write");
    bool writes = str_eq(level, S("write"));
    uint32_t bit = writes || str_eq(level, S("read")) ? scope_bit(name, writes) : 0;
    *mask |= bit;
    return bit != 0;
}

static void scopes_put(struct buf *b, uint32_t mask, const char *between) {
    const char *separator = "";
    for (int i = 0; scopes[i].name; i++)
        for (int writes = 0; writes < 2; writes++) {
            if (!(mask & scope_bits(i, writes))) continue;
            buf_fmt(b, "%s%s:%s", separator, scopes[i].name, writes ? "write" : "read");
            separator = between;
        }
}

struct str scopes_json(struct arena *a, uint32_t mask) {
    struct buf b = {0};
    if (mask == 0) return S("[]");
    buf_text(&b, "[\"");
    scopes_put(&b, mask, "\",\"");
    buf_text(&b, "\"]");
    return buf_take(&b, a);
}

struct str scopes_text(struct arena *a, uint32_t mask) {
    struct buf b = {0};
    scopes_put(&b, mask, " ");
    return buf_take(&b, a);
}

uint32_t scopes_every(void) {
    uint32_t mask = 0;
    for (int i = 0; scopes[i].name; i++) mask |= scope_bits(i, false) | scope_bits(i, true);
    return mask;
}

uint32_t scopes_write(void) { return scopes_every() & WRITES; }

uint32_t scopes_within(uint32_t wanted, uint32_t owned) {
    uint32_t writes = owned & WRITES;
    return wanted & (owned | writes >> 1);
}

static uint32_t scopes_with_reads(uint32_t mask) { return mask | (mask & WRITES) >> 1; }

uint32_t scopes_common(uint32_t a, uint32_t b) { return scopes_with_reads(a) & scopes_with_reads(b); }

bool scopes_check(const struct scope *list, char *err, size_t size) {
    for (int i = 0; list[i].name; i++) {
        const char *why = i >= 16 ? "a mask has room for 16 scopes" : NULL;
        if (why == NULL && (list[i].reads == NULL || list[i].writes == NULL))
            why = "it has no text of its rights";
        for (int k = 0; k < i && why == NULL; k++)
            if (strcmp(list[k].name, list[i].name) == 0) why = "another row has its name";
        if (why) return snprintf(err, size, "table of scopes, %s: %s", list[i].name, why), false;
    }
    return true;
}

uint32_t scopes_named(const char *names) {
    uint32_t mask = 0;
    for (struct str rest = str_of(names); rest.n;) {
        struct str name = str_cut(&rest, ' ');
        mask |= scope_bit(name, false) | scope_bit(name, true);
    }
    return mask;
}

bool scopes_include(const char *names, const char *name) {
    for (struct str rest = str_of(names); rest.n;)
        if (str_eq(str_cut(&rest, ' '), str_of(name))) return true;
    return false;
}

bool scopes_known(const char *names) {
    for (struct str rest = str_of(names); rest.n;)
        if (scope_bit(str_cut(&rest, ' '), false) == 0) return false;
    return true;
}

bool scope_granted(const struct actor *a, const char *name, bool writes) {
    uint32_t write = scope_bit(str_of(name), true), read = scope_bit(str_of(name), false);
    return name[0] == 0 || (a->scopes & (writes ? write : read | write)) != 0;
}
