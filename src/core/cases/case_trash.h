/* Deletes all conversations in the trash, by a job. */
#ifndef CORE_CASE_TRASH_H
#define CORE_CASE_TRASH_H

#include "work/work.h"

/* Adds a job that deletes the conversations that are in the trash now and that the actor sees. Its `total`
 * is their number. Conversations that come into the trash later stay. */
int trash_empty(struct work *w, int64_t *job_id);

#endif
