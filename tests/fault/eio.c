/* LD_PRELOAD shim: a disk that fails on command. While the file named by DESKD_FAULT exists, calls on
 * files below the folder DESKD_FAULT_UNDER fail. The first line of that file names the fault:
 *
 *     sync      fdatasync and fsync: EIO; the data has reached the page cache, as on a real disk
 *     write     pwrite: EIO
 *     rename    renameat2 with a flag: EINVAL, as on file systems without RENAME_NOREPLACE
 *     full      pwrite that would make a file longer: ENOSPC; overwriting works
 *     line      getline behind the first line of a file: EIO
 *     end       fdatasync, fsync and unlink: SIGKILL before the call
 *
 * cc -shared -fPIC -o eio.so eio.c; remove the file to end the fault. Each call reads the file, so a test
 * needs no signal and no restart. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool told(const char *fault) {
    const char *path = getenv("DESKD_FAULT");
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0) return false;
    char line[16] = "";
    ssize_t n = read(fd, line, sizeof line - 1);
    close(fd);
    return n > 0 && strncmp(line, fault, strlen(fault)) == 0;
}

static bool ours(int fd) {
    const char *under = getenv("DESKD_FAULT_UNDER");
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    return under && n > 0 && strncmp(path, under, strlen(under)) == 0;
}

static bool grows(int fd, off64_t end) {
    struct stat st;
    return fstat(fd, &st) == 0 && end > st.st_size;
}

static int fail(int error) {
    errno = error;
    return -1;
}

static bool below(const char *path) {
    const char *under = getenv("DESKD_FAULT_UNDER");
    return under && strncmp(path, under, strlen(under)) == 0;
}

static void end_if_told(bool here) {
    if (here && told("end")) kill(getpid(), SIGKILL);
}

int unlink(const char *path) {
    end_if_told(below(path));
    return (int)syscall(SYS_unlink, path);
}

int fdatasync(int fd) {
    end_if_told(ours(fd));
    return told("sync") && ours(fd) ? fail(EIO) : (int)syscall(SYS_fdatasync, fd);
}
int fsync(int fd) {
    end_if_told(ours(fd));
    return told("sync") && ours(fd) ? fail(EIO) : (int)syscall(SYS_fsync, fd);
}

int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags) {
    if (flags && told("rename")) return fail(EINVAL);
    return (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, flags);
}

ssize_t pwrite64(int fd, const void *p, size_t n, off64_t at) {
    if (told("write") && ours(fd)) return fail(EIO);
    if (told("full") && ours(fd) && grows(fd, at + (off64_t)n)) return fail(ENOSPC);
    return syscall(SYS_pwrite64, fd, p, n, at);
}
ssize_t pwrite(int fd, const void *p, size_t n, off_t at) { return pwrite64(fd, p, n, at); }

/* getline is this function. */
ssize_t __getdelim(char **line, size_t *room, int end, FILE *file) {
    ssize_t (*next)(char **line, size_t *room, int end, FILE *file) = dlsym(RTLD_NEXT, "__getdelim");
    if (told("line") && ours(fileno(file)) && ftello(file) > 0) return fail(EIO);
    return next(line, room, end, file);
}
