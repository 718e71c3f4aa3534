/* The description of realtime (AsyncAPI 3.0), printed from the tables of channels and events. */
#ifndef LIVE_ASYNCAPI_H
#define LIVE_ASYNCAPI_H

#include "base/buf.h"
#include "work/work.h"

void asyncapi_write(const struct desk *d, struct buf *out);

#endif
