/* Macros: a reply text and changes of a conversation (docs/CONVERSATIONS.md, "Views and macros"). */
#ifndef CORE_MACRO_H
#define CORE_MACRO_H

#include "core/cases/case.h"

enum macro_visibility { MACRO_PRIVATE = 1, MACRO_TEAM, MACRO_ALL };
enum macro_reply { MACRO_REPLY = 1, MACRO_NOTE };
enum macro_assignee { ASSIGNEE_NOBODY = 1, ASSIGNEE_CALLER, ASSIGNEE_TEAM, ASSIGNEE_AGENT };
enum priority_action { PRIORITY_INCREASE = 1, PRIORITY_DECREASE };
extern const struct word macro_visibilities[], macro_replies[], macro_assignees[], priority_actions[];

/* The names that {{braces}} in a reply text may contain, separated by blanks. */
#define MACRO_VALUES "agent.name brand.name case.id case.subject desk requester.name"
/* Returns the first name in {{braces}} that is not one of them; p NULL: all are. */
struct str macro_unknown_value(struct str contents);

struct macro {
    int64_t id;
    enum macro_reply reply;
    struct str contents; /* p NULL: no reply */
    int64_t status_id, type_id, priority_id, assigned_team_id, assigned_agent_id;
    enum macro_assignee assignee;  /* 0: it stays */
    enum priority_action priority; /* 0: none */
};
int macro_load(struct work *w, int64_t id, struct macro *out); /* 1, 0 absent, or a negative error */
/* The text with its values for this conversation. agent_id: whose name {{agent.name}} is; 0: nobody's. */
int case_text_fill(struct work *w, const struct case_now *c, int64_t agent_id, struct str text,
                   struct str *out);
/* The same, with each value written by `escape`, for a text in another format. NULL: as it is. */
int case_text_fill_as(struct work *w, const struct case_now *c, int64_t agent_id, struct str text,
                      struct str (*escape)(struct arena *a, struct str value), struct str *out);
/* The text of the macro, for the actor. p NULL: it has none. */
int macro_contents(struct work *w, const struct macro *m, const struct case_now *c, struct str *out);
/* Adds the properties that the macro changes to `change`, except those that `change` sets already.
 * References to deleted objects are left out. */
int macro_changes(struct work *w, const struct macro *m, const struct case_now *c,
                  struct case_change *change);
int macro_tags_apply(struct work *w, const struct macro *m, int64_t case_id); /* adds and removes the tags */
/* The ids of the tags that the conversation has after the macro. Returns their number, or a negative
 * error. */
int macro_tags_after(struct work *w, int64_t macro_id, int64_t case_id, int64_t **ids);
int macro_used(struct work *w, int64_t id); /* counts a use */

#endif
