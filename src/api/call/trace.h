/* Trace Context (W3C Recommendation of 2021-11-23): the header `traceparent` of a request names the trace to
 * which it belongs. The reply names the same trace, with the X-Request-ID as the id of our part, so that one
 * id finds a request in the logs of deskd and in those of its callers. A header that is not valid counts as
 * none. `tracestate` belongs to other systems and is not read. */
#ifndef API_CALL_TRACE_H
#define API_CALL_TRACE_H

#include "http/http.h"

struct trace {
    struct str id; /* 32 hex digits, in the memory of the request; p NULL: the request belongs to no trace */
    struct str flags; /* two hex digits */
};

struct trace trace_of(const struct http_request *r);
/* Adds the header to the reply. id: X-Request-ID, 16 hex digits. */
void trace_return(struct http_request *r, struct str id);

#endif
