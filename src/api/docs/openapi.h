/* The parts of the OpenAPI document. */
#ifndef API_DOCS_OPENAPI_H
#define API_DOCS_OPENAPI_H

#include "api/describe.h"

void openapi_responses(struct json_writer *w, const struct operation *op); /* the member `responses` of an operation */
void openapi_response_components(struct json_writer *w,
                                 const struct manual *m); /* the members `headers` and `responses` of the components */

#endif
