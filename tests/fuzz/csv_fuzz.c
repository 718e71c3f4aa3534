/* CSV files in each encoding. Cells are valid UTF-8 without NUL, and a row stays within its limits. */
#include "../../src/files/csv_file.c"

#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[40];
    int fd = memfd_create("csv", MFD_CLOEXEC), rc;
    struct csv_row row;
    struct arena *a = arena_new();
    if (size == 0) return arena_free(a), close(fd), 0;
    if (fd < 0 || write(fd, data + 1, size - 1) < 0) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct csv_reader *r = csv_open(path, (enum csv_encoding)(data[0] % 4), 0);
    if (r == NULL) abort();
    while ((rc = csv_next(r, a, &row)) == 1) {
        if (row.count > CSV_COLUMNS) abort();
        for (int i = 0; i < row.count; i++)
            if (!utf8_valid(row.cells[i]) || memchr(row.cells[i].p, 0, row.cells[i].n)) abort();
    }
    if (rc < 0 && csv_why(r) == NULL) abort();
    csv_close(r);
    close(fd);
    arena_free(a);
    return 0;
}
