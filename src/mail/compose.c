/* Writes the mail of a letter: its text from the template, its files, its addresses and tokens. */
#include "mail/compose.h"

#include "base/link.h"
#include "core/desk/setting.h"
#include "core/letters/token.h"
#include "core/people/notification.h"
#include "files/content.h"
#include "json/json.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCAL_PART 64 /* characters (RFC 5321 section 4.5.3.1.1) */
#define SUBJECT 440   /* bytes before a token: mime.c cuts a subject at 500 */

/* ---- the letter ------------------------------------------------------------------------------ */

struct str value_named(const struct json *values, const char *name) {
    const struct json *j = json_member(values, str_of(name));
    return j ? j->text : (struct str){0};
}

int64_t number_named(const struct json *values, const char *name) {
    int64_t n = 0;
    return str_to_int(value_named(values, name), &n) ? n : 0;
}

static struct str others_text(struct arena *a, int64_t n) {
    if (n == 0) return (struct str){0};
    return n == 1 ? S("The same change concerned another conversation.")
                  : str_fmt(a, "The same change concerned %" PRId64 " other conversations.", n);
}

static struct str life_text(struct arena *a, struct str hours) {
    int64_t n = 0;
    if (!str_to_int(hours, &n)) return (struct str){0};
    return n > 72 && n % 24 == 0 ? str_fmt(a, "%" PRId64 " days", n / 24)
                                 : str_fmt(a, "%" PRId64 " hour%s", n, n == 1 ? "" : "s");
}

static struct str mail_filled(struct arena *a, struct str block, const struct meaning *m, bool html) {
    struct buf b = {0};
    template_fill(&b, block, m, html);
    return buf_take(&b, a);
}

static struct str html_page(struct arena *a, const struct wording *said, const struct meaning *m) {
    struct str fragment = said->blocks.block[BLOCK_HTML];
    if (fragment.p == NULL) return fragment;
    return STR_CAT(a, S("<!DOCTYPE html>\n<html lang=\""), said->language,
                   S("\">\n<head><meta charset=\"utf-8\"></head>\n<body>\n"),
                   mail_filled(a, fragment, m, true), S("</body>\n</html>\n"));
}

