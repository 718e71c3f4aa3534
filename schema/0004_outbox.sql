-- What the processes of one desk tell each other, and what they count together.

-- Entries are written in the transaction of what they tell of, and read by the other processes: src/core/outbox.c.
CREATE TABLE outbox (
    id @ID@,
    xid @XID@, -- of the transaction that wrote it: ids are taken before the COMMIT, so they say nothing of what was read
    topic TEXT NOT NULL,
    payload TEXT NOT NULL,
    origin TEXT NOT NULL, -- the process that wrote it
    created_at BIGINT NOT NULL
);
CREATE INDEX outbox_unseen ON outbox (xid, id);
CREATE INDEX outbox_old ON outbox (created_at);

-- Writes without a login, counted by address and minute since 1970.
CREATE TABLE public_writes (
    address TEXT NOT NULL,
    minute BIGINT NOT NULL,
    n BIGINT NOT NULL,
    PRIMARY KEY (address, minute)
);
CREATE INDEX public_writes_old ON public_writes (minute);
