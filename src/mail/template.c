#include "mail/template.h"

#include "base/html.h"

/* {{desk}} its name, {{name}} the reader's, {{address}} the reader's address, {{link}} and {{life}} of the link, {{url}} the desk's. */
const struct template templates[] = {
    {"verification", "/verify", "Confirm your e-mail address at {{desk}}",
     "Hello {{name}},\n\n"
     "please confirm that {{address}} is your address:\n\n"
     "{{link}}\n\n"
     "The link works once, for {{life}}. If you did not ask for it, do nothing: without it nothing changes.\n",
     "<p>Hello {{name}},</p>\n"
     "<p>please confirm that {{address}} is your address:</p>\n"
     "<p><a href=\"{{link}}\">Confirm my address</a></p>\n"
     "<p>The link works once, for {{life}}. If you did not ask for it, do nothing: without it nothing changes.</p>\n"},
    {"password_reset", "/password", "Reset your password at {{desk}}",
     "Hello {{name}},\n\n"
     "somebody, hopefully you, asked to reset the password of {{address}}. Choose a new one here:\n\n"
     "{{link}}\n\n"
     "The link works once, for {{life}}. If it was not you, do nothing: your password stays as it is.\n",
     "<p>Hello {{name}},</p>\n"
     "<p>somebody, hopefully you, asked to reset the password of {{address}}.</p>\n"
     "<p><a href=\"{{link}}\">Choose a new password</a></p>\n"
     "<p>The link works once, for {{life}}. If it was not you, do nothing: your password stays as it is.</p>\n"},
    {"invitation", "/password", "You are invited to {{desk}}",
     "Hello {{name}},\n\n"
     "you are invited to {{desk}}. Choose a password, then log in with {{address}}:\n\n"
     "{{link}}\n\n"
     "The link works once, for {{life}}.\n",
     "<p>Hello {{name}},</p>\n"
     "<p>you are invited to {{desk}}. Choose a password, then log in with {{address}}:</p>\n"
     "<p><a href=\"{{link}}\">Accept the invitation</a></p>\n"
     "<p>The link works once, for {{life}}.</p>\n"},
    {"password_changed", NULL, "Your password at {{desk}} was changed",
     "Hello {{name}},\n\n"
     "the password of {{address}} at {{desk}} ({{url}}) was changed just now.\n\n"
     "If it was not you, reset it at once and tell us.\n",
     "<p>Hello {{name}},</p>\n"
     "<p>the password of {{address}} at <a href=\"{{url}}\">{{desk}}</a> was changed just now.</p>\n"
     "<p>If it was not you, reset it at once and tell us.</p>\n"},
    {0}};

/* A brand's own text, in the reader's language, goes before the built-in one: it will be looked up here. */
int template_text(struct work *w, struct str name, struct template *out) {
    (void)w;
    for (const struct template *t = templates; t->name; t++)
        if (str_eq(str_of(t->name), name)) return *out = *t, 1;
    return 0;
}

/* Names come from strangers: what could begin a line, or end a header, becomes a blank. */
static struct str on_one_line(struct buf *line, struct str value) {
    for (size_t i = 0; i < value.n; i++) {
        unsigned char c = (unsigned char)value.p[i];
        buf_char(line, c < ' ' || c == 0x7F ? ' ' : (char)c);
    }
    return buf_view(line);
}

static void put(struct buf *out, struct str value, bool html) {
    struct buf line = {0};
    struct str text = on_one_line(&line, value);
    if (html) html_text(out, text);
    else buf_str(out, text);
    buf_free(&line);
}

void template_fill(struct buf *out, const char *text, const struct meaning *meanings, bool html) {
    for (const char *open, *close; (open = strstr(text, "{{")) && (close = strstr(open, "}}")); text = close + 2) {
        struct str name = {open + 2, (size_t)(close - open - 2)};
        buf_add(out, text, (size_t)(open - text));
        for (const struct meaning *m = meanings; m->name; m++)
            if (str_eq(str_of(m->name), name)) put(out, m->value, html);
    }
    buf_text(out, text);
}
