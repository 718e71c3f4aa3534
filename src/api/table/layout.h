/* Data derived once from the table of a resource, because each row of each reply needs it. */
#ifndef API_TABLE_LAYOUT_H
#define API_TABLE_LAYOUT_H

#include "api/table/resource.h"
#include "json/json.h"

struct layout;

struct member {
    const struct field *field;
    struct json_name name;
    int column;                  /* index in .select; 0: none */
    bool textual;                /* the column's value is a text */
    bool written;                /* shown to some callers */
    bool usual;                  /* the same, without `fields` */
    bool open;                   /* shown to all callers */
    uint32_t scopes;             /* a token needs one of these bits; 0: none */
    const struct layout *target; /* F_REF, F_MANY, F_ROWS */
    bool lengthy;                /* its text may be long enough to matter: see .bytes of the layout */
    bool identifies;             /* `fields` never removes it */
    bool prepared;               /* its value is written from its cell alone, between the next two */
    struct str opens, closes;    /* `"created_at":"` and `"`; `"status":{"id":` and `,"resource_type":...}` */
    /* F_REF with .shows: indexes of the target's members, ended by -1; else NULL */
    const int *carried;
    struct str
        list; /* F_MANY: the query; F_ROWS: its start, up to "IN @LIST(:ids)", with the target's .columns and the owner */
    struct str list_of_one; /* list, with "= :ids" */
    struct str order;       /* F_ROWS: the end of the query, " ORDER BY ..." */
};

/* "conversations/:case_id/messages/:id" is split into pieces: a text and the variable after it. */
struct url_piece {
    struct str text;
    int member; /* index; URL_ID: the row's id; URL_END: no variable */
};
enum { URL_ID = -1, URL_END = -2 };

/* Beginnings of statements. */
struct selects {
    struct str columns;    /* "t.id, t.title, ..."; 0 instead of the id if rows have none */
    struct str all;        /* "SELECT t.id, t.title, ... FROM teams t WHERE " */
    struct str dated;      /* all with .changed of the resource; p NULL: it has none */
    struct str brief;      /* all with null instead of each long text */
    struct str each;       /* all of the rows :ids, in the order of this JSON array */
    struct str each_brief; /* the same of brief */
};

struct layout {
    const struct resource *resource;
    uint32_t scopes;             /* a token needs one of these bits to see the rows; 0: none */
    struct json_name type;       /* type of the resource; .key is the quoted type without colon */
    struct str reference_end;    /* ,"resource_type":"team"} */
    struct str type_member;      /* "resource_type":"team" */
    struct str from;             /* "teams t" */
    struct selects selects;      /* of all members */
    struct selects if_whole;     /* the same with .column_if_whole of the members */
    bool has_gone;               /* a member has .column_if_whole */
    struct str select_each_also; /* the same of select_also */
    struct str select_also;      /* select of the one member that references contain */
    struct str bytes;            /* SQL: bytes of a row's long texts; p NULL: none */
    int column_count;            /* number of columns of all members, without the id */
    const struct url_piece *url; /* NULL: no URL */
    const struct layout *brief;  /* the brief form that include may select (.brief_of); NULL: none */
    /* index of the member with the conversation's id; URL_ID: the row's id; URL_END: none */
    int conversation;
    int also; /* index of the member that references contain; -1: none */
    /* Indexes of members, ended by -1: all with a target; those with targets that are read without `include`,
     * because they are shown in place or a reference shows more than their id. */
    const int *targets, *leading;
    int count;
    const struct member *members; /* parallel to fields_of(resource->fields) */
};

const struct layout *layout_of(const struct resource *r);

#endif
