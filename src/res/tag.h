/* Tags as an on-demand member and as the parameter tags: a list, or text with commas, that replaces the
 * present tags. */
#ifndef RES_TAG_H
#define RES_TAG_H

#include "api/call/call.h"
#include "core/people/tag.h"

int check_tags(struct call *c, struct in *in);
int store_user_tags(struct call *c, const struct in *in, int64_t id);
int store_organization_tags(struct call *c, const struct in *in, int64_t id);
int store_case_tags(struct call *c, const struct in *in, int64_t id);
int store_article_tags(struct call *c, const struct in *in, int64_t id);
/* The names that check_tags has read. */
const struct str *tags_given(const struct in *in, int *count);
/* .check of an argument that names tags: its value becomes the JSON array of their keys, for @TEXTS. */
int check_tag_keys(struct call *c, struct in *in);

/* A row beside one that shows tags: names of tags change without the row, and its ETag follows. */
#define TAG_NAMES_MEMBER \
    { "tags_changed_at", F_INT, HIDDEN, .column = TAGS_CHANGED_AT }
#define TAGS_OF(table, owner)                                      \
    "SELECT k." owner ", k.tag_id FROM " table " k WHERE k." owner \
    " IN @LIST(:ids)" TAG_IS_SHOWN(table, owner, "") " ORDER BY k." owner ", k.tag_id"
#define TAGS_MEMBER(table, owner, keep)                                                                 \
    {                                                                                                   \
        "tags", F_MANY, NULLABLE | ON_DEMAND, .ref = "tag", .many = TAGS_OF(table, owner),              \
                                              .check = check_tags, .store = keep, .to = TO_STAFF_ALONE, \
                                              .doc = "Tags, at most 100.", .example = "[\"vip\"]"       \
    }
#define USER_TAGS TAGS_MEMBER("user_tags", "user_id", store_user_tags)
#define CASE_TAGS TAGS_MEMBER("case_tags", "case_id", store_case_tags)
#define ORGANIZATION_TAGS TAGS_MEMBER("organization_tags", "organization_id", store_organization_tags)

#endif
