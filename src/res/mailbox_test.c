/* The test of a mailbox: a mail from it to itself. */
#include "core/mail/mailbox_test.h"

#include "api/rows/generic.h"
#include "api/rows/reply.h"
#include "api/rows/view.h"
#include "res/groups.h"

static const struct word test_statuses[] = {{MAILBOX_TEST_NONE, "NONE"},
                                            {MAILBOX_TEST_RUNNING, "RUNNING"},
                                            {MAILBOX_TEST_PASSED, "PASSED"},
                                            {MAILBOX_TEST_FAILED, "FAILED"},
                                            {0}};

static void render_test_status(struct view *v, const struct row *row, const struct value *own) {
    (void)row;
    jw_str(&v->w, str_of(word_of(test_statuses, own->i)));
}

static void render_test_steps(struct view *v, const struct row *row, const struct value *own) {
    (void)row;
    jw_raw(&v->w, own->type == V_TEXT ? own->s : S("[]"));
}

static void render_test_time(struct view *v, const struct row *row, const struct value *own) {
    (void)row;
    if (own->type == V_INT) jw_time(&v->w, own->i);
    else jw_null(&v->w);
}

static const struct field test_fields[] = {
    {"status", F_COMPUTED, READONLY, .column = "", .render = render_test_status,
     .doc = "NONE (never tested), RUNNING, PASSED or FAILED.", .example = "\"FAILED\""},
    {"steps", F_COMPUTED, READONLY, .column = "", .render = render_test_steps,
     .doc =
         "For each step {name, result, message, advice}, after the test has ended. result: OK, FAILED, WARNING or "
         "SKIPPED. message says what happened, advice what to do; advice may be null.",
     .example =
         "[{\"name\": \"relay_login\", \"result\": \"FAILED\", \"message\": \"The server refused the user or "
         "the password.\", \"advice\": \"Let an owner set the user and the password again.\"}]"},
    {"started_at", F_COMPUTED, READONLY, .column = "", .render = render_test_time,
     .doc = "Time when the last test began.", .example = "\"2026-11-21T09:30:00+00:00\""},
    {"ended_at", F_COMPUTED, READONLY, .column = "", .render = render_test_time,
     .doc = "Time when it ended. Null: it runs, or there was none.", .example = "null"},
    {0},
};

QUERY(mailbox_test_of,
      "SELECT COALESCE(test_status, 1), test_steps, test_started_at, test_ended_at FROM mailboxes "
      "WHERE id = :id AND deleted_at IS NULL");

static struct value time_or_none(struct stmt *row, int column) {
    return col_null(row, column) ? (struct value){0} : (struct value){V_INT, .i = col_int(row, column)};
}

static int reply_test(struct call *c) {
    struct stmt *found;
    TRY_FOUND(&c->work, db_row(c->work.conn, &mailbox_test_of, BINDS(B_INT("id", c->vars[0].id)), &found));
    struct view *v = view_new(c);
    struct row *row = row_new(v, layout_of(c->resource), 0);
    *row_cell(row, "status") = (struct value){V_INT, .i = col_int(found, 0)};
    if (!col_null(found, 1)) *row_cell(row, "steps") = value_text(str_dup(c->work.arena, col_text(found, 1)));
    *row_cell(row, "started_at") = time_or_none(found, 2);
    *row_cell(row, "ended_at") = time_or_none(found, 3);
    stmt_end(found);
    return envelope_row(v, row);
}

static int get_mailbox_test(struct call *c) {
    TRY(api_of(c));
    TRY(api_input(c));
    return reply_test(c);
}

static int post_mailbox_test(struct call *c) {
    int64_t wait = 0;
    TRY(api_of(c));
    TRY(api_input(c));
    TRY_FOUND(&c->work, mailbox_test_begin(&c->work, c->vars[0].id, &wait));
    return wait ? call_wait(c, wait) : reply_test(c);
}

static const struct route test_routes[] = {
    {GET, "/mailboxes/:id/test", AD, "configuration", ONE, get_mailbox_test, .of = "mailbox",
     .permission = "channels.manage", .summary = "Get the last test of a mailbox"},
    {POST, "/mailboxes/:id/test", AD, "configuration", ONE, post_mailbox_test, .of = "mailbox", .status = 202,
     .permission = "channels.manage", .input = no_fields, .summary = "Test a mailbox",
     .doc =
         "Sends a mail from the mailbox to itself by the relay, looks at the IMAP account if there is one, and "
         "waits a minute for the mail to arrive. GET /mailboxes/:id/test has the result. The mail becomes no "
         "conversation. At most one test of a mailbox in a minute."},
    {0},
};

const struct resource mailbox_test_resource = {
    .type = "mailbox_test",
    .scope = "configuration",
    .title = "Tests of mailboxes",
    .doc = "Whether the mails of a mailbox leave and arrive, step by step.",
    .fields = test_fields,
    .routes = test_routes};
