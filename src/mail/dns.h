/* Questions to the domain name system, for checks of mailboxes. */
#ifndef MAIL_DNS_H
#define MAIL_DNS_H

#include "base/arena.h"
#include "base/str.h"

enum dns_type { DNS_TXT, DNS_MX };
#define DNS_ANSWERS 32         /* records of one answer that are read */
#define DNS_WAIT_SECONDS 2     /* time for one question to one name server */
#define DNS_TOGETHER_SECONDS 6 /* time for all questions of one call */

struct dns_question {
    struct str name;
    enum dns_type type;
    /* The answer: */
    struct str *
        values; /* TXT: the joined strings; MX: "10 mail.example.com". Bytes outside of printable ASCII are shown as ? */
    int count;
    bool failed; /* no name server answered in time. A name without such records is an answer */
};

/* Asks the questions one after the other, over UDP. Never over TCP, which has no limit of time: a longer
 * answer is cut. server: "127.0.0.1:5353", the address of a name server with or without a port; n 0: those
 * of the system. Waits, so call it in the pool and without a snapshot. */
void dns_ask(struct arena *a, struct str server, struct dns_question *list, int n);

#endif
