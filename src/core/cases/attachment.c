#include "core/cases/attachment.h"

#include "core/desk/file.h"
#include "json/json.h"

QUERY(attachment_insert,
      "INSERT INTO post_attachments (post_id, file_id, content_id, is_inline, sort_order) VALUES (:post, :file, NULL, 0, :place)");
QUERY(attachment_files, "SELECT a.file_id FROM post_attachments a WHERE a.post_id = :post");
QUERY(attachments_counted, "UPDATE cases SET attachments_count = attachments_count + :more WHERE id = :case");
QUERY(attachments_delete, "DELETE FROM post_attachments WHERE post_id = :post");

static int count_attachments(struct work *w, int64_t case_id, int more) {
    return case_id && more ? db_exec(w->conn, &attachments_counted, BINDS(B_INT("case", case_id), B_INT("more", more))) : 0;
}

int attachments_add(struct work *w, struct attached_post p, const int64_t *files, int n) {
    if (n == 0) return 0;
    for (int i = 0; i < n; i++)
        TRY(db_exec(w->conn, &attachment_insert, BINDS(B_INT("post", p.id), B_INT("file", files[i]), B_INT("place", i))));
    TRY(count_attachments(w, p.case_id, n));
    return files_attached(w, json_ids(w->arena, files, (size_t)n));
}

int attachments_drop(struct work *w, struct attached_post p) {
    const struct bind *binds = BINDS(B_INT("post", p.id));
    struct str files;
    int n = files_listed(w, &attachment_files, binds, &files);
    if (n <= 0) return n;
    int dropped = db_exec(w->conn, &attachments_delete, binds);
    TRY(dropped);
    TRY(count_attachments(w, p.case_id, -dropped));
    return files_released(w, files);
}
