/* init, password, check: commands for a store that need no server. */
#include "commands/commands.h"

#include "base/clock.h"
#include "base/error.h"
#include "core/desk/check.h"
#include "core/desk/desk.h"
#include "core/login/session.h"
#include "core/desk/setting.h"
#include "files/check.h"
#include "files/content.h"

#include <dirent.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- shared by the commands --------------------------------------------------------------------------- */

int complain(const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    fputs("deskd: ", stderr);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
    return EXIT_FAULT;
}

struct db_config store_config(const struct command_line *o) {
    return (struct db_config){.dir = option_text(o, OPT_DATA).p, .url = option_text(o, OPT_DATABASE).p};
}

static bool holds(const char *folder) {
    DIR *d = opendir(folder);
    bool some = false;
    for (struct dirent *e; d && !some && (e = readdir(d)) != NULL;) some = e->d_name[0] != '.';
    if (d) closedir(d);
    return some;
}

static const char *contents_in(struct arena *a, const char *folder) {
    struct str *list;
    for (int nth = 0; nth < CONTENT_FOLDERS; nth++)
        if (contents_listed(a, folder, nth, &list) > 0) return content_path(a, folder, list[0]).p;
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
    cfg->content = contents_in(a, files_folder(o, a));
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

const char *files_folder(const struct command_line *o, struct arena *a) {
    struct str given = option_text(o, OPT_FILES);
    return given.p ? given.p : str_fmt(a, "%s/files", option_text(o, OPT_DATA).p).p;
}

void progress_bar(const char *what, int64_t done, int64_t total) {
    static const char bar[] = "##############################";
    static const int width = sizeof bar - 1;
    if (!isatty(STDERR_FILENO)) return;
    int filled = total > 0 ? (int)(done * width / total) : width;
    fprintf(stderr, "\r%-14s [%-*.*s] %3d %%", what, width, filled, bar, total > 0 ? (int)(done * 100 / total) : 100);
    fputs(done == total ? "\r\033[K" : "", stderr);
}

/* ---- init --------------------------------------------------------------------------------------------- */

int owner_create(const struct command_line *o, struct db *db, int64_t now, FILE *out) {
    struct arena *a = arena_new();
    struct str password;
    struct new_desk n = {.now = now, .owner_name = option_text(o, OPT_OWNER_NAME), .owner_email = option_text(o, OPT_OWNER_EMAIL)};
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
    arena_free(a);
    return rc;
}

int command_init(const struct command_line *o) {
    struct db_config cfg = store_config(o);
    struct db *db;
    struct key key;
    char err[USAGE_MAX];
    struct arena *a = arena_new();
    store_may_begin(o, a, &cfg);
    int rc = db_open(&cfg, &db, err, sizeof err);
    arena_free(a);
    if (rc < 0) return complain("%s", err);
    rc = owner_create(o, db, clock_now(&(struct clock){0}), stdout);
    if (rc == -ERR_FIELD_DUPLICATE) complain("%s holds a desk already", store_name(o));
    if (rc >= 0) rc = secret_key(o, true, &key);
    db_close(db);
    return rc < 0 ? EXIT_FAULT : 0;
}

/* ---- password ----------------------------------------------------------------------------------------- */

/* Checks a password by the desk's rule for this rank. Negative after a complaint. */
static int obeys_rule(struct db *db, int64_t rank, struct str password) {
    struct desk d = {.db = db, .settings = settings_open(db_reader(db))};
    int64_t least = 0;
    if (d.settings == NULL) return complain("the store can't be read"), -1;
    int rc = password_rule(&d, (int)rank, password, &least);
    settings_close(d.settings);
    if (rc < 0) complain("the password needs at least %lld characters", (long long)least);
    return rc;
}

static int store_change_password(const struct command_line *o, struct db *db, struct arena *a) {
    struct str email = str_of(o->operand), password;
    struct conn *c = db_reader(db);
    int64_t user, role_type;
    int rc = c ? account_find(c, email, &user, &role_type) : -ERR_SERVICE_UNAVAILABLE;
    if (rc < 0) return complain("%s can't be read", store_name(o));
    if (rc == 0) return complain("no person in %s has the address %s", store_name(o), email.p);
    if (password_ask(o, a, &password) < 0 || obeys_rule(db, role_type, password) < 0) return EXIT_FAULT;
    rc = account_set_password(db, clock_now(&(struct clock){0}), user, password_hash(a, password));
    if (rc < 0) return complain("%s can't be written", store_name(o));
    printf("deskd: %s has a new password; their sessions are ended\n", email.p);
    return 0;
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

/* ---- check -------------------------------------------------------------------------------------------- */

static void print_finding(void *arg, const char *line) {
    (void)arg;
    puts(line);
}

static void check_progress(int done, int total) { progress_bar("files", done, total); }

static int store_check_contents(const struct command_line *o, struct conn *c, int findings) {
    struct arena *a = arena_new();
    int found = contents_check(c, files_folder(o, a), print_finding, NULL, check_progress);
    arena_free(a);
    return found < 0 ? found : findings + found;
}

/* Checks between rows run only if the store itself is sound. */
int command_check(const struct command_line *o) {
    struct db_config cfg = store_config(o);
    struct db *db;
    char err[USAGE_MAX];
    int findings = db_check(&cfg, print_finding, NULL, err, sizeof err);
    if (findings < 0) return complain("%s", err);
    if (findings == 0) {
        cfg.read_only = true;
        if (db_open(&cfg, &db, err, sizeof err) < 0) return complain("%s", err);
        findings = desk_check(db_reader(db), print_finding, NULL);
        if (findings >= 0) findings = store_check_contents(o, db_reader(db), findings);
        db_close(db);
    }
    if (findings < 0) return complain("%s can't be read", store_name(o));
    if (findings == 0) db_found_sound(option_text(o, OPT_DATA).p);
    if (findings == 0) printf("deskd: found no defects in %s\n", store_name(o));
    return findings ? EXIT_FAULT : 0;
}
