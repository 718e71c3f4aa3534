/* The pages that links in mails open. A GET changes nothing, because scanners and previews open links too;
 * a button sends a POST. */
#include "pages/template_page.h"
#include "api/caller/auth.h"

#include "pages/icon.h"
#include "pages/outside.h"
#include "base/log.h"
#include "base/limits.h"
#include "api/table/describe.h"
#include "core/cases/survey.h"
#include "core/login/password.h"
#include "core/people/proof.h"
#include "core/login/session.h"
#include "core/mail/mailbox.h"
#include "core/people/notification.h"
#include "core/words.h"

static void dead(struct visit *v) {
    v->status = 400;
    visit_says(v, "page_link_dead");
}

/* A link that can't do its work (the address now belongs to another person) counts as dead. */
static int link_outcome(const struct visit *v, int rc) { return rc < 0 && failed(&v->work) ? 0 : rc; }

/* ---- /verify --------------------------------------------------------------------------------- */

static int find_verification(struct visit *v) {
    struct link l;
    return link_find(&v->work, LINK_VERIFY_EMAIL, visit_text(v, "hash"), &l);
}

static int take_verification(struct visit *v) { return email_verify(&v->work, visit_text(v, "hash")); }

static int find_visitor(struct visit *v) { return auth_cookie(&v->work, v->http); }

/* Verifies as the person of this browser's session, if any: some addresses can only be verified by their
 * person. */
static int verify_as_visitor(struct visit *v) {
    TRY(visit_read(v, find_visitor));
    return visit_write(v, take_verification);
}

/* found: whether the link is alive, or was taken; negative: an error. */
static void show_confirmation(struct visit *v, int found, const char *action, const char *button) {
    if (found < 0) {
        visit_failed(v);
    } else if (found == 0) {
        dead(v);
    } else if (v->posted) {
        visit_says(v, "page_verified");
    } else {
        visit_says(v, "page_verify");
        html(&v->form,
             "<form method=\"post\" action=\"%s\">\n<input type=\"hidden\" name=\"hash\" value=\"%s\">\n"
             "<button>%s</button>\n</form>\n",
             action, visit_text(v, "hash").p, button);
    }
}

static void visit_verify(struct visit *v) {
    int found = v->posted ? verify_as_visitor(v) : visit_read(v, find_verification);
    if (found < 0 && failure(&v->work) == ERR_RESOURCE_ACTION_NOT_AVAILABLE) {
        v->status = 400;
        visit_says(v, "page_verify_login");
        return;
    }
    show_confirmation(v, link_outcome(v, found), "verify", "Confirm my address");
}

/* ---- /mailbox -------------------------------------------------------------------------------- */

static int find_mailbox_code(struct visit *v) { return mailbox_code_find(&v->work, visit_text(v, "hash")); }

static int take_mailbox_code(struct visit *v) { return mailbox_verify(&v->work, 0, visit_text(v, "hash")); }

static void visit_mailbox(struct visit *v) {
    int found = v->posted ? visit_write(v, take_mailbox_code) : visit_read(v, find_mailbox_code);
    show_confirmation(v, found, "mailbox", "Confirm this mailbox");
}

/* ---- /password ------------------------------------------------------------------------------- */

struct choice {
    int rank; /* rank of the person's role */
    int64_t user_id;
    struct str hash; /* hash of the new password */
};

static int find_person(struct visit *v) {
    struct choice *mine = v->prepared;
    struct link l;
    int rc = password_link_find(&v->work, visit_text(v, "hash"), &l, &mine->rank);
    if (rc > 0) mine->user_id = l.user_id;
    return rc;
}

static int find_used(struct visit *v) {
    const struct choice *mine = v->prepared;
    return password_used_before(&v->work, mine->user_id, visit_text(v, "new_password"));
}

static void password_form(struct visit *v, const char *wrong) {
    const struct choice *mine = v->prepared;
    int64_t least;
    password_rule(v->api->desk, mine->rank, S(""), &least);
    v->status = wrong ? 400 : 200;
    visit_says(v, "page_password");
    html(&v->form,
         "<form method=\"post\" action=\"password\">\n<input type=\"hidden\" name=\"hash\" value=\"%s\">\n",
         visit_text(v, "hash").p);
    visit_wrong(v, wrong);
    html(
        &v->form,
        "<label for=\"new_password\">New password</label>\n<p id=\"rule\">At least %d characters, any you like.</p>\n",
        (int)least);
    html(&v->form,
         "<input id=\"new_password\" name=\"new_password\" type=\"password\" required autofocus "
         "autocomplete=\"new-password\" aria-describedby=\"rule%h\"%h>\n<button>Set the "
         "password</button>\n</form>\n",
         wrong ? " wrong" : "", wrong ? " aria-invalid=\"true\"" : "");
}

static int set_password(struct visit *v) {
    const struct choice *mine = v->prepared;
    return password_reset_complete(&v->work, visit_text(v, "hash"), mine->hash);
}

