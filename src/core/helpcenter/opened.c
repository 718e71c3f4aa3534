#include "core/helpcenter/opened.h"

QUERY(article_open_count, "UPDATE articles SET conversations = conversations + 1 WHERE id = :id");

int article_opened(struct work *w, int64_t article_id) {
    int rc = db_exec(w->conn, &article_open_count, BINDS(B_INT("id", article_id)));
    return rc < 0 ? rc : 0;
}
