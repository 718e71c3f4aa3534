/* TNEF: the file winmail.dat, in which Outlook packs texts and attachments for other servers of its kind.
 * Only the confined process reads it. */
#ifndef MAIL_TNEF_H
#define MAIL_TNEF_H

#include "core/mail/incoming.h"

struct tnef_mail {
    struct str text, html; /* p NULL: none */
    struct mail_file *files;
    int file_count;
};
/* Returns false if the bytes are not TNEF, or damaged. */
bool tnef_read(struct arena *a, struct str bytes, struct tnef_mail *out);

#endif
