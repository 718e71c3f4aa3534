/* The view of a reply: rows, the rows that their references lead to, and their JSON.
 *
 * Rows are loaded breadth-first: all targets of one round of references at once, one query for each
 * resource type (and each list of references), never one for each row. Rendering then walks from the roots
 * and expands included resources. */
#ifndef API_ROWS_VIEW_H
#define API_ROWS_VIEW_H

#include "api/call/call.h"
#include "api/table/layout.h"
#include "core/access/stranger.h"

#define SHOWN_MAX 8
#define INCLUDED_MAX 24
#define EXPANSION_MAX 12 /* depth of nested includes; cycles end earlier */

struct row {
    const struct layout *layout;
    int64_t id;
    struct value *cells; /* parallel to the resource's fields */
    int64_t modified;    /* time of the last change, for computed rows; 0: unknown */
    int64_t changed_at;  /* the latest of .changed of the resource; 0: not read */
    bool expandable;     /* its references were followed */
    struct row *next;    /* next row of its list */
};

struct selection { /* one name in ?fields= */
    struct str name;
    char sign; /* '+', '-' or 0 */
    struct selection *inner, *next;
};

/* adds how many names it found to *count */
struct selection *selection_parse(struct call *c, struct str text, int *count);
/* copies the list, and adds those of a text */
const struct selection *selection_with(struct call *c, const struct selection *selection, struct str more);
/* True if ?fields= names members without sign ("a,b"), so that only those are shown. Names of on-demand
 * members keep the defaults. */
bool selection_narrow(const struct selection *selection, const struct resource *r);

struct slot {
    const struct resource *resource;
    int64_t id;
    struct row *row;
};

/* A person in a flat reply, with the conversation that shows the person. */
struct shown_person {
    const struct row *row;
    const struct stranger_case *conversation;
    const struct shown_person *before;
};

/* Rows of which a list is loaded. */
struct owners {
    int64_t *ids;
    int count;
    struct value **cells; /* their cells of the list */
};

struct view {
    struct call *c;
    struct json_writer w;
    const struct selection *selection;
    struct str url_opens; /* "resource_url":"http://.../api/v1/ ; p NULL: not made yet */
    struct slot *slots;   /* hash table of loaded rows */
    size_t slot_count, used;
    struct row *flat, *flat_last; /* included rows in the order of discovery */
    struct stranger_case *cases;  /* for a caller without login: conversations of the shown rows, by id */
    int case_count;
    /* the current conversation; NULL: people are shown as they are */
    const struct stranger_case *conversation;
    const struct shown_person *shown_people; /* people referred to in a flat reply; the last first */
    const struct row *path[EXPANSION_MAX];
    int depth;
    size_t room;         /* size of the arena at which view_follow stops; 0: no limit */
    const char *empty;   /* a list of the call's own row that has no rows; NULL: none is known */
    bool total_is_bound; /* total_count is a lower bound, so there is no last_url */
    struct {             /* cached result of `include` for a resource */
        const struct resource *resource;
        bool value;
    } included[INCLUDED_MAX];
    struct { /* cached shown_if settings */
        const char *setting;
        bool value;
    } shown[SHOWN_MAX];
};

struct view *view_new(struct call *c);

struct row *row_new(struct view *v, const struct layout *layout, int64_t id); /* all cells are null */
static inline struct value value_text(struct str s) {
    return (struct value){.type = s.p ? V_TEXT : V_NULL, .s = s};
}
/* s: a statement that began with selects->all */
struct row *view_read(struct view *v, const struct layout *layout, struct stmt *s);

/* Follows lists and includes of rows linked by next. Returns 0, VIEW_FULL if the arena exceeds v->room, or
 * a negative error. */
#define VIEW_FULL 1
int view_follow(struct view *v, struct row *rows);
/* Forgets all other rows and the written output, so that fewer rows can be shown. */
void view_restart(struct view *v, struct row *rows);
/* Loads visible rows by id, in the order of ids. Missing and invisible rows are left out. */
int view_load(struct view *v, const struct resource *r, const int64_t *ids, int count, struct row **rows,
              int *found);

/* True if the caller sees all that changes of the row with this id, so that .changed reveals nothing. */
bool changes_are_seen(const struct call *c, const struct resource *r, int64_t id);

/* Loads one visible row that meets a condition over the path's variables (NULL: none), without following
 * it. Returns 1, 0 or a negative error. */
int view_load_one(struct view *v, const struct resource *r, int64_t id, const char *further,
                  struct row **row);

/* true if a long text of the roots is shown, or is read for other members */
bool view_shows_long(const struct view *v, const struct layout *layout);
void view_row(struct view *v, const struct row *row); /* writes the resource */
/* writes the resource, or {id, resource_type} */
void view_reference(struct view *v, const struct layout *layout, int64_t id);
/* adds notices for unknown names in `fields` and `include` */
void view_note_fields(struct call *c);
/* writes {type: {id: resource}} */
void view_flat(struct view *v);
struct row *view_find(const struct view *v, const struct resource *r, int64_t id); /* a loaded row, or NULL */
struct value *row_cell(const struct row *row, const char *name);
/* null, for a value that is not implemented yet */
void render_null(struct view *v, const struct row *row, const struct value *own);
/* a type's name in the requested case */
void view_type(struct view *v, const char *type);
static inline bool view_expands(const struct view *v) { /* the caller has given include */
    return v->c->options.include_count || v->c->options.include_all;
}
bool view_includes_named(struct view *v, const struct resource *r);
static inline bool view_includes(struct view *v, const struct resource *r) {
    return view_expands(v) && view_includes_named(v, r);
}
/* false: the caller's token lacks the scope of its rows */
bool view_may_read(const struct view *v, const struct resource *r);
/* The form that references show: itself, or its brief form. */
static inline const struct layout *view_form(struct view *v, const struct layout *layout) {
    const struct layout *brief = layout->brief;
    return brief && !view_includes(v, layout->resource) && view_includes(v, brief->resource) ? brief : layout;
}
/* the same for a type; an unknown one needs all scopes */
bool call_may_read_type(const struct call *c, struct str type);
bool view_may_see(struct view *v, const struct row *row, const struct member *m);
static inline bool view_sees(struct view *v, const struct row *row, const struct member *m) {
    return m->open || view_may_see(v, row, m);
}

/* For a caller without login (api/rows/pseudonyms.c): loads the conversations that decide the ids of
 * people in these rows. Returns 0 or a negative error. */
int view_pseudonyms(struct view *v, const struct row *rows);
/* returns the previous one; restore it after the row */
const struct stranger_case *view_enter(struct view *v, const struct row *row);
/* the id that is shown for this id */
int64_t view_id(const struct view *v, const struct layout *layout, int64_t id);
/* the caller's name for a person; p NULL: none */
struct str view_given_name(const struct view *v, const struct row *row);
/* notes a reference to a person in a flat reply */
void view_note_person(struct view *v, const struct row *row);

/* The hash of a row's own members: 32 hex digits. */
void view_tag(struct view *v, const struct row *row, char out[33]);

#endif
