/* Files that a request attaches to a new message or note. */
#ifndef RES_ATTACHMENT_H
#define RES_ATTACHMENT_H

#include "api/rows/view.h"
#include "res/upload.h"

extern const struct field attachment_input[];      /* attachment_file_ids */
int check_file_ids(struct call *c, struct in *in); /* .check of such a parameter */

/* SQL: "conversations/1/messages/3", the beginning of the addresses of the files of a message; NULL: there
 * is no such message. /conversations answers 404 for messages of a conversation that is suspended, merged
 * or in the trash. Staff read them under /cases. */
#define PLACE_OF_POST(post)                                                             \
    "(SELECT CASE WHEN k.state = 1 THEN 'conversations/' "                              \
    "ELSE 'cases/' END || p.case_id || '/messages/' || p.id FROM posts p JOIN cases k " \
    "ON k.id = p.case_id WHERE p.id = " post ")"
/* The address of an attachment that a view shows, with an ending such as "/url". */
struct str attachment_address(struct view *v, const struct row *row, const char *end);

#define FILE_PARTS_DOC "File parts of multipart/form-data are attached, whatever their names."
/* .prepare of a route with .body = FILES_ATTACHED: stores the contents of the file parts. */
int attachments_prepare(struct call *c);
bool attachments_need_prepare(const struct call *c); /* .needs_prepare of it */

struct attached {
    struct uploads uploads;
    int64_t *ids; /* files to attach, in order: of attachment_file_ids, then the parts */
    int count;
};
/* Reads the input with api_input, and the file parts. All problems are reported. Returns 0 or the first
 * problem. */
int attachments_read(struct call *c, struct attached *out);
/* The text of the parameter `contents`. A post without a file needs one: otherwise reports FIELD_REQUIRED
 * or FIELD_EMPTY. */
struct str attached_contents(struct call *c, const struct attached *a);
/* In the write: creates the files that came as parts. */
int attachments_store(struct call *c, struct attached *a);

#endif
