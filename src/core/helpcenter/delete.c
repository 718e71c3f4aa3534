/* Cascades of deleted sections and articles (core/desk/cascade.h). A table that refers to articles has a
 * step here.
 *
 * The steps of a section go through its articles by id: the place of a pick is the article, so no part
 * reads the articles before it again. */
#include "core/helpcenter/article.h"
#include "core/helpcenter/category.h"
#include "core/helpcenter/section.h"

#include "core/desk/cascade_step.h"
#include "core/search/text.h"

#define OF_SECTION "a.section_id = :id AND a.id >= :place"
#define OF_ARTICLE "a.id = :id"

/* A reply is newer than its parent, so the newest comments of an article go first. */
#define LIKES(of)                                                                       \
    "SELECT l.id, a.id FROM articles a JOIN article_comments c ON c.article_id = a.id " \
    "JOIN comment_likes l ON l.comment_id = c.id "                                      \
    "WHERE " of " ORDER BY a.id LIMIT :most"
#define COMMENTS(of)                                                                             \
    "SELECT c.id, a.id FROM articles a JOIN article_comments c ON c.article_id = a.id WHERE " of \
    " ORDER BY a.id, c.created_at DESC, c.id DESC LIMIT :most"
#define VOTES(of)                                                                             \
    "SELECT o.id, a.id FROM articles a JOIN article_votes o ON o.article_id = a.id WHERE " of \
    " ORDER BY a.id LIMIT :most"
#define VIEWS(of)                                                                             \
    "SELECT o.id, a.id FROM articles a JOIN article_views o ON o.article_id = a.id WHERE " of \
    " ORDER BY a.id LIMIT :most"
#define VERSIONS(of)                                                                             \
    "SELECT o.id, a.id FROM articles a JOIN article_versions o ON o.article_id = a.id WHERE " of \
    " ORDER BY a.id LIMIT :most"
#define ATTACHED(of)                                                                                \
    "SELECT o.id, a.id FROM articles a JOIN article_attachments o ON o.article_id = a.id WHERE " of \
    " ORDER BY a.id LIMIT :most"

QUERY(section_likes, LIKES(OF_SECTION));
QUERY(section_comments, COMMENTS(OF_SECTION));
QUERY(section_votes, VOTES(OF_SECTION));
QUERY(section_views, VIEWS(OF_SECTION));
QUERY(section_versions, VERSIONS(OF_SECTION));
QUERY(section_attached, ATTACHED(OF_SECTION));
QUERY(section_articles,
      "SELECT a.id, a.id FROM articles a WHERE " OF_SECTION " ORDER BY a.id LIMIT :most @LOCK@");
QUERY(article_likes, LIKES(OF_ARTICLE));
QUERY(article_comments, COMMENTS(OF_ARTICLE));
QUERY(article_votes, VOTES(OF_ARTICLE));
QUERY(article_views, VIEWS(OF_ARTICLE));
QUERY(article_versions, VERSIONS(OF_ARTICLE));
QUERY(article_attached, ATTACHED(OF_ARTICLE));
QUERY(article_itself, "SELECT a.id, a.id FROM articles a WHERE a.id = :id LIMIT :most @LOCK@");

QUERY(likes_go, "DELETE FROM comment_likes WHERE id IN @LIST(:rows)");
QUERY(comments_go, "DELETE FROM article_comments WHERE id IN @LIST(:rows)");
QUERY(votes_go, "DELETE FROM article_votes WHERE id IN @LIST(:rows)");
QUERY(views_go, "DELETE FROM article_views WHERE id IN @LIST(:rows)");
QUERY(versions_go, "DELETE FROM article_versions WHERE id IN @LIST(:rows)");

#define THEIR_FILES "SELECT o.file_id FROM article_attachments o WHERE o.id IN @LIST(:rows)"
QUERY(attached_files, THOSE_FILES_LOCK(THEIR_FILES));
QUERY(attached_files_go, THOSE_FILES_EXPIRE(THEIR_FILES, "", "", "AND aa.id NOT IN @LIST(:rows)", ""));
QUERY(attached_go, "DELETE FROM article_attachments WHERE id IN @LIST(:rows)");

QUERY(articles_untitle,
      "DELETE FROM locale_fields WHERE owner_kind IN (11, 12) AND owner_id IN @LIST(:rows)");
QUERY(articles_go, "DELETE FROM articles WHERE id IN @LIST(:rows)"); /* deletes their tags, too */

/* Views that were written meanwhile. A later write finds no article, because it locks the article first. */
QUERY(articles_views_go, "DELETE FROM article_views WHERE article_id IN @LIST(:rows)");
QUERY(articles_search_lock, SEARCH_LOCK);
QUERY(articles_search_go, SEARCH_ARTICLES_DROP);
#define ARTICLES_GO \
    { &articles_search_lock, &articles_search_go, &articles_untitle, &articles_views_go, &articles_go }

const struct step article_delete_steps[] = {
    {&article_likes, {&likes_go}, 1},
    {&article_comments, {&comments_go}, 1},
    {&article_votes, {&votes_go}, 1},
    {&article_views, {&views_go}, 1},
    {&article_versions, {&versions_go}, 1},
    {&article_attached, {&attached_files, &attached_files_go, &attached_go}, 2},
    {&article_itself, ARTICLES_GO, 4},
    {0},
};

QUERY(section_untitle, "DELETE FROM locale_fields WHERE owner_kind IN (9, 10) AND owner_id = :id");
QUERY(section_drop, "DELETE FROM sections WHERE id = :id"); /* deletes its tags and teams, too */
QUERY(section_category_untitle, EMPTY_CATEGORIES_UNTITLE);
QUERY(section_category_drop, EMPTY_CATEGORIES_DROP);

/* The last section of a deleted category takes it along. */
const struct step section_delete_steps[] = {
    {&section_likes, {&likes_go}, 1},
    {&section_comments, {&comments_go}, 1},
    {&section_votes, {&votes_go}, 1},
    {&section_views, {&views_go}, 1},
    {&section_versions, {&versions_go}, 1},
    {&section_attached, {&attached_files, &attached_files_go, &attached_go}, 2},
    {&section_articles, ARTICLES_GO, 4},
    {NULL, {&section_untitle, &section_drop, &section_category_untitle, &section_category_drop}, 2},
    {0},
};
