-- Predicates of SLAs, triggers and monitors (docs/RULES.md). src/core/rules/rule_predicate.c deletes those of deleted rules.
CREATE TABLE rule_collections (
    id @ID@,
    owner INTEGER NOT NULL,      -- enum rule_owner: 1 SLA, 2 trigger, 3 monitor
    owner_id BIGINT NOT NULL,
    position INTEGER NOT NULL
);
CREATE INDEX rule_collections_owner ON rule_collections (owner, owner_id);

CREATE TABLE rule_propositions (
    id @ID@,
    collection_id BIGINT NOT NULL REFERENCES rule_collections (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    field TEXT NOT NULL,
    operator TEXT NOT NULL,
    value TEXT NOT NULL          -- JSON as in the API
);
CREATE INDEX rule_propositions_collection ON rule_propositions (collection_id);
