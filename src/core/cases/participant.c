#include "core/cases/participant.h"

QUERY(participant_insert, "INSERT INTO case_participants (case_id, user_id) "
                          "VALUES (:case, :user) ON CONFLICT (case_id, user_id) DO NOTHING");

int participant_add(struct work *w, int64_t case_id, int64_t user_id) {
    return db_exec(w->conn, &participant_insert, BINDS(B_INT("case", case_id), B_INT("user", user_id)));
}