/* Returns why the password is refused, or NULL and sets its hash. NULL without hash: the store failed. */
static const char *judge_choice(struct visit *v, struct str password) {
    struct choice *mine = v->prepared;
    int64_t least;
    if (password.n > LIMIT_PASSWORD) return "This password is too long.";
    if (password_rule(v->api->desk, mine->rank, password, &least) < 0) return "This password is too short.";
    pthread_mutex_lock(&v->api->hashing);
    int used = visit_read(v, find_used);
    if (used == 0) mine->hash = password_hash(v->arena, password);
    pthread_mutex_unlock(&v->api->hashing);
    return used > 0 ? "You used this password before. Choose another one." : NULL;
}

static void password(struct visit *v) {
    struct choice *mine = ARENA_NEW(v->arena, struct choice);
    v->prepared = mine;
    int rc = visit_read(v, find_person);
    const char *wrong = rc > 0 && v->posted ? judge_choice(v, visit_text(v, "new_password")) : NULL;
    if (rc > 0 && (wrong || !v->posted)) {
        password_form(v, wrong);
        return;
    }
    if (rc > 0)
        rc = mine->hash.p ? link_outcome(v, visit_write(v, set_password))
                          : UNAVAILABLE("passwords without memory", "no memory to hash a password");
    if (rc < 0) {
        visit_failed(v);
    } else if (rc == 0) {
        dead(v);
    } else if (mine->rank >= ROLE_COLLABORATOR && v->api->cfg.console) {
        v->location = STR_CAT(v->arena, url_path(v->api->desk->base_url), S("/agent/login?done=password"));
    } else {
        visit_says(v, "page_password_set");
    }
}

/* ---- satisfaction surveys --------------------------------------------------------------------- */

/* The page that the link of a satisfaction survey opens. A GET changes nothing, because scanners and
 * previews open links too. Each button sends a rating. */

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

static void score_choice(struct visit *v, const char *score, enum icon icon, const char *label) {
    html(&v->form, "<label class=\"choice\"><input type=\"radio\" name=\"score\" value=\"%h\" required> ",
         score);
    icon_write(&v->form, icon);
    html(&v->form, " %h</label>\n", label);
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
    html(&v->form, "<div class=\"choices\" role=\"radiogroup\" aria-label=\"Your rating\">\n");
    score_choice(v, "GOOD", ICON_GLAD, "Good");
    score_choice(v, "BAD", ICON_SAD, "Bad");
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

static void survey_page(struct visit *v) {
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

/* ---- List-Unsubscribe ------------------------------------------------------------------------- */

/* The page of the link in List-Unsubscribe. A GET changes nothing, because scanners open links; a button
 * sends a POST. A mail program that offers one click sends the same POST without a visit (RFC 8058), as
 * multipart or urlencoded form. Nobody logs in: the link is a proof. */

static const struct word mails_ended[] = {
    {NOTIFY_CREATED, "You get an e-mail about each new conversation."},
    {NOTIFY_REPLY, "You get an e-mail when a customer replies."},
    {NOTIFY_AGENT, "You get an e-mail when a conversation is assigned to you."},
    {NOTIFY_TEAM, "You get an e-mail when a conversation is assigned to your team."},
    {NOTIFY_BREACH, "You get an e-mail when a conversation misses a target."},
    {NOTIFY_MENTION, "You get an e-mail when a note mentions you."},
    {NOTIFY_SURVEY, "You get an e-mail that asks how content you were."},
    {0}};

static int find_subscription(struct visit *v) {
    enum notification_type *type = v->prepared;
    int64_t user;
    return unsubscribe_find(&v->work, visit_text(v, "hash"), &user, type);
}

static int end_subscription(struct visit *v) { return unsubscribe(&v->work, visit_text(v, "hash")); }

static void unsubscribe_page(struct visit *v) {
    enum notification_type *type = ARENA_NEW(v->arena, enum notification_type);
    v->prepared = type;
    int found = v->posted ? visit_write(v, end_subscription) : visit_read(v, find_subscription);
    if (found < 0) {
        visit_failed(v);
    } else if (found == 0) {
        v->status = 404;
        visit_says(v, "page_link_dead");
    } else if (v->posted) {
        visit_says(v, "page_unsubscribed");
    } else {
        visit_says(v, "page_unsubscribe");
        html(&v->form,
             "<p>%s</p>\n<form method=\"post\" action=\"unsubscribe?hash=%s\">\n<input type=\"hidden\" "
             "name=\"List-Unsubscribe\" value=\"One-Click\">\n<button>Stop these "
             "e-mails</button>\n</form>\n",
             word_of(mails_ended, *type), visit_text(v, "hash").p);
    }
}

/* ---- the table -------------------------------------------------------------------------------- */

static const struct page link_pages[] = {
    {.path = "/verify", .show = visit_verify},
    {.path = "/password", .show = password},
    {.path = "/survey", .show = survey_page},
    {.path = "/mailbox", .show = visit_mailbox},
    {.path = "/unsubscribe", .show = unsubscribe_page, .one_click = true},
    {0}};

bool link_page_handle(struct api *api, struct http_request *r) {
    return page_answer_one_of(link_pages, api, r);
}
