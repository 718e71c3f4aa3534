/* Precision and recall of the separation of quotes, by line, on the judged mails of tests/corpora/quotes. */
#include "mail/read_child.h"

#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>

#define MAILS "tests/corpora/quotes/mails.txt"

static struct arena *arena;
static int mails, exact, folded, quoted, right; /* lines, but for the first two */

static struct str file_of(const char *path) {
    FILE *f = fopen(path, "rb");
    struct buf b = {0};
    for (size_t n = 1; f && n;) {
        buf_reserve(&b, 65536);
        n = fread(b.p + b.n, 1, 65536, f);
        b.n += n;
    }
    if (f) fclose(f);
    struct str s = str_dup(arena, buf_view(&b));
    buf_free(&b);
    return s;
}

static int lines_in(struct str text) {
    int n = 0;
    while (text.p) n += str_trim(str_cut(&text, '\n')).n > 0;
    return n;
}

/* The lines that are left of a mail. Nothing is separated from a forwarded one. */
static int lines_left(struct str kind, struct str subject, struct str body) {
    struct incoming m;
    struct str raw = str_fmt(arena, "From: ada@example.com\nSubject: %.*s\nContent-Type: text/%s; charset=utf-8\n\n%.*s", (int)subject.n,
                             subject.p, str_eq(kind, S("html")) ? "html" : "plain", (int)body.n, body.p);
    mail_read_here(arena, raw, &m);
    return lines_in(m.text);
}

/* "=== text NAME | SUBJECT", then the mail. A line @@@@ ends what the sender wrote. */
static void judge(struct str mail) {
    struct str rest = mail, head = str_cut(&rest, '\n'), kind = str_cut(&head, ' '), name = str_trim(str_cut(&head, '|')),
               subject = str_trim(head);
    const char *mark = memmem(rest.p, rest.n, "@@@@\n", 5);
    struct str new = {rest.p, mark ? (size_t)(mark - rest.p) : rest.n}, old = mark ? (struct str){mark + 5, rest.n - new.n - 5} : S("");
    struct str whole = STR_CAT(arena, new, old);
    int all = lines_left(kind, S("Fwd: x"), whole), expected = lines_left(kind, S("Fwd: x"), new), left = lines_left(kind, subject, whole);
    int is = all - left, should = all - expected;
    mails++;
    exact += is == should;
    folded += is;
    quoted += should;
    right += is < should ? is : should;
    if (is != should)
        printf("%.*s %.*s: %d of %d lines are folded instead of %d\n", (int)kind.n, kind.p, (int)name.n, name.p, is, all, should);
}

int main(void) {
    arena = arena_new();
    struct str text = file_of(MAILS);
    mail_child_prepare();
    for (const char *p = text.p; text.n && (p = memmem(p, (size_t)(text.p + text.n - p), "=== ", 4)) != NULL;) {
        const char *end = memmem(p, (size_t)(text.p + text.n - p), "\n=== ", 5);
        judge((struct str){p + 4, (size_t)((end ? end : text.p + text.n) - p) - 4});
        p = end ? end + 1 : text.p + text.n;
    }
    double precision = folded ? (double)right / folded : 0, recall = quoted ? (double)right / quoted : 0;
    printf("%d mails, %d exact; precision %.3f (%d of %d folded lines), recall %.3f (%d of %d quoted lines)\n", mails, exact, precision,
           right, folded, recall, right, quoted);
    arena_free(arena);
    return mails < 120 || precision < 0.99 || recall < 0.97;
}
