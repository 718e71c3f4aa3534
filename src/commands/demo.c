#include "commands/commands.h"

#include "base/error.h"
#include "demo/demo.h"
#include "demo/extras.h"
#include "files/content.h"

#include <unistd.h>
#include "core/all/desk.h"

/* Stores the content of a file. */
static bool keep_content(const struct contents *k, struct arena *a, struct str bytes, struct str sha256) {
    const char *path = str_fmt(a, "%s/demo", contents_tmp(a, k).p).p;
    FILE *f = fopen(path, "wbe");
    bool ok = f && fwrite(bytes.p, 1, bytes.n, f) == bytes.n;
    ok = f && fclose(f) == 0 && ok;
    ok = ok && content_keep(a, k, sha256, path, (int64_t)bytes.n) >= 0;
    unlink(path);
    return ok;
}

static bool keep_file(const struct contents *k, struct arena *a, int file) {
    const struct demo_file *d = &demo_files[file];
    return keep_content(k, a, (struct str){d->data, d->size}, demo_file_sha256(a, file));
}

struct kept_mails {
    const struct contents *contents;
    struct arena *arena;
};

/* The folder is made here, because a store that holds a desk must stay as it is. */
static int keep_mail(void *arg, struct str bytes, struct str sha256) {
    const struct kept_mails *k = arg;
    char err[USAGE_MAX];
    bool ok = contents_open(k->contents, err, sizeof err) >= 0 &&
              keep_content(k->contents, k->arena, bytes, sha256);
    return ok ? 0 : -ERR_SERVICE_UNAVAILABLE;
}

static bool keep_files(const struct contents *k, struct arena *a) {
    char err[USAGE_MAX];
    bool ok = contents_open(k, err, sizeof err) >= 0;
    for (int i = 0; ok && i < DEMO_FILES; i++) ok = keep_file(k, a, i);
    return ok;
}

static int fill_demo(const struct command_line *o, struct db *db, const struct contents *k, struct arena *a) {
    struct demo d = {.conversations = option_int(o, OPT_CONVERSATIONS),
                     .seed = (uint64_t)option_int(o, OPT_SEED),
                     .progress = progress_bar};
    struct kept_mails kept = {k, a};
    struct str password;
    int generated = password_choose(o, a, &password);
    if (generated < 0) return EXIT_FAULT;
    for (int i = 0; i < DEMO_LOGINS; i++) d.password_hashes[i] = password_hash(a, password);
    d.keep = keep_mail;
    d.keep_arg = &kept;
    int rc = demo_fill(db, &d);
    if (rc == -ERR_FIELD_DUPLICATE)
        return complain("%s holds a desk already: demo needs a new store", store_name(o));
    if (rc < 0) return complain("%s can't be written and is incomplete: remove it", store_name(o));
    if (!keep_files(k, a)) return complain("the files of %s can't be written: remove it", store_name(o));
    printf("deskd: a demo desk of %lld conversations in %s\n", (long long)d.conversations, store_name(o));
    for (int i = 0; i < DEMO_LOGINS; i++) printf("  %s\n", demo_logins[i]);
    if (generated) printf("They log in with the password %s (shown this once).\n", password.p);
    else printf("They log in with the password of %s.\n", option_text(o, OPT_PASSWORD_FILE).p);
    return 0;
}

static int fill_demo_desk(const struct command_line *o, struct db *db) {
    struct arena *a = arena_new();
    const struct contents *k = contents_chosen(o, a, NULL);
    int status = k ? fill_demo(o, db, k, a) : EXIT_FAULT;
    contents_let_go(k);
    arena_free(a);
    return status;
}

int command_demo(const struct command_line *o) { return store_begin(o, true, fill_demo_desk); }
