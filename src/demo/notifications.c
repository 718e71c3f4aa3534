/* Notifications of the demo desk: what staff were told of the newest conversations. The owner, as whom guides and
 * examples run, is told of some notes. */
#include "demo/extras.h"
#include "demo/fill.h"

#include "core/people/notification.h"

#define NOTIFIED_CASES 300
#define DEMO_NOTIFICATION \
    "INSERT INTO notifications (user_id, case_id, type, post_id, actor_id, others_count, read_at, created_at) "
/* Two of three are read. */
#define DEMO_READ "CASE WHEN c.id % 3 = 0 THEN NULL ELSE c.updated_at END"

QUERY(demo_told_assigned,
      DEMO_NOTIFICATION "SELECT c.assigned_agent_id, c.id, CAST(:type AS INTEGER), NULL, NULL, 0, " DEMO_READ
                        ", c.created_at FROM cases c WHERE c.id > :after AND c.state = 1 "
                        "AND c.assigned_agent_id IS NOT NULL ORDER BY c.id");
QUERY(demo_told_replied, DEMO_NOTIFICATION
      "SELECT c.assigned_agent_id, c.id, CAST(:type AS INTEGER), p.id, p.creator_id, 0, " DEMO_READ
      ", p.created_at FROM cases c JOIN posts p ON p.id = c.last_message_id AND p.case_id = c.id "
      "WHERE c.id > :after AND c.state = 1 AND c.assigned_agent_id IS NOT NULL "
      "AND c.message_seq > 1 AND p.by_staff = 0 ORDER BY p.id");
QUERY(demo_told_owner,
      DEMO_NOTIFICATION "SELECT 1, c.id, CAST(:type AS INTEGER), n.id, n.user_id, 0, NULL, n.created_at "
                        "FROM cases c JOIN notes n ON n.case_id = c.id WHERE c.state = 1 AND n.user_id <> 1 "
                        "ORDER BY n.id DESC LIMIT 5");

int fill_notifications(struct conn *c, struct filling *f) {
    int64_t after = f->world.conversations - NOTIFIED_CASES;
    TRY(db_exec(c, &demo_told_assigned, BINDS(B_INT("after", after), B_INT("type", NOTIFY_AGENT))));
    TRY(db_exec(c, &demo_told_replied, BINDS(B_INT("after", after), B_INT("type", NOTIFY_REPLY))));
    return db_exec(c, &demo_told_owner, BINDS(B_INT("type", NOTIFY_MENTION)));
}
