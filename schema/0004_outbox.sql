-- Messages between the processes of one desk, and counters that they share.

-- An entry is written in the transaction of the change it reports. The other processes read it:
-- src/core/change/outbox.c.
CREATE TABLE outbox (
    id @ID@,
    xid @XID@, -- of the transaction that wrote the entry; ids are assigned before the COMMIT, so they don't tell what a reader has seen
    topic TEXT NOT NULL,
    payload TEXT NOT NULL,
    origin TEXT NOT NULL, -- the process that wrote it
    created_at BIGINT NOT NULL
);
CREATE INDEX outbox_unseen ON outbox (xid, id);
CREATE INDEX outbox_old ON outbox (created_at);

-- Writes without credentials, counted by address and minute since 1970.
CREATE TABLE public_writes (
    address TEXT NOT NULL,
    minute BIGINT NOT NULL,
    n BIGINT NOT NULL,
    PRIMARY KEY (address, minute)
);
CREATE INDEX public_writes_old ON public_writes (minute);
