#include "mail/flowed.h"

#include "base/buf.h"

static struct str flowed_line(struct str *rest, int *depth) {
    struct str line = str_cut(rest, '\n');
    *depth = 0;
    while (line.n && line.p[0] == '>') line = (struct str){line.p + 1, line.n - 1}, ++*depth;
    if (line.n && line.p[0] == ' ') line = (struct str){line.p + 1, line.n - 1}; /* space-stuffing */
    return line;
}

struct str flowed_joined(struct arena *a, struct str text, bool delsp) {
    struct buf b = {0};
    bool open = false; /* the last line continues */
    int before = 0;
    for (struct str rest = text; rest.p;) {
        int depth;
        struct str line = flowed_line(&rest, &depth);
        bool signature = str_eq(line, S("-- "));
        if (open && (depth != before || signature)) buf_char(&b, '\n'), open = false;
        for (int i = 0; i < depth && !open; i++) buf_text(&b, "> ");
        bool flows = line.n && line.p[line.n - 1] == ' ' && !signature && rest.p;
        buf_str(&b, (struct str){line.p, line.n - (flows && delsp)});
        if (!flows && rest.p) buf_char(&b, '\n');
        open = flows;
        before = depth;
    }
    return buf_take(&b, a);
}
