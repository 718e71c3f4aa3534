#include "core/fields/translation.h"

#include "base/limits.h"
#include "core/desk/setting.h"
#include "json/json.h"

QUERY(translations_keep, "DELETE FROM locale_fields "
                         "WHERE owner_kind = :kind AND owner_id = :owner AND locale NOT IN @TEXTS(:locales)");
/* The time of a translation grows with each change, also within a millisecond, because the ETag of its owner
 * contains it. */
QUERY(translation_write,
      "INSERT INTO locale_fields (owner_kind, owner_id, locale, translation, created_at, updated_at) "
      "VALUES (:kind, :owner, :locale, :text, :now, :now) "
      "ON CONFLICT (owner_kind, owner_id, locale) DO UPDATE "
      "SET translation = excluded.translation, updated_at = CASE "
      "WHEN locale_fields.updated_at < excluded.updated_at THEN excluded.updated_at "
      "ELSE locale_fields.updated_at + 1 END "
      "WHERE locale_fields.translation <> excluded.translation");
QUERY(translations_drop, "DELETE FROM locale_fields WHERE owner_kind = :kind AND owner_id IN @LIST(:owners)");

int64_t translation_limit(enum locale_owner kind) {
    return kind == CONTENTS_OF_ARTICLE ? LIMIT_CONTENTS
           : translation_is_line(kind) ? LIMIT_TITLE
                                       : LIMIT_TEXT;
}

bool translation_is_line(enum locale_owner kind) {
    switch (kind) {
    case DESCRIPTION_OF_FIELD:
    case DESCRIPTION_OF_FORM:
    case DESCRIPTION_OF_CATEGORY:
    case DESCRIPTION_OF_SECTION:
    case CONTENTS_OF_ARTICLE: return false;
    default: return true;
    }
}

struct str locale_now(struct work *w) {
    return setting_text(w->desk, LOCALE_SETTING, w->arena);
}

QUERY(translation_by_id, "SELECT locale, translation FROM locale_fields "
                         "WHERE id = :id AND owner_kind = :kind AND owner_id = :owner");

int translation_find(struct work *w, enum locale_owner kind, int64_t owner_id, int64_t id,
                     struct translation *t) {
    struct stmt *row;
    int rc = db_row(w->conn, &translation_by_id,
                    BINDS(B_INT("id", id), B_INT("kind", kind), B_INT("owner", owner_id)), &row);
    if (rc <= 0) return rc;
    *t = (struct translation){str_dup(w->arena, col_text(row, 0)), str_dup(w->arena, col_text(row, 1))};
    stmt_end(row);
    return 1;
}

int translation_put(struct work *w, enum locale_owner kind, int64_t owner_id, struct translation t) {
    return db_exec(w->conn, &translation_write,
                   BINDS(B_INT("kind", kind), B_INT("owner", owner_id), B_TEXT("locale", t.locale),
                         B_TEXT("text", t.text), B_INT("now", w->now)));
}

int translations_replace(struct work *w, enum locale_owner kind, int64_t owner_id,
                         const struct translation *list, int count) {
    struct buf b = {0};
    struct json_writer j;
    jw_init(&j, &b);
    jw_array(&j);
    for (int i = 0; i < count; i++) jw_str(&j, list[i].locale);
    jw_end(&j);
    int rc = db_exec(w->conn, &translations_keep,
                     BINDS(B_INT("kind", kind), B_INT("owner", owner_id), B_TEXT("locales", buf_view(&b))));
    buf_free(&b);
    for (int i = 0; rc >= 0 && i < count; i++) rc = translation_put(w, kind, owner_id, list[i]);
    return rc;
}

int translations_remove(struct work *w, enum locale_owner kind, struct str owner_ids) {
    return db_exec(w->conn, &translations_drop, BINDS(B_INT("kind", kind), B_TEXT("owners", owner_ids)));
}
