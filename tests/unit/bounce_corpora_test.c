/* Rates of the recognition of notices of failed delivery, over mails that are made from the templates in
 * tests/corpora/bounces, and over the published mails in the folder named by CORPORA.
 *
 * Form of a file: "$name = a|b" is a variable. "== KIND NAME" begins a template: headers, a blank line, a
 * text. "{a|b}" is one of the texts, "{$name}" a value of the variable, the same one in the whole mail;
 * "\n" is a line break. Choices depend only on the number of the variant.
 *
 * Kinds: bounce (rejects a letter), delay (rejects nothing yet), answer (of an automatic answerer, or of a
 * server that the mail arrived), ordinary. Every third template of each kind is held back: phrases are
 * tuned with the others only, and the program names no held one unless SHOW_HELD is set.
 *
 * Half of the variants have an envelope, as over LMTP; the others have none, as from a mailbox. */
#include "core/mail/bounce_guess.h"

#include "base/buf.h"
#include "mail/read.h"
#include "mail/read_child.h"
#include "mail/report.h"

#include <dirent.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

#define TRIES 60 /* variants of a template that are tried; equal ones count once */
#define VARIABLES 20

enum kind { BOUNCE, DELAY, ANSWER, ORDINARY, KINDS };
static const char *const kinds[] = {"bounce", "delay", "answer", "ordinary"};
static const int most[] = {6, 6, 6, 24}; /* mails of one template */

static struct arena *arena;
static struct { struct str name, values; } variables[VARIABLES];
static int variable_count;
static struct {
    /* mails that reject a letter at another address, and at a keyed return path */
    int templates, mails, elsewhere, keyed;
} rates[2][KINDS]; /* tuned, held back */

/* ---- templates ------------------------------------------------------------------------------- */

static unsigned mixed(unsigned a, unsigned b) {
    unsigned x = a * 2654435761u ^ (b + 1) * 2246822519u;
    return (x ^ x >> 15) * 3266489917u >> 13;
}

static struct str file_text(const char *path) {
    struct buf b = {0};
    FILE *f = fopen(path, "rb");
    for (size_t n = 1; f && n; b.n += n) {
        buf_reserve(&b, 65536);
        n = fread(b.p + b.n, 1, 65536, f);
    }
    if (f) fclose(f);
    return buf_take(&b, arena);
}

/* Returns the length of the first alternative: up to "|" or "}" outside inner braces. */
static size_t alternative_length(struct str s) {
    int depth = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (depth == 0 && (s.p[i] == '|' || s.p[i] == '}')) return i;
        depth += s.p[i] == '{' ? 1 : s.p[i] == '}' ? -1 : 0;
    }
    return s.n;
}

static struct str chosen(struct str list, unsigned number) {
    unsigned count = 1;
    for (size_t i = alternative_length(list); i < list.n && list.p[i] == '|'; count++)
        i += 1 + alternative_length((struct str){list.p + i + 1, list.n - i - 1});
    for (unsigned skip = number % count; skip; skip--) {
        size_t n = alternative_length(list) + 1;
        list = (struct str){list.p + n, list.n - n};
    }
    return (struct str){list.p, alternative_length(list)};
}

static struct str variable_value(struct str name, unsigned variant) {
    for (int i = 0; i < variable_count; i++)
        if (str_eq(variables[i].name, name))
            return chosen(variables[i].values, mixed(variant, 1000 + (unsigned)i));
    printf("FAILED: no variable %.*s\n", (int)name.n, name.p);
    exit(1);
}

static void expand(struct buf *out, struct str s, unsigned variant, unsigned *choice) {
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '\\' && i + 1 < s.n && s.p[i + 1] == 'n') buf_text(out, "\n"), i++;
        else if (s.p[i] != '{') buf_str(out, (struct str){s.p + i, 1});
        else {
            struct str rest = {s.p + i + 1, s.n - i - 1}, one = chosen(rest, mixed(variant, (*choice)++));
            size_t n = alternative_length(rest);
            while (n < rest.n && rest.p[n] == '|')
                n += 1 + alternative_length((struct str){rest.p + n + 1, rest.n - n - 1});
            if (str_starts(one, S("$"))) one = variable_value((struct str){one.p + 1, one.n - 1}, variant);
            expand(out, one, variant, choice);
            i += n + 1;
        }
    }
}

