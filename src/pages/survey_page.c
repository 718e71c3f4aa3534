/* The page that the link of a satisfaction survey opens. A GET changes nothing, because scanners and
 * previews open links too. Each button sends a rating. */
#include "api/call/page.h"
#include "core/cases/survey.h"
#include "core/words.h"

struct answer {
    struct survey survey;
    struct rating rating;
};

static int find_survey(struct visit *v) {
    struct answer *mine = v->prepared;
    return survey_find(&v->work, visit_text(v, "hash"), &mine->survey);
}

static int send_rating(struct visit *v) {
    struct answer *mine = v->prepared;
    return survey_rate(&v->work, visit_text(v, "hash"), &mine->rating);
}

static void score_choice(struct visit *v, const char *score, const char *label) {
    html(&v->form,
         "<label class=\"choice\"><input type=\"radio\" name=\"score\" value=\"%h\" required> %h</label>\n",
         score, label);
}

static void survey_form(struct visit *v, const char *wrong) {
    const struct answer *mine = v->prepared;
    v->status = wrong ? 400 : 200;
    visit_says(v, "page_survey");
    html(&v->form,
         "<form method=\"post\" action=\"survey\">\n<input type=\"hidden\" name=\"hash\" value=\"%s\">\n",
         visit_text(v, "hash").p);
    html(&v->form, "<p>%s</p>\n", mine->survey.subject.p);
    visit_wrong(v, wrong);
    html(&v->form, "<div role=\"radiogroup\" aria-label=\"Your rating\">\n");
    score_choice(v, "GOOD", "Good");
    score_choice(v, "BAD", "Bad");
    html(&v->form,
         "</div>\n<label for=\"comment\">Comment, if you like</label>\n<textarea id=\"comment\" "
         "name=\"comment\" maxlength=\"%d\" rows=\"4\"></textarea>\n<button>Send</button>\n</form>\n",
         SURVEY_COMMENT);
}

/* Reads the form into the rating. Returns why it is refused, or NULL. */
static const char *read_answer(struct visit *v) {
    struct answer *mine = v->prepared;
    struct str comment = str_trim(visit_text(v, "comment"));
    mine->rating.score = word_id_any(rating_scores, visit_text(v, "score"));
    if (mine->rating.score <= 0) return "Please choose Good or Bad.";
    if (utf8_count(comment) > SURVEY_COMMENT || memchr(comment.p, 0, comment.n))
        return "The comment is too long. Please shorten it.";
    if (comment.n) mine->rating.comment = comment;
    return NULL;
}

void survey_page(struct visit *v) {
    v->prepared = ARENA_NEW(v->arena, struct answer);
    int found = visit_read(v, find_survey);
    const char *wrong = found > 0 && v->posted ? read_answer(v) : NULL;
    if (found > 0 && (wrong || !v->posted)) {
        survey_form(v, wrong);
        return;
    }
    if (found > 0) {
        found = visit_write(v, send_rating);
        if (found < 0 && failed(&v->work)) found = 0;
    }
    if (found < 0) visit_failed(v);
    else if (found == 0) v->status = 400;
    if (found >= 0) visit_says(v, found ? "page_survey_done" : "page_link_dead");
}
