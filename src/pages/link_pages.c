/* The pages that links in mails open. A GET changes nothing, because scanners and previews open links too;
 * a button sends a POST. */
#include "api/call/page.h"
#include "base/log.h"
#include "base/limits.h"
#include "core/login/password.h"
#include "core/login/proof.h"
#include "core/login/session.h"
#include "core/mail/mailbox.h"

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
    } else {
        visit_says(v, "page_password_set");
    }
}

const struct page link_pages[] = {{.path = "/verify", .show = visit_verify},
                                  {.path = "/password", .show = password},
                                  {.path = "/survey", .show = survey_page},
                                  {.path = "/mailbox", .show = visit_mailbox},
                                  {.path = "/unsubscribe", .show = unsubscribe_page, .one_click = true},
                                  {0}};
