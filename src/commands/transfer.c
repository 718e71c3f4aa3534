/* import: fills an empty store from an export, or from files of another system. src/transfer does the work.
 * This file opens the store and the key. */
#include "base/clock.h"
#include "base/error.h"
#include "base/fold.h"
#include "commands/commands.h"
#include "core/all/cascades.h"
#include "core/all/desk.h"
#include "core/change/audit.h"
#include "core/change/audit_pending.h"
#include "core/words.h"
#include "files/content.h"
#include "base/disk.h"
#include "transfer/api_cases.h"
#include "transfer/foreign.h"
#include "transfer/import.h"
#include "transfer/imported.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

struct import_command {
    const struct command_line *o;
    struct arena *memory;
    struct desk_import x;
    const char *key, *key_to; /* path of the key; its place in the data folder, if it is not there */
};

/* ---- the key --------------------------------------------------------------------------------- */

/* Takes the key of --secret-file or of the data folder, if there is one. */
static int import_key(struct import_command *i) {
    struct key key;
    const char *given = option_text(i->o, OPT_SECRET_FILE).p,
               *own = str_fmt(i->memory, "%s/secret.key", option_text(i->o, OPT_DATA).p).p;
    i->key = given ? given : own;
    if (!given && access(own, F_OK) != 0) return 0;
    if (secret_key(i->o, false, &key) < 0) return -1;
    i->x.key_proof = mac_hex(i->memory, &key, S("key proof"));
    explicit_bzero(&key, sizeof key);
    if (given && !option_text(i->o, OPT_DATABASE).p) i->key_to = own;
    return i->key_to ? secret_copy(given, own, true) : 0;
}

/* ---- the summary ----------------------------------------------------------------------------- */

static void import_dropped(const char *what, int64_t rows) {
    printf("deskd: left out %" PRId64 ": %s\n", rows, what);
}

static void say_people(const struct import_summary *s) {
    printf("deskd: %" PRId64 " owners, %" PRId64 " administrators, %" PRId64 " agents, %" PRId64
           " collaborators, %" PRId64 " customers\n",
           s->people[ROLE_OWNER], s->people[ROLE_ADMIN], s->people[ROLE_AGENT], s->people[ROLE_COLLABORATOR],
           s->people[ROLE_CUSTOMER]);
}

