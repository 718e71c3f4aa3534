#include "demo/extras.h"

#include "work/work.h"

/* ---- tags, custom fields, a form ------------------------------------------------------------- */

QUERY(demo_tag, "INSERT INTO tags (id, name, name_key, created_at) VALUES (:id, :name, :name, :now)");
QUERY(demo_field, "INSERT INTO custom_fields (area, type, key, is_required_for_agents, "
                  "is_required_on_resolution, is_visible_to_customers, is_customer_editable, "
                  "is_required_for_customers, sort_order, is_enabled, created_at, updated_at) "
                  "VALUES (1, :type, :key, 0, 0, 1, 1, 0, :place, 1, :now, :now) "
                  "RETURNING id");
QUERY(demo_option, "INSERT INTO custom_field_options (field_id, sort_order, created_at, updated_at) "
                   "VALUES (:field, :place, :now, :now) RETURNING id");
QUERY(demo_title,
      "INSERT INTO locale_fields (owner_kind, owner_id, locale, translation, created_at, updated_at) "
      "VALUES (:kind, :owner, 'en-us', :title, :now, :now)");
QUERY(demo_form, "INSERT INTO case_forms (title, is_visible_to_customers, is_enabled, is_default, "
                 "is_deleted, sort_order, created_at, updated_at) "
                 "VALUES ('Order', 1, 1, 0, 0, 1, :now, :now) "
                 "RETURNING id");
QUERY(demo_form_field,
      "INSERT INTO case_form_fields (form_id, field_id, sort_order) VALUES (:form, :field, :place)");

static int demo_translate(struct conn *c, const struct filling *f, enum locale_owner kind, int64_t owner,
                          const char *text) {
    return db_exec(c, &demo_title,
                   BINDS(B_INT("kind", kind), B_INT("owner", owner), B_TEXT("title", str_of(text)),
                         B_INT("now", f->world.start)));
}

static int demo_add_field(struct conn *c, const struct filling *f, enum field_kind type, const char *key,
                          const char *text, int place, int64_t *id) {
    TRY(db_insert(c, &demo_field,
                  BINDS(B_INT("type", type), B_TEXT("key", str_of(key)), B_INT("place", place),
                        B_INT("now", f->world.start)),
                  id));
    return demo_translate(c, f, TITLE_OF_FIELD, *id, text);
}

static int product_options(struct conn *c, struct filling *f) {
    for (int i = 0; i < DEMO_PRODUCTS; i++) {
        TRY(db_insert(c, &demo_option,
                      BINDS(B_INT("field", f->product), B_INT("place", i + 1), B_INT("now", f->world.start)),
                      &f->products[i]));
        TRY(demo_translate(c, f, TITLE_OF_OPTION, f->products[i], demo_words()->products[i]));
    }
    return 0;
}

int fill_tags_and_fields(struct conn *c, struct filling *f) {
    for (int i = 0; i < DEMO_TAGS; i++)
        TRY(db_exec(c, &demo_tag,
                    BINDS(B_INT("id", i + 1), B_TEXT("name", str_of(demo_words()->tags[i])),
                          B_INT("now", f->world.start))));
    TRY(demo_add_field(c, f, FIELD_TEXT, "order_number", "Order number", 1, &f->order_number));
    TRY(demo_add_field(c, f, FIELD_SELECT, "product", "Product", 2, &f->product));
    TRY(product_options(c, f));
    TRY(db_insert(c, &demo_form, BINDS(B_INT("now", f->world.start)), &f->form));
    TRY(demo_translate(c, f, CUSTOMER_TITLE_OF_FORM, f->form, "A question about an order"));
    TRY(db_exec(c, &demo_form_field,
                BINDS(B_INT("form", f->form), B_INT("field", f->order_number), B_INT("place", 1))));
    return db_exec(c, &demo_form_field,
                   BINDS(B_INT("form", f->form), B_INT("field", f->product), B_INT("place", 2)));
}

/* ---- one conversation ------------------------------------------------------------------------ */

QUERY(demo_case_tag, "INSERT INTO case_tags (case_id, tag_id) VALUES (:case, :tag)");
QUERY(demo_note, "INSERT INTO notes (id, case_id, user_id, body_text, body_html, is_pinned, pinned_by_id, "
                 "created_at, updated_at) "
                 "VALUES (:id, :case, :author, :text, :text, :pinned, CAST(:pinner AS BIGINT), :at, :at)");
QUERY(demo_file_row,
      "INSERT INTO files (id, user_id, name, content_type, size, sha256, width, height, "
      "picture_type, expires_at, created_at) "
      "VALUES (:id, :user, :name, :type, :size, :sha256, :width, :height, :picture, NULL, :at)");
QUERY(demo_attachment,
      "INSERT INTO post_attachments (post_id, file_id, is_inline, sort_order) VALUES (:post, :file, 0, 0)");
QUERY(demo_rating, "INSERT INTO case_ratings (case_id, score, comment, creator_id, created_at, updated_at) "
                   "VALUES (:case, :score, :comment, :creator, :at, :at)");
QUERY(demo_value, "INSERT INTO field_values (area, owner_id, field_id, value, value_key) "
                  "VALUES (1, :case, :field, :value, :value)");
QUERY(
    demo_case_extras,
    "UPDATE cases SET last_message_id = :post, rating = CAST(:rating AS INTEGER), attachments_count = :files, "
    "notes_count = :notes, pinned_notes_count = :pinned, last_note_preview = :note, "
    "form_id = CAST(:form AS BIGINT) WHERE id = :case");