/* ---- judgement ------------------------------------------------------------------------------- */

/* The decision of mail/bounce.c: a report rejects a letter if a block of it failed, another notice unless
 * it is about a delay. */
static bool rejects(const struct incoming *m, struct str raw, bool keyed) {
    struct report report;
    struct bounce_guess guess;
    bool is_report = report_read(arena, raw, &report) == REPORT_READ;
    bool is_notice = keyed ? bounce_at_return_path(arena, m, &guess) : bounce_looks_like(arena, m, &guess);
    for (const struct report_recipient *r = report.recipients; r < report.recipients + report.recipient_count;
         r++)
        if (r->failed) return true;
    return !is_report && is_notice && !guess.delayed;
}

static void judge_mail(enum kind kind, bool held, struct str name, struct str raw, struct str envelope_from) {
    struct incoming m = {.envelope_from = envelope_from};
    if (mail_read(arena, raw, 0, &mail_wholly, &m) != 1) {
        printf("FAILED: %.*s can't be read\n", (int)name.n, name.p);
        exit(1);
    }
    bool elsewhere = rejects(&m, raw, false), keyed = rejects(&m, raw, true);
    bool wrong = kind == BOUNCE ? !elsewhere || !keyed : kind == ORDINARY ? elsewhere : elsewhere || keyed;
    rates[held][kind].mails++;
    rates[held][kind].elsewhere += elsewhere;
    rates[held][kind].keyed += keyed;
    if (wrong && (!held || getenv("SHOW_HELD")))
        printf("%s %.*s: rejects %d, at a return path %d: %.*s\n", kinds[kind], (int)name.n, name.p,
               elsewhere, keyed, (int)m.subject.n, m.subject.p);
}

/* Adds what every mail has. */
static struct str whole_mail(struct str text) {
    bool typed = memmem(text.p, text.n, "Content-Type:", 13) != NULL;
    return STR_CAT(
        arena,
        S("To: help@desk.example\nDate: Mon, 2 Mar 2026 08:12:05 +0000\nMessage-ID: <m1@mail.example>\nMIME-Version: 1.0\n"),
        typed ? S("") : S("Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n"),
        text);
}

static struct str envelope_of(enum kind kind, int number) {
    if (number % 2) return (struct str){0};
    return kind == ORDINARY ? S("sender@mail.example") : S("");
}

static bool is_new(unsigned long long *seen, int count, struct str text) {
    unsigned long long hash = 1469598103934665603u;
    for (size_t i = 0; i < text.n; i++) hash = (hash ^ (unsigned char)text.p[i]) * 1099511628211u;
    for (int i = 0; i < count; i++)
        if (seen[i] == hash) return false;
    seen[count] = hash;
    return true;
}

static void judge_template(enum kind kind, struct str name, struct str text) {
    bool held = (rates[0][kind].templates + rates[1][kind].templates) % 3 == 2;
    unsigned long long seen[TRIES];
    int count = 0;
    rates[held][kind].templates++;
    for (unsigned variant = 0; variant < TRIES && count < most[kind]; variant++) {
        struct buf b = {0};
        unsigned choice = 0;
        expand(&b, text, variant, &choice);
        if (is_new(seen, count, buf_view(&b)))
            judge_mail(kind, held, name, whole_mail(str_dup(arena, buf_view(&b))),
                       envelope_of(kind, count++));
        buf_free(&b);
    }
}

static enum kind kind_named(struct str word) {
    for (int k = 0; k < KINDS; k++)
        if (str_eq(word, str_of(kinds[k]))) return (enum kind)k;
    printf("FAILED: no kind %.*s\n", (int)word.n, word.p);
    exit(1);
}

static void read_variable(struct str line) {
    struct str values = line;
    struct str name = str_trim(str_cut(&values, '='));
    int i = 0;
    while (i < variable_count && !str_eq(variables[i].name, (struct str){name.p + 1, name.n - 1})) i++;
    if (i == VARIABLES) exit(1);
    if (i == variable_count) variable_count++;
    variables[i].name = (struct str){name.p + 1, name.n - 1};
    variables[i].values = str_trim(values);
}

