#include "res/csv_reason.h"

#include "files/csv_file.h"

#define MOST "{most}"

static const struct {
    enum error code;
    const char *texts[2];
} reasons[CSV_REASON_COUNT] = {
#define REASON(word, code, text, other) [CSV_##word] = {ERR_##code, {text, other}},
#include "res/csv_reasons.def"
#undef REASON
};

const struct word csv_reasons[] = {
#define REASON(word, code, text, other) {CSV_##word, #word},
#include "res/csv_reasons.def"
#undef REASON
    {CSV_OTHER, "OTHER"},
    {0},
};

enum error csv_reason_code(enum csv_reason reason) { return reasons[reason].code; }

/* Splits a text of the table at its number. Returns false if it has none; *before is then the text. */
static bool text_split(const char *text, struct str *before, struct str *behind) {
    const char *at = strstr(text, MOST);
    *before = at ? (struct str){text, (size_t)(at - text)} : str_of(text);
    *behind = at ? str_of(at + sizeof MOST - 1) : S("");
    return at != NULL;
}

struct str csv_reason_text(struct arena *a, enum csv_reason reason, int64_t most) {
    char room[INT_TEXT];
    struct str before, behind;
    if (!text_split(reasons[reason].texts[0], &before, &behind)) return before;
    return STR_CAT(a, before, str_int(room, most), behind);
}

static bool says(const char *text, struct str message, int64_t *most) {
    struct str before, behind;
    if (!text_split(text, &before, &behind)) return str_eq(message, before);
    size_t around = before.n + behind.n;
    if (message.n <= around || !str_starts(message, before)) return false;
    struct str number = {message.p + before.n, message.n - around};
    return str_eq((struct str){number.p + number.n, behind.n}, behind) && str_to_int(number, most);
}

enum csv_reason csv_reason_of(struct str code, struct str message, int64_t *most) {
    *most = -1;
    for (int i = CSV_REASON_NONE + 1; i < CSV_OTHER; i++) {
        const char *const *texts = reasons[i].texts;
        if (!str_eq(str_of(error_info((int)reasons[i].code)->code), code)) continue;
        if (texts[0] == NULL || says(texts[0], message, most) || (texts[1] && says(texts[1], message, most)))
            return (enum csv_reason)i;
    }
    return CSV_OTHER;
}

/* "Line 3: The quote ..." */
enum csv_reason csv_failure_of(struct str failure, int64_t *line) {
    int64_t most;
    const char *code = error_info(ERR_RESOURCE_ACTION_NOT_AVAILABLE)->code;
    struct str text = failure, head = str_cut(&text, ' '), number = text.p ? str_cut(&text, ':') : head;
    bool numbered = str_eq(head, S("Line")) && text.n && str_to_int(number, line);
    if (!numbered) *line = 0;
    return csv_reason_of(str_of(code), numbered ? str_trim(text) : failure, &most);
}
