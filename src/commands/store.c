/* init, password, check, compact: commands for a store that need no server. */
#include "base/clock.h"
#include "base/error.h"
#include "base/limits.h"
#include "commands/commands.h"
#include "commands/listen.h"
#include "core/all/check.h"
#include "core/all/desk.h"
#include "core/all/finish.h"
#include "core/change/audit.h"
#include "core/change/audit_mark.h"
#include "core/desk/setting.h"
#include "core/login/password.h"
#include "core/login/session.h"
#include "core/search/index.h"
#include "files/check.h"
#include "files/content.h"
#include "jobs/periodic.h"
#include "transfer/value_check.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

/* ---- shared by the commands ------------------------------------------------------------------ */

struct db_config store_config(const struct command_line *o) {
    return (struct db_config){.dir = option_text(o, OPT_DATA).p, .url = option_text(o, OPT_DATABASE).p};
}

int64_t command_now(const struct command_line *o) {
    return clock_now(&(struct clock){option_text(o, OPT_CLOCK).p});
}

static bool holds(const char *folder) {
    DIR *d = opendir(folder);
    bool some = false;
    for (struct dirent *e; d && !some && (e = readdir(d)) != NULL;) some = e->d_name[0] != '.';
    if (d) closedir(d);
    return some;
}

/* A bucket needs no look: it has the name of its desk, which a new desk does not have. */
static const char *contents_in(const struct command_line *o, struct arena *a) {
    const struct contents here = {.folder = contents_folder(o, a)};
    struct str *list;
    for (int nth = 0; here.folder && nth < CONTENT_FOLDERS; nth++)
        if (contents_listed(a, &here, nth, &list) > 0) return content_path(a, &here, list[0]).p;
    return NULL;
}

static const char *mail_in(struct arena *a, const char *dir) {
    const char *fresh = str_fmt(a, "%s/mail/new", dir).p, *failed = str_fmt(a, "%s/mail/failed", dir).p;
    return holds(fresh) ? fresh : holds(failed) ? failed : NULL;
}

static const char *existing(const char *path) { return access(path, F_OK) == 0 ? path : NULL; }

void store_may_begin(const struct command_line *o, struct arena *a, struct db_config *cfg) {
    const char *key = option_text(o, OPT_SECRET_FILE).p, *log = str_fmt(a, "%s/desk.db-wal", cfg->dir).p;
    struct stat st;
    cfg->create = true;
    if (cfg->url) return;
    cfg->content = contents_in(o, a);
    if (cfg->content == NULL) cfg->content = mail_in(a, cfg->dir);
    if (cfg->content == NULL && stat(log, &st) == 0 && st.st_size > 0) cfg->content = log;
    cfg->remains = cfg->content;
    if (cfg->remains == NULL) cfg->remains = existing(key ? key : str_fmt(a, "%s/secret.key", cfg->dir).p);
    if (cfg->remains == NULL) cfg->remains = existing(str_fmt(a, "%s/mail", cfg->dir).p);
}

const char *store_name(const struct command_line *o) {
    struct str url = option_text(o, OPT_DATABASE);
    return url.p ? "the database" : option_text(o, OPT_DATA).p; /* the URL may contain a password */
}

void progress_bar(const char *what, int64_t done, int64_t total) {
    static const char bar[] = "##############################";
    static const int width = sizeof bar - 1;
    if (!isatty(STDERR_FILENO)) return;
    int filled = total > 0 ? (int)(done * width / total) : width;
    fprintf(stderr, "\r%-14s [%-*.*s] %3d %%", what, width, filled, bar,
            total > 0 ? (int)(done * 100 / total) : 100);
    fputs(done == total ? "\r\033[K" : "", stderr);
}

/* ---- passwords ------------------------------------------------------------------------------- */

/* Passwords from a file, a terminal or a random generator. */

/* Reads the first line, without its end. The buffer holds one character more than the limit, so that a
 * longer line is detected. */
