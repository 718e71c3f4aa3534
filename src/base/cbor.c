#include "base/cbor.h"

enum cbor_type {
    CBOR_UNSIGNED,
    CBOR_NEGATIVE,
    CBOR_BYTES,
    CBOR_TEXT,
    CBOR_ARRAY,
    CBOR_MAP,
    CBOR_TAG,
    CBOR_SIMPLE
};

struct cbor_head {
    enum cbor_type type;
    uint64_t value; /* the number, length, count or tag */
};

static bool cbor_head_read(struct str *rest, struct cbor_head *out) {
    if (rest->n == 0) return false;
    unsigned first = (unsigned char)rest->p[0], more = first & 31, bytes = more < 24 ? 0 : 1U << (more - 24);
    if (more > 27 || rest->n < 1 + (size_t)bytes) return false; /* 28 to 30: reserved; 31: indefinite */
    *out = (struct cbor_head){(enum cbor_type)(first >> 5), more < 24 ? more : 0};
    for (unsigned i = 0; i < bytes; i++) out->value = out->value << 8 | (unsigned char)rest->p[1 + i];
    *rest = (struct str){rest->p + 1 + bytes, rest->n - 1 - bytes};
    return true;
}

/* Cuts the content of a string whose head was read. */
static bool cbor_cut(struct str *rest, uint64_t length, struct str *out) {
    if (length > rest->n) return false;
    *out = (struct str){rest->p, (size_t)length};
    *rest = (struct str){rest->p + length, rest->n - (size_t)length};
    return true;
}

/* The items that follow a head: each has at least one byte, so a greater count is refused before the walk. */
static bool cbor_items(const struct cbor_head *h, size_t room, uint64_t *out) {
    *out = h->type == CBOR_ARRAY ? h->value : h->type == CBOR_TAG ? 1 : 0;
    if (h->type == CBOR_MAP) {
        if (h->value > room / 2) return false;
        *out = 2 * h->value;
    }
    return *out <= room;
}

bool cbor_skip(struct str *rest) {
    uint64_t left[CBOR_DEPTH]; /* items that each open level still needs */
    int depth = 0;
    for (;;) {
        struct cbor_head h;
        struct str content;
        uint64_t items;
        if (!cbor_head_read(rest, &h)) return false;
        if ((h.type == CBOR_BYTES || h.type == CBOR_TEXT) && !cbor_cut(rest, h.value, &content)) return false;
        if (h.type == CBOR_TEXT && !utf8_valid(content)) return false;
        if (!cbor_items(&h, rest->n, &items)) return false;
        if (items) {
            if (depth == CBOR_DEPTH) return false;
            left[depth++] = items;
            continue;
        }
        while (depth && --left[depth - 1] == 0) depth--;
        if (depth == 0) return true;
    }
}

static bool cbor_expect(struct str *rest, enum cbor_type type, uint64_t *value) {
    struct str at = *rest;
    struct cbor_head h;
    if (!cbor_head_read(&at, &h) || h.type != type) return false;
    *value = h.value;
    *rest = at;
    return true;
}

bool cbor_map(struct str *rest, uint64_t *pairs) { return cbor_expect(rest, CBOR_MAP, pairs); }

bool cbor_text(struct str *rest, struct str *out) {
    uint64_t length;
    return cbor_expect(rest, CBOR_TEXT, &length) && cbor_cut(rest, length, out) && utf8_valid(*out);
}

bool cbor_bytes(struct str *rest, struct str *out) {
    uint64_t length;
    return cbor_expect(rest, CBOR_BYTES, &length) && cbor_cut(rest, length, out);
}

bool cbor_int(struct str *rest, int64_t *out) {
    uint64_t value;
    bool negative = cbor_expect(rest, CBOR_NEGATIVE, &value);
    if (!negative && !cbor_expect(rest, CBOR_UNSIGNED, &value)) return false;
    if (value > INT64_MAX) return false;
    *out = negative ? -1 - (int64_t)value : (int64_t)value;
    return true;
}
