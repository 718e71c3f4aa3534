/* Authentication-Results: only the topmost header of the trusted server counts, and only as far as it
 * follows RFC 8601. */
#include "core/mail/authentication.h"

#undef NDEBUG
#include <assert.h>
#include <stdio.h>

#define OURS "mx.desk.example"

static struct mail_authentication read_all(struct arena *a, const char *const *headers) {
    struct str list[10];
    int n = 0;
    for (; headers[n]; n++) list[n] = str_of(headers[n]);
    return authentication_read(a, list, n, S(OURS), S("ada@people.example"));
}

static struct mail_authentication read_one(struct arena *a, const char *header) {
    return read_all(a, (const char *const[]){header, NULL});
}

static void test_results(struct arena *a) {
    static const struct {
        const char *header;
        enum mail_verdict dkim, spf, dmarc;
    } cases[] = {
        {OURS "; dkim=pass; spf=fail; dmarc=pass", VERDICT_PASS, VERDICT_FAIL, VERDICT_PASS},
        {OURS " 1; spf=softfail smtp.mailfrom=a@b.example", 0, VERDICT_SOFTFAIL, 0},
        {"(c (nested \\) x)) MX.Desk.Example (v) 1 (w);\tDKIM (x) / 1 = PASS (y)", VERDICT_PASS, 0, 0},
        {"\"" OURS "\"; dmarc=none", 0, 0, VERDICT_NONE},
        {OURS "; none", 0, 0, 0},
        {OURS ";", 0, 0, 0},
        {OURS, 0, 0, 0},
        {OURS "; dkim=fail header.d=a; dkim=pass header.d=b", VERDICT_PASS, 0, 0},
        {OURS "; dmarc=pass; dmarc=fail", 0, 0, VERDICT_ERROR},
        {OURS "; dmarc=temperror; spf=weird; dkim=policy", VERDICT_NEUTRAL, VERDICT_ERROR, VERDICT_ERROR},
        {OURS "; dmarc=pass reason=\"a; b\" header.from=People.Example", 0, 0, VERDICT_PASS},
        {OURS "; dmarc=pass header.from=evil.example", 0, 0, VERDICT_FAIL},
        {OURS "; spf=none (dmarc=pass) smtp.helo=\"x; dmarc=pass\"", 0, VERDICT_NONE, 0},
        {OURS "; x-other=1; spf=pass", 0, VERDICT_PASS, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mail_authentication said = read_one(a, cases[i].header);
        if (said.dkim != cases[i].dkim || said.spf != cases[i].spf || said.dmarc != cases[i].dmarc)
            printf("%s\n", cases[i].header);
        assert(said.dkim == cases[i].dkim && said.spf == cases[i].spf && said.dmarc == cases[i].dmarc &&
               said.header.p);
    }
}

static void test_broken(struct arena *a) {
    static const char *const broken[] = {
        OURS "; dmarc=pass (no end", OURS "; dmarc=pass x",          OURS "; dmarc=pass; \"no end",
        OURS "; dmarc=pass; =pass",  OURS "; dmarc=pass smtp.from=", OURS "; dmarc=pass, spf=pass",
        OURS " x y; dmarc=pass",     OURS "; dmarc=pass; spf==pass", OURS "; dmarc=pass\xff; spf=pass"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        struct mail_authentication said = read_one(a, broken[i]);
        if (said.dmarc) printf("%s\n", broken[i]);
        assert(said.dmarc == 0 && said.dkim == 0 && said.spf == 0);
    }
}

static void test_trust(struct arena *a) {
    assert(read_one(a, "mx.evil.example; dmarc=pass").header.p == NULL);
    assert(read_one(a, OURS ".evil.example; dmarc=pass").header.p == NULL);
    assert(read_one(a, "x; " OURS "; dmarc=pass").header.p == NULL);
    assert(read_all(a, (const char *const[]){"other; dmarc=fail", OURS "; dmarc=pass", NULL}).dmarc ==
           VERDICT_PASS);
    assert(read_all(a, (const char *const[]){OURS "; dmarc=fail", OURS "; dmarc=pass", NULL}).dmarc ==
           VERDICT_FAIL);
    assert(read_all(a, (const char *const[]){OURS "; dkim=pass", OURS "; dmarc=pass", NULL}).dmarc == 0);
    assert(read_all(a, (const char *const[]){OURS "; (", OURS "; dmarc=pass", NULL}).dmarc == 0);
    struct str one = S("; dmarc=pass");
    assert(authentication_read(a, &one, 1, S(""), S("ada@people.example")).dmarc == 0);
}

int main(void) {
    struct arena *a = arena_new();
    test_results(a);
    test_broken(a);
    test_trust(a);
    arena_free(a);
    puts("authentication: results, broken headers, trust");
    return 0;
}
