/* A record is "ROW LENGTH\n" and so many bytes. ROW is the index in the table. A record of the first row
 * of a list begins its next element, the others belong to the element begun last. */
#include "mail/answer.h"

#include "base/limits.h"
#include "files/html_clean.h"
#include "files/zip.h"
#include "mail/charset.h"

#include <stddef.h>
#include <stdio.h>

enum answer_kind { A_LINE, A_ADDRESS, A_FILE_NAME, A_TEXT, A_HTML, A_BYTES, A_NUMBER, A_COUNT, A_FLAG };
enum answer_list { L_NONE, L_TO, L_CC, L_REFERENCES, L_RESULTS, L_LOOPS, L_FILES, L_REPORTED };

#define AT(member) offsetof(struct incoming, member)

static const struct {
    /* list, count: offsets of the pointer and the number of elements; size: bytes of an element. */
    size_t list, count, size;
    int most;
} answer_lists[] = {
    [L_TO] = {AT(to), AT(to_count), sizeof(struct mail_person), INCOMING_ADDRESSES},
    [L_CC] = {AT(cc), AT(cc_count), sizeof(struct mail_person), INCOMING_ADDRESSES},
    [L_REFERENCES] = {AT(references), AT(reference_count), sizeof(struct str), INCOMING_REFERENCES},
    [L_RESULTS] = {AT(authentication_results), AT(authentication_count), sizeof(struct str), ANSWER_RESULTS},
    [L_LOOPS] = {AT(signs.loops), AT(signs.loop_count), sizeof(struct str), ANSWER_LOOPS},
    [L_FILES] = {AT(files), AT(file_count), sizeof(struct mail_file), INCOMING_FILES},
    [L_REPORTED] = {AT(report.recipients), AT(report.recipient_count), sizeof(struct report_recipient),
                    ANSWER_RECIPIENTS},
};

static const struct answer_row {
    enum answer_kind kind;
    size_t at;    /* offset in struct incoming, or in the element of the list */
    int64_t most; /* bytes, or the largest number */
    enum answer_list list;
    bool begins;
} answer_rows[] = {
    {A_ADDRESS, AT(from.address), ANSWER_ADDRESS, L_NONE, false},
    {A_LINE, AT(from.name), ANSWER_NAME, L_NONE, false},
    {A_ADDRESS, AT(sender.address), ANSWER_ADDRESS, L_NONE, false},
    {A_LINE, AT(sender.name), ANSWER_NAME, L_NONE, false},
    {A_ADDRESS, AT(reply_to.address), ANSWER_ADDRESS, L_NONE, false},
    {A_LINE, AT(reply_to.name), ANSWER_NAME, L_NONE, false},
    {A_LINE, AT(from_text), ANSWER_LINE, L_NONE, false},
    {A_LINE, AT(to_text), ANSWER_LINE, L_NONE, false},
    {A_LINE, AT(cc_text), ANSWER_LINE, L_NONE, false},
    {A_ADDRESS, offsetof(struct mail_person, address), ANSWER_ADDRESS, L_TO, true},
    {A_LINE, offsetof(struct mail_person, name), ANSWER_NAME, L_TO, false},
    {A_ADDRESS, offsetof(struct mail_person, address), ANSWER_ADDRESS, L_CC, true},
    {A_LINE, offsetof(struct mail_person, name), ANSWER_NAME, L_CC, false},
    {A_LINE, AT(subject), ANSWER_LINE, L_NONE, false},
    {A_LINE, AT(message_id), ANSWER_MESSAGE_ID, L_NONE, false},
    {A_LINE, 0, ANSWER_MESSAGE_ID, L_REFERENCES, true},
    {A_NUMBER, AT(date), INT64_C(1) << 48, L_NONE, false},
    {A_LINE, AT(signs.auto_submitted), ANSWER_SIGN, L_NONE, false},
    {A_LINE, AT(signs.precedence), ANSWER_SIGN, L_NONE, false},
    {A_LINE, AT(signs.list_id), ANSWER_SIGN, L_NONE, false},
    {A_LINE, AT(signs.auto_response_suppress), ANSWER_SIGN, L_NONE, false},
    {A_LINE, AT(signs.spam_flag), ANSWER_SIGN, L_NONE, false},
    {A_LINE, AT(signs.spam_score), ANSWER_SIGN, L_NONE, false},
    {A_LINE, AT(signs.spam_status), ANSWER_SIGN, L_NONE, false},
    {A_LINE, 0, ANSWER_SIGN, L_LOOPS, true},
    {A_LINE, AT(signs.autoreply), ANSWER_SIGN, L_NONE, false},
    {A_COUNT, AT(signs.from_headers), 100, L_NONE, false},
    {A_FLAG, AT(signs.is_report), 1, L_NONE, false},
    {A_FLAG, AT(signs.is_calendar_reply), 1, L_NONE, false},
    {A_FLAG, AT(cut), 1, L_NONE, false},
    {A_LINE, 0, ANSWER_RESULT, L_RESULTS, true},
    {A_TEXT, AT(text), LIMIT_HTML_CLEAN, L_NONE, false},
    {A_TEXT, AT(quoted), LIMIT_HTML_CLEAN, L_NONE, false},
    {A_HTML, AT(html), LIMIT_HTML_CLEAN, L_NONE, false},
    {A_FILE_NAME, offsetof(struct mail_file, name), 255, L_FILES, true},
    {A_LINE, offsetof(struct mail_file, type), 255, L_FILES, false},
    {A_LINE, offsetof(struct mail_file, content_id), ANSWER_CONTENT_ID, L_FILES, false},
    {A_BYTES, offsetof(struct mail_file, bytes), ANSWER_MOST, L_FILES, false},
    {A_FLAG, AT(report.is_read), 1, L_NONE, false},
    {A_LINE, AT(report.message_id), ANSWER_MESSAGE_ID, L_NONE, false},
    {A_LINE, offsetof(struct report_recipient, final), ANSWER_ADDRESS, L_REPORTED, true},
    {A_LINE, offsetof(struct report_recipient, original), ANSWER_ADDRESS, L_REPORTED, false},
    {A_LINE, offsetof(struct report_recipient, status), ANSWER_STATUS, L_REPORTED, false},
    {A_LINE, offsetof(struct report_recipient, diagnostic), ANSWER_DIAGNOSTIC, L_REPORTED, false},
    {A_FLAG, offsetof(struct report_recipient, failed), 1, L_REPORTED, false},
};
#define ROWS (sizeof answer_rows / sizeof *answer_rows)

