/* What a reply shows: rows, the rows their references lead to, and the JSON of it all.
 *
 * Rows are loaded breadth-first: all that one round of references points to, one query a resource type (and one for each list of
 * references), never one a row. Rendering then walks from the roots and expands what was included. */
#ifndef API_VIEW_H
#define API_VIEW_H

#include "api/call.h"
#include "api/layout.h"
#include "core/access/stranger.h"

#define SHOWN_MAX 8
#define INCLUDED_MAX 24
#define EXPANSION_MAX 12 /* includes within includes; cycles end earlier */

struct row {
    const struct layout *layout;
    int64_t id;
    struct value *cells; /* parallel to the resource's fields */
    int64_t modified;    /* when it last changed, of rows that no table holds; 0: unknown */
    bool expandable;     /* its references were followed too */
    struct row *next;    /* in the list it was loaded with */
};

struct pick { /* one name of ?fields= */
    struct str name;
    char sign; /* '+', '-' or 0 */
    struct pick *inner, *next;
};

struct pick *picks_parse(struct call *c, struct str text, int *count); /* adds how many names it found to *count */
/* Whether ?fields= names members for good ("a,b"): then only those are shown. Naming on-demand ones keeps the defaults. */
bool picks_narrow(const struct pick *picks, const struct resource *r);

struct slot {
    const struct resource *resource;
    int64_t id;
    struct row *row;
};

/* A person in a flat reply, as one conversation shows them. */
struct shown_person {
    const struct row *row;
    const struct stranger_case *conversation;
    const struct shown_person *before;
};

struct view {
    struct call *c;
    struct json_writer w;
    const struct pick *picks;
    struct slot *slots; /* hash of loaded rows */
    size_t slot_count, used;
    struct row *flat, *flat_last; /* included rows in the order found */
    struct stranger_case *cases;  /* for a caller without login: the conversations of the rows shown, by id */
    int case_count;
    const struct stranger_case *conversation; /* that is being written or tagged; NULL: people are shown as they are */
    const struct shown_person *shown_people;  /* by references of a flat reply; the last first */
    const struct row *path[EXPANSION_MAX];
    int depth;
    size_t room; /* bytes of the arena at which view_follow ends; 0: none */
    struct {     /* what `include` says of a resource */
        const struct resource *resource;
        bool value;
    } included[INCLUDED_MAX];
    struct { /* shown_if settings of this view */
        const char *setting;
        bool value;
    } shown[SHOWN_MAX];
};

struct view *view_new(struct call *c);

struct row *row_new(struct view *v, const struct layout *layout, int64_t id); /* its cells are null */
static inline struct value value_text(struct str s) { return (struct value){.type = s.p ? V_TEXT : V_NULL, .s = s}; }
struct row *view_read(struct view *v, const struct layout *layout, struct stmt *s); /* of a statement that began with layout->select */

/* Follows lists and includes of rows linked by next. Returns 0, VIEW_FULL if the arena has passed v->room, or a negative error. */
#define VIEW_FULL 1
int view_follow(struct view *v, struct row *rows);
void view_restart(struct view *v,
                  struct row *rows); /* forgets all rows but these, and what was written, so that fewer of them can be shown */
/* Loads rows by id, in the order of ids, those the actor may see; missing ones are left out. */
int view_load(struct view *v, const struct resource *r, const int64_t *ids, int count, struct row **rows, int *found);

/* One row that the actor may see and that meets a condition over the path's variables (NULL: none); not yet followed. 1, 0 or error. */
int view_load_one(struct view *v, const struct resource *r, int64_t id, const char *further, struct row **row);

bool view_shows_long(const struct view *v, const struct layout *layout);      /* whether a long text of the roots is to be shown */
void view_row(struct view *v, const struct row *row);                         /* writes the resource */
void view_reference(struct view *v, const struct layout *layout, int64_t id); /* writes it, or {id, resource_type} */
const struct layout *view_form(struct view *v, const struct layout *layout);  /* what a reference to it shows: itself, or its brief form */
void view_note_fields(struct call *c);                                        /* Says in `logs` which names in `fields` are not known. */
void view_flat(struct view *v);                                               /* writes {type: {id: resource}} */
struct row *view_find(const struct view *v, const struct resource *r, int64_t id); /* among those loaded; NULL */
struct value *row_cell(const struct row *row, const char *name);
void render_null(struct view *v, const struct row *row, const struct value *own);    /* null: a value yet to come */
void render_nothing(struct view *v, const struct row *row, const struct value *own); /* []: a list yet to come */
void view_type(struct view *v, const char *type);                                    /* a type's name in the case asked for */
bool view_includes(struct view *v, const struct resource *r);
bool view_may_see(struct view *v, const struct row *row, const struct member *m);
static inline bool view_sees(struct view *v, const struct row *row, const struct member *m) { return m->open || view_may_see(v, row, m); }

/* For a caller without login (api/people.c): loads what decides under which ids these rows show people. 0 or error. */
int view_people(struct view *v, const struct row *rows);
const struct stranger_case *view_enter(struct view *v, const struct row *row);  /* returns v->conversation, to be put back behind the row */
int64_t view_id(const struct view *v, const struct layout *layout, int64_t id); /* the id that is shown for this one */
struct str view_given_name(const struct view *v, const struct row *row);        /* that the caller knows a person by; p NULL: none */
void view_note_person(struct view *v, const struct row *row);                   /* a reference to a person in a flat reply */

/* The hash of one row's own members, 32 hex digits. */
void view_tag(struct view *v, const struct row *row, char out[33]);

#endif
