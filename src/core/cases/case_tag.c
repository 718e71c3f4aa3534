/* Tags of conversations, and the people who take part in them. */
#include "core/cases/case.h"

#include "core/cases/case_total.h"
#include "core/people/tag.h"

QUERY(case_tags_add, "INSERT INTO case_tags (case_id, tag_id) "
                     "SELECT CAST(:owner AS BIGINT), id FROM tags "
                     "WHERE gone = 0 AND name_key IN @TEXTS(:keys) ON CONFLICT (case_id, tag_id) DO NOTHING");
QUERY(case_tags_keep,
      "DELETE FROM case_tags "
      "WHERE case_id = :owner AND tag_id NOT IN (SELECT id FROM tags WHERE name_key IN @TEXTS(:keys))");
QUERY(case_tags_drop,
      "DELETE FROM case_tags "
      "WHERE case_id = :owner AND tag_id IN (SELECT id FROM tags WHERE name_key IN @TEXTS(:keys))");
QUERY(case_tags_count, "SELECT COUNT(*) FROM case_tags WHERE case_id = :owner");
QUERY(case_tags_listed, "SELECT tag_id FROM case_tags WHERE case_id = :owner ORDER BY tag_id LIMIT :most");
QUERY(case_tags_changed,
      "UPDATE cases "
      "SET updated_at = :now, last_updated_by_id = CASE WHEN :by_rule = 1 THEN last_updated_by_id "
      "ELSE CAST(:actor AS BIGINT) END WHERE id = :owner");
QUERY(case_tags_named, "SELECT t.name FROM case_tags k JOIN tags t ON t.id = k.tag_id "
                       "WHERE k.case_id = :owner AND t.name <> '' ORDER BY t.name_key");

const struct tagging case_tagging = {.add = &case_tags_add,
                                     .keep = &case_tags_keep,
                                     .drop = &case_tags_drop,
                                     .count = &case_tags_count,
                                     .listed = &case_tags_listed,
                                     .changed = &case_tags_changed,
                                     .named = &case_tags_named,
                                     .kind = "case",
                                     .counted = case_tags_counted};

QUERY(participant_insert, "INSERT INTO case_participants (case_id, user_id) "
                          "VALUES (:case, :user) ON CONFLICT (case_id, user_id) DO NOTHING");

int participant_add(struct work *w, int64_t case_id, int64_t user_id) {
    return db_later(w->conn, &participant_insert, BINDS(B_INT("case", case_id), B_INT("user", user_id)));
}
