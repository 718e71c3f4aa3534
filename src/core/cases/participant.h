/* Participants of conversations. */
#ifndef CORE_PARTICIPANT_H
#define CORE_PARTICIPANT_H

#include "work/work.h"

/* Does nothing if the person takes part. */
int participant_add(struct work *w, int64_t case_id, int64_t user_id);

#endif
