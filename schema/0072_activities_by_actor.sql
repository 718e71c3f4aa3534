-- The list of the posts of a person, with activities.
CREATE INDEX activities_by_actor ON activities (actor_id, id, owner_case_id) WHERE owner_case_id IS NOT NULL;