static int first_line(FILE *f, const char *from, struct arena *a, struct str *out) {
    char line[LIMIT_PASSWORD + 3];
    if (fgets(line, sizeof line, f) == NULL) line[0] = 0;
    struct str text = {line, strcspn(line, "\r\n")};
    if (text.n == 0) return complain("%s has no password in its first line", from), -1;
    if (text.n > LIMIT_PASSWORD) return complain("the password is over %d bytes", LIMIT_PASSWORD), -1;
    if (!utf8_valid(text)) return complain("the password is not UTF-8"), -1;
    *out = str_dup(a, text);
    return 0;
}

static int from_file(const char *path, struct arena *a, struct str *out) {
    FILE *f = fopen(path, "re");
    if (f == NULL) return complain("the password file %s can't be read: %s", path, strerror(errno)), -1;
    int rc = first_line(f, path, a, out);
    fclose(f);
    return rc;
}

static int from_terminal(struct arena *a, struct str *out) {
    struct termios shown, hidden;
    struct str again;
    tcgetattr(STDIN_FILENO, &shown);
    hidden = shown;
    hidden.c_lflag &= ~(tcflag_t)ECHO;
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden);
    fputs("New password: ", stderr);
    int rc = first_line(stdin, "the terminal", a, out);
    fputs(rc == 0 ? "\nRepeat it: " : "\n", stderr);
    if (rc == 0) rc = first_line(stdin, "the terminal", a, &again);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown);
    fputc('\n', stderr);
    if (rc == 0 && !str_eq(*out, again)) return complain("the passwords differ; nothing was changed"), -1;
    return rc;
}

int password_file_there(const struct command_line *o) {
    const char *file = option_text(o, OPT_PASSWORD_FILE).p;
    return file && access(file, R_OK) != 0
               ? (complain("the password file %s can't be read: %s", file, strerror(errno)), -1)
               : 0;
}

/* Takes the first line of --password-file, else of a terminal (asks twice, hides the input), else of
 * standard input. */
static int password_ask(const struct command_line *o, struct arena *a, struct str *out) {
    const char *file = option_text(o, OPT_PASSWORD_FILE).p;
    if (file) return from_file(file, a, out);
    return isatty(STDIN_FILENO) ? from_terminal(a, out) : first_line(stdin, "standard input", a, out);
}

int password_choose(const struct command_line *o, struct arena *a, struct str *out) {
    const char *file = option_text(o, OPT_PASSWORD_FILE).p;
    if (file) return from_file(file, a, out);
    *out = password_generate(a);
    return 1;
}

/* ---- init ------------------------------------------------------------------------------------ */

void say_owner(const struct command_line *o, FILE *out) {
    if (option_is_given(o, OPT_OWNER_EMAIL)) return;
    fprintf(out,
            "deskd: the owner has the address %s, because --owner-email was not given. Nobody gets mail "
            "there: log in, and add your own address (POST /profile/identities/emails)\n",
            option_text(o, OPT_OWNER_EMAIL).p);
}

int owner_create(const struct command_line *o, struct db *db, int64_t now, FILE *out) {
    struct arena *a = arena_new();
    struct str password;
    struct new_desk n = {.now = now,
                         .owner_name = option_text(o, OPT_OWNER_NAME),
                         .owner_email = option_text(o, OPT_OWNER_EMAIL)};
    int generated = password_choose(o, a, &password), rc = generated;
    if (rc >= 0 && utf8_count(password) < PASSWORD_LENGTH_OWNER)
        rc = (complain("the password needs at least %d characters", PASSWORD_LENGTH_OWNER), -1);
    if (rc >= 0) {
        n.password_hash = password_hash(a, password);
        rc = desk_init(db, &n);
        if (rc < 0 && rc != -ERR_FIELD_DUPLICATE) complain("%s can't be written", store_name(o));
    }
    if (rc >= 0) fprintf(out, "deskd: a new desk in %s; log in as %s", store_name(o), n.owner_email.p);
    if (rc >= 0 && generated) fprintf(out, " with the password %s (shown this once)", password.p);
    if (rc >= 0) fputc('\n', out);
    if (rc >= 0) say_owner(o, out);
    arena_free(a);
    return rc;
}

