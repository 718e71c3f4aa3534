/* Files of the pages, embedded by tools/embed.sh: src/pages/files. */
#ifndef PAGES_FILES_H
#define PAGES_FILES_H

#include "base/str.h"

struct page_file {
    const char *name, *text;
};
extern const struct page_file page_files[]; /* ends with name NULL */

struct str page_file_text(const char *name); /* of a file that there is */

#endif
