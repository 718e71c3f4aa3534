/* LD_PRELOAD shim: a file system that forgets what was not synced. It copies the folder below LOSS_FROM to
 * LOSS_TO as it would be after a loss of power: a file has the bytes of its last fsync, and a folder has
 * the names of its last fsync.
 *
 *     open(O_CREAT), rename, unlink    change the names of a folder in memory of the disk: not durable
 *     fsync(file)                      its bytes are durable, under its number
 *     fsync(folder)                    its names are durable
 *
 * At the LOSS_AT-th of these calls below LOSS_FROM the process ends, as by SIGKILL. Nothing is kept of
 * what no fsync has covered: the harshest disk that POSIX allows. LOSS_TO has files "INODE.bytes" and, for
 * each folder, a file "FOLDER.names" with a line "INODE NAME" for each name.
 *
 * cc -shared -fPIC -o unsynced.so unsynced.c */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long calls;

static int below(const char *path) {
    const char *from = getenv("LOSS_FROM");
    return from && path && strncmp(path, from, strlen(from)) == 0;
}

static int path_of_fd(int fd, char path[PATH_MAX]) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, PATH_MAX - 1);
    if (n < 0) return 0;
    path[n] = 0;
    return below(path);
}

/* Counts a call, and loses power if it is the one. It holds the lock until the end, so that no other
 * thread goes on. */
static void step(void) {
    const char *at = getenv("LOSS_AT");
    if (at && ++calls == atol(at)) kill(getpid(), SIGKILL);
}

/* Replaces a file of LOSS_TO whole. */
static FILE *begin(char temporary[PATH_MAX], char final[PATH_MAX], const char *name, const char *ending) {
    snprintf(final, PATH_MAX, "%s/%s.%s", getenv("LOSS_TO"), name, ending);
    snprintf(temporary, PATH_MAX, "%s/draft", getenv("LOSS_TO"));
    FILE *f = fopen(temporary, "w");
    if (!f) abort();
    return f;
}

static void end(FILE *f, const char *temporary, const char *final) {
    if (fclose(f) != 0 || syscall(SYS_rename, temporary, final) != 0) abort();
}

static void keep_bytes(int fd, const struct stat *st) {
    char temporary[PATH_MAX], final[PATH_MAX], name[32], piece[65536];
    snprintf(name, sizeof name, "%llu", (unsigned long long)st->st_ino);
    FILE *f = begin(temporary, final, name, "bytes");
    off_t at = 0;
    for (ssize_t n; (n = pread(fd, piece, sizeof piece, at)) > 0; at += n) fwrite(piece, 1, (size_t)n, f);
    end(f, temporary, final);
}

static void keep_names(const char *path) {
    char temporary[PATH_MAX], final[PATH_MAX];
    DIR *d = opendir(path);
    if (!d) return;
    FILE *f = begin(temporary, final, strrchr(path, '/') + 1, "names");
    for (struct dirent *e; (e = readdir(d));)
        if (e->d_type == DT_REG) fprintf(f, "%llu %s\n", (unsigned long long)e->d_ino, e->d_name);
    closedir(d);
    end(f, temporary, final);
}

int fsync(int fd) {
    char path[PATH_MAX];
    struct stat st;
    if (!path_of_fd(fd, path) || fstat(fd, &st) != 0) return (int)syscall(SYS_fsync, fd);
    pthread_mutex_lock(&lock);
    step();
    if (S_ISDIR(st.st_mode)) keep_names(path);
    else keep_bytes(fd, &st);
    step(); /* the power may also go when the disk is done, and the caller has not gone on */
    pthread_mutex_unlock(&lock);
    return 0;
}

int rename(const char *from, const char *to) {
    if (!below(to)) return (int)syscall(SYS_rename, from, to);
    pthread_mutex_lock(&lock);
    step();
    int rc = (int)syscall(SYS_rename, from, to);
    pthread_mutex_unlock(&lock);
    return rc;
}
