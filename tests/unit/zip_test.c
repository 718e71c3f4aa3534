/* ZIPs of contents, read piece by piece, and the names of their entries. */
#include "files/zip.h"

#include "base/buf.h"

#include "files/content.h"

/* clang-format off: cmocka needs these before itself */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct arena *arena;
static char folder[64];

static const struct contents *files(void) {
    struct contents *k = ARENA_NEW(arena, struct contents);
    k->folder = str_fmt(arena, "%s/files", folder).p;
    return k;
}

static int open_folder(void **state) {
    char err[200];
    (void)state;
    arena = arena_new();
    snprintf(folder, sizeof folder, "/tmp/deskd-zip-XXXXXX");
    if (!mkdtemp(folder)) return -1;
    return contents_open(files(), err, sizeof err);
}

static int drop_folder(void **state) {
    (void)state;
    int rc = system(str_fmt(arena, "rm -rf %s", folder).p);
    arena_free(arena);
    return rc;
}

/* Stores a content of this text, or of this many zero bytes. Its name need not be its hash here. */
static struct zip_entry entry(const char *name, char hash, const char *text, int64_t zeros) {
    char digits[65];
    memset(digits, hash, 64);
    digits[64] = 0;
    struct str sha256 = str_dup(arena, (struct str){digits, 64});
    mkdir(str_fmt(arena, "%s/%.2s", files()->folder, digits).p, 0700);
    int fd = open(content_path(arena, files(), sha256).p, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    assert_true(fd >= 0);
    if (text) assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    else assert_int_equal(ftruncate(fd, zeros), 0);
    close(fd);
    return (struct zip_entry){.name = str_of(name),
                              .sha256 = sha256,
                              .size = text ? (int64_t)strlen(text) : zeros,
                              .changed = 1700000000000};
}

/* Reads the whole ZIP in pieces of this size. Returns 0 at its end, or -1 if it broke off. */
static int64_t read_zip(struct zip *z, size_t piece, struct buf *out) {
    int64_t n;
    char room[4096];
    while ((n = zip_read(z, room, piece)) > 0) buf_add(out, room, (size_t)n);
    return n;
}

static void expect_entry(struct archive *a, const char *name, const char *text) {
    struct archive_entry *e;
    char room[100];
    assert_int_equal(archive_read_next_header(a, &e), ARCHIVE_OK);
    assert_string_equal(
        archive_entry_pathname_utf8(e) ? archive_entry_pathname_utf8(e) : archive_entry_pathname(e), name);
    assert_int_equal(archive_entry_mtime(e), 1700000000);
    la_ssize_t n = archive_read_data(a, room, sizeof room);
    assert_int_equal(n, strlen(text));
    assert_memory_equal(room, text, strlen(text));
}

static void a_zip_has_every_file_whatever_the_pieces_it_is_read_in(void **state) {
    const struct zip_entry entries[] = {entry("a.txt", 'a', "first", 0), entry("A.TXT", 'b', "second", 0),
                                        entry("../../\xe2\x80\xae/\xc3\xbc.png", 'c', "third", 0),
                                        entry("", 'd', "", 0)};
    (void)state;
    for (size_t piece = 1; piece <= 4096; piece *= 8) {
        struct zip *z = zip_new(files(), entries, 4);
        struct buf bytes = {0};
        assert_int_equal(read_zip(z, piece, &bytes), 0);
        assert_true((int64_t)bytes.n <= zip_about(z));
        zip_free(z);
        struct archive *a = archive_read_new();
        archive_read_support_format_zip(a);
        assert_int_equal(archive_read_open_memory(a, bytes.p, bytes.n), ARCHIVE_OK);
        expect_entry(a, "a.txt", "first");
        expect_entry(a, "A (2).TXT", "second");
        expect_entry(a, "\xc3\xbc.png", "third");
        expect_entry(a, "file", "");
        struct archive_entry *none;
        assert_int_equal(archive_read_next_header(a, &none), ARCHIVE_EOF);
        archive_read_free(a);
        buf_free(&bytes);
    }
}

static void a_zip_without_files_is_empty(void **state) {
    struct buf bytes = {0};
    struct zip *z = zip_new(files(), NULL, 0);
    (void)state;
    assert_int_equal(read_zip(z, 100, &bytes), 0);
    assert_int_equal(bytes.n, 22); /* the end of a central directory without entries */
    zip_free(z);
    buf_free(&bytes);
}

static void a_zip_breaks_where_a_content_is_missing_or_of_another_size(void **state) {
    struct zip_entry good = entry("a", 'a', "first", 0), longer = good, shorter = good, missing = good;
    (void)state;
    longer.size++;
    shorter.size--;
    missing.sha256 = S("eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee");
    const struct zip_entry *const wrong[] = {&longer, &shorter, &missing};
    for (size_t i = 0; i < 3; i++) {
        struct buf bytes = {0};
        struct zip *z = zip_new(files(), (const struct zip_entry[]){good, *wrong[i]}, 2);
        assert_int_equal(read_zip(z, 100, &bytes), -1);
        assert_int_equal(read_zip(z, 100, &bytes), -1);
        zip_free(z);
        buf_free(&bytes);
    }
}

static long anonymous_kb(void) {
    char line[200];
    long kb = -1;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f)) sscanf(line, "RssAnon: %ld", &kb);
    if (f) fclose(f);
    return kb;
}

