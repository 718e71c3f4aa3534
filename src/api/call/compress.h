/* Compressed replies (Content-Encoding: gzip), for JSON of more than LIMIT_PLAIN_REPLY bytes.
 *
 * BREACH. The length of a compressed reply shows if a text of an attacker is also elsewhere in it. Such an
 * attack needs (1) replies with a secret, (2) a text of the attacker's choice in the same reply, and (3)
 * many replies whose length the attacker sees. Two rules prevent it:
 *
 *   1. Secrets are not compressed. Session ids, tokens and all SECRET members lie in stored blocks, and no
 *      match leads into or out of them. So the length depends on the length of a secret alone.
 *   2. A page of another site gets no compressed reply. If the browser adds the credentials by itself
 *      (Basic, the cookie), a reply is compressed only if Sec-Fetch-Site says that the request comes from
 *      this site or from the person. A browser that does not send this header gets none. So a page can't
 *      find out contents of the desk by requests with guesses in their arguments.
 *
 * ETag. A tag names the state of a resource and not bytes: it is the same for each `fields`, `_case` and
 * encoding, so a client may send a tag back whatever it accepts. Vary names Accept-Encoding, and no JSON
 * reply takes ranges, so bytes of two encodings are never joined.
 *
 * CPU. zlib at level 1 costs 3 to 5 us for each KiB (docs/BENCHMARKS.md). Small replies to reads are
 * compressed where they are made. Larger ones, and replies to writes, are compressed in the pool, because
 * neither an event loop nor the writer may wait. If the pool is full, the reply is sent as it is. */
#ifndef API_CALL_COMPRESS_H
#define API_CALL_COMPRESS_H

#include "api/call/call.h"
#include "api/call/gzip.h"

bool compress_wanted(const struct call *c); /* true if the reply in c->out is to be compressed */

/* Compresses the body and sends the reply, here or in the pool. Takes over the body. parts live as long as
 * the request. */
void compress_and_send(struct api *api, struct http_request *r, int status, struct buf body,
                       const struct plain_part *parts, int count, bool here, uint64_t whose);

#endif
