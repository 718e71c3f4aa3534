/* Event tokens: the addresses to which other systems report events (docs/PROGRAMS.md, "Events"). */
#ifndef CORE_EVENT_TOKEN_H
#define CORE_EVENT_TOKEN_H

#include "work/work.h"

struct event_token_new {
    struct str label, description, channel; /* description.p NULL: none */
    bool is_enabled;
};
int event_token_create(struct work *w, const struct event_token_new *n, int64_t *id);

/* The text of a token from its sealed form; p NULL: it was sealed under another key. */
struct str event_token_open(struct work *w, struct str sealed);

struct event_token {
    int64_t id;
    struct str label;
};
/* Finds the enabled token with this text. Returns 1, 0 if there is none or it is disabled, or a negative
 * error. */
int event_token_find(struct work *w, struct str text, struct event_token *out);

/* In a write: stores the time of use, at most once in TOKEN_USE_STEP, so that few webhooks change the row. */
#define TOKEN_USE_STEP (15 * TIME_SECOND)
int event_token_used(struct work *w, int64_t id);

/* Replaces the icon. The caller has locked the row. 0: none. */
int event_token_set_icon(struct work *w, int64_t id, int64_t file_id);
/* Reads the icons of tokens (JSON array) as a JSON array. Call it before the rows are deleted, and
 * files_released afterwards. */
int event_tokens_icons(struct work *w, struct str tokens, struct str *files);

#endif