int store_begin(const struct command_line *o, bool bulk,
                int (*fill)(const struct command_line *o, struct db *db)) {
    struct db_config cfg = store_config(o);
    struct db *db;
    struct key key;
    char err[USAGE_MAX];
    struct arena *a = arena_new();
    if (password_file_there(o) < 0) return arena_free(a), EXIT_FAULT;
    store_may_begin(o, a, &cfg);
    cfg.bulk = bulk;
    int rc = db_open(&cfg, &db, err, sizeof err);
    arena_free(a);
    if (rc < 0) return complain("%s", err);
    int status = fill(o, db);
    if (status == 0 && secret_key(o, true, &key) < 0) status = EXIT_FAULT;
    db_close(db);
    return status;
}

static int fill_new_desk(const struct command_line *o, struct db *db) {
    int rc = owner_create(o, db, command_now(o), stdout);
    if (rc == -ERR_FIELD_DUPLICATE) complain("%s holds a desk already", store_name(o));
    if (rc >= 0) puts("deskd: start it with deskd serve, and open /agent of its address in a browser");
    return rc < 0 ? EXIT_FAULT : 0;
}

int command_init(const struct command_line *o) { return store_begin(o, false, fill_new_desk); }

/* ---- password -------------------------------------------------------------------------------- */

struct new_password {
    struct desk desk;
    struct arena *arena;
    int64_t user_id;
    struct str hash;
};

/* Returns 1, 0 if there is no server key, or negative after a complaint. */
static int audit_key_read(const struct command_line *o, struct key *out) {
    struct key server;
    int rc = secret_key_if_there(o, &server);
    if (rc == 1) audit_key_derive(out, &server);
    explicit_bzero(&server, sizeof server);
    return rc;
}

static int password_run(struct work *w, void *arg) {
    const struct new_password *p = arg;
    return password_set(w, p->user_id, p->hash);
}

/* Asks for the password, and sets it as a request would: everything that the old one opened ends. */
static int password_replace(const struct command_line *o, struct new_password *p, int rank) {
    struct str email = str_of(o->operand), password;
    int64_t least = 0;
    if (password_ask(o, p->arena, &password) < 0) return EXIT_FAULT;
    if (password_rule(&p->desk, rank, password, &least) < 0)
        return complain("the password needs at least %lld characters", (long long)least);
    int keyed = audit_key_read(o, &p->desk.audit_key);
    if (keyed < 0) return EXIT_FAULT;
    if (keyed == 0) complain("there is no server key here, so the audit log gets no entry of this");
    p->hash = password_hash(p->arena, password);
    struct actor by = {.kind = ACTOR_SYSTEM, .cause = S("deskd password")};
    if (desk_write(&p->desk, by, password_run, p) < 0) return complain("%s can't be written", store_name(o));
    printf("deskd: %s has a new password; their sessions and tokens are ended\n", email.p);
    return 0;
}

static int store_change_password(const struct command_line *o, struct db *db, struct arena *a) {
    struct new_password p = {
        .desk = {.db = db, .clock.file = option_text(o, OPT_CLOCK).p, .process = random_uuid(a)}, .arena = a};
    struct conn *c = db_reader(db);
    struct str url = option_text(o, OPT_BASE_URL);
    p.desk.base_url = url.p ? url : S("http://localhost");
    p.desk.host = url_host(p.desk.base_url); /* the notice to the person has it in its Message-ID */
    int64_t rank;
    int rc = c ? account_find(c, str_of(o->operand), &p.user_id, &rank) : -ERR_SERVICE_UNAVAILABLE;
    if (rc == 0) return complain("no person in %s has the address %s", store_name(o), o->operand);
    if (rc > 0) p.desk.settings = settings_open(c);
    if (p.desk.settings == NULL) return complain("%s can't be read", store_name(o));
    int status = password_replace(o, &p, (int)rank);
    settings_close(p.desk.settings);
    explicit_bzero(&p.desk.audit_key, sizeof p.desk.audit_key);
    return status;
}

