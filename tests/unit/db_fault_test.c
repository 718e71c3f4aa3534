/* The store when the machine fails: a COMMIT that does not reach the disk, a full disk, a crash. This file
 * replaces system calls, also for SQLite, because symbols of a program precede those of libraries. */
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define PLACE struct place *p = *state

static _Atomic int sync_error, write_error, syncs;

int fdatasync(int fd) {
    atomic_fetch_add(&syncs, 1);
    errno = sync_error;
    return sync_error ? -1 : (int)syscall(SYS_fdatasync, fd);
}

ssize_t pwrite64(int fd, const void *p, size_t n, off64_t at) {
    errno = write_error;
    return write_error ? -1 : syscall(SYS_pwrite64, fd, p, n, at);
}

static int remove_well(void **state) {
    sync_error = write_error = 0;
    return place_remove(state);
}

/* ---- a COMMIT that fails --------------------------------------------------------------------- */

/* copies what a crash would leave, with the page cache */
static void copy_store(const char *from, const char *to) {
    char command[160];
    snprintf(command, sizeof command, "cp %s/desk.db %s/desk.db-wal %s/", from, from, to);
    assert_int_equal(system(command), 0);
}

static int64_t topics_after_crash(const char *dir) {
    struct place other = {.dir = "/tmp/deskd-test-XXXXXX"};
    void *state = memcpy(calloc(1, sizeof other), &other, sizeof other);
    struct place *p = state;
    assert_non_null(mkdtemp(p->dir));
    copy_store(dir, p->dir);
    assert_int_equal(place_open(p, first_schema), 0);
    int64_t n = topics(p);
    place_remove(&state);
    return n;
}

static void a_failed_sync_fails_all_of_its_batch(void **state) {
    PLACE;
    assert_int_equal(add_topic(p, "before"), 0);
    struct group_task tasks[] = {
        {.run = run_topic, .arg = "a"}, {.run = run_topic, .arg = "before"}, {.run = run_topic, .arg = "b"}};
    sync_error = EIO;
    run_group(p->db, tasks, 3);
    for (int i = 0; i < 3; i++) assert_int_equal(tasks[i].rc, -ERR_SERVICE_UNAVAILABLE);
    assert_false(writable(p));
    assert_int_equal(topics(p), 1); /* reads still work */
    assert_int_equal(add_topic(p, "c"), -ERR_SERVICE_UNAVAILABLE);

    sync_error = 0;
    assert_int_equal(add_topic(p, "d"), 0);
    assert_true(writable(p));
    assert_int_equal(topics(p), 2);
    assert_int_equal(topics_after_crash(p->dir), 2);
}

static int run_nothing(struct conn *c, void *arg) {
    (void)c, (void)arg;
    return 0;
}

/* The frames of the refused batch are complete and in the log. The mark must break them even if there is
 * no further write. */
static void a_refused_write_does_not_come_back_after_a_crash(void **state) {
    PLACE;
    assert_int_equal(add_topic(p, "before"), 0);
    sync_error = EIO;
    assert_int_equal(add_topic(p, "refused"), -ERR_SERVICE_UNAVAILABLE);
    sync_error = 0;
    assert_int_equal(db_write(p->db, run_nothing, NULL), 0);
    assert_int_equal(topics_after_crash(p->dir), 1);
}

static void a_refused_write_does_not_come_back_after_a_restart(void **state) {
    PLACE;
    sync_error = EIO;
    assert_int_equal(add_topic(p, "refused"), -ERR_SERVICE_UNAVAILABLE);
    sync_error = 0;
    place_close(p);
    assert_int_equal(place_open(p, first_schema), 0);
    assert_int_equal(topics(p), 0);
}

static void no_reply_before_its_sync(void **state) {
    PLACE;
    for (int i = 0; i < 20; i++) {
        char name[8];
        snprintf(name, sizeof name, "%d", i);
        int before = syncs;
        assert_int_equal(add_topic(p, name), 0);
        assert_true(syncs > before);
    }
}

/* ---- a full disk ----------------------------------------------------------------------------- */

static void a_full_disk_serves_again_without_a_restart(void **state) {
    PLACE;
    assert_int_equal(add_topic(p, "a"), 0);
    write_error = ENOSPC;
    for (int i = 0; i < 3; i++) assert_int_equal(add_topic(p, "b"), -ERR_SERVICE_UNAVAILABLE);
    assert_int_equal(topics(p), 1);
    assert_false(writable(p));
    write_error = 0;
    assert_int_equal(add_topic(p, "b"), 0);
    assert_true(writable(p));
    assert_int_equal(topics(p), 2);
}

