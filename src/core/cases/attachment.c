#include "core/cases/attachment.h"

#include "core/desk/file.h"
#include "json/json.h"

QUERY(attachment_insert,
      "INSERT INTO post_attachments (post_id, file_id, content_id, is_inline, sort_order) VALUES (:post, :file, NULL, 0, :place)");
QUERY(attachment_files, "SELECT a.file_id FROM post_attachments a WHERE a.post_id = :post");
QUERY(attachments_delete, "DELETE FROM post_attachments WHERE post_id = :post");

int attachments_add(struct work *w, int64_t post_id, const int64_t *files, int n) {
    if (n == 0) return 0;
    for (int i = 0; i < n; i++)
        TRY(db_exec(w->conn, &attachment_insert, BINDS(B_INT("post", post_id), B_INT("file", files[i]), B_INT("place", i))));
    return files_attached(w, json_ids(w->arena, files, (size_t)n));
}

int attachments_drop(struct work *w, int64_t post_id) {
    const struct bind *binds = BINDS(B_INT("post", post_id));
    struct str files;
    int n = files_listed(w, &attachment_files, binds, &files);
    if (n <= 0) return n;
    TRY(db_exec(w->conn, &attachments_delete, binds));
    return files_released(w, files);
}
