#include "core/login/token_text.h"

#define PREFIX 4
#define DIGITS 64
#define FAMILY_DIGITS 32
#define SECRET_DIGITS (DIGITS - FAMILY_DIGITS)

static const char *const prefixes[] = {
    [TOKEN_ACCESS] = "dka_", [TOKEN_REFRESH] = "dkr_", [TOKEN_API] = "dkp_",
    [TOKEN_CODE] = "dkc_",   [TOKEN_SECRET] = "dks_",  [TOKEN_EVENT] = "dke_"};

struct str token_text_make(struct arena *a, enum token_kind kind) {
    return str_fmt(a, "%s%s", prefixes[kind], random_hex(a, DIGITS / 2).p);
}

struct str token_text_hash(struct work *w, struct str text) {
    return mac_hex(w->arena, &w->desk->program_key, text);
}

bool token_text_is(enum token_kind kind, struct str text) {
    if (text.n != PREFIX + DIGITS || memcmp(text.p, prefixes[kind], PREFIX) != 0) return false;
    for (size_t i = PREFIX; i < text.n; i++)
        if (!(text.p[i] >= '0' && text.p[i] <= '9') && !(text.p[i] >= 'a' && text.p[i] <= 'f')) return false;
    return true;
}

struct str family_make(struct arena *a) {
    return random_hex(a, FAMILY_DIGITS / 2);
}

struct str refresh_text_make(struct arena *a, struct str family) {
    return STR_CAT(a, str_of(prefixes[TOKEN_REFRESH]), family, random_hex(a, SECRET_DIGITS / 2));
}

struct str refresh_text_family(struct str text) {
    return (struct str){text.p + PREFIX, FAMILY_DIGITS};
}

struct str refresh_text_successor(struct work *w, struct str text) {
    struct str digits = mac_hex(w->arena, &w->desk->program_key, STR_CAT(w->arena, S("successor of "), text));
    return STR_CAT(w->arena, (struct str){text.p, PREFIX + FAMILY_DIGITS},
                   (struct str){digits.p, SECRET_DIGITS});
}
