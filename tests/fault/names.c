/* LD_PRELOAD shim: names that resolve as a test says, and a public network on this machine.
 *
 * getaddrinfo of a name that ends in ".example" answers the next line of the file named by DESKD_NAMES,
 * again and again the last one, and appends the name to the file DESKD_NAMES.asked. A connection to
 * 11.x.x.x reaches 127.0.0.1, and its other end seems to be 11.x.x.x. So a test connects to a "public"
 * address, and nothing leaves the machine.
 *
 * cc -shared -fPIC -o names.so names.c */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define FDS 4096

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int asked;
static struct in_addr shown[FDS]; /* by descriptor: the other end that it seems to have; 0: the true one */

/* The nth line of the file, or the last one. */
static int nth_line(const char *path, int n, char *out, size_t size) {
    FILE *f = fopen(path, "r");
    char line[256];
    int found = 0;
    if (f == NULL) return 0;
    for (int i = 0; i <= n && fgets(line, sizeof line, f); i++) {
        line[strcspn(line, "\n")] = 0;
        if (*line) found = snprintf(out, size, "%s", line) > 0;
    }
    fclose(f);
    return found;
}

static void note(const char *path, const char *name) {
    char file[512];
    snprintf(file, sizeof file, "%s.asked", path);
    FILE *f = fopen(file, "a");
    if (f == NULL) return;
    fprintf(f, "%s\n", name);
    fclose(f);
}

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **out) {
    static int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    const char *path = getenv("DESKD_NAMES"), *dot = node ? strrchr(node, '.') : NULL;
    char address[256];
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
    if (path == NULL || dot == NULL || strcmp(dot, ".example") != 0) return real(node, service, hints, out);
    pthread_mutex_lock(&lock);
    int found = nth_line(path, asked++, address, sizeof address);
    note(path, node);
    pthread_mutex_unlock(&lock);
    return found ? real(address, service, hints, out) : EAI_NONAME;
}

int connect(int fd, const struct sockaddr *to, socklen_t size) {
    static int (*real)(int, const struct sockaddr *, socklen_t);
    struct sockaddr_in in;
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "connect");
    if (to->sa_family != AF_INET || size < sizeof in || fd < 0 || fd >= FDS) return real(fd, to, size);
    memcpy(&in, to, sizeof in);
    int public = (ntohl(in.sin_addr.s_addr) >> 24) == 11;
    shown[fd].s_addr = public ? in.sin_addr.s_addr : 0;
    if (public) in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return real(fd, (const struct sockaddr *)&in, sizeof in);
}

int getpeername(int fd, struct sockaddr *from, socklen_t *size) {
    static int (*real)(int, struct sockaddr *, socklen_t *);
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "getpeername");
    int rc = real(fd, from, size);
    if (rc == 0 && from->sa_family == AF_INET && fd >= 0 && fd < FDS && shown[fd].s_addr)
        ((struct sockaddr_in *)from)->sin_addr = shown[fd];
    return rc;
}