static void say_import(const struct import_command *i, const struct manifest *m,
                       const struct import_summary *s, int64_t ms) {
    struct str base = option_text(i->o, OPT_BASE_URL);
    printf("deskd: imported %" PRId64 " objects of %d tables and %" PRId64
           " contents of files into %s (%" PRId64 " objects a second)\n",
           s->rows, m->count, s->contents, store_name(i->o), s->rows * 1000 / (ms > 0 ? ms : 1));
    say_people(s);
    if (i->x.without_secrets && option_text(i->o, OPT_DATABASE).p)
        printf("deskd: serve once with --new-key, because the desk gets a new server key\n");
    if (m->base_url.p && !(base.p && str_eq(base, m->base_url)))
        printf("deskd: links in replies are the same if you serve with --base-url %.*s\n", (int)m->base_url.n,
               m->base_url.p);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int import_into(struct import_command *i, struct manifest *m) {
    char err[USAGE_MAX] = "";
    struct import_summary s;
    int64_t began = clock_now(&(struct clock){0});
    if (desk_import_run(&i->x, i->memory, m, &s, (struct why){err, sizeof err}) < 0)
        return complain("nothing was imported into %s: %s", store_name(i->o), err);
    say_import(i, m, &s, clock_now(&(struct clock){0}) - began);
    return 0;
}

static int import_store(struct import_command *i) {
    struct db_config cfg = store_config(i->o);
    char err[USAGE_MAX] = "";
    struct manifest m;
    if (desk_import_open(&i->x, i->memory, &m, (struct why){err, sizeof err}) < 0) return complain("%s", err);
    cfg.create = cfg.bulk = cfg.filling = true;
    if (db_open(&cfg, &i->x.to, err, sizeof err) < 0) return complain("%s", err);
    int status = import_into(i, &m);
    if (db_close(i->x.to) < 0 && status == 0)
        status = complain("%s may be incomplete on its disk: free some space there, remove it and import "
                          "again",
                          store_name(i->o));
    if (status == 0 && i->key_to && !i->x.without_secrets && secret_copy(i->key, i->key_to, false) < 0)
        status = EXIT_FAULT;
    return status;
}

/* ---- other systems --------------------------------------------------------------------------- */

QUERY(imported_owner, "SELECT id FROM users ORDER BY id LIMIT 1");

struct import_foreign {
    struct foreign f;
    struct desk desk;
    struct new_desk owner;
    struct key audit_key;
    struct str address;   /* of the API of --from-api */
    struct str key_proof; /* of the server key */
    int state;            /* enum desk_state of the store */
    /* --from-api; system->is_api: */
    struct foreign fetched; /* the report of the copy */
    struct api_fetch x;
    struct api_cases cases;
    char fetch_err[USAGE_MAX];
    int64_t began; /* monotonic */
};

/* An import of an export writes no entry of the audit log, because the desk then gives the same replies,
 * those of GET /audit_log too. */
static int import_foreign_run(struct conn *c, void *arg) {
    struct import_foreign *i = arg;
    i->f.conn = c;
    int rc = desk_begin(c, &i->owner);
    if (rc == -ERR_FIELD_DUPLICATE) return db_refuse(i->f.why, "it holds a desk already: name an empty one");
    TRY(rc);
    TRY(db_int(c, &imported_owner, NULL, &i->f.owner_id));
    if (i->f.system->is_api) TRY(imported_source(&i->f, i->address));
    TRY(foreign_import(&i->f));
    if (i->f.source_id) TRY(imported_ends(&i->f));
    if (i->f.keeps_ids) TRY(db_settle_ids(c));
    TRY(audit_command(
        c, &(struct audit_command){i->owner.now, 0, &i->audit_key, AUDIT_DESK_IMPORTED, S("deskd import")}));
    return desk_finish(c, &i->owner);
}

static void say_skipped(const struct foreign_count *list) {
    for (const struct foreign_count *n = list; n; n = n->next)
        printf("deskd: not imported, %" PRId64 ": %s%s%s%s\n", n->n, n->what,
               *n->example ? " (for example " : "", n->example, *n->example ? ")" : "");
}

static void say_foreign(const struct command_line *o, const struct import_foreign *i) {
    printf("deskd: imported from %s into %s:", i->f.system->name, store_name(o));
    for (const struct foreign_count *n = i->f.made; n; n = n->next)
        printf("%s %" PRId64 " %s", n == i->f.made ? "" : ",", n->n, n->what);
    printf("\n");
    say_skipped(i->fetched.skipped);
    say_skipped(i->f.skipped);
}

/* The server key of the store. Its audit log and its secrets need it. */
static int import_audit_key(const struct command_line *o, struct import_foreign *i, bool create) {
    struct key key;
    if (secret_key(o, create, &key) < 0) return -1;
    audit_key_derive(&i->audit_key, &key);
    key_derive(&i->desk.endpoint_key, &key, "endpoint"); /* seals the secrets that endpoints get here */
    i->key_proof = key_proof(i->f.memory, &key);
    explicit_bzero(&key, sizeof key);
    return 0;
}

static void say_fetched(const struct import_foreign *i, int64_t ended) {
    printf("deskd: fetched %" PRId64 " rows from %s in %.1f s, %" PRId64 " had not changed (%" PRId64
           " requests; %" PRId64 " repeated, %" PRId64 " of them after 429)\n",
           i->x.fetched, i->x.source.base, (double)(ended - i->began) / 1000, i->x.kept, i->x.source.requests,
           i->x.source.repeated, i->x.source.limited);
}

/* Fills the store. Conversations of --from-api are fetched beside it. A fetch that fails undoes all. */
static int import_foreign_fill(const struct command_line *o, struct import_foreign *i, struct db *db) {
    bool is_api = i->f.system->is_api;
    int fetched = is_api ? api_cases_begin(&i->cases, &i->x) : 0, rc = fetched;
    i->f.growing = is_api ? &i->cases.file : NULL;
    if (rc == 0) rc = db_write(db, import_foreign_run, i);
    if (is_api && fetched == 0) fetched = api_cases_end(&i->cases, rc >= 0);
    if (fetched < 0 || rc < 0)
        return complain("nothing was imported into %s: %s", store_name(o),
                        fetched < 0   ? i->fetch_err
                        : *i->f.why.p ? i->f.why.p
                                      : "it can't be written");
    if (is_api) say_fetched(i, i->cases.ended_at);
    return 0;
}

static int import_foreign_into(const struct command_line *o, struct import_foreign *i, struct db *db,
                               struct arena *a) {
    char err[USAGE_MAX] = "";
    struct str password;
    int generated = password_choose(o, a, &password);
    if (generated < 0) return EXIT_FAULT;
    i->owner.password_hash = password_hash(a, password);
    if (import_audit_key(o, i, true) < 0) return EXIT_FAULT;
    i->f.why = (struct why){err, sizeof err};
    i->desk.db = db;
    if (import_foreign_fill(o, i, db) != 0) return EXIT_FAULT;
    say_foreign(o, i);
    printf("deskd: log in as %s", i->owner.owner_email.p);
    printf(generated ? " with the password %s (shown this once)\n" : "\n", password.p);
    say_owner(o, stdout);
    printf("deskd: people have no passwords: they set one by e-mail, or deskd password EMAIL\n");
    return 0;
}

static struct import_foreign *import_foreign_new(const struct command_line *o,
                                                 const struct foreign_system *system, const char *from,
                                                 const struct contents *contents, struct arena *a) {
    struct import_foreign *i = ARENA_NEW(a, struct import_foreign);
    int64_t now = command_now(o);
    i->f = (struct foreign){.system = system,
                            .from = from,
                            .contents = contents,
                            .memory = a,
                            .now = now,
                            .desk = &i->desk,
                            .audit_key = &i->audit_key,
                            .progress = progress_bar};
    i->owner = (struct new_desk){.now = now,
                                 .owner_name = option_text(o, OPT_OWNER_NAME),
                                 .owner_email = option_text(o, OPT_OWNER_EMAIL)};
    i->desk.cascades = cascades;
    i->desk.files = contents;
    i->desk.process = random_uuid(a); /* other processes of the store hear of changes from it */
    return i;
}

/* Kilobytes of pages of a store that is being filled; others go to the log. A larger cache saves little,
 * because an import writes at the end of each table. */
enum { IMPORT_CACHE_KB = 24 * 1024 };

typedef int import_into_store(const struct command_line *o, struct import_foreign *i, struct db *db,
                              struct arena *a);

/* fresh: the store holds no desk, so that it need not survive a crash. */
static int import_opened(const struct command_line *o, struct import_foreign *i, struct arena *a, bool fresh,
                         import_into_store *into) {
    struct db_config cfg = store_config(o);
    struct db *db;
    char err[USAGE_MAX];
    if (fresh && password_file_there(o) < 0) return EXIT_FAULT;
    cfg.bulk = fresh;
    cfg.cache_kb = fresh ? IMPORT_CACHE_KB : 0;
    cfg.create = fresh || cfg.url;
    if (db_open(&cfg, &db, err, sizeof err) < 0) return complain("%s", err);
    int status = into(o, i, db, a);
    if (db_close(db) < 0 && status == 0)
        status = complain("%s may be incomplete on its disk: remove it and import again", store_name(o));
    return status;
}

static int import_other(const struct command_line *o, const struct foreign_system *system, struct str from,
                        const struct contents *contents, struct arena *a) {
    if (access(from.p, R_OK) != 0) return complain("%s can't be read: %s", from.p, strerror(errno));
    return import_opened(o, import_foreign_new(o, system, from.p, contents, a), a, true, import_foreign_into);
}

/* ---- another server of this API -------------------------------------------------------------- */

/* Reads the credentials. p NULL after a complaint. They are never an argument, because the list of processes
 * shows arguments. */
static struct str api_credentials(const struct command_line *o, struct arena *a) {
    struct str name = option_text(o, OPT_CREDENTIALS_FILE);
    const char *environment = getenv("DESKD_API_CREDENTIALS"), *reason;
    char line[1000] = "";
    if (!name.p && environment) return str_dup(a, str_of(environment));
    if (!name.p) {
        complain("--from-api needs --credentials-file FILE, or DESKD_API_CREDENTIALS in the environment");
        return (struct str){0};
    }
    FILE *file = plain_stream(name.p, &reason);
    if (!file) {
        complain("%s can't be read: %s", name.p, reason);
        return (struct str){0};
    }
    if (!fgets(line, sizeof line, file)) *line = 0;
    fclose(file);
    struct str out = str_dup(a, str_trim(str_of(line)));
    explicit_bzero(line, sizeof line);
    return out;
}

/* The host of the source. It begins the values of legacy_id in a desk with rows of its own. */
static struct str host_of_source(const struct import_foreign *i) {
    struct str rest = i->address;
    str_cut(&rest, '/');
    str_cut(&rest, '/');
    return str_cut(&rest, '/');
}

/* The address of this desk, for links in texts. */
static struct str base_of(const struct command_line *o) {
    struct str base = option_text(o, OPT_BASE_URL);
    while (base.n && base.p[base.n - 1] == '/') base.n--;
    return base;
}

/* Fetches all but the conversations, and finds the row of the owner. A new owner gets an id behind all
 * others. */
static int api_fetch_people(const struct command_line *o, struct import_foreign *i, struct arena *a) {
    struct str credentials = api_credentials(o, a);
    struct api_fetch *x = &i->x;
    int64_t highest = 0;
    i->began = clock_monotonic();
    if (!credentials.p) return EXIT_FAULT;
    int rc =
        source_open(&x->source, a, option_text(o, OPT_FROM_API), credentials, option_int(o, OPT_INSECURE));
    explicit_bzero((char *)credentials.p, credentials.n);
    if (rc == 0) rc = api_fetch_others(x);
    i->address = str_of(x->source.base);
    i->f.host = host_of_source(i);
    i->f.base = base_of(o);
    if (rc == 0) rc = api_person(x, i->owner.owner_email, &i->owner.owner_id, &highest);
    if (rc < 0) return complain("nothing was imported into %s: %s", store_name(o), i->fetch_err);
    if (i->owner.owner_id == 0) i->owner.owner_id = highest + 1;
    return 0;
}

static int api_fetch_all(const struct command_line *o, struct import_foreign *i, struct arena *a) {
    int status = api_fetch_people(o, i, a);
    if (status != 0) return status;
    if (api_fetch_cases(&i->x) < 0)
        return complain("nothing was imported into %s: %s", store_name(o), i->fetch_err);
    say_fetched(i, clock_monotonic());
    return 0;
}

static void say_api_took(const struct import_foreign *i) {
    printf(
        "deskd: the import took %.1f s; %s keeps the rows for the next one: remove it when you need none\n",
        (double)(clock_monotonic() - i->began) / 1000, i->f.from);
}

static int import_api_into(const struct command_line *o, struct import_foreign *i, struct db *db,
                           struct arena *a) {
    int status = api_fetch_people(o, i, a);
    i->f.keeps_ids = true;
    if (status == 0) status = import_foreign_into(o, i, db, a);
    if (status == 0) say_api_took(i);
    return status;
}

/* ---- into a desk with rows of its own -------------------------------------------------------- */

QUERY(import_owner,
      "SELECT u.id FROM users u WHERE u.role_type = 5 AND u.is_enabled = 1 AND u.deleted_at IS NULL "
      "AND (CAST(:key AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM identity_emails e "
      "WHERE e.user_id = u.id AND e.email_key = :key AND e.is_claim = 0)) ORDER BY u.id LIMIT 1");

/* The owner is the author of rows whose author is not here. */
static int import_owner_find(const struct command_line *o, struct import_foreign *i, struct conn *c,
                             struct arena *a) {
    struct str given = option_text(o, OPT_OWNER_EMAIL),
               key = option_is_given(o, OPT_OWNER_EMAIL) ? email_key(a, given) : (struct str){0};
    int found = db_int(c, &import_owner, BINDS(B_TEXT("key", key)), &i->f.owner_id);
    if (found == 0 && key.p) complain("no owner of %s has the address %s", store_name(o), given.p);
    else if (found == 0) complain("%s has no owner who is enabled", store_name(o));
    return found;
}

static int import_key_fits(const struct command_line *o, struct import_foreign *i, struct conn *c) {
    if (import_audit_key(o, i, false) < 0) return 0;
    int same = desk_key_is(c, i->key_proof);
    if (same == 0) complain("the server key is not that of the desk in %s", store_name(o));
    return same;
}

static int import_begins(struct conn *c, void *arg) {
    struct import_foreign *i = arg;
    i->f.conn = c;
    return imported_source(&i->f, i->address);
}

static int import_ends(struct conn *c, void *arg) {
    struct import_foreign *i = arg;
    i->f.conn = c;
    TRY(imported_ends(&i->f));
    return audit_command(
        c, &(struct audit_command){i->f.now, 0, &i->audit_key, AUDIT_DESK_IMPORTED, S("deskd import")});
}

static int import_api_run(struct import_foreign *i, struct db *db) {
    i->desk.db = i->f.db = db;
    i->f.maps_ids = true;
    i->f.name = i->f.host;
    TRY(db_write(db, import_begins, i));
    i->f.conn = db_reader(db);
    TRY(foreign_import(&i->f));
    return db_write(db, import_ends, i);
}

/* Each part is committed with the ids of its rows. So a run that ends early leaves rows that the next one
 * finds. */
static int import_api_merge(const struct command_line *o, struct import_foreign *i, struct db *db,
                            struct arena *a) {
    char err[USAGE_MAX] = "";
    struct conn *c = db_reader(db);
    if (c == NULL) return complain("%s can't be read", store_name(o));
    if (import_owner_find(o, i, c, a) != 1 || import_key_fits(o, i, c) != 1) return EXIT_FAULT;
    int status = api_fetch_all(o, i, a);
    if (status != 0) return status;
    i->f.why = (struct why){err, sizeof err};
    i->f.unlisted = i->fetched.unlisted;
    if (import_api_run(i, db) < 0)
        return complain(
            "the import into %s did not come to its end: %s; run it again, it goes on where it stopped",
            store_name(o), *err ? err : "it can't be written");
    say_foreign(o, i);
    printf("deskd: new people have no passwords: they set one by e-mail, or deskd password EMAIL\n");
    say_api_took(i);
    return 0;
}

/* ---- the store of --from-api ----------------------------------------------------------------- */

static int look_at_desk(const struct command_line *o, struct import_foreign *i, struct db *db,
                        struct arena *a) {
    struct conn *c = db_reader(db);
    (void)a;
    i->state = c ? desk_state(c) : -1;
    return i->state < 0 ? complain("%s can't be read", store_name(o)) : 0;
}

static bool import_store_there(const struct command_line *o, struct arena *a) {
    return option_text(o, OPT_DATABASE).p ||
           access(str_fmt(a, "%s/desk.db", option_text(o, OPT_DATA).p).p, F_OK) == 0;
}

static int import_api_store(const struct command_line *o, struct import_foreign *i, struct arena *a) {
    if (import_store_there(o, a) && import_opened(o, i, a, false, look_at_desk) != 0) return EXIT_FAULT;
    if (i->state == DESK_UNFINISHED)
        return complain("%s holds a part of a desk: name another one", store_name(o));
    return i->state == DESK_READY ? import_opened(o, i, a, false, import_api_merge)
                                  : import_opened(o, i, a, true, import_api_into);
}

/* The fetch has an arena of its own, because it may be another thread's. */
static int import_api(const struct command_line *o, const struct contents *contents, struct arena *a) {
    struct str copy = option_text(o, OPT_COPY);
    const char *folder = copy.p ? copy.p : str_fmt(a, "%s/import-api", option_text(o, OPT_DATA).p).p;
    struct import_foreign *i = import_foreign_new(o, &deskapi, folder, contents, a);
    struct arena *memory = arena_new();
    i->fetched = (struct foreign){.system = &deskapi, .memory = memory};
    i->x = (struct api_fetch){.source = {.why = {i->fetch_err, sizeof i->fetch_err}},
                              .folder = folder,
                              .memory = memory,
                              .now = i->f.now,
                              .report = &i->fetched,
                              .progress = progress_bar};
    int status = import_api_store(o, i, a);
    source_close(&i->x.source);
    arena_free(memory);
    return status;
}

int command_import(const struct command_line *o) {
    static const enum option_id from[] = {OPT_IMPORT_FROM, OPT_FROM_ZENDESK, OPT_FROM_ZAMMAD, OPT_FROM_API};
    struct str zendesk_from = option_text(o, OPT_FROM_ZENDESK), zammad_from = option_text(o, OPT_FROM_ZAMMAD);
    int given = 0, status = EXIT_FAULT;
    for (size_t k = 0; k < sizeof from / sizeof *from; k++) given += option_text(o, from[k]).p != NULL;
    struct import_command i = {.o = o, .memory = arena_new()};
    i.x = (struct desk_import){.from = option_text(o, OPT_IMPORT_FROM).p,
                               .contents = contents_chosen(o, i.memory, NULL),
                               .without_secrets = option_int(o, OPT_WITHOUT_SECRETS),
                               .progress = progress_bar,
                               .dropped = import_dropped};
    if (i.x.contents == NULL) status = EXIT_FAULT;
    else if (given != 1)
        status = complain("deskd import needs one of --from, --from-zendesk, --from-zammad and --from-api");
    else if (option_text(o, OPT_FROM_API).p) status = import_api(o, i.x.contents, i.memory);
    else if (!i.x.from)
        status = import_other(o, zendesk_from.p ? &zendesk : &zammad,
                              zendesk_from.p ? zendesk_from : zammad_from, i.x.contents, i.memory);
    else if (import_key(&i) == 0) status = import_store(&i);
    contents_let_go(i.x.contents);
    arena_free(i.memory);
    return status;
}
