/* Authentication-Results (RFC 8601): the verdicts of the mail server of the desk about the sender of a
 * mail. */
#ifndef CORE_MAIL_AUTHENTICATION_H
#define CORE_MAIL_AUTHENTICATION_H

#include "core/mail/incoming.h"

/* Reads the topmost header whose authserv-id is `trusted`; letter case does not matter. No other header
 * counts, because senders write headers, too. If that header does not follow the RFC, it has no verdicts,
 * and those below it do not count either. Several results of DKIM: the mail has passed if one has.
 * Contradicting results of SPF or of DMARC are VERDICT_ERROR. A DMARC result about another domain than
 * that of `from` is VERDICT_FAIL.
 *
 * headers: values, the topmost first. trusted: empty: no header counts. from: the address of the header
 * From; p NULL: none. */
struct mail_authentication authentication_read(struct arena *a, const struct str *headers, int count,
                                               struct str trusted, struct str from);

#endif
