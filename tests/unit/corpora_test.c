/* Published test documents and forms for parsers, from the folder named by CORPORA. */
#include "json/json.h"

#include "base/error.h"
#include "mail/read.h"
#include "mail/read_child.h"

#include <dirent.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

/* Inputs that other parsers accept and ours refuses. The refusal is checked, so that no line becomes
 * outdated. */
static const struct exception {
    const char *what, *reason;
} exceptions[] = {
    {"%FE%FF", "invalid UTF-8; U+FFFD would lose data"},
    {"%FF%FE", "the same"},
    {"%C2", "the same"},
    {"%C2x", "the same"},
    {"_charset_=windows-1252&test=%C2x", "the same; a body has no say in it"},
    {"Encoded value with multi-byte charset", "UTF-16LE, not UTF-8"},
    {"Encoded value with single-byte, ASCII-compatible, non-UTF8 charset", "ISO-8859-1, not UTF-8"},
};

static struct arena *arena;
static unsigned passed, misses;

static void check(bool ok, struct str what, const char *expected) {
    *(ok ? &passed : &misses) += 1;
    if (!ok) printf("FAILED %.*s: expected %s\n", (int)what.n, what.p, expected);
}

static bool excepted(struct str what) {
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if (str_eq(what, str_of(exceptions[i].what))) return true;
    return false;
}

/* Reads the whole file; p is NULL if there is none. */
static struct str file_read(struct str path) {
    FILE *f = fopen(path.p, "rb");
    if (f == NULL) return (struct str){0};
    struct buf b = {0};
    size_t n;
    do {
        buf_reserve(&b, 65536);
        n = fread(b.p + b.n, 1, 65536, f);
        b.n += n;
    } while (n);
    fclose(f);
    return buf_take(&b, arena);
}

/* NULL: not JSON. */
static struct json *parsed(struct str text) {
    struct json *v;
    struct json_error err;
    return json_parse(arena, text, &v, &err) == 0 ? v : NULL;
}

static struct json *loaded(struct str path) {
    struct str text = file_read(path);
    struct json *v = parsed(text);
    if (text.p) check(v != NULL, path, "a readable list of cases");
    return v;
}

static struct str written(const struct json *v) {
    struct buf b = {0};
    struct json_writer w;
    jw_init(&w, &b);
    jw_json(&w, v);
    return buf_take(&b, arena);
}

/* ---- JSONTestSuite --------------------------------------------------------------------------- */

static void document(struct str name, struct str text) {
    struct buf wrapped = {0};
    buf_text(&wrapped, "{\"metadata\":{\"x\":");
    buf_str(&wrapped, text);
    buf_text(&wrapped, "}}");
    bool bare = parsed(text) != NULL, inside = parsed(buf_view(&wrapped)) != NULL;
    buf_free(&wrapped);
    bool valid = name.p[0] == 'y' && !excepted(name), either = name.p[0] == 'i';
    check(either || bare == valid, name, valid ? "acceptance" : "refusal");
    check(either || inside == valid, name, valid ? "acceptance inside a field" : "refusal inside a field");
}

static void documents(const char *root) {
    struct str folder = str_fmt(arena, "%s/json/test_parsing", root);
    DIR *dir = opendir(folder.p);
    if (dir == NULL) return;
    for (struct dirent *e; (e = readdir(dir));)
        if (strstr(e->d_name, ".json"))
            document(str_dup(arena, str_of(e->d_name)),
                     file_read(str_fmt(arena, "%s/%s", folder.p, e->d_name)));
    closedir(dir);
}

/* ---- naughty strings ------------------------------------------------------------------------- */

static void strings(const char *root) {
    const struct json *list = loaded(str_fmt(arena, "%s/strings/blns.json", root));
    for (const struct json *v = list ? list->first : NULL; v; v = v->next) {
        const struct json *again = parsed(written(v));
        check(again && again->type == JSON_STRING && str_eq(again->text, v->text), v->text,
              "the same string back");
    }
}

