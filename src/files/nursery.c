#include "files/nursery.h"

#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define SOCKET 3        /* descriptor of the socket in the prepared process */
#define CHILDREN 256    /* confined processes at one time; the lanes of the pool allow far fewer */
#define DESCRIPTORS 3   /* number of descriptors of a request: input, answer, pipe */
#define NOT_FORKED (-1) /* a status that waitpid never gives */

union request_control {
    char room[CMSG_SPACE(DESCRIPTORS * sizeof(int))];
    struct cmsghdr align;
};

/* ---- the parent ------------------------------------------------------------------------------ */

static struct {
    pthread_mutex_t lock;
    const struct nursery_kind *kinds; /* NULL: none is allowed */
    int socket;                       /* -1: no process is prepared */
    pid_t pid;
} nursery = {.lock = PTHREAD_MUTEX_INITIALIZER, .socket = -1};

void nursery_allow(const struct nursery_kind *kinds) { nursery.kinds = kinds; }

static int kind_index(const struct nursery_kind *kinds, const char *argument) {
    for (int i = 0; kinds && kinds[i].argument; i++)
        if (strcmp(kinds[i].argument, argument) == 0) return i;
    return -1;
}

static bool spawn_nursery(int theirs) {
    char *const args[] = {"deskd", NURSERY_ARGUMENT, "serve", NULL}, *const nothing[] = {NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDWR, 0);
    posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions, theirs, SOCKET);
    /* before exec: the locks of a killed desk end with it */
    posix_spawn_file_actions_addclosefrom_np(&actions, SOCKET + 1);
    int rc = posix_spawn(&nursery.pid, "/proc/self/exe", &actions, NULL, args, nothing);
    posix_spawn_file_actions_destroy(&actions);
    return rc == 0;
}

static void start_nursery(void) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) return;
    /* dup2 to the same number would keep the flag that closes it */
    int theirs = pair[1] == SOCKET ? fcntl(pair[1], F_DUPFD_CLOEXEC, SOCKET + 1) : pair[1];
    bool started = theirs >= 0 && spawn_nursery(theirs);
    if (theirs != pair[1] && theirs >= 0) close(theirs);
    close(pair[1]);
    if (started) nursery.socket = pair[0];
    else close(pair[0]);
}

/* Ends the prepared process that had this socket, unless another caller did. */
static void stop_nursery(int socket) {
    if (socket < 0 || nursery.socket != socket) return;
    close(nursery.socket);
    nursery.socket = -1;
    kill(nursery.pid, SIGKILL);
    while (waitpid(nursery.pid, NULL, 0) < 0 && errno == EINTR) {}
    log_often(LOG_WARN, "prepared processes that ended",
              "the prepared process ended: another one is started");
}

