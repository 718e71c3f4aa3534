#include "core/helpcenter/article_text.h"

#include "core/fields/translation.h"
#include "json/json.h"

QUERY(article_texts_of, "SELECT l.owner_kind, l.locale, l.translation "
                        "FROM locale_fields l WHERE l.owner_kind IN (11, 12) AND l.owner_id = :id "
                        "ORDER BY l.id");

struct article_text *article_text_in(const struct article_texts *texts, struct str locale) {
    for (int i = 0; i < texts->count; i++)
        if (str_eq(texts->list[i].locale, locale)) return &texts->list[i];
    return NULL;
}

static struct article_text *article_text_entry(struct arena *a, struct article_texts *texts, int *room,
                                               struct str locale) {
    struct article_text *t = article_text_in(texts, locale);
    if (t) return t;
    texts->list = arena_more(a, texts->list, texts->count, room, sizeof *texts->list);
    t = &texts->list[texts->count++];
    *t = (struct article_text){.locale = str_dup(a, locale)};
    return t;
}

int article_texts_load(struct work *w, int64_t article_id, struct article_texts *out) {
    int rc, room = 0;
    *out = (struct article_texts){0};
    DB_ROWS(rc, w->conn, &article_texts_of, BINDS(B_INT("id", article_id)), row) {
        struct article_text *t = article_text_entry(w->arena, out, &room, col_text(row, 1));
        *(col_int(row, 0) == TITLE_OF_ARTICLE ? &t->title : &t->contents) =
            str_dup(w->arena, col_text(row, 2));
    }
    return rc;
}

int article_texts_store(struct work *w, int64_t article_id, const struct article_texts *texts) {
    struct translation *titles = arena_array(w->arena, (size_t)texts->count + 1, sizeof *titles);
    struct translation *contents = arena_array(w->arena, (size_t)texts->count + 1, sizeof *contents);
    for (int i = 0; i < texts->count; i++) {
        titles[i] = (struct translation){texts->list[i].locale, texts->list[i].title};
        contents[i] = (struct translation){texts->list[i].locale, texts->list[i].contents};
    }
    TRY(translations_replace(w, TITLE_OF_ARTICLE, article_id, titles, texts->count));
    return translations_replace(w, CONTENTS_OF_ARTICLE, article_id, contents, texts->count);
}

struct article_texts article_texts_copy(struct arena *a, const struct article_texts *texts) {
    struct article_texts copy = {.list = arena_array(a, (size_t)texts->count + 1, sizeof *copy.list),
                                 .count = texts->count};
    for (int i = 0; i < texts->count; i++) copy.list[i] = texts->list[i];
    return copy;
}

struct str article_texts_json(struct arena *a, const struct article_texts *texts) {
    struct buf b = {0};
    struct json_writer w;
    jw_init(&w, &b);
    jw_array(&w);
    for (int i = 0; i < texts->count; i++) {
        jw_object(&w);
        jw_key(&w, S("locale"));
        jw_str(&w, texts->list[i].locale);
        jw_key(&w, S("title"));
        jw_str(&w, texts->list[i].title);
        jw_key(&w, S("contents"));
        jw_str(&w, texts->list[i].contents);
        jw_end(&w);
    }
    jw_end(&w);
    return buf_take(&b, a);
}

int article_texts_parse(struct arena *a, struct str text, struct article_texts *out) {
    struct json *list;
    struct json_error err;
    if (json_parse(a, text, &list, &err) < 0 || list->type != JSON_ARRAY) return -ERR_INTERNAL_ERROR;
    *out = (struct article_texts){.list = arena_array(a, list->count + 1, sizeof *out->list)};
    for (const struct json *j = list->first; j; j = j->next) {
        const struct json *locale = json_member(j, S("locale")), *title = json_member(j, S("title")),
                          *contents = json_member(j, S("contents"));
        if (locale == NULL || title == NULL || contents == NULL) return -ERR_INTERNAL_ERROR;
        out->list[out->count++] = (struct article_text){locale->text, title->text, contents->text};
    }
    return 0;
}
