/* The grammar (RFC 8601 section 2.2, without the ABNF of comments):
 *
 *     header    authserv-id [version] *( ";" result )
 *     result    "none"  |  method [ "/" version ] "=" word  *( property "=" value )
 *
 * A word is a token or a quoted string. Comments and blanks may stand between all of them. */
#include "core/mail/authentication.h"

#include "base/fold.h"

#define COMMENTS_MAX 20 /* nested comments */

enum mark { MARK_END, MARK_WORD, MARK_QUOTED, MARK_SIGN, MARK_BROKEN };

struct scan {
    struct arena *arena;
    const char *at, *end;
    enum mark mark;  /* kind of the current mark */
    struct str word; /* MARK_WORD, MARK_QUOTED */
    char sign;       /* MARK_SIGN: one of ; = / */
};

static bool in_results_token(char c) {
    return c > ' ' && c != 0x7f && (c & 0x80) == 0 && !in_set(c, "()<>,;:\\\"/[]?=");
}

/* Values of properties are addresses, domains and paths, often without the quotes that the RFC demands. */
static bool in_results_value(char c) {
    return c != 0 && (in_results_token(c) || in_set(c, "/:[]<>,?=") || (c & 0x80) != 0);
}

/* Skips blanks and comments. Returns false for a comment without an end. */
static bool scan_gap(struct scan *s) {
    int depth = 0;
    for (; s->at < s->end; s->at++) {
        char c = *s->at;
        if (c == '(' && ++depth > COMMENTS_MAX) return false;
        if (depth == 0 && c != ' ' && c != '\t') return true;
        if (depth && c == '\\') s->at++;
        if (depth && c == ')') depth--;
    }
    return depth == 0;
}

static enum mark scan_quoted(struct scan *s) {
    char *text = arena_bytes(s->arena, (size_t)(s->end - s->at) + 1);
    size_t n = 0;
    for (s->at++; s->at < s->end && *s->at != '"'; s->at++) {
        if (*s->at == '\\' && ++s->at == s->end) return MARK_BROKEN;
        text[n++] = *s->at;
    }
    s->word = (struct str){text, n};
    return s->at++ < s->end ? MARK_QUOTED : MARK_BROKEN;
}

static enum mark scan_mark(struct scan *s, bool (*belongs)(char c)) {
    if (!scan_gap(s)) return MARK_BROKEN;
    if (s->at >= s->end) return MARK_END;
    if (*s->at == '"') return scan_quoted(s);
    const char *from = s->at;
    while (s->at < s->end && belongs(*s->at)) s->at++;
    s->word = (struct str){from, (size_t)(s->at - from)};
    if (s->word.n) return MARK_WORD;
    s->sign = *s->at++;
    return s->sign == ';' || s->sign == '=' || s->sign == '/' ? MARK_SIGN : MARK_BROKEN;
}

static void scan_next(struct scan *s) { s->mark = scan_mark(s, in_results_token); }
static bool scan_at_sign(const struct scan *s, char sign) { return s->mark == MARK_SIGN && s->sign == sign; }

/* ---- results --------------------------------------------------------------------------------- */

struct results {
    struct mail_authentication said;
    struct str dmarc_domain; /* header.from; p NULL: not said */
    bool is_ours;
};

static enum mail_verdict verdict_of(struct str word) {
    static const struct {
        const char *word;
        enum mail_verdict verdict;
    } words[] = {{"pass", VERDICT_PASS},         {"fail", VERDICT_FAIL},       {"hardfail", VERDICT_FAIL},
                 {"softfail", VERDICT_SOFTFAIL}, {"neutral", VERDICT_NEUTRAL}, {"policy", VERDICT_NEUTRAL},
                 {"none", VERDICT_NONE},         {"temperror", VERDICT_ERROR}, {"permerror", VERDICT_ERROR}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_eqi(word, str_of(words[i].word))) return words[i].verdict;
    return VERDICT_ERROR;
}

static void result_add(struct mail_authentication *said, struct str method, enum mail_verdict verdict) {
    enum mail_verdict *one = str_eqi(method, S("spf"))     ? &said->spf
                             : str_eqi(method, S("dmarc")) ? &said->dmarc
                                                           : NULL;
    if (str_eqi(method, S("dkim")) && said->dkim != VERDICT_PASS) said->dkim = verdict;
    if (one) *one = *one == 0 || *one == verdict ? verdict : VERDICT_ERROR;
}

/* The properties up to the next semicolon. Returns false if they are broken. */
static bool results_properties(struct scan *s, struct results *r, bool of_dmarc) {
    while (s->mark == MARK_WORD) {
        struct str name = s->word;
        scan_next(s);
        if (!scan_at_sign(s, '=')) return false;
        s->mark = scan_mark(s, in_results_value);
        if (s->mark != MARK_WORD && s->mark != MARK_QUOTED) return false;
        if (of_dmarc && str_eqi(name, S("header.from"))) r->dmarc_domain = s->word;
        scan_next(s);
    }
    return s->mark == MARK_END || scan_at_sign(s, ';');
}

/* One result behind a semicolon. An empty one, as at the end of a header, is none. */
static bool results_one(struct scan *s, struct results *r) {
    scan_next(s);
    if (s->mark == MARK_END || scan_at_sign(s, ';')) return true;
    if (s->mark != MARK_WORD) return false;
    struct str method = s->word;
    scan_next(s);
    if (str_eqi(method, S("none")) && (s->mark == MARK_END || scan_at_sign(s, ';'))) return true;
    if (scan_at_sign(s, '/')) {
        scan_next(s);
        if (s->mark != MARK_WORD) return false;
        scan_next(s);
    }
    if (!scan_at_sign(s, '=')) return false;
    scan_next(s);
    if (s->mark != MARK_WORD) return false;
    result_add(&r->said, method, verdict_of(s->word));
    scan_next(s);
    return results_properties(s, r, str_eqi(method, S("dmarc")));
}

/* Sets is_ours if the header has the trusted id. Returns false if it is broken behind the id. */
static bool results_read(struct arena *a, struct str header, struct str trusted, struct results *r) {
    struct scan s = {.arena = a, .at = header.p, .end = header.p + header.n};
    int64_t version;
    scan_next(&s);
    r->is_ours = (s.mark == MARK_WORD || s.mark == MARK_QUOTED) && str_eqi(s.word, trusted);
    if (!r->is_ours) return true;
    scan_next(&s);
    if (s.mark == MARK_WORD && str_to_int(s.word, &version)) scan_next(&s);
    while (scan_at_sign(&s, ';'))
        if (!results_one(&s, r)) return false;
    return s.mark == MARK_END;
}

static bool is_other_domain(struct arena *a, struct str said, struct str from) {
    const char *at = from.n ? memrchr(from.p, '@', from.n) : NULL;
    if (said.p == NULL || at == NULL) return false;
    struct str domain = {at + 1, (size_t)(from.p + from.n - at - 1)}, key = domain_key(a, said);
    return key.p == NULL || !str_eq(key, domain_key(a, domain));
}

struct mail_authentication authentication_read(struct arena *a, const struct str *headers, int count,
                                               struct str trusted, struct str from) {
    for (int i = 0; trusted.n && i < count; i++) {
        struct results r = {0};
        bool whole = results_read(a, headers[i], trusted, &r);
        if (!r.is_ours) continue;
        if (!whole) r.said = (struct mail_authentication){0};
        if (r.said.dmarc == VERDICT_PASS && is_other_domain(a, r.dmarc_domain, from))
            r.said.dmarc = VERDICT_FAIL;
        r.said.header = headers[i];
        return r.said;
    }
    return (struct mail_authentication){0};
}
