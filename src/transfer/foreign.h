/* Imports the data of another help desk into a new desk: its people, organizations, teams and tickets.
 *
 * The files are read in the order of `files` of the system (zendesk.c, zammad.c). Each item becomes one of
 * the records below, and the functions of src/core make the rows, with the time and the author of the
 * item, so that counters, search, activities and the change log are those of a desk in use. All is one
 * transaction. legacy_id holds the foreign id ("zendesk:35436"), by which later items find earlier ones,
 * so memory grows only with the ids of posts and identities, which have no legacy_id. */
#ifndef TRANSFER_FOREIGN_H
#define TRANSFER_FOREIGN_H

#include "core/fields/field_value.h"
#include "db/why.h"
#include "json/json.h"
#include "work/work.h"

enum { FOREIGN_TEAMS = 100 };

/* ---- records; p NULL and 0: not given -------------------------------------------------------- */

struct foreign_organization {
    int64_t id, created_at;
    struct str name, note; /* note: of staff */
    struct str legacy_id;  /* systems that keep ids: the row's own */
    bool is_shared, is_unvalidated;
    const struct json *domains, *tags; /* arrays of texts */
    const struct json *phones;         /* of this API: objects */
};

struct foreign_team {
    int64_t id, created_at, hours_id; /* hours_id: of the desk */
    struct str name, legacy_id;
};

struct foreign_person {
    int64_t id, organization_id, created_at, role_id, locale_id; /* role_id, locale_id: of the desk */
    int64_t role_there;                          /* id of the role at the source; 0: not known */
    struct str name, email, phone, mobile, note; /* note: of staff */
    struct str legacy_id, designation, time_zone, signature;
    int agent_case_access, organization_case_access; /* 0: as the role says; only the person's own */
    bool is_disabled, email_unverified;
    const struct json *tags;
    const struct json *emails, *phones, *identifiers; /* further identities of this API: objects */
    int64_t teams[FOREIGN_TEAMS];
    int team_count;
};

/* Roles of this API. */
struct foreign_role {
    int64_t id, role_id; /* role_id: of the desk; 0: a new one */
    struct str title;
    int type, case_access;          /* case_access 0: unknown */
    const struct json *permissions; /* objects with name and value */
};

struct foreign_attachment {
    int64_t id;
    struct str name, content_type;
    const char *folder; /* NULL: attachments */
};

struct foreign_post {
    int64_t id, author_id, created_at;
    int source, channel, color; /* 0: as the conversation says */
    bool is_note, is_pinned;
    struct str text, html; /* html: untrusted */
    struct foreign_attachment *attachments;
    int attachment_count;
};

struct foreign_rating {
    int64_t id, creator_id, created_at;
    int score;
    struct str comment;
};

struct foreign_case {
    int64_t id, requester_id, agent_id, team_id, created_at, updated_at;
    int64_t priority_id, type_id, form_id, status_id; /* ids of rows of the desk; status_id 0: of the type */
    int64_t status_type, brand_id;                    /* brand_id: of the desk; 0: the default brand */
    struct foreign_rating *ratings;
    int rating_count;
    int source;  /* the channel follows from it */
    int channel; /* 0: not given */
    struct str subject, legacy_id;
    const struct json *tags; /* an array of texts, or a text with commas */
    struct foreign_post *posts;
    int post_count;
};

/* ---- loading --------------------------------------------------------------------------------- */

struct foreign_count {
    const char *what;
    int64_t n;
    char example[64];
    struct foreign_count *next;
};

/* A word of the other system that its files explain: a state, a role. */
struct foreign_term {
    const char *kind;
    int64_t id;
    struct str name;
    int value; /* value in the desk */
    struct foreign_term *next;
};

struct foreign_ids {
    int64_t *slots; /* 0: free */
    size_t room, count;
};

/* Ids of rows of this desk by those of the source. */
struct foreign_pair {
    const char *kind;
    int64_t id, here; /* here 0: the slot is free */
};
struct foreign_map {
    struct foreign_pair *slots;
    size_t room, count;
};

/* An item that waits for others. */
struct foreign_kept {
    int64_t id;
    int group;
    int64_t changed_at; /* at the source */
    struct str text;    /* JSON */
    struct foreign_kept *next;
};

struct foreign_fields {
    struct custom_field *list;
    struct field_option *options;
    int count, option_count;
    bool read;
};

struct foreign_system;
struct growing;

