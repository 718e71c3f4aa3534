#include "files/picture.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- headers ------------------------------------------------------------------------------------------------------ */

static int big_endian_16(const unsigned char *p) { return p[0] << 8 | p[1]; }

static bool png(const unsigned char *head, size_t n, struct picture *out) {
    if (n < 24 || memcmp(head, "\x89PNG\r\n\x1a\n", 8) != 0 || memcmp(head + 12, "IHDR", 4) != 0) return false;
    bool small = head[16] == 0 && head[17] == 0 && head[20] == 0 && head[21] == 0; /* the two upper bytes of either side */
    *out = (struct picture){PICTURE_PNG, small ? big_endian_16(head + 18) : INT32_MAX, small ? big_endian_16(head + 22) : INT32_MAX};
    return true;
}

static bool gif(const unsigned char *head, size_t n, struct picture *out) {
    if (n < 10 || (memcmp(head, "GIF87a", 6) != 0 && memcmp(head, "GIF89a", 6) != 0)) return false;
    *out = (struct picture){PICTURE_GIF, head[7] << 8 | head[6], head[9] << 8 | head[8]};
    return true;
}

/* Walks the segments to the frame header: SOF0 to SOF15 without DHT, JPG and DAC (ISO/IEC 10918-1, table B.1). */
static bool jpeg(FILE *f, struct picture *out) {
    unsigned char s[9];
    if (fseek(f, 2, SEEK_SET) != 0) return false;
    for (int segments = 0; segments < 256 && fread(s, 1, 4, f) == 4 && s[0] == 0xFF; segments++) {
        int kind = s[1], length = big_endian_16(s + 2);
        bool frame = kind >= 0xC0 && kind <= 0xCF && kind != 0xC4 && kind != 0xC8 && kind != 0xCC;
        if (length < 2) return false;
        if (frame) {
            if (fread(s, 1, 5, f) != 5) return false;
            *out = (struct picture){PICTURE_JPEG, big_endian_16(s + 3), big_endian_16(s + 1)};
            return true;
        }
        if (fseek(f, length - 2, SEEK_CUR) != 0) return false;
    }
    return false;
}

int picture_look(const char *path, struct picture *out) {
    unsigned char head[32];
    FILE *f = fopen(path, "rbe");
    if (f == NULL) return UNAVAILABLE("pictures that can't be read", "the picture %s can't be read: %s", path, strerror(errno));
    size_t n = fread(head, 1, sizeof head, f);
    bool known = png(head, n, out) || gif(head, n, out) || (n > 3 && head[0] == 0xFF && head[1] == 0xD8 && jpeg(f, out));
    fclose(f);
    return known && out->width > 0 && out->height > 0;
}

/* ---- its parent --------------------------------------------------------------------------------------------------- */

/* Returns 1: it has answered, 0: it could not decode the picture, or a negative error. */
static int child_outcome(int status) {
    if (WIFEXITED(status) && WEXITSTATUS(status) == PICTURE_UNCONFINED) {
        log_error("a picture can't be decoded: the kernel takes no seccomp filter");
        return -ERR_SERVICE_UNAVAILABLE;
    }
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
        log_warn("a picture made its decoder try a forbidden system call: it was killed");
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int run_child(int in, int out, int side) {
    char number[16];
    char *const args[] = {"deskd", PICTURE_ARGUMENT, number, NULL}, *const nothing[] = {NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = -1;
    snprintf(number, sizeof number, "%d", side);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int rc = posix_spawn(&child, "/proc/self/exe", &actions, NULL, args, nothing);
    posix_spawn_file_actions_destroy(&actions);
    if (rc != 0) {
        return UNAVAILABLE("pictures that can't be decoded", "a picture can't be decoded: no process for it: %s", strerror(rc));
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return child_outcome(status);
}

static bool read_result(int fd, struct arena *a, struct str *out) {
    struct stat st;
    if (fstat(fd, &st) != 0 || st.st_size <= 0 || st.st_size > LIMIT_PICTURE) return false;
    char *data = arena_alloc(a, (size_t)st.st_size);
    *out = (struct str){data, (size_t)st.st_size};
    return pread(fd, data, out->n, 0) == st.st_size;
}

int picture_square(const char *path, int side, struct arena *a, const struct picture *p, struct str *out) {
    if ((int64_t)p->width * p->height > LIMIT_PIXELS) return 0;
    int in = open(path, O_RDONLY | O_CLOEXEC), answer = memfd_create("picture", MFD_CLOEXEC);
    int rc = in >= 0 && answer >= 0 ? run_child(in, answer, side)
                                    : UNAVAILABLE("pictures that can't be read", "the picture %s can't be read: %s", path, strerror(errno));
    if (rc == 1 && !read_result(answer, a, out)) rc = 0;
    if (in >= 0) close(in);
    if (answer >= 0) close(answer);
    return rc;
}
