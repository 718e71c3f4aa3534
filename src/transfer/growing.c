#include "transfer/growing.h"

#include "base/disk.h"

void growing_init(struct growing *g) {
    pthread_mutex_init(&g->lock, NULL);
    pthread_cond_init(&g->changed, NULL);
    g->bytes = -1;
    g->rows = 0;
    g->ended = g->whole = false;
    atomic_init(&g->unwanted, false);
}

/* ---- the writer ------------------------------------------------------------------------------ */

void growing_begins(struct growing *g, int64_t rows) {
    pthread_mutex_lock(&g->lock);
    g->rows = rows;
    g->bytes = 0;
    pthread_cond_signal(&g->changed);
    pthread_mutex_unlock(&g->lock);
}

void growing_has(struct growing *g, int64_t bytes) {
    pthread_mutex_lock(&g->lock);
    g->bytes = bytes;
    pthread_cond_signal(&g->changed);
    pthread_mutex_unlock(&g->lock);
}

void growing_ends(struct growing *g, bool whole) {
    pthread_mutex_lock(&g->lock);
    g->ended = true;
    g->whole = whole;
    pthread_cond_signal(&g->changed);
    pthread_mutex_unlock(&g->lock);
}

/* ---- the reader ------------------------------------------------------------------------------ */

bool growing_wait(struct growing *g, int64_t offset) {
    pthread_mutex_lock(&g->lock);
    while (g->bytes <= offset && !g->ended) pthread_cond_wait(&g->changed, &g->lock);
    bool more = g->bytes > offset && (!g->ended || g->whole);
    pthread_mutex_unlock(&g->lock);
    return more;
}

bool growing_is_whole(struct growing *g) {
    pthread_mutex_lock(&g->lock);
    bool whole = g->whole;
    pthread_mutex_unlock(&g->lock);
    return whole;
}

int64_t growing_rows(struct growing *g) {
    pthread_mutex_lock(&g->lock);
    int64_t rows = g->rows;
    pthread_mutex_unlock(&g->lock);
    return rows;
}

/* The draft gets its last name while it is looked for, so both names are tried in this order. */
FILE *growing_open(struct growing *g, const char **why) {
    *why = "it was not written";
    if (!growing_wait(g, -1)) return NULL;
    FILE *file = plain_stream(g->draft, why);
    return file ? file : plain_stream(g->file, why);
}
