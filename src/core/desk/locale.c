#include "core/desk/locale.h"

QUERY(locale_by_code, "SELECT locale FROM locales WHERE locale = :code");

int locale_find(struct work *w, struct str code, struct str *locale) {
    char *plain = arena_alloc(w->arena, code.n + 1);
    for (size_t i = 0; i < code.n; i++)
        plain[i] = (char)(code.p[i] == '_' ? '-' : code.p[i] >= 'A' && code.p[i] <= 'Z' ? code.p[i] | 0x20 : code.p[i]);
    return db_text(w->conn, &locale_by_code, BINDS(B_TEXT("code", ((struct str){plain, code.n}))), w->arena, locale);
}
