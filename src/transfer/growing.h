/* A file of lines that one thread writes while another one reads it from its start. It has a name of its own
 * until it is whole. */
#ifndef TRANSFER_GROWING_H
#define TRANSFER_GROWING_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct growing {
    const char *part;         /* name of the part that reads it */
    const char *draft, *file; /* its path while it grows; its path when it is whole */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int64_t bytes;        /* of whole lines; -1: there is no file yet */
    int64_t rows;         /* lines that it will have */
    bool ended, whole;    /* nothing comes any more; all has come */
    atomic_bool unwanted; /* the reader needs no more lines */
};

void growing_init(struct growing *g);

/* ---- the writer ------------------------------------------------------------------------------ */

void growing_begins(struct growing *g, int64_t rows); /* the empty draft is there */
void growing_has(struct growing *g, int64_t bytes);   /* the draft has so many bytes, which end with a line */
void growing_ends(struct growing *g, bool whole);     /* whole: `file` has all lines */

/* ---- the reader ------------------------------------------------------------------------------ */

/* Waits for the draft. Returns a stream at its start, or NULL with the reason. */
FILE *growing_open(struct growing *g, const char **why);
/* Waits for bytes behind the offset. Returns false at the end of the file, or if it stays incomplete. */
bool growing_wait(struct growing *g, int64_t offset);
bool growing_is_whole(struct growing *g);
int64_t growing_rows(struct growing *g);

#endif
