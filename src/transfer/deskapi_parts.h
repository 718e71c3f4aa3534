/* The import from another server of this API, in parts (deskapi.c lists the files and what takes their
 * items). Each function takes an item of a file. Returns 0 or a negative error. */
#ifndef TRANSFER_DESKAPI_PARTS_H
#define TRANSFER_DESKAPI_PARTS_H

#include "core/words.h"
#include "transfer/api_row.h"

/* ---- roles: deskapi_roles.c ------------------------------------------------------------------ */

extern const struct foreign_shape api_role;
int take_api_role(struct foreign *f, const struct json *item);

/* ---- teams: deskapi_teams.c ------------------------------------------------------------------ */

extern const struct foreign_shape api_team;
int take_api_team(struct foreign *f, const struct json *item);

/* ---- words and settings: deskapi_settings.c -------------------------------------------------- */

int take_api_locale(struct foreign *f, const struct json *item);
int take_api_status(struct foreign *f, const struct json *item);
int take_api_priority(struct foreign *f, const struct json *item);
int take_api_type(struct foreign *f, const struct json *item);
int take_api_hours(struct foreign *f, const struct json *item);
int take_api_form(struct foreign *f, const struct json *item);

/* ---- brands, endpoints and mailboxes: deskapi_desk.c ------------------------------------------ */

int take_api_brand(struct foreign *f, const struct json *item); /* with its templates */
/* deskapi_templates.c: the templates of a brand, which is `brand` here. is_new: no run has carried it. */
int take_api_templates(struct foreign *f, const struct json *item, int64_t brand, bool is_new);
int take_api_template_links(struct foreign *f, const struct json *item); /* when all articles are here */
int take_api_endpoint(struct foreign *f, const struct json *item);
int take_api_mailbox(struct foreign *f, const struct json *item);

/* ---- rules: deskapi_rules.c ------------------------------------------------------------------ */

int take_api_sla(struct foreign *f, const struct json *item);
int take_api_macro(struct foreign *f, const struct json *item);
int take_api_view(struct foreign *f, const struct json *item);
int take_api_trigger(struct foreign *f, const struct json *item);
int take_api_monitor(struct foreign *f, const struct json *item);

/* ---- custom fields: deskapi_fields.c --------------------------------------------------------- */

/* Fields of all areas share their ids, so they are kept until the last file was read. */
int take_api_case_field(struct foreign *f, const struct json *item);
int take_api_user_field(struct foreign *f, const struct json *item);
int take_api_organization_field(struct foreign *f, const struct json *item);
int load_api_fields(struct foreign *f);
/* Stores the values of an item, after its row. */
int load_api_values(struct foreign *f, enum field_area area, const struct json *item, int64_t owner_id);
/* True if values of this field are ids of options. group: "casefields". */
bool api_field_has_options(const struct foreign *f, struct str group, struct str key);

/* ---- help center: deskapi_articles.c --------------------------------------------------------- */

int take_api_category(struct foreign *f, const struct json *item);
int take_api_section(struct foreign *f, const struct json *item);
int take_api_article(struct foreign *f, const struct json *item); /* with its comments and files */
int take_api_links(struct foreign *f, const struct json *item); /* of its texts, when all articles are here */
/* deskapi_text_links.c: links to articles in other texts, when all articles are here. */
int take_api_macro_links(struct foreign *f, const struct json *item);
int take_api_category_links(struct foreign *f, const struct json *item);
int take_api_section_links(struct foreign *f, const struct json *item);
/* deskapi_comments.c: the comments of an article, as the source lists them. Those of an earlier run follow
 * the source, unless they were changed here. */
int take_api_comments(struct foreign *f, const struct json *list, int64_t article);
/* Removes comments of earlier runs that the source has no more. */
int remove_api_comments(struct foreign *f);
int api_comments_new(struct foreign *f, const struct json *list); /* the number of those that are not here */

/* ---- pictures: deskapi_pictures.c ------------------------------------------------------------ */

/* The picture of a person who is here. */
int load_api_picture(struct foreign *f, const struct json *item);

/* ---- rows that are gone: deskapi_gone.c ------------------------------------------------------ */

int take_api_trash(struct foreign *f, const struct json *item);
int report_api_gone(struct foreign *f, const struct foreign_part *part);
/* Remembers the tag here with the name of a tag of the source. */
int take_api_tag(struct foreign *f, const struct json *item);
int report_api_tags_gone(struct foreign *f, const struct foreign_part *part);

#endif