/* ---- forms ----------------------------------------------------------------------------------- */

/* Makes an object from an array of pairs [name, value, ...]. A later pair replaces an earlier one, as in a
 * form. */
static struct str object_of(const struct json *pairs) {
    struct buf b = {0};
    struct json_writer w;
    jw_init(&w, &b);
    jw_object(&w);
    for (const struct json *pair = pairs->first; pair; pair = pair->next) {
        jw_key_raw(&w, pair->first->text);
        jw_json(&w, pair->first->next);
    }
    jw_end(&w);
    struct str s = written(parsed(buf_view(&b)));
    buf_free(&b);
    return s;
}

static void form(struct str what, struct str input, const struct json *pairs) {
    struct json *tree;
    struct json_error err;
    bool accepted = form_parse(arena, input, &tree, &err) == 0;
    if (excepted(what)) check(!accepted, what, "refusal");
    else check(accepted && str_eq(written(tree), object_of(pairs)), what, object_of(pairs).p);
}

static void url_standard_forms(const char *root) {
    const struct json *cases = loaded(str_fmt(arena, "%s/urlencoded/urlencoded-parser-data.json", root));
    for (const struct json *c = cases ? cases->first : NULL; c; c = c->next) {
        struct str input = json_member(c, S("input"))->text;
        form(input, input, json_member(c, S("output")));
    }
}

/* Each case is NNN.json with NNN.body. The multipart cases are tested by multipart_test.c. */
static void busboy_forms(const char *root) {
    for (int i = 1;; i++) {
        struct str description = file_read(str_fmt(arena, "%s/multipart/%03d.json", root, i));
        const struct json *c = parsed(description);
        if (c == NULL) return;
        if (!str_starts(json_member(c, S("contentType"))->text, S("application/x-www-form-urlencoded")))
            continue;
        /* busboy cuts texts at limits; ours refuses the whole body */
        if (json_member(c, S("limits"))) continue;
        struct str body = file_read(str_fmt(arena, "%s/multipart/%03d.body", root, i));
        form(json_member(c, S("what"))->text, body, json_member(c, S("expected")));
    }
}

/* ---- mails ----------------------------------------------------------------------------------- */

/* Each mail is read, although many of them are broken. All but those without a body have a text or a file. */
static void mail(struct str path) {
    struct incoming m = {0};
    int rc = mail_read(arena, file_read(path), INT64_C(1767225600000), &mail_wholly, &m);
    static const char *const empty[] = {"missing_body", "bad_date_header", "must_supply_encoding", "rfc2822/",
                                        "empty"};
    bool has_body = true;
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
        has_body = has_body && !strstr(path.p, empty[i]);
    check(rc == 1, path, "a mail that can be read");
    check(rc != 1 || m.text.n || m.file_count || !has_body, path, "a text or a file");
}

static void mails(struct str folder) {
    DIR *dir = opendir(folder.p);
    if (dir == NULL) return;
    for (struct dirent *e; (e = readdir(dir));) {
        struct str path = str_fmt(arena, "%s/%s", folder.p, e->d_name);
        if (e->d_name[0] != '.' && e->d_type == DT_DIR) mails(path);
        else if (strstr(e->d_name, ".eml")) mail(path);
    }
    closedir(dir);
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], MAIL_ARGUMENT) == 0) return mail_child();
    if (sodium_init() < 0) return 1;
    const char *root = getenv("CORPORA");
    if (root == NULL || *root == '\0') root = "../shared/corpora";
    arena = arena_new();
    documents(root);
    strings(root);
    url_standard_forms(root);
    busboy_forms(root);
    mails(str_fmt(arena, "%s/mail", root));
    if (passed + misses == 0) printf("skipped: no corpora in %s\n", root);
    printf("%u passed, %u failed\n", passed, misses);
    arena_free(arena);
    return misses != 0;
}
