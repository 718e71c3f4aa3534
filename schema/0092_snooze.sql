-- Conversations that are put aside for a time, or until the customer replies (docs/CONVERSATIONS.md, "Snooze").
ALTER TABLE cases ADD COLUMN snoozed_at BIGINT; -- NULL: it is not snoozed
ALTER TABLE cases ADD COLUMN snoozed_until BIGINT; -- NULL: until a reply
ALTER TABLE cases ADD COLUMN snoozed_by_id BIGINT REFERENCES users (id);
CREATE INDEX cases_snoozed ON cases (snoozed_until, id) WHERE snoozed_at IS NOT NULL;

-- A system view. It stands behind the inbox.
INSERT INTO views (title, type, visibility_type, predicate_collections, columns, order_by_column, order_by, sort_order, is_default, is_system, created_at, updated_at)
    SELECT 'Snoozed', 4, 1, '[{"propositions":[{"field":"cases.issnoozed","operator":"comparison_equalto","value":"1"}]}]',
        '["subject","requesterid","assigneeagentid","snoozeduntil"]', 'snoozeduntil', 1, v.sort_order, 0, 1, v.created_at, v.updated_at
    FROM views v WHERE v.type = 1;
