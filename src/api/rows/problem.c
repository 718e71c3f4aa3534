#include "api/rows/problem.h"

static bool is_digits(struct str s) {
    size_t i = 0;
    while (i < s.n && s.p[i] >= '0' && s.p[i] <= '9') i++;
    return s.n && i == s.n;
}

/* Converts a pointer to the notation of forms: "emails/0/email" is emails[0].email. A value of a plain
 * list is named by its list: "tags/3" is tags. */
static struct str parameter_of(struct arena *a, struct str pointer) {
    struct buf b = {0};
    for (struct str rest = pointer; rest.p;) {
        struct str segment = str_cut(&rest, '/');
        bool number = b.n && is_digits(segment);
        if (number && rest.p == NULL) break;
        buf_text(&b, number ? "[" : b.n ? "." : "");
        buf_str(&b, segment);
        buf_text(&b, number ? "]" : "");
    }
    return buf_take(&b, a);
}

void write_place(struct json_writer *w, struct arena *a, const struct problem *p) {
    if (p->parameters) {
        jw_key(w, S("parameters"));
        jw_array(w);
        for (const char *const *name = p->parameters; *name; name++)
            jw_str(w, p->pointer.p ? parameter_of(a, STR_CAT(a, p->pointer, S("/"), str_of(*name)))
                                   : str_of(*name));
        jw_end(w);
    } else if (p->parameter.p || p->pointer.p) {
        jw_key(w, S("parameter"));
        jw_str(w, p->pointer.p ? parameter_of(a, p->pointer) : p->parameter);
    }
    if (p->pointer.p == NULL) return;
    jw_key(w, S("pointer"));
    jw_str(w, p->pointer);
}

static void write_code(struct json_writer *w, const struct problem *p) {
    jw_key(w, S("code"));
    jw_str(w, str_of(error_info((int)p->code)->code));
}

static void write_message(struct json_writer *w, const struct problem *p) {
    jw_key(w, S("message"));
    jw_str(w, p->message.p ? p->message : str_of(error_info((int)p->code)->message));
}

void write_reason(struct json_writer *w, const struct problem *p) {
    write_code(w, p);
    write_message(w, p);
}

void write_problem(struct json_writer *w, const struct call *c, const struct problem *p) {
    const struct error_info *info = error_info((int)p->code);
    jw_object(w);
    write_code(w, p);
    write_place(w, c->work.arena, p);
    write_message(w, p);
    jw_key(w, S("more_info"));
    jw_str(w, str_fmt(c->work.arena, "%s/docs/errors/%s", c->work.desk->base_url.p, info->code));
    jw_end(w);
}
