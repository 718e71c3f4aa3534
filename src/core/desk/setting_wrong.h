/* Checks of the texts of settings. Each returns NULL, or a sentence that says why the text is invalid. */
#ifndef CORE_SETTING_WRONG_H
#define CORE_SETTING_WRONG_H

#include "base/arena.h"
#include "base/str.h"

const char *plus_wrong(struct arena *a, struct str text); /* an address with a plus part */
const char *dns_server_wrong(struct arena *a, struct str text);
const char *authserv_id_wrong(struct arena *a, struct str text);
const char *blocklist_wrong(struct arena *a, struct str text); /* a sender in each line */
/* Origins, separated by blanks. The first also takes *, the second 'self'. */
const char *cors_origins_wrong(struct arena *a, struct str text);
const char *frame_ancestors_wrong(struct arena *a, struct str text);

#endif
