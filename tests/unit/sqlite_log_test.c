/* The layer that writes the frames of a COMMIT at once (src/db/sqlite_log.c). */
#include "db/db_internal.h"

/* clang-format off: cmocka needs these before itself */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[80], store[64]; /* the log takes the rights of its store */
static sqlite3_file *file;

static int open_log(const char *name) {
    sqlite3_vfs *vfs = sqlite3_vfs_find(log_vfs());
    file = calloc(1, (size_t)vfs->szOsFile);
    return vfs->xOpen(vfs, name, file, SQLITE_OPEN_WAL | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
}

static int begin(void **state) {
    (void)state;
    snprintf(store, sizeof store, "/tmp/deskd-log-%ld", (long)getpid());
    snprintf(path, sizeof path, "%s-wal", store);
    FILE *f = fopen(store, "w");
    return f == NULL || fclose(f) ? -1 : open_log(path);
}

static int end(void **state) {
    (void)state;
    file->pMethods->xClose(file);
    free(file);
    return unlink(path) | unlink(store);
}

static long stored(void) {
    struct stat st;
    return stat(path, &st) == 0 ? (long)st.st_size : -1;
}

static int put(const char *text, long at) {
    return file->pMethods->xWrite(file, text, (int)strlen(text), at);
}

static void pieces_that_follow_each_other_are_written_by_the_sync(void **state) {
    (void)state;
    assert_int_equal(put("head", 0), SQLITE_OK);
    assert_int_equal(put("page", 4), SQLITE_OK);
    assert_int_equal(stored(), 0);
    assert_int_equal(file->pMethods->xSync(file, SQLITE_SYNC_NORMAL), SQLITE_OK);
    assert_int_equal(stored(), 8);
}

static void a_piece_elsewhere_and_a_question_for_the_size_write_what_was_kept(void **state) {
    sqlite3_int64 size;
    (void)state;
    put("head", 0);
    put("page", 100);
    assert_int_equal(stored(), 4);
    assert_int_equal(file->pMethods->xFileSize(file, &size), SQLITE_OK);
    assert_int_equal(size, 104);
}

static void a_read_sees_what_was_kept(void **state) {
    char bytes[7] = "";
    (void)state;
    put("abcd", 0);
    put("efgh", 4);
    assert_int_equal(file->pMethods->xRead(file, bytes, 6, 1), SQLITE_OK);
    assert_string_equal(bytes, "bcdefg");
    put("XY", 2); /* a page that is written again */
    assert_int_equal(file->pMethods->xRead(file, bytes, 6, 1), SQLITE_OK);
    assert_string_equal(bytes, "bXYefg");
}

static void more_than_the_room_reaches_the_file_whole_and_in_order(void **state) {
    enum { FRAME = 4120, FRAMES = 100 };
    char *frame = malloc(FRAME), *read = malloc(FRAME);
    (void)state;
    for (int i = 0; i < FRAMES; i++) {
        memset(frame, 'a' + i % 26, FRAME);
        assert_int_equal(file->pMethods->xWrite(file, frame, FRAME, (sqlite3_int64)i * FRAME), SQLITE_OK);
    }
    assert_true(stored() < FRAMES * FRAME);
    assert_int_equal(file->pMethods->xSync(file, SQLITE_SYNC_NORMAL), SQLITE_OK);
    assert_int_equal(stored(), FRAMES * FRAME);
    for (int i = 0; i < FRAMES; i++) {
        memset(frame, 'a' + i % 26, FRAME);
        assert_int_equal(file->pMethods->xRead(file, read, FRAME, (sqlite3_int64)i * FRAME), SQLITE_OK);
        assert_memory_equal(read, frame, FRAME);
    }
    free(frame);
    free(read);
}

static void the_call_that_meets_a_full_disk_fails(void **state) {
    (void)state;
    assert_int_equal(open_log("/dev/full"), SQLITE_OK);
    assert_int_equal(put("head", 0), SQLITE_OK);
    assert_int_equal(file->pMethods->xSync(file, SQLITE_SYNC_NORMAL) & 0xff, SQLITE_FULL);
    file->pMethods->xClose(file);
    free(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pieces_that_follow_each_other_are_written_by_the_sync, begin, end),
        cmocka_unit_test_setup_teardown(a_piece_elsewhere_and_a_question_for_the_size_write_what_was_kept,
                                        begin, end),
        cmocka_unit_test_setup_teardown(a_read_sees_what_was_kept, begin, end),
        cmocka_unit_test_setup_teardown(more_than_the_room_reaches_the_file_whole_and_in_order, begin, end),
        cmocka_unit_test(the_call_that_meets_a_full_disk_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
