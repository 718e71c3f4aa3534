-- Each INSERT of a message, a note or an activity names its id, which is above those of all three (docs/ARCHITECTURE.md, "Ids of posts").
@SQLITE{
DROP TRIGGER posts_take_ids;
DROP TRIGGER notes_take_ids;
DROP TRIGGER activities_take_ids;
}@

-- One index finds the posts of a conversation, also those of one side: an entry less for each message.
CREATE INDEX posts_in_case ON posts (case_id, id, kind, by_staff, is_requester);
DROP INDEX posts_of_case;
DROP INDEX posts_by_staff;
DROP INDEX posts_by_requester;
-- A target is never deleted, so nobody looks for the clocks of one.
DROP INDEX sla_metrics_of_target;
