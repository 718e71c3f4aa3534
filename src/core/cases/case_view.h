/* Views: stored predicates over conversations, with columns and an order (docs/CONVERSATIONS.md, "Views
 * and macros"). */
#ifndef CORE_CASE_VIEW_H
#define CORE_CASE_VIEW_H

#include "core/access/access.h"
#include "core/predicates/predicate.h"
#include "core/words.h"

enum view_type { VIEW_INBOX = 1, VIEW_SUSPENDED, VIEW_TRASH, VIEW_CUSTOM };
enum view_visibility { VIEW_ALL = 1, VIEW_SELF, VIEW_TEAM };
enum view_order { VIEW_ASCENDING = 1, VIEW_DESCENDING };
extern const struct word view_types[], view_visibilities[], view_orders[];

/* A column that views may show. */
struct case_column {
    const char *name, *title; /* title NULL: the column of a custom field, which has titles of its own */
    const char *key;          /* SQL over t, never NULL, by which a view may be ordered; NULL: not an order */
    bool is_text;             /* the key is a text, not a number */
    /* each change of a key has an entry in the change log about the conversation, or about the person or
     * team that it names. Deadlines, positions of options and what a change without effect updates have
     * none */
    bool is_logged;
};
extern const struct case_column case_columns[]; /* ends with name NULL; without those of custom fields */
#define CASE_FIELD_COLUMN "case_field_"         /* and the id of the custom field */
/* Finds a column by its name, in any letter case. *out NULL: there is none. Returns 0 or a negative error. */
int case_column_find(struct work *w, struct str name, const struct case_column **out);

/* True if the text is the stored name of a column, also of a custom field that is gone. */
bool is_case_column(struct str name);

#define VIEW_ORDER "updatedat" /* order of a new view, and of a view whose column is no longer an order */

/* The types of status in the inbox, as bits of 1 << enum status_type. */
#define INBOX_TYPES (1U << STATUS_NEW | 1U << STATUS_OPEN | 1U << STATUS_PENDING | 1U << STATUS_CUSTOM)

/* The conversations of a view, of those that the actor sees. */
struct view_rows {
    enum view_type type;
    const char *state; /* condition on the state, over t */
    struct condition condition;
    struct case_assignment assigned; /* of all of them: the condition asks for it */
    const struct case_column *order; /* keys of this column are kept with a count; NULL: none */
};
/* Reads a stored view for the actor. d: the definitions of case_subject. collections: the stored
 * predicate; p NULL: none. */
int view_rows_read(struct work *w, const struct definitions *d, enum view_type type, struct str collections,
                   struct view_rows *out);

/* SQL over the row t of views: the actor :me has the view in the own list. */
#define VIEW_IS_LISTED                                                                        \
    "((t.is_enabled = 1 OR t.agent_id = :me) AND (t.visibility_type = 1 OR t.agent_id = :me " \
    "OR (t.visibility_type = 3 AND EXISTS (SELECT 1 FROM view_teams vt JOIN team_members tm " \
    "ON tm.team_id = vt.team_id WHERE vt.view_id = t.id AND tm.user_id = :me))))"

#endif