static void a_zip_of_a_gibibyte_needs_a_few_hundred_kibibytes(void **state) {
    const int64_t size = INT64_C(1) << 30;
    struct zip *z = zip_new(files(), (const struct zip_entry[]){entry("big", 'f', NULL, size)}, 1);
    static char room[32768];
    long before = anonymous_kb(), most = before;
    int64_t n, all = 0;
    (void)state;
    for (int i = 0; (n = zip_read(z, room, sizeof room)) > 0; i++) {
        all += n;
        if (i % 1024 == 0 && anonymous_kb() > most) most = anonymous_kb();
    }
    assert_int_equal(n, 0);
    assert_true(all > size && all <= zip_about(z));
    zip_free(z);
    if (most - before > 1024) fail_msg("it took %ld KiB", most - before);
}

static void names_of_files_are_made_safe(void **state) {
    static const struct {
        const char *name, *safe;
    } cases[] = {{"a.txt", "a.txt"},
                 {"../../etc/passwd", "passwd"},
                 {"C:\\x\\y.txt", "y.txt"},
                 {"a\r\nSet-Cookie: x", "aSet-Cookie_ x"},
                 {"\xe2\x80\xaegnp.exe", "gnp.exe"},
                 {"a\xe2\x81\xa6"
                  "b\xe2\x80\x8f.txt",
                  "ab.txt"},
                 {"", "file"},
                 {".", "file"},
                 {"..", "file"},
                 {"  .. ", "file"},
                 {"x/", "file"},
                 {"a?.txt", "a_.txt"},
                 {".htaccess", ".htaccess"},
                 {"\xff\xfe.txt", "__.txt"},
                 {"\xe5\x90\x8d.txt", "\xe5\x90\x8d.txt"},
                 {"a. ", "a"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(file_name_safe(arena, str_of(cases[i].name)).p, cases[i].safe);
    assert_string_equal(file_name_safe(arena, S("a\0b.txt")).p, "ab.txt");
    char *name = arena_alloc(arena, 10001);
    memset(name, 'x', 9996);
    memcpy(name + 9996, ".pdf", 5);
    struct str safe = file_name_safe(arena, str_of(name));
    assert_int_equal(safe.n, 200);
    assert_string_equal(safe.p + 195, "x.pdf");
    for (int i = 0; i < 3000; i++) memcpy(name + 3 * i, "\xe2\x82\xac", 3);
    safe = file_name_safe(arena, (struct str){name, 9000});
    assert_true(safe.n <= 200 && safe.n > 196 && utf8_valid(safe));
}

/* The parent of the reader of mails refuses a name that is not its own safe form. */
static void a_safe_name_is_its_own_safe_form(void **state) {
    static const char *const ends[] = {". .", " . . ", "\t.\n.", "", ".a b. c ."};
    char name[260];
    (void)state;
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
        for (size_t n = 0; n < 240; n++) {
            for (size_t i = 0; i < n; i++) name[i] = "x. y"[i * (n + 1) % 4];
            snprintf(name + n, sizeof name - n, "%s", ends[k]);
            struct str safe = file_name_safe(arena, str_of(name));
            assert_true(safe.n > 0 && safe.n <= 200);
            assert_int_equal(strlen(safe.p), safe.n);
            assert_string_equal(file_name_safe(arena, safe).p, safe.p);
        }
}

static void equal_names_are_numbered(void **state) {
    struct str names[] = {S("a.txt"), S("a.txt"), S("a (2).txt"), S("A.txt"), S("b"), S("b")};
    static const char *const expected[] = {"a.txt", "a (2).txt", "a (2) (2).txt", "A (3).txt", "b", "b (2)"};
    (void)state;
    file_names_unique(arena, names, 6);
    for (size_t i = 0; i < 6; i++) assert_string_equal(names[i].p, expected[i]);
}

int main(void) {
    setlocale(LC_CTYPE, "C.UTF-8"); /* the reader converts names */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_zip_has_every_file_whatever_the_pieces_it_is_read_in),
        cmocka_unit_test(a_zip_without_files_is_empty),
        cmocka_unit_test(a_zip_breaks_where_a_content_is_missing_or_of_another_size),
        cmocka_unit_test(a_zip_of_a_gibibyte_needs_a_few_hundred_kibibytes),
        cmocka_unit_test(names_of_files_are_made_safe),
        cmocka_unit_test(a_safe_name_is_its_own_safe_form),
        cmocka_unit_test(equal_names_are_numbered),
    };
    return cmocka_run_group_tests(tests, open_folder, drop_folder);
}
