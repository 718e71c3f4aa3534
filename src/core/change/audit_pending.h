/* Entries of the audit log that a command leaves for a running desk. Only one process may write to a
 * folder, so a command beside a running desk can't write the entry itself. It leaves a file in
 * DIR/audit.pending. The desk makes entries of the files within a second, or when it is started. A crash
 * between the COMMIT and the removal of the file makes an entry a second time. Each file has a MAC under
 * the key of the audit log, so nobody without the server key can make entries so. */
#ifndef CORE_CHANGE_AUDIT_PENDING_H
#define CORE_CHANGE_AUDIT_PENDING_H

#include "core/change/audit.h"

/* Leaves an entry without a person. Returns 0, or -1 with errno. */
int audit_pending_leave(const char *dir, const struct audit_command *of);
/* The names of waiting files, sorted. Returns their number: at most 100; 0 also if the folder can't be
 * read. */
int audit_pending_list(struct arena *a, const char *dir, struct str **names);
/* Makes entries of these files, in a write. Returns 0 or a negative error. */
int audit_pending_take(struct work *w, const char *dir, const struct str *names, int n);
/* call it after the COMMIT */
void audit_pending_remove(struct arena *a, const char *dir, const struct str *names, int n);

#endif
