/* What the machine derives from the table of a resource once, because each row of each reply needs it. */
#ifndef API_LAYOUT_H
#define API_LAYOUT_H

#include "api/resource.h"
#include "json/json.h"

struct layout;

struct member {
    const struct field *field;
    struct json_name name;
    int column;                  /* its place in .select; 0: it has none */
    bool textual;                /* of the column's value */
    bool written;                /* shown to somebody */
    bool open;                   /* shown to everybody */
    const struct layout *target; /* F_REF, F_MANY, F_ROWS */
    bool lengthy;                /* its text may be long enough to count: bytes of the layout, below */
    const int *carried;          /* F_REF with .shows: places of the target's members that it shows, then -1; else NULL */
    struct str list;  /* F_MANY: the query; F_ROWS: its beginning, of the target's .columns and the owner: "SELECT ... IN @LIST(:ids)" */
    struct str order; /* F_ROWS: its end, " ORDER BY ..." */
};

/* "conversations/:case_id/messages/:id" is a text, a member, a text, the id: each piece a text and what follows it. */
struct url_piece {
    struct str text;
    int member; /* place; URL_ID: the row's id; URL_END: nothing */
};
enum { URL_ID = -1, URL_END = -2 };

struct layout {
    const struct resource *resource;
    struct json_name type;       /* of the resource; .key is the type in quotes, without the colon */
    struct str reference_end;    /* ,"resource_type":"team"} */
    struct str from;             /* "teams t" */
    struct str columns;          /* "t.id, t.title, ..."; 0 in place of the id where rows have none */
    struct str select;           /* "SELECT t.id, t.title, ... FROM teams t WHERE " */
    struct str select_short;     /* select without the long texts: null in place of each */
    struct str select_also;      /* the same of the one member that references carry */
    struct str bytes;            /* SQL: bytes of the long texts of a row; p NULL: it has none */
    int column_count;            /* of .columns, beside the id */
    const struct url_piece *url; /* NULL: it has no address */
    const struct layout *brief;  /* the form that include may ask for in its place (.brief_of); NULL: none */
    int conversation;            /* place of the member that holds its conversation's id; URL_ID: the row's own; URL_END: none */
    int also;                    /* place of the member that references carry; -1: none */
    int count;
    const struct member *members; /* parallel to resource->fields */
};

const struct layout *layout_of(const struct resource *r);

#endif
