/* Downloads of files: by the uploader, and by callers who see a custom field value that is the file. */
#ifndef RES_FILE_CONTENT_H
#define RES_FILE_CONTENT_H

#include "api/rows/view.h"

struct content {
    struct str name, type, sha256;
    int64_t size;
};
#define CONTENT(file) file ".name, " file ".content_type, " file ".sha256, " file ".size"
struct content content_read(struct call *c, struct stmt *row); /* row: of a query that begins with CONTENT */
/* Sends a content, or the range that the client asks for. shown: a raster image is shown inline. */
int content_send(struct call *c, const struct content *f, bool shown);
/* Headers: the browser neither guesses its type nor runs it. */
void content_guards(struct call *c);
void picture_guards(struct call *c); /* the same for small pictures, which a browser keeps for five minutes */
/* Fails if contents of the entries must be fetched first (call_needs_content). */
struct zip_entry;
int zip_needs(struct call *c, const struct zip_entry *entries, int n);
struct str content_disposition(struct arena *a, struct str name, bool shown);

/* without characters that turn the text */
void render_file_name(struct view *v, const struct row *row, const struct value *own);

extern const struct field content_args[];
int get_file_content(struct call *c);              /* /files/:id/content */
int get_user_file_content(struct call *c);         /* /users/:id/files/:file_id/content */
int get_organization_file_content(struct call *c); /* /organizations/:id/files/:file_id/content */
int get_case_file_content(struct call *c);         /* /cases/:id/files/:file_id/content */
int get_conversation_file_content(struct call *c); /* /conversations/:id/files/:file_id/content */

#endif
