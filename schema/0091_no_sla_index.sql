-- A version of an SLA is never deleted, and no list begins with one: an entry less for each new conversation, and on PostgreSQL for each change of one.
DROP INDEX cases_by_sla;
