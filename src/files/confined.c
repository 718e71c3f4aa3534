#include "files/confined.h"

#include "base/error.h"
#include "base/log.h"
#include "files/nursery.h"

#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define GIVES_WAY 10 /* a value of nice(1) */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* ---- the parent ------------------------------------------------------------------------------ */

static int confined_ended(int status, const char *what) {
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS)
        log_warn("%s caused a forbidden system call: its process was killed", what);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int confined_run_status(const char *kind, const char *parameter, int in, int out, int cancel,
                        const char *what, int *status) {
    if (nursery_run(kind, in, out, cancel, status)) return confined_ended(*status, what);
    char *const args[] = {"deskd", (char *)(uintptr_t)kind, (char *)(uintptr_t)parameter, NULL},
                *const nothing[] = {NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    /* before exec: the locks of a killed desk end with it */
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    int rc = posix_spawn(&child, "/proc/self/exe", &actions, NULL, args, nothing);
    posix_spawn_file_actions_destroy(&actions);
    if (rc != 0)
        return UNAVAILABLE("confined processes that can't be started",
                           "%s can't be read: no process can be started: %s", what, strerror(rc));
    while (waitpid(child, status, 0) < 0 && errno == EINTR) {}
    return confined_ended(*status, what);
}

static int confined_outcome(int status, const char *what) {
    if (WIFEXITED(status) && WEXITSTATUS(status) == CONFINED_FAILED) {
        log_error("%s can't be read: the kernel refuses a seccomp filter", what);
        return -ERR_SERVICE_UNAVAILABLE;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == CONFINED_NO_LIBRARY) {
        log_error("%s can't be read: libgd can't be loaded. Install libgd3", what);
        return -ERR_SERVICE_UNAVAILABLE;
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int confined_run(const char *kind, const char *parameter, int in, int out, const char *what) {
    int status, rc = confined_run_status(kind, parameter, in, out, -1, what, &status);
    return rc < 0 ? rc : confined_outcome(status, what);
}

const char *confined_end(struct arena *a, int status, const struct confined_limits *l) {
    int sign = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
        code = WIFEXITED(status) ? WEXITSTATUS(status) : status;
    if (sign == SIGALRM) return str_fmt(a, "was stopped after %d seconds", 10 * l->seconds).p;
    if (sign == SIGPROF) return str_fmt(a, "was stopped after %d ms of CPU time", l->milliseconds).p;
    if (sign == SIGXCPU) return str_fmt(a, "was stopped after %d seconds of CPU time", l->seconds).p;
    if (sign == SIGXFSZ) return str_fmt(a, "wrote more than %d MiB", (int)(l->answer >> 20)).p;
    if (sign == SIGKILL) return "was killed, perhaps because the machine has too little memory";
    if (sign == SIGABRT || sign == SIGSYS) /* abort() makes system calls that are forbidden */
        return str_fmt(a, "needed more than %d MiB of memory, or made a forbidden system call",
                       (int)(l->memory >> 20))
            .p;
    return sign ? str_fmt(a, "crashed (signal %d)", sign).p : str_fmt(a, "failed (status %d)", code).p;
}

bool confined_end_by_chance(int status) {
    /* The limit of CPU time ends a process that needs too much. The limit of time ends one only if others
     * left it no CPU. */
    if (WIFSIGNALED(status)) return WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGALRM;
    return WIFEXITED(status) &&
           (WEXITSTATUS(status) == CONFINED_FAILED || WEXITSTATUS(status) == CONFINED_NO_LIBRARY);
}

bool confined_end_by_budget(int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF; }

bool confined_answer(int fd, int64_t most, struct arena *a, struct str *out) {
    struct stat st;
    if (fstat(fd, &st) != 0 || st.st_size <= 0 || st.st_size > most) return false;
    char *data = arena_alloc(a, (size_t)st.st_size);
    *out = (struct str){data, (size_t)st.st_size};
    return pread(fd, data, out->n, 0) == st.st_size;
}

/* ---- the process ----------------------------------------------------------------------------- */

/* With `more`, the kernel sends a signal that names the limit before it kills the process. */
static void limit_one(__rlimit_resource_t what, rlim_t most, rlim_t more) {
    setrlimit(what, &(struct rlimit){most, most + more});
}

/* Limits of the kernel are whole seconds. The timer counts CPU time, and its signal ends the process. */
static void limit_milliseconds(int ms) {
    signal(SIGPROF, SIG_DFL);
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value = {ms / 1000, ms % 1000 * 1000}}, NULL);
}

static bool allow(scmp_filter_ctx filter, int call) {
    return seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0) == 0;
}

