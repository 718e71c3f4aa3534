/* CSV files: encodings, delimiters, quotes, and files that can't be read on. */
#include "base/buf.h"
#include "files/csv_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static struct arena *memory;

static struct csv_reader *reader_of(const char *bytes, size_t n, enum csv_encoding encoding) {
    char path[] = "/tmp/csv_file_test.XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
    close(fd);
    struct csv_reader *r = csv_open(path, encoding, 0);
    unlink(path);
    assert_non_null(r);
    return r;
}
#define READER(text) reader_of(text, sizeof(text) - 1, CSV_ENCODING_NONE)

/* The rows as one text: cells are separated by |, rows by /, and a refused row is !. */
static const char *rows_of(struct csv_reader *r) {
    struct csv_row row;
    struct buf b = {0};
    int rc;
    while ((rc = csv_next(r, memory, &row)) == 1) {
        if (b.n) buf_char(&b, '/');
        if (row.refused) buf_char(&b, '!');
        for (int i = 0; i < row.count && !row.refused; i++) {
            if (i) buf_char(&b, '|');
            buf_str(&b, row.cells[i]);
        }
    }
    if (rc < 0) buf_fmt(&b, "#%lld", (long long)csv_line(r));
    csv_close(r);
    return buf_take(&b, memory).p;
}
#define ROWS(text, expected) assert_string_equal(rows_of(READER(text)), expected)

static void quotes_and_line_ends_may_be_mixed(void **state) {
    (void)state;
    ROWS("a,b\r\n\"x, \"\"y\"\"\",2\n\n3,\"two\nlines\"\r4,\r\n5,6", "a|b/x, \"y\"|2/3|two\nlines/4|/5|6");
    ROWS("a;b,c;d\n1;2;3\n", "a|b,c|d/1|2|3");
    ROWS("a\tb\n\"1\"\t\"\"\n", "a|b/1|");
    ROWS("\"a,b,c\";d\n1;2\n", "a,b,c|d/1|2");
}

static void all_encodings_give_the_same_text(void **state) {
    (void)state;
    ROWS("\xEF\xBB\xBFn\xC3\xA4me\n\xE2\x82\xAC\n", "n\xC3\xA4me/\xE2\x82\xAC");
    ROWS("\xFF\xFEn\0\xE4\0\n\0\xAC\x20\n\0\x3D\xD8\x00\xDE", "n\xC3\xA4/\xE2\x82\xAC/\xF0\x9F\x98\x80");
    ROWS("\xFE\xFF\0n\0\xE4\0\n\x20\xAC", "n\xC3\xA4/\xE2\x82\xAC");
    ROWS("n\0\xE4\0\n\0\xAC\x20", "n\xC3\xA4/\xE2\x82\xAC");
    ROWS("\0n\0\xE4\0\n\x20\xAC", "n\xC3\xA4/\xE2\x82\xAC");
    assert_string_equal(rows_of(reader_of("n\xE4me\n\x80", 6, CSV_WINDOWS_1252)), "n\xC3\xA4me/\xE2\x82\xAC");
}

static void a_wrong_row_leaves_the_others(void **state) {
    (void)state;
    ROWS("a\nb\"c\nd\n", "a/!/d");
    ROWS("a\n\"b\"c\nd\n", "a/!/d");
}

static void a_file_that_is_broken_ends_with_its_line(void **state) {
    (void)state;
    ROWS("a\nb\n\"c\nd\n", "a/b#3");
    ROWS("a\nb\0c\n", "a#2");
    ROWS("a\n\xE4\n", "a#2");
    ROWS("\xFF\xFE\x61\0\n\0\x3D\xD8\x61\0", "a#2");
    ROWS("\xFF\xFE\x61\0\n\0\x00\xDC\x61\0", "a#2");
    ROWS("\xFF\xFE\x61\0\n\0\x61", "a#2");
    assert_string_equal(rows_of(reader_of("a\n\x81\n", 4, CSV_WINDOWS_1252)), "a#2");
    assert_string_equal(rows_of(reader_of("\xFF\xFE\x61\0", 4, CSV_UTF8)), "#1");
    assert_string_equal(rows_of(reader_of("ab", 2, CSV_UTF16)), "#1");
    ROWS("", "");
    ROWS("\xEF\xBB\xBF\r\n\n", "");
}

static void a_file_that_can_not_be_read_is_not_at_its_end(void **state) {
    struct csv_reader *r = csv_open("/", CSV_ENCODING_NONE, 0); /* a folder can be opened */
    struct csv_row row;
    (void)state;
    assert_non_null(r);
    assert_int_equal(csv_next(r, memory, &row), -1);
    assert_string_equal(csv_why(r), CSV_WHY_UNREADABLE);
    assert_int_equal(csv_return(r, &(struct csv_place){.line = 3, .rows = 2}), 0);
    assert_int_equal(csv_next(r, memory, &row), -1);
    assert_string_equal(csv_why(r), CSV_WHY_UNREADABLE);
    assert_int_equal(csv_line(r), 3);
    csv_close(r);
}

