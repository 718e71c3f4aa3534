/* Presence: who views, types in or updates a conversation, and who is online.
 *
 * A person is online while a socket of that person has joined the person's own channel
 * (user_presence-...). Others who may read the person listen there, and are not present in it.
 *
 * It is kept in memory only. Each socket that joins a conversation is one meta of its person, so a person with
 * three tabs is one key with three metas. A client describes itself by pushes of `update-presence-meta`; typing
 * ends TYPING_MS after the last one.
 *
 * Processes that share a desk tell each other by the outbox: changes at once, everything every RENEW_MS. What is
 * not renewed ends after FORGET_MS, so a process that was killed leaves nobody behind.
 *
 * A listener is told of the people that a GET /users/:id shows to the same caller, with the name and the picture
 * that it shows. Only staff are told who updates a conversation: that includes notes. */
#ifndef LIVE_PRESENCE_H
#define LIVE_PRESENCE_H

#include "json/json.h"
#include "live/subscriptions.h"

/* The socket has joined a conversation or a person: it becomes present, unless it only listens, and is
 * told who is. */
void presence_join(struct hub *h, struct subscription *s);
void presence_push(struct hub *h, struct subscription *s, const struct json *payload);
/* Ends what is over, and tells the other processes what has changed. Without a snapshot. */
void presence_share(struct hub *h);
void presence_tick(struct hub *h); /* the same for the own listeners, in the snapshot of the turn */
/* Takes a message of another process, as it came by the outbox. p NULL: messages may have been missed. */
void presence_hear(struct hub *h, struct str told);
void presence_end(struct hub *h);

#endif
