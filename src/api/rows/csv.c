#include "api/rows/csv.h"

enum { FORMAT_JSON = 1, FORMAT_CSV };
static const struct word formats[] = {{FORMAT_JSON, "JSON"}, {FORMAT_CSV, "CSV"}, {0}};

const struct field csv_args[] = {
    {"format", F_WORD, .words = formats,
     .doc = "CSV: the reply is a CSV file, also with `Accept: text/csv`. "
            "Default: JSON."},
    {0},
};

bool csv_asked(struct call *c) {
    const struct in *format = arg(c, "format");
    return format->given ? format->value.i == FORMAT_CSV
                         : !accepts(http_header(c->http, "Accept"), S("application/json"));
}

static void begin_cell(struct call *c) {
    if (c->out.n && c->out.p[c->out.n - 1] != '\n') buf_char(&c->out, ',');
}

static bool is_formula(struct str s) { return s.n && in_set(s.p[0], "=+-@\t\r"); }

void csv_text(struct call *c, struct str s) {
    begin_cell(c);
    buf_text(&c->out, is_formula(s) ? "\"'" : "\"");
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '"') buf_char(&c->out, '"');
        buf_char(&c->out, s.p[i]);
    }
    buf_char(&c->out, '"');
}

void csv_plain(struct call *c, struct str s) {
    begin_cell(c);
    buf_str(&c->out, s);
}

void csv_int(struct call *c, int64_t v) {
    char room[INT_TEXT];
    begin_cell(c);
    buf_str(&c->out, str_int(room, v));
}

void csv_time(struct call *c, int64_t v) {
    char room[TIME_ISO_SIZE];
    csv_text(c, v ? (struct str){room, time_iso(room, v)} : (struct str){0});
}

void csv_names(struct call *c, const char *const *names) {
    for (; *names; names++) csv_text(c, str_of(*names));
    csv_line_end(c);
}

void csv_line_end(struct call *c) { buf_text(&c->out, "\r\n"); }

int csv_reply(struct call *c, const char *file_name) {
    c->raw = true;
    call_header(c, "Content-Type", S("text/csv; charset=utf-8"));
    call_header(c, "Content-Disposition", str_fmt(c->work.arena, "attachment; filename=\"%s\"", file_name));
    call_header(c, "Cache-Control", S("private, max-age=0, must-revalidate"));
    call_header(c, "X-Content-Type-Options", S("nosniff"));
    call_header(c, "Vary", S("Authorization, Accept"));
    return 0;
}