static const char *repeated(const char *what, size_t n, const char *last) {
    struct buf b = {0};
    buf_text(&b, "a\n");
    for (size_t i = 0; i < n; i++) buf_text(&b, what);
    buf_text(&b, last);
    return buf_take(&b, memory).p;
}

static void long_rows_take_no_more_memory(void **state) {
    const char *cells = repeated("x,", 1000000, "\nz\n"), *text = repeated("xx", 1000000, "\nz\n");
    const char *open = repeated("xx\n", 1000000, "\"");
    (void)state;
    assert_string_equal(rows_of(reader_of(cells, strlen(cells), CSV_ENCODING_NONE)), "a/!/z");
    assert_string_equal(rows_of(reader_of(text, strlen(text), CSV_ENCODING_NONE)), "a/!/z");
    struct csv_reader *r = reader_of(open, strlen(open), CSV_ENCODING_NONE);
    struct csv_row row;
    int rc = 1;
    while (rc == 1) {
        struct arena_mark mark = arena_mark(memory);
        rc = csv_next(r, memory, &row);
        arena_return(memory, mark);
    }
    assert_int_equal(rc, -1);
    assert_int_equal(csv_line(r), 1000002);
    csv_close(r);
}

/* Reads a file that begins with the row "a" and has `what` up to 16 MiB. Returns the line at which it can't be read on. */
static int64_t endless(const char *what) {
    const char *text = repeated(what, (16 << 20) / strlen(what), "");
    struct csv_reader *r = reader_of(text, strlen(text), CSV_ENCODING_NONE);
    struct csv_row row;
    struct csv_place place;
    int rc = 1;
    while (rc == 1) {
        struct arena_mark mark = arena_mark(memory);
        rc = csv_next(r, memory, &row);
        arena_return(memory, mark);
    }
    assert_int_equal(rc, -1);
    assert_non_null(strstr(csv_why(r), "within 8 MiB"));
    csv_mark(r, &place);
    assert_true(place.offset <= (9 << 20));
    int64_t line = csv_line(r);
    csv_close(r);
    return line;
}

static void a_row_without_end_is_not_read_to_the_end_of_the_file(void **state) {
    (void)state;
    assert_int_equal(endless("x"), 2);
    assert_int_equal(endless("x,"), 2);
    assert_true(endless("\n") > 1000);
    const char *quote = repeated("", 0, "b\n\"");
    struct buf b = {0};
    buf_text(&b, quote);
    for (int i = 0; i < 16 << 18; i++) buf_text(&b, "xy\r\n");
    struct str text = buf_take(&b, memory);
    assert_string_equal(rows_of(reader_of(text.p, text.n, CSV_ENCODING_NONE)), "a/b#3");
}

/* The rows of a file, each by a reader of its own that begins where the one before ended. */
static void reading_continues_at_the_end_of_any_row(void **state) {
    static const char text[] = "a,b\r\n\r\n1,\"x\r\ny\"\r2,\xC3\xA4\n\n3,4";
    static const char *const cells[] = {"b", "x\r\ny", "\xC3\xA4", "4"};
    static const int64_t lines[] = {1, 3, 5, 7};
    struct csv_place place = {0, 1, 0};
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct csv_reader *r = READER(text);
        struct csv_row row;
        if (i) assert_int_equal(csv_return(r, &place), 0);
        assert_int_equal(csv_next(r, memory, &row), 1);
        assert_int_equal(row.number, i + 1);
        assert_int_equal(row.line, lines[i]);
        assert_string_equal(str_dup(memory, row.cells[1]).p, cells[i]);
        csv_mark(r, &place);
        csv_close(r);
    }
    assert_int_equal(place.offset, sizeof text - 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_without_end_is_not_read_to_the_end_of_the_file),
        cmocka_unit_test(reading_continues_at_the_end_of_any_row),
        cmocka_unit_test(quotes_and_line_ends_may_be_mixed),
        cmocka_unit_test(all_encodings_give_the_same_text),
        cmocka_unit_test(a_wrong_row_leaves_the_others),
        cmocka_unit_test(a_file_that_is_broken_ends_with_its_line),
        cmocka_unit_test(a_file_that_can_not_be_read_is_not_at_its_end),
        cmocka_unit_test(long_rows_take_no_more_memory),
    };
    memory = arena_new();
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(memory);
    return failures;
}
