#define PCRE2_CODE_UNIT_WIDTH 8
#include "base/pattern.h"

#include "base/arena.h"
#include "base/limits.h"

#include <pcre2.h>

#define NEST_LIMIT 50      /* depth of nested brackets */
#define MATCH_LIMIT 100000 /* steps: a few milliseconds */
#define DEPTH_LIMIT 10000
#define HEAP_LIMIT 1024         /* KiB */
#define CODE_LIMIT (256 * 1024) /* bytes of a compiled pattern: nested repeats are unrolled */

static pcre2_code *pattern_compile(struct str pattern, int *error, size_t *at) {
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    if (context == NULL) return NULL;
    pcre2_set_max_pattern_length(context, LIMIT_PATTERN * 4);
    pcre2_set_parens_nest_limit(context, NEST_LIMIT);
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)pattern.p, pattern.n, PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C,
                                     error, at, context);
    pcre2_compile_context_free(context);
    return code;
}

const char *pattern_wrong(struct arena *a, struct str pattern) {
    int error = 0;
    size_t at = 0, size = 0;
    unsigned char text[200] = "";
    pcre2_code *code = pattern_compile(pattern, &error, &at);
    if (code == NULL) {
        if (pcre2_get_error_message(error, text, sizeof text) < 0) text[0] = 0;
        return str_fmt(a, "%s at byte %zu", (const char *)text, at).p;
    }
    pcre2_pattern_info(code, PCRE2_INFO_SIZE, &size);
    pcre2_code_free(code);
    return size > CODE_LIMIT ? "it is too large once compiled" : NULL;
}

int pattern_found(struct str pattern, struct str text) {
    int error = 0, rc = -1;
    size_t at = 0;
    pcre2_code *code = pattern_compile(pattern, &error, &at);
    pcre2_match_context *context = pcre2_match_context_create(NULL);
    pcre2_match_data *data = code ? pcre2_match_data_create(1, NULL) : NULL;
    if (context && data) {
        pcre2_set_match_limit(context, MATCH_LIMIT);
        pcre2_set_depth_limit(context, DEPTH_LIMIT);
        pcre2_set_heap_limit(context, HEAP_LIMIT);
        int found = pcre2_match(code, (PCRE2_SPTR)text.p, text.n, 0, 0, data, context);
        rc = found >= 0 ? 1 : found == PCRE2_ERROR_NOMATCH ? 0 : -1;
    }
    pcre2_match_data_free(data);
    pcre2_match_context_free(context);
    pcre2_code_free(code);
    return rc;
}