int command_password(const struct command_line *o) {
    struct db_config cfg = store_config(o);
    struct db *db;
    char err[USAGE_MAX];
    if (db_open(&cfg, &db, err, sizeof err) < 0) return complain("%s", err);
    struct arena *a = arena_new();
    int status = store_change_password(o, db, a);
    arena_free(a);
    db_close(db);
    return status;
}

/* ---- check ----------------------------------------------------------------------------------- */

static void print_finding(void *arg, const char *line) {
    (void)arg;
    puts(line);
}

static void check_progress(int done, int total) { progress_bar("files", done, total); }

static int store_check_contents(const struct command_line *o, const struct contents *k, struct conn *c,
                                int findings) {
    int found = contents_check(c, &(struct contents_checking){.contents = k,
                                                              .deep = option_int(o, OPT_DEEP) != 0,
                                                              .report = print_finding,
                                                              .progress = check_progress});
    return found < 0 ? found : findings + found;
}

enum { KEY_OF_DESK, KEY_MISSING, KEY_OF_ANOTHER };

/* Reads the key of the audit log. Returns one of these, or negative after a complaint. */
static int audit_key_of_desk(const struct command_line *o, struct conn *c, struct key *out) {
    struct key server;
    int rc = secret_key_if_there(o, &server);
    if (rc <= 0) return rc < 0 ? rc : KEY_MISSING;
    struct arena *a = arena_new();
    rc = desk_key_is(c, key_proof(a, &server));
    audit_key_derive(out, &server);
    explicit_bzero(&server, sizeof server);
    arena_free(a);
    return rc < 0 ? rc : rc ? KEY_OF_DESK : KEY_OF_ANOTHER;
}

/* Returns the number of findings, 0 or 1. `m` was read before the snapshot began, because the server
 * writes the file meanwhile. */
static int check_mark(struct conn *c, struct arena *a, const struct audit_mark *m, const char *path) {
    struct str finding;
    int rc = audit_mark_missing(c, a, m, path, &finding);
    if (rc == 1) print_finding(NULL, finding.p);
    return rc;
}

/* Returns as audit_mark_read. A file that can't be read is said, and no finding. */
static int mark_of_desk(const char *path, struct arena *a, struct audit_mark *out) {
    const char *why = NULL;
    int rc = audit_mark_read(a, path, out, &why);
    if (rc < 0) printf("audit log: its end was not compared with %s: %s\n", path, why);
    return rc;
}

/* Without the key, only places and gaps of the audit log are verified. That is a finding if a key is
 * there, but another one. */
static int store_check_audit(const struct command_line *o, struct conn *c, int findings) {
    struct key key;
    int has = audit_key_of_desk(o, c, &key);
    if (has < 0) return has;
    if (has == KEY_MISSING)
        puts("audit log: its hashes were not verified, because there is no server key "
             "here (--secret-file)");
    if (has == KEY_OF_ANOTHER)
        puts("audit log: its hashes can't be verified, because the server key here "
             "is not that of the desk");
    struct arena *a = arena_new();
    const char *path = audit_mark_path(o, a);
    struct audit_mark mark;
    int marked = mark_of_desk(path, a, &mark),
        /* one snapshot, because the server may delete entries by age meanwhile */
        found = db_read_begin(c, 0);
    if (found >= 0) found = audit_verify(c, has == KEY_OF_DESK ? &key : NULL, print_finding, NULL);
    int missing = found >= 0 && marked == 1 ? check_mark(c, a, &mark, path) : 0;
    found = missing < 0 ? missing : found + missing;
    db_read_end(c);
    explicit_bzero(&key, sizeof key);
    arena_free(a);
    return found < 0 ? found : findings + found + (has == KEY_OF_ANOTHER);
}

/* In one snapshot, because a server may write meanwhile, and rules compare several statements. */
static int store_check_rows(struct conn *c) {
    if (c == NULL || db_read_begin(c, 0) < 0) return -1;
    int found = desk_check(c, print_finding, NULL);
    db_read_end(c);
    return found;
}

static int store_check_values(struct conn *c, int findings) {
    int found = values_check(c, print_finding, NULL);
    return found < 0 ? found : findings + found;
}

