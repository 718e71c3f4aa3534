/* The OpenAPI document and its parts. Pure functions of resources[]. */
#ifndef API_DOCS_OPENAPI_H
#define API_DOCS_OPENAPI_H

#include "api/table/describe.h"

void openapi_write(struct buf *out, struct str base_url); /* OpenAPI 3.1, JSON */

/* the member `responses` of an operation */
void openapi_responses(struct json_writer *w, const struct operation *op);
void openapi_response_components(struct json_writer *w,
                                 /* the members `headers` and `responses` of the components */
                                 const struct manual *m);

/* the member `security` of an operation */
void openapi_security(struct json_writer *w, const struct operation *op);
/* the member `securitySchemes` of the components */
void openapi_security_schemes(struct json_writer *w, const struct manual *m);

#endif
