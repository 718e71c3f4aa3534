#include "res/html_input.h"

#include "base/limits.h"
#include "base/link.h"
#include "files/html_clean.h"
#include "res/attachment.h"

static bool json_says_yes(const struct json *j) {
    if (j == NULL) return false;
    bool text = j->type == JSON_STRING || j->type == JSON_NUMBER;
    return j->type == JSON_TRUE || (text && (str_eq(j->text, S("1")) || name_eq(j->text, S("true"))));
}

static bool contents_are_html(const struct call *c) {
    const struct json *options = json_named(c->body, S("channel_options"));
    return json_says_yes(json_named(c->body, S("is_html"))) ||
           (options && json_says_yes(json_named(options, S("html"))));
}

/* A text that is too long costs no process: api_input refuses it. */
int html_prepare(struct call *c) {
    const struct json *j = json_named(c->body, S("contents"));
    if (!contents_are_html(c) || j == NULL || j->type != JSON_STRING || utf8_count(j->text) > LIMIT_CONTENTS)
        return 0;
    struct html_cleaned *clean = ARENA_NEW(c->work.arena, struct html_cleaned);
    int rc = html_clean(c->work.arena, j->text, clean);
    if (rc > 0) c->prepared = clean;
    return rc < 0 ? rc : 0;
}

int html_and_files_prepare(struct call *c) {
    TRY(html_prepare(c));
    return attachments_prepare(c);
}

int html_contents(struct call *c, struct str *text, struct str *html, struct str *original) {
    const struct html_cleaned *clean = c->prepared;
    *text = in_text(c, "contents");
    *original = (struct str){0};
    if (!contents_are_html(c)) {
        *html = text_to_html(c->work.arena, *text);
        return 0;
    }
    if (clean == NULL || clean->cut)
        return in_fail(c, "contents", ERR_FIELD_INVALID,
                       "This HTML is too complex or too long. Send plain text.");
    *original = *text;
    *text = clean->text;
    *html = clean->html;
    return 0;
}