/* Checks between rows run only if the store itself is sound. */
static int check_all(const struct command_line *o, const struct contents *k) {
    struct db_config cfg = store_config(o);
    struct db *db;
    char err[USAGE_MAX];
    int findings = db_check(&cfg, print_finding, NULL, err, sizeof err);
    if (findings < 0) return complain("%s", err);
    if (findings == 0) {
        cfg.read_only = true;
        if (db_open(&cfg, &db, err, sizeof err) < 0) return complain("%s", err);
        findings = store_check_rows(db_reader(db));
        if (findings >= 0) findings = store_check_values(db_reader(db), findings);
        if (findings >= 0) findings = store_check_audit(o, db_reader(db), findings);
        if (findings >= 0) findings = store_check_contents(o, k, db_reader(db), findings);
        db_close(db);
    }
    if (findings < 0) return complain("%s can't be read", store_name(o));
    if (findings == 0) db_found_sound(option_text(o, OPT_DATA).p);
    if (findings == 0) printf("deskd: found no defects in %s\n", store_name(o));
    return findings ? EXIT_FAULT : 0;
}

int command_check(const struct command_line *o) {
    struct arena *a = arena_new();
    const struct contents *k = contents_chosen(o, a, NULL);
    int status = k ? check_all(o, k) : EXIT_FAULT;
    contents_let_go(k);
    arena_free(a);
    return status;
}

/* ---- compact --------------------------------------------------------------------------------- */

/* compact: rewrites a store, so that nothing of deleted rows is left in it. */

QUERY(compact_files, "SELECT COUNT(*) FROM files WHERE expires_at IS NOT NULL AND expires_at <= :now");
QUERY(compact_erasures, "SELECT COUNT(*) FROM erasures WHERE status = 1");

static int64_t counted(struct db *db, const struct query *q, int64_t now) {
    struct conn *c = db_reader(db);
    int64_t n = -1;
    if (c == NULL || db_read_begin(c, 0) < 0) return -1;
    if (db_int(c, q, BINDS(B_INT("now", now)), &n) < 0) n = -1;
    db_read_end(c);
    return n;
}

static int rebuild_index(struct conn *c, void *arg) {
    int rc = search_rebuild(c);
    return rc < 0 ? rc : search_is_built(c, *(int64_t *)arg);
}

static int compact(const struct command_line *o, struct db *db, const struct contents *k) {
    enum { STEPS = 3 };
    char err[USAGE_MAX];
    struct desk d = {.db = db, .files = k, .clock.file = option_text(o, OPT_CLOCK).p};
    int64_t now = clock_now(&d.clock), running = counted(db, &compact_erasures, now);
    if (running > 0)
        return complain("%lld erasures are not complete: start the desk until their status is COMPLETED, "
                        "then run compact again",
                        (long long)running);
    progress_bar("contents", 0, STEPS);
    sweep_files_alone(&d);
    if (running < 0 || counted(db, &compact_files, now) != 0)
        return complain("contents of expired files can't be removed from %s", k->folder);
    progress_bar("search index", 1, STEPS);
    if (db_write(db, rebuild_index, &now) < 0) return complain("%s can't be written", store_name(o));
    progress_bar("store", 2, STEPS);
    int rc = db_compact(db, err, sizeof err);
    progress_bar("store", STEPS, STEPS);
    if (rc < 0) return complain("%s", err);
    return 0;
}

int command_compact(const struct command_line *o) {
    struct db_config cfg = store_config(o);
    struct db *db;
    char err[USAGE_MAX];
    if (db_open(&cfg, &db, err, sizeof err) < 0) return complain("%s", err);
    struct arena *a = arena_new();
    const struct clock clock = {option_text(o, OPT_CLOCK).p};
    const struct contents *k = contents_chosen(o, a, &clock);
    int status = k ? compact(o, db, k) : EXIT_FAULT;
    contents_let_go(k);
    arena_free(a);
    if (db_close(db) < 0 && status == 0) status = complain("%s can't be written", store_name(o));
    if (status == 0) printf("deskd: rewrote %s; nothing of deleted rows is left in it\n", store_name(o));
    return status;
}
