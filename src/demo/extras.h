/* Rows that refer to conversations of a demo desk: tags, notes, files, ratings, values of custom fields,
 * merges. */
#ifndef CORE_DEMO_EXTRAS_H
#define CORE_DEMO_EXTRAS_H

#include "demo/fill.h"

/* A file that customers attach. The command stores its content. */
struct demo_file {
    const char *name, *type, *data;
    size_t size;
    int width, height, picture_type; /* enum picture_type of files/picture.h; 0: no picture */
};
extern const struct demo_file demo_files[DEMO_FILES];
struct str demo_file_sha256(struct arena *a, int file); /* 64 hex digits */

int fill_tags_and_fields(struct conn *c, struct filling *f);
/* Also completes the row of the conversation. Call it behind the last message of the conversation, whose
 * id is f->posts. A note takes the next id. */
int fill_extras(struct conn *c, struct filling *f, const struct demo_case *dc);
/* business hours, SLAs and clocks, when all conversations are there */
int fill_slas(struct conn *c, struct filling *f);
/* triggers, a monitor and an endpoint, when all conversations are there */
int fill_rules(struct conn *c, struct filling *f);
int fill_programs(struct conn *c, struct filling *f); /* an OAuth client, its grants, an API token */
int fill_events(struct conn *c, struct filling *f);   /* events of customer@, when all people are there */
int fill_notifications(struct conn *c, struct filling *f); /* after the merges */
int fill_mails(struct conn *c, struct filling *f);         /* mailboxes and mails, after the merges */
int fill_merges(struct conn *c, struct filling *f); /* when all other rows and their counters are there */

#endif