static bool allow_if(scmp_filter_ctx filter, int call, struct scmp_arg_cmp condition) {
    return seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, call, 1, &condition) == 0;
}

static bool allow_memory(scmp_filter_ctx filter) {
    const struct scmp_arg_cmp no_code = SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0);
    return allow_if(filter, SCMP_SYS(mmap), no_code) && allow_if(filter, SCMP_SYS(mprotect), no_code) &&
           allow(filter, SCMP_SYS(munmap)) && allow(filter, SCMP_SYS(mremap)) &&
           allow(filter, SCMP_SYS(madvise)) && allow(filter, SCMP_SYS(brk)) && allow(filter, SCMP_SYS(futex));
}

/* The C library asks by newfstatat for the kind of a stream, with an empty path. A filter can't see a
 * path, so that it would also tell which files exist. The call fails instead, and the library takes its
 * default buffer. */
static bool refuse_stat(scmp_filter_ctx filter) {
    return seccomp_rule_add(filter, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(newfstatat), 0) == 0;
}

static bool allow_pipes(scmp_filter_ctx filter) {
    return allow_if(filter, SCMP_SYS(read), SCMP_A0(SCMP_CMP_EQ, STDIN_FILENO)) &&
           allow_if(filter, SCMP_SYS(lseek), SCMP_A0(SCMP_CMP_EQ, STDIN_FILENO)) &&
           allow_if(filter, SCMP_SYS(write), SCMP_A0(SCMP_CMP_EQ, STDOUT_FILENO)) &&
           allow(filter, SCMP_SYS(fstat)) && refuse_stat(filter);
}

/* Moves the result away from standard output. The buffer of stdout is set, because the C library would ask
 * for the kind of the file. */
static bool answer_apart(void) {
    static char printed[BUFSIZ];
    int null = dup2(STDOUT_FILENO, CONFINED_ANSWER) == CONFINED_ANSWER
                   ? open("/dev/null", O_WRONLY | O_CLOEXEC)
                   : -1;
    return null >= 0 && dup2(null, STDOUT_FILENO) >= 0 && close(null) == 0 &&
           setvbuf(stdout, printed, _IOFBF, sizeof printed) == 0;
}

/* A sanitizer writes reports and inspects its own process. */
static bool allow_sanitizer(scmp_filter_ctx filter) {
    static const int calls[] = {SCMP_SYS(getpid),      SCMP_SYS(gettid),         SCMP_SYS(sched_yield),
                                SCMP_SYS(sigaltstack), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigaction),
                                SCMP_SYS(nanosleep),   SCMP_SYS(clock_nanosleep)};
    bool ok = allow_if(filter, SCMP_SYS(write), SCMP_A0(SCMP_CMP_EQ, STDERR_FILENO));
    for (size_t i = 0; ok && i < sizeof calls / sizeof *calls; i++) ok = allow(filter, calls[i]);
    return ok;
}

static bool confine_to(bool answer) {
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
    bool ok = filter && allow_memory(filter) && allow_pipes(filter) &&
              (!answer || allow_if(filter, SCMP_SYS(write), SCMP_A0(SCMP_CMP_EQ, CONFINED_ANSWER))) &&
              allow(filter, SCMP_SYS(exit_group)) && allow(filter, SCMP_SYS(exit)) &&
              allow(filter, SCMP_SYS(rt_sigreturn)) && allow(filter, SCMP_SYS(clock_gettime)) &&
              (!SANITIZED || allow_sanitizer(filter)) && seccomp_load(filter) == 0;
    if (filter) seccomp_release(filter);
    return ok;
}

bool confine(void) { return confine_to(false); }

void confined_enter(const struct confined_limits *l) {
    if (l->prints && !answer_apart()) _exit(CONFINED_FAILED);
    /* a sanitizer reserves terabytes of addresses */
    if (!SANITIZED) limit_one(RLIMIT_AS, (rlim_t)l->memory, 0);
    /* the checks of a sanitizer cost five to ten times the work */
    int slower = SANITIZED ? 8 : 1, seconds = slower * l->seconds;
    limit_one(RLIMIT_CPU, (rlim_t)seconds, 1);
    if (l->milliseconds) limit_milliseconds(slower * l->milliseconds);
    if (l->gives_way) setpriority(PRIO_PROCESS, 0, GIVES_WAY);
    limit_one(RLIMIT_FSIZE, (rlim_t)l->answer, 0);
    limit_one(RLIMIT_NOFILE, 16, 0);
    limit_one(RLIMIT_CORE, 0, 0);
    alarm((unsigned)(10 * seconds));
    if (!confine_to(l->prints)) _exit(CONFINED_FAILED);
}
