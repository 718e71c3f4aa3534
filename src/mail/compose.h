/* The mail of a letter. */
#ifndef MAIL_COMPOSE_H
#define MAIL_COMPOSE_H

#include "core/cases/letter_result.h"
#include "core/cases/staff_mail.h"
#include "core/desk/job.h"
#include "core/letters/letter.h"
#include "core/mail/mailbox.h"
#include "core/text/template.h"
#include "mail/mime.h"
#include "mail/relay.h"

struct delivery {
    const struct job *job;
    struct letter letter;
    const struct template *template;
    struct wording wording;
    const struct json *values;      /* values of the names in the template */
    struct message_mail reply;      /* a mail that carries a message; all p NULL: none */
    int64_t forward_id;             /* the note of the forward that the mail is; 0: none */
    struct str quoted, quoted_html; /* of a forward: its messages */
    struct mail_part *parts;        /* the files of the message that are attached; the others are links */
    int part_count;
    struct str links;       /* a line for each */
    struct mailbox mailbox; /* mailbox that sends the mail; address n 0: the mailbox of the settings */
    struct relay_login login;
    bool token_busy;       /* another thread renews the access token: the mail is sent a moment later */
    struct str brand_name; /* name of the conversation's brand */
    struct str *references;
    int reference_count;
    bool waits;              /* the mail waits for an earlier mail of the conversation */
    enum mail_status status; /* the new status; MAIL_QUEUED: send later */
    bool again;              /* send again at once, because the server is stopping */
    struct str reason;
};

/* A value of the letter; p NULL, or 0: it has none of this name. */
struct str value_named(const struct json *values, const char *name);
int64_t number_named(const struct json *values, const char *name);

/* Attaches each file that fits into the rest of `most` bytes; below 0: none. The others are links, and so are
 * files that can't be read. Waits for the disk or the network. */
void attach_files(struct work *w, struct delivery *d, int64_t most);
/* The envelope sender, to which delivery reports come. It has the token of the letter. */
struct str return_path_of(struct work *w, const struct delivery *d);
/* p NULL: the address is not valid for mail. */
struct str write_mail(struct work *w, const struct delivery *dy);

#endif
