#include "res/picture_input.h"

#include "core/desk/file.h"
#include "files/content.h"

/* Returns 1 and the path of the file, 0 if none was sent or it is wrong, or an error. */
static int picture_input_find(struct call *c, struct picture_input *out, struct str *path) {
    const struct http_file *f = out->form->part ? call_file(c, out->form->part) : NULL;
    const struct json *j = json_named(c->body, str_of(out->form->file_id));
    struct str sha256;
    int64_t id;
    if (f) {
        *path = f->path;
        return 1;
    }
    if (j == NULL || (j->type != JSON_STRING && j->type != JSON_NUMBER) || !str_to_int(j->text, &id))
        return 0;
    int rc = file_own_content(&c->work, id, &sha256);
    if (rc == 0) out->wrong = "There is no such file of yours, or it has expired. Upload it again.";
    if (rc > 0) *path = content_path(c->work.arena, c->work.desk->files, sha256);
    return rc;
}

int picture_input_read(struct call *c, const struct picture_form *form, struct picture_input *out) {
    struct str path;
    *out = (struct picture_input){.form = form};
    int rc = picture_input_find(c, out, &path);
    if (rc <= 0) return rc;
    rc = picture_look(path.p, &out->picture);
    if (rc == 0 || (out->picture.type == PICTURE_WEBP && !form->takes_webp))
        out->wrong = form->takes_webp ? "A picture is expected: JPEG, PNG, GIF or WebP."
                                      : "A picture is expected: JPEG, PNG or GIF.";
    if (rc < 0 || out->wrong) return rc < 0 ? rc : 0;
    rc = form->make(path.p, form->side, c->work.arena, &out->picture, &out->made);
    if (rc == 0) out->wrong = "This picture can't be read, or it has too many pixels.";
    return rc < 0 ? rc : 0;
}

int picture_input_check(struct call *c, const struct in *in, const struct picture_input *p) {
    if (in->file == NULL && p->form->part && call_file(c, p->form->part))
        return fail_at(&c->work, ERR_PARAMETERS_INCONSISTENT, in->name, in->pointer,
                       "Send %s or %s, not both.", p->form->part, p->form->file_id);
    return p->wrong ? fail_at(&c->work, ERR_FIELD_INVALID, in->name, in->pointer, "%s", p->wrong) : 0;
}
