#include "core/desk/locale.h"

QUERY(locale_by_code, "SELECT locale FROM locales WHERE locale = :code");

int locale_find(struct work *w, struct str code, struct str *locale) {
    char *plain = arena_alloc(w->arena, code.n + 1);
    for (size_t i = 0; i < code.n; i++)
        plain[i] = (char)(code.p[i] == '_'                       ? '-'
                          : code.p[i] >= 'A' && code.p[i] <= 'Z' ? code.p[i] | 0x20
                                                                 : code.p[i]);
    return db_text(w->conn, &locale_by_code, BINDS(B_TEXT("code", ((struct str){plain, code.n}))), w->arena,
                   locale);
}

QUERY(locale_enabled, "SELECT id FROM locales WHERE locale = :locale AND is_enabled = 1");

int locale_is_enabled(struct work *w, struct str locale) {
    int64_t id;
    return db_int(w->conn, &locale_enabled, BINDS(B_TEXT("locale", locale)), &id);
}
