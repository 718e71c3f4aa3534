/* Forwards: messages of a conversation that staff mail to people outside, for example a supplier.
 *
 * A forward is a note with a row of `forwards`, and a letter for each address. Its tokens name the note
 * (core/letters/token.h), so nobody outside gets a token of the conversation. An answer with such a token
 * becomes a note, too, wherever the note of the forward is then (core/mail/receive.c). */
#ifndef CORE_CASES_FORWARD_H
#define CORE_CASES_FORWARD_H

#include "core/cases/message_mail.h"
#include "core/cases/note.h"

#define FORWARD_ADDRESSES 20 /* To and Cc of a forward: each is a mail */
#define FORWARD_POSTS 100    /* messages of a forward */

struct forward_new {
    const struct str *to, *cc; /* valid addresses, none of the desk, each once */
    int to_count, cc_count;
    struct str subject;
    struct str posts;     /* JSON array of ids of messages */
    struct note_new note; /* the text of the sender, and all files that are mailed */
};
/* Adds the note and queues the letters. The caller has locked the conversation. */
int forward_send(struct work *w, const struct forward_new *f, int64_t *note_id);

/* Deletes the note of a forward whose letters still wait (mail.undo_seconds). Only its author may. Fails with
 * RESOURCE_NOT_FOUND if it is no forward of the conversation, and with RESOURCE_ACTION_NOT_AVAILABLE if a
 * letter has left. */
int forward_undo(struct work *w, int64_t case_id, int64_t note_id);

/* Returns 1 and the conversation that has the note of a forward, 0 if there is no such forward, or a negative
 * error. */
int forward_case(struct work *w, int64_t note_id, int64_t *case_id);
/* Returns 1 if the key (email_key) is that of an address of the forward, 0, or a negative error. */
int forward_has_address(struct work *w, int64_t note_id, struct str key);

/* A message as a forward quotes it. */
struct forwarded_post {
    struct str author, text, html; /* html: clean; p NULL: it was written as plain text */
    int64_t at;
};
struct forward_mail {
    struct str subject, author, text, html; /* of the sender. html: clean */
    struct forwarded_post *posts;
    int post_count;
    struct mail_attachment *files; /* content_id: the number of the file */
    int file_count;
};
/* Reads a forward for its mail. Returns 1, 0 if it was deleted, or a negative error. */
int forward_mail_load(struct work *w, int64_t note_id, struct forward_mail *out);

#endif