struct foreign {
    const struct foreign_system *system;
    /* Rows have the ids of the source, in a store that was empty; or rows of this desk stand for those of the
     * source (transfer/imported.h). Neither: legacy_id has the foreign id. */
    bool keeps_ids, maps_ids;
    struct db *db;      /* lines are taken in parts, a write each; NULL: in the write of `conn` */
    struct str name;    /* begins legacy ids; p NULL: the name of the system */
    struct str host;    /* of another server of this API, with its port; n 0: none */
    struct str base;    /* address of this desk, without a slash at its end; n 0: not known */
    int64_t source_id;  /* of import_sources; 0: rows are not remembered */
    int64_t changed_at; /* updated_at of the item at the source; 0: not known */
    int64_t
        carried_at; /* the same when an earlier run carried the item, which follows now; 0: the row is new */
    const char *from;        /* the folder with the files */
    struct growing *growing; /* the file of a part that another thread writes; NULL: all files are there */
    const struct contents *contents; /* receives the contents of files */
    bool is_open;                    /* they are */
    /* without a key of the audit log but at the end of works of `now`: old entries would be deleted at
     * once */
    struct desk *desk;
    const struct key *audit_key;
    struct conn *conn;
    struct arena *memory; /* lives until the end */
    struct arena *item;   /* the arena of one item */
    struct foreign_count *made, *skipped;
    struct foreign_count *unlisted; /* kinds whose lists another server of this API has not shown whole */
    struct foreign_term *terms;
    struct foreign_ids posts, identities;
    struct foreign_ids seen; /* ids of the part that is being read, if it reports rows that are gone */
    /* comments that the source lists, and articles here whose comments it lists all */
    struct foreign_ids comments, articles;
    struct foreign_map map;
    struct foreign_kept *kept;       /* in the order of ids */
    struct foreign_fields fields[4]; /* of enum field_area */
    int64_t now, owner_id, items;
    void (*progress)(const char *what, int64_t done, int64_t total); /* may be NULL */
    struct why why;
};

/* Loads of rows return 1, 0 or a negative error. 0, in a desk with rows of its own: an earlier run has
 * carried the row, or a row of the desk stands for it. */
int load_organization(struct foreign *f, const struct foreign_organization *o);
/* Makes the role, or gives a role of the system the permissions. Sets role_id. */
int load_role(struct foreign *f, struct foreign_role *r);
int load_team(struct foreign *f, const struct foreign_team *t);
int load_foreign_person(struct foreign *f, const struct foreign_person *p);
/* Notes of a person or an organization that was imported. */
int load_notes(struct foreign *f, bool is_person, int64_t id, const struct foreign_post *notes, int count);
int load_member(struct foreign *f, int64_t person_id, int64_t team_id);
int load_identity(struct foreign *f, int64_t person_id, bool is_phone, struct str value);
/* Returns 1 with the id of the conversation, 0 if it is left out, or a negative error. A conversation that an
 * earlier run has carried gets the posts and the changes since. */
int load_case(struct foreign *f, const struct foreign_case *c, int64_t *here);
/* Puts a conversation of an earlier run into the trash, as the source has. */
int load_trashed(struct foreign *f, int64_t id);
/* 1 if the ticket with this id was imported, 0 if not, or a negative error */
int foreign_has_case(struct foreign *f, int64_t id);

/* Adds an id above 0. Returns false if it is there. */
bool foreign_ids_add(struct arena *a, struct foreign_ids *s, int64_t id);
bool foreign_ids_has(const struct foreign_ids *s, int64_t id);
int foreign_once(struct foreign *f, struct foreign_ids *s, const char *member,
                 /* adds an id above 0, or refuses one that is there */
                 int64_t id);
int foreign_twice(struct foreign *f, const char *member, int64_t id); /* refuses an id that is there twice */

/* Keeps the id of a row of this kind. kind: a constant, or a text that lives until the end. */
void foreign_here(struct foreign *f, const char *kind, int64_t id, int64_t here);
int64_t foreign_find(const struct foreign *f, const char *kind,
                     int64_t id); /* 0: there is no such row here */

void foreign_made(struct foreign *f, const char *what, int64_t n);
/* reports what is not imported; `what` lives until the end */
void foreign_skip(struct foreign *f, const char *what, int64_t id);
void foreign_skip_many(struct foreign *f, const char *what, int64_t n);
void foreign_skip_file(struct foreign *f, const char *what, const char *file);
/* The list of the kind is not whole, so rows that it lacks may be there. */
void foreign_unlisted(struct foreign *f, const char *kind);
bool foreign_is_unlisted(const struct foreign *f, const char *kind);
void foreign_explain(struct foreign *f, const char *kind, int64_t id, struct str name, int value);
/* by id, else by name; -1: not explained */
int foreign_term(const struct foreign *f, const char *kind, int64_t id, struct str name);

/* Stores the file FOLDER/attachments/ID. Returns 1 with its row's id, 0 if there is no such file, or a
 * negative error. */