/* The plan for one conversation, drawn by chance. */
struct extras {
    int64_t tag, also, order, product; /* 0: none; the product is an option */
    int file;                          /* -1: none */
    int rating;
    bool formed, pinned;
    const char *note, *comment; /* NULL: none */
};

static void plan_extras(const struct filling *f, struct chance *c, const struct demo_case *dc,
                        struct extras *x) {
    *x = (struct extras){.file = chance_percent(c, 8) ? (int)chance_below(c, DEMO_FILES) : -1};
    if (chance_percent(c, 30)) x->tag = 1 + chance_below(c, DEMO_TAGS);
    if (x->tag && chance_percent(c, 30)) x->also = 1 + chance_below(c, DEMO_TAGS);
    if (chance_percent(c, 25)) x->order = 100000 + chance_below(c, 900000);
    if (x->order && chance_percent(c, 50)) x->product = f->products[chance_below(c, DEMO_PRODUCTS)];
    x->formed = x->product != 0;
    if (dc->agent_id && chance_percent(c, 15)) x->note = demo_words()->notes[chance_below(c, DEMO_NOTES)];
    x->pinned = x->note && chance_percent(c, 20);
    if (dc->status < STATUS_COMPLETED || !chance_percent(c, 20)) return;
    x->rating = chance_percent(c, 80) ? RATING_GOOD : RATING_BAD;
    if (chance_percent(c, 40))
        x->comment = x->rating == RATING_GOOD ? demo_words()->praise[chance_below(c, DEMO_PRAISE)]
                                              : demo_words()->blame[chance_below(c, DEMO_BLAME)];
}

static int demo_add_tags(struct conn *c, const struct demo_case *dc, const struct extras *x) {
    if (x->tag) TRY(db_exec(c, &demo_case_tag, BINDS(B_INT("case", dc->id), B_INT("tag", x->tag))));
    if (x->also && x->also != x->tag)
        TRY(db_exec(c, &demo_case_tag, BINDS(B_INT("case", dc->id), B_INT("tag", x->also))));
    return 0;
}

static int demo_add_value(struct conn *c, const struct demo_case *dc, int64_t field_id, int64_t value) {
    char text[INT_TEXT];
    if (value == 0) return 0;
    return db_exec(
        c, &demo_value,
        BINDS(B_INT("case", dc->id), B_INT("field", field_id), B_TEXT("value", str_int(text, value))));
}

/* Attaches the file to the last message of the conversation. The author of the message is the uploader. */
static int demo_attach(struct conn *c, struct filling *f, const struct demo_case *dc, int file) {
    const struct demo_message *last = &dc->messages[dc->message_count - 1];
    const struct demo_file *d = &demo_files[file];
    if (f->sha256[file].p == NULL) f->sha256[file] = demo_file_sha256(f->arena, file);
    f->files++;
    TRY(db_exec(c, &demo_file_row,
                BINDS(B_INT("id", f->files), B_INT("user", last->creator_id), B_TEXT("name", str_of(d->name)),
                      B_TEXT("type", str_of(d->type)), B_INT("size", (int64_t)d->size),
                      B_TEXT("sha256", f->sha256[file]), B_INT("width", d->width), B_INT("height", d->height),
                      B_INT("picture", d->picture_type), B_INT("at", last->at))));
    return db_exec(c, &demo_attachment, BINDS(B_INT("post", f->posts), B_INT("file", f->files)));
}

static int demo_add_note(struct conn *c, struct filling *f, const struct demo_case *dc,
                         const struct extras *x) {
    return db_exec(c, &demo_note,
                   BINDS(B_INT("id", ++f->posts), B_INT("case", dc->id), B_INT("author", dc->agent_id),
                         B_TEXT("text", str_of(x->note)), B_INT("pinned", x->pinned),
                         B_ID("pinner", x->pinned ? dc->agent_id : 0), B_INT("at", dc->updated_at)));
}

static int demo_rate(struct conn *c, const struct demo_case *dc, const struct extras *x) {
    return db_exec(c, &demo_rating,
                   BINDS(B_INT("case", dc->id), B_INT("score", x->rating),
                         B_TEXT("comment", x->comment ? str_of(x->comment) : ((struct str){0})),
                         B_INT("creator", dc->requester.id), B_INT("at", dc->updated_at)));
}

int fill_extras(struct conn *c, struct filling *f, const struct demo_case *dc) {
    struct chance chance = chance_of(f->world.seed, OF_EXTRAS, dc->id);
    struct extras x;
    int64_t last_message = f->posts;
    plan_extras(f, &chance, dc, &x);
    TRY(demo_add_tags(c, dc, &x));
    TRY(demo_add_value(c, dc, f->order_number, x.order));
    TRY(demo_add_value(c, dc, f->product, x.product));
    if (x.file >= 0) TRY(demo_attach(c, f, dc, x.file));
    if (x.note) TRY(demo_add_note(c, f, dc, &x));
    if (x.rating) TRY(demo_rate(c, dc, &x));
    return db_exec(c, &demo_case_extras,
                   BINDS(B_INT("case", dc->id), B_INT("post", last_message), B_ID("rating", x.rating),
                         B_INT("files", x.file >= 0), B_INT("notes", x.note != NULL),
                         B_INT("pinned", x.pinned),
                         B_TEXT("note", x.note ? str_of(x.note) : ((struct str){0})),
                         B_ID("form", x.formed ? f->form : 0)));
}
