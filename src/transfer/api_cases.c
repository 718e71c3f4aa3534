#include "transfer/api_cases.h"

#include "base/clock.h"

static void *api_cases_main(void *arg) {
    struct api_cases *c = arg;
    c->result = api_fetch_cases(c->x);
    c->ended_at = clock_monotonic();
    growing_ends(&c->file, c->result == 0);
    return NULL;
}

int api_cases_begin(struct api_cases *c, struct api_fetch *x) {
    *c = (struct api_cases){.x = x};
    growing_init(&c->file);
    api_cases_file(x, &c->file);
    x->source.unwanted = &c->file.unwanted;
    x->progress = NULL; /* the caller shows its own */
    c->started = pthread_create(&c->thread, NULL, api_cases_main, c) == 0;
    return c->started ? 0 : db_refuse(x->source.why, "no thread can be started");
}

int api_cases_end(struct api_cases *c, bool wanted) {
    if (!c->started) return 0;
    if (!wanted) atomic_store(&c->file.unwanted, true);
    pthread_join(c->thread, NULL);
    c->started = false;
    return wanted || !c->x->source.ended ? c->result : 0;
}