/* Reads the content of a file. p NULL: it is not there as it was. */
static struct str file_bytes(struct work *w, const struct mail_attachment *f) {
    struct stat st;
    struct str out = {0};
    if (content_fetch(w->arena, w->desk->files, f->sha256, f->size) < 0) return out;
    int fd = open(content_path(w->arena, w->desk->files, f->sha256).p, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return out;
    if (fstat(fd, &st) == 0 && st.st_size == f->size) {
        char *bytes = arena_alloc(w->arena, (size_t)f->size);
        size_t n = 0;
        for (ssize_t got; n < (size_t)f->size && (got = read(fd, bytes + n, (size_t)f->size - n)) > 0;)
            n += (size_t)got;
        if (n == (size_t)f->size) out = (struct str){bytes, n};
    }
    close(fd);
    return out;
}

void attach_files(struct work *w, struct delivery *d, int64_t most) {
    d->parts = arena_array(w->arena, (size_t)d->reply.file_count + 1, sizeof *d->parts);
    d->part_count = 0;
    d->links = (struct str){0};
    for (int i = 0; i < d->reply.file_count; i++) {
        const struct mail_attachment *f = &d->reply.files[i];
        struct str content = f->size <= most ? file_bytes(w, f) : (struct str){0};
        if (content.p == NULL)
            d->links =
                STR_CAT(w->arena, d->links.n ? d->links : S(""), d->links.n ? S("\n") : S(""), f->line);
        if (content.p == NULL) continue;
        d->parts[d->part_count++] = (struct mail_part){f->name, f->type, content, f->content_id};
        most -= f->size;
    }
}

/* ---- addresses and tokens -------------------------------------------------------------------- */

/* Returns the address with a token, or p NULL: tokens in addresses are off, or it would be too long. */
static struct str address_keyed(struct work *w, struct str address, enum token_kind kind, int64_t id) {
    struct str out = {0}, token = mail_token(w->desk, w->arena, kind, id);
    const char *at = address.n ? memchr(address.p, '@', address.n) : NULL;
    if (!setting_bool(w->desk, "mail.plus_addresses") || at == NULL ||
        (size_t)(at - address.p) + 1 + token.n > LOCAL_PART)
        return out;
    return address_with_plus(w->arena, address, token);
}

static struct str from_of(struct work *w, const struct delivery *d) {
    return d->mailbox.address.n ? d->mailbox.address : setting_text(w->desk, "mail.from_address", w->arena);
}

struct str return_path_of(struct work *w, const struct delivery *d) {
    struct str plain = setting_text(w->desk, "mail.return_path", w->arena);
    if (plain.n == 0) plain = from_of(w, d);
    struct str keyed = address_keyed(w, plain, TOKEN_RETURN, d->letter.id);
    return mime_address(w->arena, keyed.n ? keyed : plain);
}

static enum mail_cause cause_of(const struct delivery *d) {
    if (d->forward_id || value_named(d->values, "post").p) return MAIL_OF_PERSON;
    return number_named(d->values, "answers") ? MAIL_ANSWER : MAIL_NOTICE;
}

static struct str subject_keyed(struct work *w, struct str subject, enum token_kind kind, int64_t id) {
    if (!setting_bool(w->desk, "mail.subject_tokens")) return subject;
    if (subject.n > SUBJECT) subject.n = SUBJECT;
    while (!utf8_valid(subject)) subject.n--;
    return STR_CAT(w->arena, subject, S(" ["), mail_token(w->desk, w->arena, kind, id), S("]"));
}

/* The name of the mailbox, else mail.from_name, else the name of the brand. Mails about no conversation
 * have that of the desk. */
static struct str sender_name(struct work *w, const struct delivery *d) {
    struct str name = d->mailbox.name.n ? d->mailbox.name : setting_text(w->desk, "mail.from_name", w->arena);
    if (name.n) return name;
    return d->brand_name.n ? d->brand_name : setting_text(w->desk, "desk.name", w->arena);
}

/* The page that ends mails of this kind to this person (pages/link_pages.c). p NULL: they can't be
 * ended. */
static struct str unsubscribe_of(struct work *w, const struct delivery *d) {
    int type = str_eq(d->letter.template, S("survey")) ? NOTIFY_SURVEY
                                                       : word_id(notification_types, d->letter.template);
    if (type <= 0 || d->letter.user_id == 0) return (struct str){0};
    return STR_CAT(w->arena, w->desk->base_url, S("/unsubscribe?hash="),
                   unsubscribe_token(w->desk, w->arena, d->letter.user_id, (enum notification_type)type));
}

/* Sets the sender, and in a mail about a conversation all by which an answer finds it. A forward has tokens
 * of its own, so that its reader gets none of the conversation. */
static void address_mail(struct work *w, const struct delivery *d, struct mail *m) {
    struct arena *a = w->arena;
    int64_t talk = d->letter.case_id;
    m->from = from_of(w, d);
    m->from_name = sender_name(w, d);
    m->unsubscribe = unsubscribe_of(w, d);
    m->cause = cause_of(d);
    m->loop = loop_mark(w->desk, a);
    if (talk == 0) return;
    int64_t forward = d->forward_id;
    m->reply_to =
        address_keyed(w, m->from, forward ? TOKEN_FORWARD_REPLY : TOKEN_REPLY, forward ? forward : talk);
    m->subject = subject_keyed(w, m->subject, forward ? TOKEN_FORWARD_SUBJECT : TOKEN_SUBJECT,
                               forward ? forward : talk);
    m->references = d->references;
    m->reference_count = d->reference_count;
    m->in_bulk = m->cause == MAIL_NOTICE;
}

struct str write_mail(struct work *w, const struct delivery *dy) {
    struct arena *a = w->arena;
    const struct desk *d = w->desk;
    const struct letter *l = &dy->letter;
    const struct str *said = dy->wording.blocks.block;
    const char *path = dy->template->path;
    struct str desk = setting_text(d, "desk.name", a), hash = value_named(dy->values, "hash");
    struct str name = value_named(dy->values, "named").n && !str_eq(value_named(dy->values, "named"), S("0"))
                          ? l->name
                          : (struct str){0};
    if (hash.p == NULL) hash = value_named(dy->values, "token");
    struct str link =
        path && hash.p ? str_fmt(a, "%s%s?hash=%s", d->base_url.p, path, hash.p) : (struct str){0};
    struct str contents = dy->reply.text.p ? dy->reply.text : value_named(dy->values, "contents");
    const struct meaning meanings[] = {
        {.name = "desk", .value = desk},
        {.name = "name", .value = name},
        {.name = "address", .value = l->recipient},
        {.name = "url", .value = d->base_url},
        {.name = "changed", .value = value_named(dy->values, "changed")},
        {.name = "link", .value = link},
        {.name = "life", .value = life_text(a, value_named(dy->values, "hours"))},
        {.name = "subject",
         .value = dy->reply.subject.p ? dy->reply.subject : value_named(dy->values, "subject")},
        {.name = "author", .value = dy->reply.author},
        {.name = "contents",
         .value = contents,
         .html = dy->reply.html.p || contents.p == NULL ? dy->reply.html : text_to_html(a, contents),
         .lines = true},
        {.name = "case", .value = value_named(dy->values, "case")},
        {.name = "quoted", .value = dy->quoted, .html = dy->quoted_html, .lines = true},
        {.name = "others", .value = others_text(a, number_named(dy->values, "others"))},
        {.name = "files",
         .value = dy->links.n ? STR_CAT(a, S("\n"), dy->links) : S(""),
         .html = dy->links.n ? text_to_html(a, dy->links) : S(""),
         .lines = true},
        {0}};
    struct mail m = {.to_name = name,
                     .to = l->recipient,
                     .subject = mail_filled(a, said[BLOCK_SUBJECT], meanings, false),
                     .text = mail_filled(a, said[BLOCK_TEXT], meanings, false),
                     .html = html_page(a, &dy->wording, meanings),
                     .message_id = l->message_id,
                     .date = w->now,
                     .parts = dy->parts,
                     .part_count = dy->part_count};
    address_mail(w, dy, &m);
    return mime_write(a, &m);
}
