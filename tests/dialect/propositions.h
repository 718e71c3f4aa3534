/* The propositions that a subject's definitions allow. A file of its own, because the header of
 * definitions and that of operations share a tag. */
#ifndef TESTS_DIALECT_PROPOSITIONS_H
#define TESTS_DIALECT_PROPOSITIONS_H

#include "work/work.h"

struct subject;

/* Hands each field with each operator to each(), as the members of a body; what: the field and the
 * operator. In w's arena. */
void propositions(struct work *w, const struct subject *subject,
                  void (*each)(void *arg, const char *what, const char *body), void *arg);

#endif