/* Writes more than the cache holds, so that SQLite writes, fails and rolls back during a task. The task
 * ignores the error and continues. Its next write would commit by itself, outside of the transaction. */
static int run_large_then_go_on(struct conn *c, void *arg) {
    (void)arg;
    int rc = db_exec_text(c, "INSERT INTO notes (text) VALUES (hex(randomblob(20000000)))", NULL);
    write_error = 0;
    assert_true(rc < 0 && conn_lost(c));
    assert_int_equal(run_topic(c, "stray"), -ERR_SERVICE_UNAVAILABLE);
    return 0;
}

static void a_transaction_lost_under_a_task_fails_those_that_ran(void **state) {
    PLACE;
    struct group_task tasks[] = {
        {.run = run_topic, .arg = "a"}, {.run = run_large_then_go_on}, {.run = run_topic, .arg = "b"}};
    write_error = ENOSPC;
    run_group(p->db, tasks, 3);
    assert_int_equal(tasks[0].rc, -ERR_SERVICE_UNAVAILABLE);
    assert_int_equal(tasks[1].rc, -ERR_SERVICE_UNAVAILABLE);
    assert_int_equal(tasks[2].rc, 0); /* not begun, so it is in the next batch */
    assert_int_equal(topics(p), 1);
}

/* ---- processes ------------------------------------------------------------------------------- */

static void a_killed_process_keeps_what_it_answered(void **state) {
    PLACE;
    place_close(p);
    pid_t child = fork();
    if (child == 0) {
        bool well = place_open(p, first_schema) == 0 && add_topic(p, "kept") == 0;
        _exit(well ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(place_open(p, first_schema), 0);
    assert_int_equal(topics(p), 1);
}

static void a_second_process_is_told_who_has_the_store(void **state) {
    PLACE;
    char expected[64];
    snprintf(expected, sizeof expected, "in use by another deskd (pid %d)", (int)getpid());
    pid_t child = fork();
    if (child == 0) {
        struct place second = {0};
        memcpy(second.dir, p->dir, sizeof second.dir);
        bool refused = place_open(&second, first_schema) < 0 && strstr(second.err, expected);
        _exit(refused ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(add_topic(p, "a"), 0);
}

/* The holder closes the store when the waiting process has said that it waits. ThreadSanitizer ends a
 * process that starts threads after a fork, so it does not run this test. */
static void a_start_waits_for_the_end_of_another_process(void **state) {
#ifdef __SANITIZE_THREAD__
    skip();
#endif
    PLACE;
    int said[2], status;
    char line[300] = "";
    assert_int_equal(pipe(said), 0);
    pid_t child = fork();
    if (child == 0) {
        struct place second = {0};
        memcpy(second.dir, p->dir, sizeof second.dir);
        close(p->db->sqlite->lock_fd); /* inherited: a helper process that kept it would keep the lock */
        dup2(said[1], STDERR_FILENO);
        _exit(place_open(&second, first_schema) == 0 && topics(&second) == 1 ? 0 : 1);
    }
    close(said[1]);
    assert_int_equal(add_topic(p, "a"), 0);
    assert_true(read(said[0], line, sizeof line - 1) > 0);
    assert_non_null(strstr(line, "waiting up to 5 s"));
    place_close(p);
    waitpid(child, &status, 0);
    close(said[0]);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(place_open(p, first_schema), 0);
}

#define IN_STORE(test) cmocka_unit_test_setup_teardown(test, place_make, remove_well)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_STORE(a_failed_sync_fails_all_of_its_batch),
        IN_STORE(a_refused_write_does_not_come_back_after_a_crash),
        IN_STORE(a_refused_write_does_not_come_back_after_a_restart),
        IN_STORE(no_reply_before_its_sync),
        IN_STORE(a_full_disk_serves_again_without_a_restart),
        IN_STORE(a_transaction_lost_under_a_task_fails_those_that_ran),
        IN_STORE(a_killed_process_keeps_what_it_answered),
        IN_STORE(a_second_process_is_told_who_has_the_store),
        IN_STORE(a_start_waits_for_the_end_of_another_process),
    };
    return cmocka_run_group_tests_name("db faults", tests, NULL, NULL);
}
