-- A customer sees the person who opened a visible conversation for somebody else. Only such conversations are in this index.
CREATE INDEX cases_opened_for ON cases (organization_id, creator_id) WHERE creator_id <> requester_id AND organization_id IS NOT NULL;
