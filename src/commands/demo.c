#include "commands/commands.h"

#include "base/error.h"
#include "demo/demo.h"
#include "core/desk/desk.h"

static int fill_demo(const struct command_line *o, struct db *db, struct arena *a) {
    struct demo d = {
        .conversations = option_int(o, OPT_CONVERSATIONS), .seed = (uint64_t)option_int(o, OPT_SEED), .progress = progress_bar};
    struct str password;
    int generated = password_choose(o, a, &password);
    if (generated < 0) return EXIT_FAULT;
    for (int i = 0; i < DEMO_LOGINS; i++) d.password_hashes[i] = password_hash(a, password);
    int rc = demo_fill(db, &d);
    if (rc == -ERR_FIELD_DUPLICATE) return complain("%s holds a desk already: demo needs a new store", store_name(o));
    if (rc < 0) return complain("%s can't be written and is incomplete: remove it", store_name(o));
    printf("deskd: a demo desk of %lld conversations in %s\n", (long long)d.conversations, store_name(o));
    for (int i = 0; i < DEMO_LOGINS; i++) printf("  %s\n", demo_logins[i]);
    if (generated) printf("They log in with the password %s (shown this once).\n", password.p);
    else printf("They log in with the password of %s.\n", option_text(o, OPT_PASSWORD_FILE).p);
    return 0;
}

int command_demo(const struct command_line *o) {
    struct db_config cfg = store_config(o);
    struct db *db;
    struct key key;
    char err[USAGE_MAX];
    struct arena *a = arena_new();
    store_may_begin(o, a, &cfg);
    cfg.bulk = true;
    if (db_open(&cfg, &db, err, sizeof err) < 0) {
        arena_free(a);
        return complain("%s", err);
    }
    int status = fill_demo(o, db, a);
    if (status == 0 && secret_key(o, true, &key) < 0) status = EXIT_FAULT;
    arena_free(a);
    db_close(db);
    return status;
}
