-- Counters that a conversation changes together are beside each other (src/core/cases/case_total.c). Kinds: 1 of the team `id`, 2 of the agent `id`, 5 requester, 6 organization,
-- 7 tag. `with_id` of kind 1: 0 without an agent, -1 all of the team; id 0: no team, with -1 all conversations. Of kind 2: the team, 0 none, -1 all of the agent.
UPDATE case_totals SET kind = 11, with_id = -1 WHERE kind IN (1, 2);
UPDATE case_totals SET kind = 12, with_id = -1 WHERE kind = 3;
UPDATE case_totals SET kind = 12, id = with_id, with_id = id WHERE kind = 4 AND with_id <> 0;
UPDATE case_totals SET kind = 11 WHERE kind = 4;
UPDATE case_totals SET kind = kind - 10 WHERE kind > 10;
