-- Activities of conversations are found by activities_by_actor, so each activity writes one of both indexes.
DROP INDEX activities_of_address;
CREATE INDEX activities_of_address ON activities (actor_id, id) WHERE ip_address IS NOT NULL AND owner_case_id IS NULL;
