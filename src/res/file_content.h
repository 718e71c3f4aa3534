/* Downloads of files: by the uploader, and by callers who see a custom field value that is the file. */
#ifndef RES_FILE_CONTENT_H
#define RES_FILE_CONTENT_H

#include "api/call.h"

extern const struct field content_args[];
int get_file_content(struct call *c);              /* /files/:id/content */
int get_user_file_content(struct call *c);         /* /users/:id/files/:file_id/content */
int get_organization_file_content(struct call *c); /* /organizations/:id/files/:file_id/content */
int get_case_file_content(struct call *c);         /* /cases/:id/files/:file_id/content */
int get_conversation_file_content(struct call *c); /* /conversations/:id/files/:file_id/content */

#endif