int foreign_file(struct foreign *f, struct work *w, const struct foreign_attachment *a, int64_t *id);

/* ---- members of items ------------------------------------------------------------------------ */

/* Numbers may have a fraction of zeros, and texts may contain numbers, because programs that copy the
 * replies of an API write them so. */
bool whole_number(const struct json *value, int64_t *out);
int64_t item_int(const struct json *item, const char *name);  /* 0: absent or no number */
int64_t item_time(const struct json *item, const char *name); /* 0: absent or no time */
const struct json *item_list(const struct json *item, const char *name);

/* ---- shapes of items ------------------------------------------------------------------------- */

/* MEMBER_NEEDED: neither absent nor null; an id is above 0. */
enum {
    MEMBER_ID = 1,
    MEMBER_TEXT = 2,
    MEMBER_TIME = 4,
    MEMBER_FLAG = 8,
    MEMBER_LIST = 16,
    MEMBER_OBJECT = 32,
    MEMBER_NEEDED = 64
};

struct foreign_member {
    const char *name;
    unsigned is; /* the types that its value may have; null is allowed, too */
    /* Name of the values in the report of values that are not imported; their type is not checked. NULL: they
     * are imported. */
    const char *left;
    /* The value goes to this member of the record, INTO(type, member), by foreign_fill. Its C type
     * follows from `is`: int64_t of an id or a time, struct str of a text, bool of a flag, const struct
     * json * of a list. A bool is set by any of several flags. */
    size_t into;     /* 0: nowhere */
    bool is_negated; /* false sets the bool */
    /* The words that a text may be. The member, an int64_t, gets the number of the word. An unknown word is
     * reported as `unknown`; `otherwise` stands for it, and for no text. */
    const struct word *words;
    const char *unknown;
    int otherwise;
};
#define INTO(type, member) .into = offsetof(struct type, member) + 1

struct foreign_shape {
    const char *name; /* name of the items, in messages */
    /* names with spaces between them, of members that are left out without a report (docs/TRANSFER.md) */
    const char *ignored;
    struct foreign_member members[28]; /* ends with name NULL */
};

/* Checks an object against its shape, and reports members that the shape does not contain. `path` begins
 * the names of its members in messages. `id`: of the item that reports name. Returns 0, or a negative
 * error. */
int foreign_check(struct foreign *f, const struct foreign_shape *shape, const struct json *object,
                  const char *path, int64_t id);
/* Writes the members of an object that was checked into the record that its shape names. id: of the item that
 * reports name. */
void foreign_fill(struct foreign *f, const struct foreign_shape *shape, const struct json *object, int64_t id,
                  void *record);
/* Returns the number of the word, as a member with `words` is read. */
int foreign_word(struct foreign *f, const struct word *words, struct str text, int otherwise,
                 const char *unknown, int64_t id);
/* True if the word is one of `words`, which have blanks between them. NULL: there are none. */
bool foreign_lists(const char *words, struct str word);
/* no value, null, false, or a text, list or object with nothing in it */
bool foreign_is_empty(const struct json *value);

/* ---- systems --------------------------------------------------------------------------------- */

struct foreign_system {
    const char *name; /* begins legacy ids */
    struct foreign_part {
        /* files NAME.json, NAME-2.json, NAME.ndjson ...; also the member with the list in a page of the
         * API */
        const char *name;
        int (*take)(struct foreign *f, const struct json *item);
        const struct foreign_shape *shape; /* shape of its items; NULL: an earlier part has checked them */
        bool needed;
        int (*end)(struct foreign *f); /* called behind its last item; NULL: nothing */
        /* Reports rows of earlier runs whose ids f->seen does not have: the source has them no more. Not
         * called if the list is not whole. NULL: nothing is reported. */
        int (*gone)(struct foreign *f, const struct foreign_part *part);
    } parts[40];          /* ends with name NULL */
    const char *lists[3]; /* folders with a file for each ticket; ends with NULL */
    bool is_api;          /* another server of this API */
};
extern const struct foreign_system zendesk, zammad, deskapi;

/* Reads the file FOLDER/LIST/ID.json, if it is there, in the arena of the item: an array, or an object
 * with the array `list`. Sets *path to the beginning of the names of its members in messages. */
int foreign_read_of(struct foreign *f, const char *list, int64_t id, const struct json **out,
                    const char **path);

/* Fills a store that has an unfinished desk with an owner (desk_begin), in the write of `conn`. With `db` it
 * adds rows to a desk, a write for some lines. Reads all items of the parts, in their order. Refusals name
 * the file and the line or the item. */
int foreign_import(struct foreign *f);

#endif