static bool is_number(const struct answer_row *r) {
    return r->kind == A_NUMBER || r->kind == A_COUNT || r->kind == A_FLAG;
}

/* ---- members --------------------------------------------------------------------------------- */

/* Loops are in the struct itself, the other lists behind a pointer. */
static char *list_elements(const struct incoming *m, enum answer_list list) {
    char *at = (char *)(uintptr_t)m + answer_lists[list].list, *elements;
    if (list == L_LOOPS) return at;
    memcpy(&elements, at, sizeof elements);
    return elements;
}

static int *list_count(const struct incoming *m, enum answer_list list) {
    return (int *)(void *)((char *)(uintptr_t)m + answer_lists[list].count);
}

/* ---- writing --------------------------------------------------------------------------------- */

struct answer_writer {
    answer_sink *sink;
    void *ctx;
    bool failed;
};

static void put_record(struct answer_writer *w, size_t row, struct str value) {
    char head[64];
    int n = snprintf(head, sizeof head, "%zu %zu\n", row, value.n);
    w->failed = w->failed || !w->sink(w->ctx, (struct str){head, (size_t)n}) || !w->sink(w->ctx, value);
}

static void put_answer_member(struct answer_writer *w, size_t row, const char *base) {
    const struct answer_row *r = &answer_rows[row];
    const char *at = base + r->at;
    char room[INT_TEXT];
    if (is_number(r)) {
        int64_t v = r->kind == A_FLAG    ? *(const bool *)at
                    : r->kind == A_COUNT ? *(const int *)(const void *)at
                                         : *(const int64_t *)(const void *)at;
        if (v) put_record(w, row, str_int(room, v));
    } else {
        const struct str *s = (const struct str *)(const void *)at;
        if (s->p) put_record(w, row, *s);
    }
}

