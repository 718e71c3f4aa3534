#include "core/helpcenter/version.h"

#include "base/limits.h"

QUERY(article_version_insert,
      "INSERT INTO article_versions (article_id, user_id, texts, bytes, created_at) "
      "SELECT a.id, a.texts_user_id, CAST(:texts AS TEXT), CAST(:bytes AS BIGINT), a.texts_at "
      "FROM articles a WHERE a.id = :id");
QUERY(article_version_forget,
      "DELETE FROM article_versions WHERE article_id = :id AND id <= (SELECT MAX(s.id) FROM (SELECT v.id, "
      "ROW_NUMBER() OVER (ORDER BY v.id DESC) AS nth, SUM(v.bytes) OVER (ORDER BY v.id DESC) AS size "
      "FROM article_versions v WHERE v.article_id = :id) s WHERE s.nth > :kept OR (s.nth > 1 "
      "AND s.size > :size))");
QUERY(article_version_texts,
      "SELECT v.texts FROM article_versions v WHERE v.id = :version AND v.article_id = :id");

int article_version_keep(struct work *w, int64_t article_id, const struct article_texts *present) {
    struct str texts = article_texts_json(w->arena, present);
    TRY(db_exec(w->conn, &article_version_insert,
                BINDS(B_INT("id", article_id), B_TEXT("texts", texts), B_INT("bytes", (int64_t)texts.n))));
    int gone = db_exec(w->conn, &article_version_forget,
                       BINDS(B_INT("id", article_id), B_INT("kept", LIMIT_VERSIONS),
                             B_INT("size", LIMIT_ARTICLE_VERSIONS_SIZE)));
    if (gone > 0)
        notice(w, "NOTICE",
               "The oldest version was deleted: at most %d versions of %d bytes in total are "
               "kept.",
               LIMIT_VERSIONS, LIMIT_ARTICLE_VERSIONS_SIZE);
    return gone < 0 ? gone : 0;
}

int article_version_load(struct work *w, int64_t article_id, int64_t version_id, struct article_texts *out) {
    struct str texts;
    int rc = db_text(w->conn, &article_version_texts,
                     BINDS(B_INT("id", article_id), B_INT("version", version_id)), w->arena, &texts);
    if (rc <= 0) return rc;
    TRY(article_texts_parse(w->arena, texts, out));
    return 1;
}
