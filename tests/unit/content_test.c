/* Contents of files: concurrent upload and removal of the same bytes, in every order of their steps. */
#include "store.h"
#undef fail /* cmocka's fail: work.h has one, too */

#include "core/desk/file.h"
#include "files/content.h"

#include <sys/stat.h>

#define HASH "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824" /* SHA-256 of "hello" */
static const struct str hash = {HASH, 64};

struct desk_place {
    struct place place;
    struct desk desk;
    char folder[64], upload[96];
    struct contents files;
    struct arena *arena;
};

static int make(void **state) {
    struct desk_place *p = calloc(1, sizeof *p);
    if (p == NULL) return -1;
    *state = p;
    snprintf(p->place.dir, sizeof p->place.dir, "/tmp/deskd-test-XXXXXX");
    if (!mkdtemp(p->place.dir) || place_open(&p->place, schema_files) < 0) return -1;
    snprintf(p->folder, sizeof p->folder, "%s/files", p->place.dir);
    p->files.folder = p->folder;
    snprintf(p->upload, sizeof p->upload, "%s/tmp/upload", p->folder);
    p->desk = (struct desk){.db = p->place.db, .files = &p->files};
    p->arena = arena_new();
    if (contents_open(&p->files, p->place.err, sizeof p->place.err) < 0) return -1;
    FILE *f = fopen(p->upload, "w");
    return f && fputs("hello", f) >= 0 && fclose(f) == 0 ? 0 : -1;
}

static int take_away(void **state) {
    struct desk_place *p = *state;
    arena_free(p->arena);
    return place_remove(state);
}

static bool there(struct desk_place *p) {
    return access(content_path(p->arena, &p->files, hash).p, R_OK) == 0;
}

static void keep(struct desk_place *p) {
    assert_int_equal(content_keep(p->arena, &p->files, hash, p->upload, 5), 0);
    assert_true(there(p));
}

/* The write of an upload. */
static int write_row(struct conn *c, void *arg) {
    struct desk_place *p = arg;
    struct work w;
    int64_t id;
    work_init(&w, &p->desk, p->arena);
    w.conn = c;
    TRY(content_hold(&w, hash, p->upload, 5));
    return file_create(&w, &(struct file_new){S("a"), S("text/plain"), hash, 5, 0, 0, 0}, &id);
}

QUERY(rows_drop, "DELETE FROM files");
static int drop_rows(struct conn *c, void *arg) {
    (void)arg;
    return db_exec(c, &rows_drop, NULL);
}

static void remove_content(struct desk_place *p) { assert_int_equal(contents_drop(&p->desk, &hash, 1), 0); }

static void a_content_goes_when_no_row_names_it_and_not_before(void **state) {
    struct desk_place *p = *state;
    keep(p);
    assert_int_equal(db_write(p->place.db, write_row, p) < 0, 0);
    remove_content(p);
    assert_true(there(p));
    assert_true(db_write(p->place.db, drop_rows, NULL) >= 0);
    remove_content(p);
    assert_false(there(p));
    remove_content(p); /* a second removal changes nothing */
}

static void an_upload_whose_content_is_removed_before_its_row_is_written_has_it_all_the_same(void **state) {
    struct desk_place *p = *state;
    keep(p);
    remove_content(p);
    assert_false(there(p));
    assert_true(db_write(p->place.db, write_row, p) >= 0);
    assert_true(there(p));
}

/* Removes the content like contents_drop, in a batch that other writes share. */
static int write_removal(struct conn *c, void *arg) {
    struct desk_place *p = arg;
    TRY(db_lock(c, hash));
    int named = content_named(c, hash);
    if (named == 0) unlink(content_path(p->arena, &p->files, hash).p);
    return named < 0 ? named : 0;
}

static void in_one_batch_the_content_of_a_row_is_there_in_either_order(void **state) {
    struct desk_place *p = *state;
    int (*const orders[2][2])(struct conn *, void *) = {{write_removal, write_row},
                                                        {write_row, write_removal}};
    for (int i = 0; i < 2; i++) {
        assert_true(db_write(p->place.db, drop_rows, NULL) >= 0);
        keep(p);
        struct group_task tasks[2] = {{.run = orders[i][0], .arg = p}, {.run = orders[i][1], .arg = p}};
        run_group(p->place.db, tasks, 2);
        assert_true(tasks[0].rc >= 0 && tasks[1].rc >= 0);
        assert_true(there(p));
    }
}

