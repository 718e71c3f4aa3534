/* Precision and recall of the separation of quotes, by line, on the judged mails of tests/corpora/quotes.
 * The rules were corrected on those of `tuned` only; those of `held-out` show how they do on mails that
 * nobody looked at. */
#include "mail/read_child.h"

#include "base/buf.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#define CORPUS "tests/corpora/quotes/"
#define MAILS 300 /* at least, with quotes */
#define PRECISION 0.999
#define RECALL 0.95

static struct arena *arena;

/* Each line of a mail begins with its mark: "n " new, "q " quoted, "s " part of the sender's signature.
 * Lines of signatures may be folded. */
enum { NEW, SIGNATURE, QUOTED, MARKS };

struct line {
    struct str text;
    int mark;
};
struct lines {
    struct line *line;
    int count, room;
};

static struct part {
    const char *folder;
    int mails, with_quotes, exact;                          /* mails */
    int quoted, right, wrong, signature, signatures_folded; /* lines */
} parts[] = {{.folder = "tuned"}, {.folder = "held-out"}};

static struct str file_of(const char *path) {
    FILE *f = fopen(path, "rb");
    struct buf b = {0};
    for (size_t n = 1; f && n;) {
        buf_reserve(&b, 65536);
        n = fread(b.p + b.n, 1, 65536, f);
        b.n += n;
    }
    if (f) fclose(f);
    return buf_take(&b, arena);
}

static void add_line(struct lines *l, struct str text, int mark) {
    text = str_trim(text);
    if (text.n == 0 || str_eq(text, S("\xC2\xA0"))) return;
    l->line = arena_more(arena, l->line, l->count, &l->room, sizeof *l->line);
    l->line[l->count++] = (struct line){text, mark};
}

static void read_one(struct str kind, struct str subject, struct str body, struct incoming *m) {
    struct str raw =
        str_fmt(arena, "From: ada@example.com\nSubject: %.*s\nContent-Type: text/%s; charset=utf-8\n\n%.*s",
                (int)subject.n, subject.p, str_eq(kind, S("html")) ? "html" : "plain", (int)body.n, body.p);
    mail_read_here(arena, raw, m);
}

static struct lines lines_of(struct str text) {
    struct lines l = {0};
    while (text.p) add_line(&l, str_cut(&text, '\n'), NEW);
    return l;
}

static int mark_of(struct str line) {
    return line.n < 2 || line.p[0] == 'n' ? NEW : line.p[0] == 's' ? SIGNATURE : QUOTED;
}

/* The body of a mail without marks, up to those of a kind. */
static struct str body_of(struct str mail, int last_mark) {
    struct buf b = {0};
    while (mail.p) {
        struct str line = str_cut(&mail, '\n');
        if (mark_of(line) > last_mark) continue;
        if (line.n >= 2) buf_str(&b, (struct str){line.p + 2, line.n - 2});
        buf_char(&b, '\n');
    }
    return buf_take(&b, arena);
}

/* Removes one line with this text. */
static bool take(struct lines *l, struct str text) {
    for (int i = 0; i < l->count; i++)
        if (l->line[i].text.p && str_eq(l->line[i].text, text)) {
            l->line[i].text = (struct str){0};
            return true;
        }
    return false;
}

/* The lines that the mail has if nothing is folded. HTML has other lines than its source: a line has the
 * mark of the first part with it. */
static struct lines expected_lines(struct str kind, struct str mail) {
    struct lines all = {0}, before = {0};
    if (!str_eq(kind, S("html"))) {
        while (mail.p) {
            struct str line = str_cut(&mail, '\n');
            if (line.n >= 2) add_line(&all, (struct str){line.p + 2, line.n - 2}, mark_of(line));
        }
        return all;
    }
    for (int mark = NEW; mark < MARKS; mark++) {
        struct incoming m;
        read_one(kind, S("Fwd: x"), body_of(mail, mark), &m);
        struct lines now = lines_of(m.text), copy = lines_of(m.text);
        for (int i = 0; i < now.count; i++)
            if (!take(&before, now.line[i].text)) add_line(&all, now.line[i].text, mark);
        before = copy;
    }
    return all;
}

static void judge(struct part *p, struct str mail) {
    struct str rest = mail, head = str_cut(&rest, '\n'), kind = str_cut(&head, ' '),
               name = str_trim(str_cut(&head, '|')), subject = str_trim(head);
    struct incoming m;
    read_one(kind, subject, body_of(rest, QUOTED), &m);
    struct lines all = expected_lines(kind, rest), left = lines_of(m.text);
    int quoted = 0, mistakes = 0;
    /* Equal lines are interchangeable. New ones are looked for first. */
    for (int mark = NEW; mark < MARKS; mark++)
        for (int i = 0; i < all.count; i++) {
            if (all.line[i].mark != mark) continue;
            bool folded = !take(&left, all.line[i].text),
                 bad = mark == NEW ? folded : mark == QUOTED && !folded;
            p->wrong += mark == NEW && folded;
            p->quoted += mark == QUOTED;
            p->right += mark == QUOTED && folded;
            p->signature += mark == SIGNATURE;
            p->signatures_folded += mark == SIGNATURE && folded;
            quoted += mark == QUOTED;
            mistakes += bad;
            if (bad)
                printf("%s %.*s %.*s: %s: %.*s\n", p->folder, (int)kind.n, kind.p, (int)name.n, name.p,
                       folded ? "folded" : "not folded", (int)all.line[i].text.n, all.line[i].text.p);
        }
    p->mails++;
    p->with_quotes += quoted > 0;
    p->exact += mistakes == 0;
}

/* "=== text NAME | SUBJECT", then the lines of the mail. */
static void judge_file(struct part *p, const char *path) {
    struct str text = file_of(path);
    for (const char *at = text.p, *stop = text.p + text.n;
         text.n && (at = memmem(at, (size_t)(stop - at), "=== ", 4)) != NULL;) {
        const char *end = memmem(at, (size_t)(stop - at), "\n=== ", 5);
        judge(p, (struct str){at + 4, (size_t)((end ? end : stop) - at) - 4});
        at = end ? end + 1 : stop;
    }
}

static bool report(const struct part *p) {
    double precision = p->right ? (double)p->right / (p->right + p->wrong) : 0,
           recall = p->quoted ? (double)p->right / p->quoted : 0;
    printf("%s: %d mails, %d with quotes, %d exact; precision %.4f (%d of %d folded lines), recall %.4f (%d "
           "of %d quoted lines); %d of %d lines of signatures are folded\n",
           p->folder, p->mails, p->with_quotes, p->exact, precision, p->right, p->right + p->wrong, recall,
           p->right, p->quoted, p->signatures_folded, p->signature);
    return precision >= PRECISION && recall >= RECALL;
}

int main(int argc, char **argv) {
    const char *corpus = argc > 1 ? argv[1] : CORPUS;
    bool good = true;
    int with_quotes = 0;
    arena = arena_new();
    mail_child_prepare();
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        glob_t files;
        struct str pattern = str_fmt(arena, "%s/%s/*.txt%c", corpus, parts[i].folder, 0);
        if (glob(pattern.p, 0, NULL, &files) == 0) {
            for (size_t k = 0; k < files.gl_pathc; k++) judge_file(&parts[i], files.gl_pathv[k]);
            globfree(&files);
        }
        good = report(&parts[i]) && good;
        with_quotes += parts[i].with_quotes;
    }
    arena_free(arena);
    return !good || with_quotes < MAILS;
}
