/* Copies another server's data into a folder, from which deskapi.c imports it. docs/TRANSFER.md ("From
 * another server of this API") describes the folder. */
#ifndef TRANSFER_API_FETCH_H
#define TRANSFER_API_FETCH_H

#include "transfer/api_items.h"

/* Bring the folder up to date: all kinds but the conversations, and then these. Rows that have not changed
 * since the last run stay. A run that ends early leaves its rows for the next one. Return 0 or a refusal. */
int api_fetch_others(struct api_fetch *x);
int api_fetch_cases(struct api_fetch *x);

/* Names the file of the conversations, which api_fetch_cases lets another thread read from now on. */
void api_cases_file(struct api_fetch *x, struct growing *g);

/* Finds the person with the address among those of the folder, and the highest id of a person. *id: 0 if
 * nobody has it. Returns 0 or a refusal. */
int api_person(struct api_fetch *x, struct str email, int64_t *id, int64_t *highest);

#endif
