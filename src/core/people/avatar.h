/* Uploaded pictures of people, scaled. They are small, so the store keeps them: backups and other
 * processes have them. */
#ifndef CORE_AVATAR_H
#define CORE_AVATAR_H

#include "work/work.h"

#define AVATAR_SIDE 256 /* pixels */

int avatar_set(struct work *w, int64_t user_id, struct str type, struct str data);
int avatar_clear(struct work *w, int64_t user_id);
/* 1, or 0 if there is none */
int avatar_find(struct work *w, int64_t user_id, struct str *type, struct str *data);

#endif