static void nothing_is_removed_while_it_is_backed_up(void **state) {
    struct desk_place *p = *state;
    keep(p);
    int guard = contents_guard(&p->files);
    assert_true(guard >= 0);
    remove_content(p);
    assert_true(there(p));
    close(guard);
    remove_content(p);
    assert_false(there(p));
}

static void upload_again(struct desk_place *p) {
    /* the first upload is a hard link to the content, so the next one gets a file of its own */
    unlink(p->upload);
    FILE *f = fopen(p->upload, "w");
    assert_true(f && fputs("hello", f) >= 0 && fclose(f) == 0);
    keep(p);
}

static void a_content_of_another_size_is_replaced(void **state) {
    struct desk_place *p = *state;
    struct stat st;
    keep(p);
    assert_int_equal(truncate(content_path(p->arena, &p->files, hash).p, 0), 0);
    upload_again(p);
    assert_int_equal(stat(content_path(p->arena, &p->files, hash).p, &st), 0);
    assert_int_equal(st.st_size, 5);
}

static void an_upload_replaces_a_content_of_other_bytes_and_readers_keep_what_they_have_open(void **state) {
    struct desk_place *p = *state;
    const char *path = content_path(p->arena, &p->files, hash).p;
    char bytes[8] = "";
    keep(p);
    FILE *f = fopen(path, "r+");
    assert_true(f && fputs("jello", f) >= 0 && fclose(f) == 0);
    assert_string_equal(content_fault(p->arena, &p->files, hash, 5), "does not match its SHA-256");
    FILE *reader = fopen(path, "r");
    assert_non_null(reader);
    upload_again(p);
    assert_null(content_fault(p->arena, &p->files, hash, 5));
    assert_int_equal(fread(bytes, 1, sizeof bytes, reader), 5);
    assert_string_equal(bytes, "jello");
    fclose(reader);
    upload_again(p); /* a sound content is not replaced */
    assert_int_not_equal(access(str_fmt(p->arena, "%s.new", p->upload).p, F_OK), 0);
}

static void a_defect_of_a_content_is_named(void **state) {
    struct desk_place *p = *state;
    const char *path = content_path(p->arena, &p->files, hash).p;
    assert_string_equal(content_fault(p->arena, &p->files, hash, 5), "is missing");
    keep(p);
    assert_string_equal(content_fault(p->arena, &p->files, hash, 6), "has a wrong size");
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_string_equal(content_fault(p->arena, &p->files, hash, 5), "can't be read");
    /* a folder can't be replaced */
    assert_int_equal(content_keep(p->arena, &p->files, hash, p->upload, 5), -ERR_SERVICE_UNAVAILABLE);
}

static void a_folder_that_can_not_be_used_says_so(void **state) {
    struct desk_place *p = *state;
    char err[256];
    assert_true(contents_open(&(struct contents){.folder = p->upload}, err, sizeof err) <
                0); /* because it is a file */
    assert_non_null(strstr(err, p->upload));
    assert_int_equal(content_keep(p->arena, &(struct contents){.folder = "/nowhere"}, hash, p->upload, 5),
                     -ERR_SERVICE_UNAVAILABLE);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, make, take_away)
    const struct CMUnitTest tests[] = {
        TEST(a_content_goes_when_no_row_names_it_and_not_before),
        TEST(an_upload_whose_content_is_removed_before_its_row_is_written_has_it_all_the_same),
        TEST(in_one_batch_the_content_of_a_row_is_there_in_either_order),
        TEST(nothing_is_removed_while_it_is_backed_up),
        TEST(a_content_of_another_size_is_replaced),
        TEST(an_upload_replaces_a_content_of_other_bytes_and_readers_keep_what_they_have_open),
        TEST(a_defect_of_a_content_is_named),
        TEST(a_folder_that_can_not_be_used_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
