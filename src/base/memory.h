/* Memory that goes back to the system. The C library keeps what was freed for the next request, which may be days away. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>

void memory_policy(void);    /* before the first thread */
void memory_freed(size_t n); /* n bytes were freed or are about to be; small amounts need not be told */
void memory_give_back(
    void); /* called a few times a second: gives back what was freed, if it is much or no more follows; may take milliseconds */

#endif