static void judge_file(const char *path) {
    struct str rest = file_text(path);
    while (rest.n) {
        const char *mark = memmem(rest.p, rest.n, "\n== ", 4);
        if (!str_starts(rest, S("== "))) {
            struct str line = str_cut(&rest, '\n');
            if (str_starts(line, S("$"))) read_variable(line);
            continue;
        }
        struct str block = {rest.p, mark ? (size_t)(mark + 1 - rest.p) : rest.n};
        rest = (struct str){rest.p + block.n, rest.n - block.n};
        struct str name = str_cut(&block, '\n');
        name = (struct str){name.p + 3, name.n - 3};
        struct str kind = str_cut(&name, ' ');
        judge_template(kind_named(kind), name, block);
    }
}

/* ---- published mails ------------------------------------------------------------------------- */

static int published, published_wrong;

static void judge_published(struct str path) {
    struct incoming m = {0};
    struct str raw = file_text(path.p);
    if (strstr(path.p, "multipart_report_emails") || mail_read(arena, raw, 0, &mail_wholly, &m) != 1) return;
    published++;
    if (!rejects(&m, raw, false)) return;
    published_wrong++;
    printf("published mail %s rejects: %.*s\n", path.p, (int)m.subject.n, m.subject.p);
}

static void judge_folder(struct str folder) {
    DIR *dir = opendir(folder.p);
    if (dir == NULL) return;
    for (struct dirent *e; (e = readdir(dir));) {
        struct str path = str_fmt(arena, "%s/%s", folder.p, e->d_name);
        if (e->d_name[0] != '.' && e->d_type == DT_DIR) judge_folder(path);
        else if (strstr(e->d_name, ".eml")) judge_published(path);
    }
    closedir(dir);
}

/* ---- rates ----------------------------------------------------------------------------------- */

static bool rate_holds(bool ok, const char *claim) {
    if (!ok) printf("FAILED: %s\n", claim);
    return ok;
}

static bool rates_hold(int part) {
    for (int k = 0; k < KINDS; k++)
        printf("%s %-8s: %d mails of %d templates, %d reject a letter, %d at a return path\n",
               part ? "held " : "tuned", kinds[k], rates[part][k].mails, rates[part][k].templates,
               rates[part][k].elsewhere, rates[part][k].keyed);
    return rate_holds(rates[part][BOUNCE].mails > 0 && rates[part][BOUNCE].keyed == rates[part][BOUNCE].mails,
                      "each bounce at a return path is recognised") &
           rate_holds(rates[part][BOUNCE].elsewhere * 10 >= rates[part][BOUNCE].mails * 9,
                      "90 % of the bounces elsewhere are recognised") &
           rate_holds(rates[part][ORDINARY].elsewhere * 1000 <= rates[part][ORDINARY].mails * 2,
                      "at most 2 in 1,000 ordinary mails reject") &
           rate_holds(rates[part][DELAY].elsewhere + rates[part][DELAY].keyed == 0,
                      "a delay rejects nothing") &
           rate_holds(rates[part][ANSWER].elsewhere + rates[part][ANSWER].keyed == 0,
                      "an automatic answer rejects nothing");
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], MAIL_ARGUMENT) == 0) return mail_child();
    if (sodium_init() < 0) return 1;
    const char *root = getenv("CORPORA");
    arena = arena_new();
    judge_file("tests/corpora/bounces/bounces.txt");
    judge_file("tests/corpora/bounces/ordinary.txt");
    judge_folder(str_fmt(arena, "%s/mail", root && *root ? root : "../shared/corpora"));
    bool ok = rates_hold(0) & rates_hold(1);
    ok &= rate_holds(rates[0][ORDINARY].mails + rates[1][ORDINARY].mails >= 1000,
                     "the corpus has 1,000 ordinary mails");
    ok &= rate_holds(rates[0][BOUNCE].mails + rates[1][BOUNCE].mails >= 300, "the corpus has 300 bounces");
    printf("published: %d ordinary mails, %d reject\n", published, published_wrong);
    ok &= rate_holds(published_wrong == 0, "no published mail rejects");
    arena_free(arena);
    return !ok;
}
