#include "res/article_write.h"

#include "api/rows/generic.h"
#include "core/access/permission.h"
#include "core/helpcenter/article.h"

int64_t article_section_given(const struct call *c) {
    int64_t id = 0;
    const struct json *j = json_named(c->body, S("section_id"));
    return j && (j->type == JSON_STRING || j->type == JSON_NUMBER) && str_to_int(j->text, &id) && id > 0 ? id
                                                                                                         : 0;
}

/* ---- permissions ----------------------------------------------------------------------------- */

int article_may_publish(struct call *c) {
    return permitted(&c->work.actor, "help_center_articles.publish") ? 0
                                                                     : fail(&c->work, ERR_PERMISSIONS_DENIED);
}

QUERY(article_is_published, "SELECT a.id FROM articles a WHERE a.id = :id AND a.status = 3");

/* The article is locked. */
static int may_change_published(struct call *c, int64_t article_id) {
    int64_t id;
    int rc = db_int(c->work.conn, &article_is_published, BINDS(B_INT("id", article_id)), &id);
    return rc <= 0 ? rc : article_may_publish(c);
}

int article_may_change(struct call *c, int64_t article_id) {
    TRY(article_sections_lock(&c->work, json_ids(c->work.arena, &article_id, 1), article_section_given(c)));
    TRY(db_lock_row(c->work.conn, "articles", article_id));
    return may_change_published(c, article_id);
}

int article_target(struct call *c) {
    int64_t id = c->vars[0].id;
    TRY(article_sections_lock(&c->work, json_ids(c->work.arena, &id, 1), article_section_given(c)));
    TRY(api_target(c));
    return may_change_published(c, c->id);
}