static bool send_request(int socket, char kind, const int fds[DESCRIPTORS]) {
    union request_control control = {0};
    struct iovec data = {&kind, 1};
    struct msghdr m = {.msg_iov = &data,
                       .msg_iovlen = 1,
                       .msg_control = control.room,
                       .msg_controllen = sizeof control.room};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    *c = (struct cmsghdr){
        .cmsg_len = CMSG_LEN(DESCRIPTORS * sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(c), fds, DESCRIPTORS * sizeof(int));
    ssize_t n;
    do n = sendmsg(socket, &m, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    return n == 1;
}

/* Sends the request, to a new prepared process if there is none or the last one has ended. Returns its
 * socket, or -1. */
static int request_fork(int kind, const int fds[DESCRIPTORS]) {
    int socket = -1;
    pthread_mutex_lock(&nursery.lock);
    for (int tries = 0; tries < 2 && socket < 0; tries++) {
        if (nursery.socket < 0) start_nursery();
        if (nursery.socket >= 0 && send_request(nursery.socket, (char)kind, fds)) socket = nursery.socket;
        else stop_nursery(nursery.socket);
    }
    pthread_mutex_unlock(&nursery.lock);
    return socket;
}

static bool is_cancelled(int pipe, int cancel) {
    struct pollfd fds[] = {{pipe, POLLIN, 0}, {cancel, POLLIN, 0}};
    while (poll(fds, 2, -1) < 0 && errno == EINTR) {}
    return fds[0].revents == 0 && fds[1].revents;
}

static bool read_status(int pipe, int cancel, int *status) {
    ssize_t n;
    *status = SIGPROF;
    if (cancel >= 0 && is_cancelled(pipe, cancel)) return true;
    do n = read(pipe, status, sizeof *status);
    while (n < 0 && errno == EINTR);
    return n == sizeof *status;
}

/* The prepared process ended during the work. It may run again from its start. */
static void put_back(int socket, int in, int out) {
    pthread_mutex_lock(&nursery.lock);
    stop_nursery(socket);
    pthread_mutex_unlock(&nursery.lock);
    lseek(in, 0, SEEK_SET);
    lseek(out, 0, SEEK_SET);
    if (ftruncate(out, 0) != 0) log_warn("an answer can't be emptied: %s", strerror(errno));
}

int nursery_run(const char *kind, int in, int out, int cancel, int *status) {
    int index = kind_index(nursery.kinds, kind), ends[2];
    if (index < 0 || pipe2(ends, O_CLOEXEC) != 0) return 0;
    int socket = request_fork(index, (const int[]){in, out, ends[1]});
    close(ends[1]);
    bool ended = socket >= 0 && read_status(ends[0], cancel, status);
    close(ends[0]);
    if (socket >= 0 && !ended) put_back(socket, in, out);
    return ended && *status != NOT_FORKED;
}

/* ---- the prepared process -------------------------------------------------------------------- */

struct fork_request {
    int kind, in, out, pipe;
};

static struct {
    pid_t pid;
    int pipe;
} forked[CHILDREN];

static void send_status(int pipe, int status) {
    ssize_t n = write(pipe, &status, sizeof status); /* if the caller is gone, nobody waits */
    (void)n;
    close(pipe);
}

/* Returns 1, 0 if the parent has ended, or -1: not a request. */
static int receive_request(struct fork_request *r) {
    union request_control control;
    char kind = 0;
    struct iovec data = {&kind, 1};
    struct msghdr m = {.msg_iov = &data,
                       .msg_iovlen = 1,
                       .msg_control = control.room,
                       .msg_controllen = sizeof control.room};
    ssize_t n = recvmsg(SOCKET, &m, MSG_CMSG_CLOEXEC);
    if (n <= 0) return n < 0 && errno == EINTR ? -1 : 0;
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    int fds[DESCRIPTORS];
    if (c == NULL || c->cmsg_type != SCM_RIGHTS || c->cmsg_len != CMSG_LEN(sizeof fds)) return -1;
    memcpy(fds, CMSG_DATA(c), sizeof fds);
    *r = (struct fork_request){kind, fds[0], fds[1], fds[2]};
    return 1;
}

static void run_fork(const struct nursery_kind *kind, const struct fork_request *r) {
    sigset_t none;
    sigemptyset(&none);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (dup2(r->in, STDIN_FILENO) < 0 || dup2(r->out, STDOUT_FILENO) < 0 || close_range(SOCKET, ~0U, 0) != 0)
        _exit(1);
    sigprocmask(SIG_SETMASK, &none, NULL);
    _exit(kind->run());
}

static void take_request(const struct nursery_kind *kinds, int count, const struct fork_request *r) {
    int free = 0;
    while (free < CHILDREN && forked[free].pid) free++;
    pid_t child = free < CHILDREN && r->kind >= 0 && r->kind < count ? fork() : -1;
    if (child == 0) run_fork(&kinds[r->kind], r);
    close(r->in);
    close(r->out);
    if (child > 0) forked[free].pid = child, forked[free].pipe = r->pipe;
    else send_status(r->pipe, NOT_FORKED);
}

static void report_ended(void) {
    int status;
    for (pid_t child; (child = waitpid(-1, &status, WNOHANG)) > 0;)
        for (int i = 0; i < CHILDREN; i++)
            if (forked[i].pid == child) {
                send_status(forked[i].pipe, status);
                forked[i].pid = 0;
            }
}

int nursery_child(const struct nursery_kind *kinds) {
    struct fork_request r;
    struct signalfd_siginfo ignored;
    sigset_t ended;
    int count = 0;
    close_range(SOCKET + 1, ~0U, 0);
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    sigprocmask(SIG_SETMASK, &ended, NULL);
    for (; kinds[count].argument; count++)
        if (kinds[count].prepare) kinds[count].prepare();
    struct pollfd wait[] = {{SOCKET, POLLIN, 0},
                            {signalfd(-1, &ended, SFD_CLOEXEC | SFD_NONBLOCK), POLLIN, 0}};
    for (int got = 1; got;) {
        if (poll(wait, 2, -1) < 0 && errno != EINTR) break;
        if (wait[1].revents && read(wait[1].fd, &ignored, sizeof ignored) > 0) report_ended();
        if (wait[0].revents && (got = receive_request(&r)) == 1) take_request(kinds, count, &r);
    }
    _exit(0);
}
