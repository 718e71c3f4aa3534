/* For the tests of db/: a store with its own schema in a temporary folder, and common queries. */
#ifndef TESTS_UNIT_STORE_H
#define TESTS_UNIT_STORE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "db/db_internal.h"

static const struct schema_file first_schema[] = {
    {"0001_notes.sql",
     "CREATE TABLE topics (id @ID@, name TEXT NOT NULL UNIQUE);\n"
     "CREATE TABLE notes (id @ID@, topic_id BIGINT REFERENCES topics (id), text TEXT NOT NULL);\n"
     "CREATE TABLE later (id @ID@, topic_id BIGINT REFERENCES topics (id) DEFERRABLE INITIALLY DEFERRED);"},
    {0}};

QUERY(topic_add, "INSERT INTO topics (name) VALUES (:name) RETURNING id");
QUERY(topic_count, "SELECT count(*) FROM topics");
QUERY(note_add, "INSERT INTO notes (topic_id, text) VALUES (:topic, :text) RETURNING id");

struct place {
    char dir[32];
    struct db *db;
    char err[256];
};

static inline int place_open(struct place *p, const struct schema_file *files) {
    struct db_config cfg = {.dir = p->dir, .create = true};
    return db_open_with(&cfg, files, &p->db, (struct why){p->err, sizeof p->err});
}

static inline void place_close(struct place *p) {
    db_close(p->db);
    p->db = NULL;
}

/* Set-up and tear-down for cmocka: a folder with an open store. */
static inline int place_make_with(void **state, const struct schema_file *files) {
    struct place *p = calloc(1, sizeof *p);
    snprintf(p->dir, sizeof p->dir, "/tmp/deskd-test-XXXXXX");
    if (!p || !mkdtemp(p->dir)) return -1;
    *state = p;
    return place_open(p, files);
}
static inline int place_make(void **state) { return place_make_with(state, first_schema); }

static inline int place_remove(void **state) {
    struct place *p = *state;
    place_close(p);
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", p->dir);
    free(p);
    return system(command);
}

/* ---- queries --------------------------------------------------------------------------------- */

static inline int64_t topics(struct place *p) {
    struct conn *c = db_reader(p->db);
    int64_t n = -1;
    assert_int_equal(db_read_begin(c, 0), 0);
    assert_int_equal(db_int(c, &topic_count, NULL, &n), 1);
    db_read_end(c);
    return n;
}

static inline int run_topic(struct conn *c, void *name) {
    int64_t id;
    return db_insert(c, &topic_add, BINDS(B_TEXT("name", str_of(name))), &id);
}

static inline int add_topic(struct place *p, const char *name) {
    return db_write(p->db, run_topic, (void *)(uintptr_t)name);
}

static inline bool writable(struct place *p) {
    struct db_stats s;
    db_stats(p->db, &s);
    return s.writable;
}

/* ---- tasks that share a transaction ---------------------------------------------------------- The first
 * task of a group holds the writer until the last is queued, so all of them are in one batch (on a very
 * slow machine, in two). */

struct group_task {
    struct db_task task;
    struct group *group;
    int (*run)(struct conn *c, void *arg);
    void *arg;
    int rc;
};

struct group {
    sem_t open, done;
};

static inline int group_gate(struct db_task *t, struct conn *c) {
    struct group *g = ((struct group_task *)(void *)t)->group;
    (void)c;
    sem_wait(&g->open);
    sem_post(&g->open); /* it may run again */
    return 0;
}

static inline int group_run(struct db_task *t, struct conn *c) {
    struct group_task *g = (void *)t;
    return g->run(c, g->arg);
}

static inline void group_done(struct db_task *t, int rc) {
    struct group_task *g = (void *)t;
    g->rc = rc;
    sem_post(&g->group->done);
}

static inline void run_group(struct db *db, struct group_task *tasks, int n) {
    struct group group;
    sem_init(&group.open, 0, 0);
    sem_init(&group.done, 0, 0);
    struct group_task gate = {.task = {.run = group_gate, .done = group_done}, .group = &group};
    db_submit(db, &gate.task);
    for (int i = 0; i < n; i++) {
        tasks[i].task = (struct db_task){
            .run = group_run, .done = group_done, .begins_batch = tasks[i].task.begins_batch};
        tasks[i].group = &group;
        db_submit(db, &tasks[i].task);
    }
    sem_post(&group.open);
    for (int i = 0; i <= n; i++) sem_wait(&group.done);
    sem_destroy(&group.open);
    sem_destroy(&group.done);
}

#endif
