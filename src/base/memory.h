/* Returns freed memory to the system. The C library would keep it for the next request, which may be days
 * away. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>

void memory_policy(void); /* call it before the first thread starts */
/* No memory of this process gets into a core dump, because it holds the server key and what people wrote.
 * Other processes of the same user can neither trace it nor read its memory. */
void memory_private(void);
void memory_undumped(void *p, size_t n); /* the same for these bytes, by the kernel's mark of their pages */
/* counts n bytes as freed, now or soon; small amounts need not be counted */
void memory_freed(size_t n);
/* returns all freed memory; may take milliseconds */
void memory_return(void);
void memory_give_back(
    /* call it a few times a second; returns 16 MiB and more, or 2 MiB once no more is freed; may take
     * milliseconds */
    void);

#endif