static size_t put_list(struct answer_writer *w, size_t first, const struct incoming *m) {
    enum answer_list list = answer_rows[first].list;
    size_t end = first + 1;
    while (end < ROWS && answer_rows[end].list == list && !answer_rows[end].begins) end++;
    for (int i = 0; i < *list_count(m, list); i++)
        for (size_t row = first; row < end; row++)
            put_answer_member(w, row, list_elements(m, list) + (size_t)i * answer_lists[list].size);
    return end;
}

bool answer_write(const struct incoming *m, answer_sink *sink, void *ctx) {
    struct answer_writer w = {sink, ctx, false};
    for (size_t row = 0; row < ROWS;) {
        if (answer_rows[row].list) row = put_list(&w, row, m);
        else put_answer_member(&w, row++, (const char *)m);
    }
    return !w.failed;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool is_valid(struct arena *a, const struct answer_row *r, struct str v) {
    switch (r->kind) {
    case A_LINE: return line_is_plain(v);
    case A_ADDRESS: return v.n > 2 && line_is_plain(v) && memchr(v.p, '@', v.n);
    case A_FILE_NAME: return line_is_plain(v) && str_eq(file_name_safe(a, v), v);
    case A_TEXT: return text_is_plain(v);
    case A_HTML: return html_is_clean(v) && utf8_valid(v);
    default: return true;
    }
}

static bool store_number(const struct answer_row *r, struct str v, char *base) {
    int64_t n;
    if (!str_to_int(v, &n) || n < 0 || n > r->most) return false;
    if (r->kind == A_FLAG) *(bool *)(base + r->at) = n == 1;
    else if (r->kind == A_COUNT) *(int *)(void *)(base + r->at) = (int)n;
    else *(int64_t *)(void *)(base + r->at) = n;
    return true;
}

/* Returns the element of the list that the record is about, or NULL if there can be none. */
static char *element_for(struct arena *a, struct incoming *m, const struct answer_row *r, int *room) {
    int *n = list_count(m, r->list), most = answer_lists[r->list].most;
    size_t size = answer_lists[r->list].size;
    if (!r->begins) return *n ? list_elements(m, r->list) + (size_t)(*n - 1) * size : NULL;
    if (*n == most) return NULL;
    if (r->list != L_LOOPS) {
        void *list = arena_more(a, list_elements(m, r->list), *n, room, size);
        memcpy((char *)m + answer_lists[r->list].list, &list, sizeof list);
    }
    return memset(list_elements(m, r->list) + (size_t)(*n)++ * size, 0, size);
}

static bool take_record(struct arena *a, struct str *rest, struct incoming *m, int rooms[]) {
    int64_t row, n;
    struct str head = str_cut(rest, '\n'), tag = str_cut(&head, ' ');
    if (rest->p == NULL || head.p == NULL || !str_to_int(tag, &row) || row < 0 || row >= (int64_t)ROWS)
        return false;
    const struct answer_row *r = &answer_rows[row];
    if (!str_to_int(head, &n) || n < 0 || (size_t)n > rest->n || n > (is_number(r) ? INT_TEXT : r->most))
        return false;
    struct str value = {rest->p, (size_t)n};
    *rest = (struct str){rest->p + n, rest->n - (size_t)n};
    char *base = r->list ? element_for(a, m, r, &rooms[r->list]) : (char *)m;
    if (base == NULL) return false;
    if (is_number(r)) return store_number(r, value, base);
    if (!is_valid(a, r, value)) return false;
    *(struct str *)(void *)(base + r->at) = value;
    return true;
}

/* Members of an answer that a member without them makes no sense for. */
static bool is_complete(const struct incoming *m) {
    for (int i = 0; i < m->file_count; i++)
        if (m->files[i].bytes.p == NULL || m->files[i].type.p == NULL) return false;
    bool named = m->from.name.p || m->from.address.p;
    return (!named || m->from.address.p) && (!m->sender.name.p || m->sender.address.p) &&
           (!m->reply_to.name.p || m->reply_to.address.p);
}

bool answer_read(struct arena *a, struct str answer, struct incoming *m) {
    int rooms[sizeof answer_lists / sizeof *answer_lists] = {0};
    struct str rest = answer;
    int records = 0;
    m->text = m->quoted = S("");
    while (rest.n)
        if (records++ > 10000 || !take_record(a, &rest, m, rooms)) return false;
    return is_complete(m);
}
