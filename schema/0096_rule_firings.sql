-- The trigger or monitor that acted, with the channel and the event of what it saw (enums of src/core/words.h; NULL: none). A rule may have been deleted since.
-- Activities of older versions have the name of the rule in cause alone.
ALTER TABLE activities ADD COLUMN trigger_id BIGINT; -- no foreign key, because the trail outlives its objects
ALTER TABLE activities ADD COLUMN monitor_id BIGINT;
ALTER TABLE activities ADD COLUMN rule_channel INTEGER;
ALTER TABLE activities ADD COLUMN rule_event INTEGER;
CREATE INDEX activities_of_trigger ON activities (trigger_id, id) WHERE trigger_id IS NOT NULL;
CREATE INDEX activities_of_monitor ON activities (monitor_id, id) WHERE monitor_id IS NOT NULL;
