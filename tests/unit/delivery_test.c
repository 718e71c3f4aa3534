/* Deliveries to endpoints: their order, their bodies, leases, and the addresses that are public. */
#include "store.h"
#undef fail /* cmocka's fail: work.h has one, too */

#include "base/address.h"
#include "core/change/change.h"
#include "core/all/finish.h"
#include "core/change/lease.h"
#include "core/change/log.h"
#include "core/endpoints/delivery.h"
#include "core/endpoints/delivery_queue.h"
#include "core/words.h"
#include "json/json.h"

QUERY(sent_user, "INSERT INTO users (id, uuid, full_name, name_key, is_enabled, is_mfa_enabled, role_id, "
                 "role_type, created_at, updated_at) VALUES (1, 'u', 'Cora', 'cora', 1, 0, 4, 1, 0, 0)");
QUERY(sent_case, "INSERT INTO cases (id, uuid, subject, channel, state, requester_id, creator_id, "
                 "status_id, status_type, message_seq, reopen_count, created_at, updated_at) "
                 "VALUES (:id, 'c', 'It <stalls> & stops', 1, 1, 1, 1, 1, 1, 0, 0, 0, 0)");
QUERY(sent_tag, "INSERT INTO tags (id, name, name_key, created_at) VALUES (1, 'vip', 'vip', 0)");
QUERY(sent_tagged, "INSERT INTO case_tags (case_id, tag_id) VALUES (1, 1)");
QUERY(sent_endpoint,
      "INSERT INTO endpoints (id, title, type, is_enabled, url, method, content_type, channel, "
      "created_at, updated_at) "
      "VALUES (:id, 'x', :type, :enabled, 'http://x', :method, :content, '#desk', 0, 0)");
QUERY(sent_body, "SELECT body FROM endpoint_deliveries ORDER BY id DESC LIMIT 1");

enum { HTTP_JSON = 1, HTTP_XML, HTTP_GET, SLACK, MAIL, DISABLED };

struct scene {
    struct place place;
    struct desk desk;
    struct arena *arena;
    struct work work;
    int64_t now;
    int (*step)(struct work *w, void *arg);
    void *arg;
};

static int insert_endpoint(struct conn *c, int id, int type, int method, int content) {
    return db_exec(c, &sent_endpoint,
                   BINDS(B_INT("id", id), B_INT("type", type), B_INT("method", method),
                         B_INT("content", content), B_INT("enabled", id != DISABLED)));
}

static int sent_fill(struct conn *c, void *arg) {
    (void)arg;
    TRY(db_exec(c, &sent_user, NULL));
    for (int id = 1; id <= 3; id++) TRY(db_exec(c, &sent_case, BINDS(B_INT("id", id))));
    TRY(db_exec(c, &sent_tag, NULL));
    TRY(db_exec(c, &sent_tagged, NULL));
    TRY(insert_endpoint(c, HTTP_JSON, ENDPOINT_HTTP, ENDPOINT_POST, CONTENT_JSON));
    TRY(insert_endpoint(c, HTTP_XML, ENDPOINT_HTTP, ENDPOINT_PUT, CONTENT_XML));
    TRY(insert_endpoint(c, HTTP_GET, ENDPOINT_HTTP, ENDPOINT_GET, CONTENT_JSON));
    TRY(insert_endpoint(c, SLACK, ENDPOINT_SLACK, 0, 0));
    TRY(insert_endpoint(c, MAIL, ENDPOINT_EMAIL, 0, 0));
    return insert_endpoint(c, DISABLED, ENDPOINT_HTTP, ENDPOINT_POST, CONTENT_JSON);
}

static int make(void **state) {
    struct scene *s = calloc(1, sizeof *s);
    if (s == NULL) return -1;
    *state = s;
    snprintf(s->place.dir, sizeof s->place.dir, "/tmp/deskd-test-XXXXXX");
    if (!mkdtemp(s->place.dir) || place_open(&s->place, schema_files) < 0) return -1;
    s->arena = arena_new();
    s->desk = (struct desk){.db = s->place.db, .base_url = S("https://desk.example"), .process = S("first")};
    s->now = 1000000;
    return db_write(s->place.db, sent_fill, NULL) < 0 ? -1 : 0;
}

static int clear(void **state) {
    struct scene *s = *state;
    struct place *p = calloc(1, sizeof *p);
    if (p == NULL) return -1;
    arena_free(s->arena);
    *p = s->place;
    free(s);
    void *place = p;
    return place_remove(&place);
}

static int scene_run(struct conn *c, void *arg) {
    struct scene *s = arg;
    work_init(&s->work, &s->desk, s->arena);
    s->work.conn = c;
    s->work.now = s->now;
    s->work.actor = (struct actor){.kind = ACTOR_RULE, .cause = S("Trigger: Escalate")};
    int rc = s->step(&s->work, s->arg);
    TRY(rc);
    TRY(work_finish(&s->work));
    return rc;
}

/* Runs one write. Returns the result of the step. */
static int in_write(struct scene *s, int (*step)(struct work *w, void *arg), void *arg) {
    s->step = step;
    s->arg = arg;
    return db_write(s->place.db, scene_run, s);
}

/* ---- order ----------------------------------------------------------------------------------- */

struct adding {
    int64_t endpoint_id, case_id;
    struct str text;
};

static int step_add(struct work *w, void *arg) {
    const struct adding *a = arg;
    return delivery_add(w, a->endpoint_id, a->case_id, a->text);
}

static int add_delivery(struct scene *s, int64_t endpoint_id, int64_t case_id, const char *text) {
    return in_write(s, step_add, &(struct adding){endpoint_id, case_id, str_of(text)});
}

struct finding {
    const char *busy;
    struct delivery *first;
};

static int step_due(struct work *w, void *arg) {
    struct finding *f = arg;
    return deliveries_due(w, HTTP_JSON, str_of(f->busy), 10, &f->first);
}

/* The ids of the due deliveries, as a JSON array. */
static const char *due_now(struct scene *s, const char *busy) {
    struct finding f = {.busy = busy};
    int64_t ids[10];
    size_t n = 0;
    assert_true(in_write(s, step_due, &f) >= 0);
    for (const struct delivery *d = f.first; d; d = d->next) ids[n++] = d->id;
    return json_ids(s->arena, ids, n).p;
}

struct settling {
    int64_t id;
    bool success;
};

static int step_settle(struct work *w, void *arg) {
    const struct settling *x = arg;
    struct delivery *d;
    TRY(deliveries_due(w, HTTP_JSON, S("[]"), 10, &d));
    while (d && d->id != x->id) d = d->next;
    assert_non_null(d);
    return delivery_settle(w, &(struct attempt){.delivery = d, .success = x->success, .message = S("x")});
}

static void settle(struct scene *s, int64_t id, bool success) {
    assert_true(in_write(s, step_settle, &(struct settling){id, success}) >= 0);
}

static void deliveries_of_a_conversation_follow_each_other(void **state) {
    struct scene *s = *state;
    const int64_t cases[] = {1, 1, 2, 1, 0, 0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(add_delivery(s, HTTP_JSON, cases[i], ""), 1);
    assert_int_equal(add_delivery(s, HTTP_XML, 1, ""), 1); /* another endpoint */
    assert_string_equal(due_now(s, "[]"), "[1,3,5,6]");
    assert_string_equal(due_now(s, "[1,5]"), "[3,6]"); /* those under way still come before the later ones */
    settle(s, 3, true);
    settle(s, 1, false);
    assert_string_equal(due_now(s, "[]"), "[5,6]"); /* the later ones of conversation 1 wait with the first */
    s->now += 15 * TIME_SECOND - 1;
    assert_string_equal(due_now(s, "[]"), "[5,6]");
    s->now++;
    assert_string_equal(due_now(s, "[5,6]"), "[1]");
    settle(s, 1, true);
    assert_string_equal(due_now(s, "[5,6]"), "[2]");
    settle(s, 2, true);
    assert_string_equal(due_now(s, "[5,6]"), "[4]");
}

static void a_delivery_that_is_given_up_frees_the_later_ones(void **state) {
    struct scene *s = *state;
    add_delivery(s, HTTP_JSON, 1, "");
    s->now += TIME_HOUR;
    add_delivery(s, HTTP_JSON, 1, "");
    s->now += 23 * TIME_HOUR;
    settle(s, 1, false);
    assert_string_equal(due_now(s, "[]"), "[2]");
}

static void an_endpoint_that_is_disabled_or_gone_gets_nothing(void **state) {
    struct scene *s = *state;
    assert_int_equal(add_delivery(s, DISABLED, 1, ""), 0);
    assert_int_equal(add_delivery(s, 99, 1, ""), 0);
    assert_int_equal(add_delivery(s, HTTP_JSON, 99, ""), 0);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static int step_body(struct work *w, void *arg) { return db_text(w->conn, &sent_body, NULL, w->arena, arg); }

static struct str body_of(struct scene *s, int64_t endpoint_id, const char *text) {
    struct str body;
    assert_int_equal(add_delivery(s, endpoint_id, 1, text), 1);
    assert_int_equal(in_write(s, step_body, &body), 1);
    return body;
}

static const struct json *member(const struct json *j, const char *name) {
    const struct json *m = json_member(j, str_of(name));
    if (m == NULL) print_error("no member %s\n", name);
    assert_non_null(m);
    return m;
}

static void the_envelope_has_the_conversation_and_the_cause(void **state) {
    struct scene *s = *state;
    struct json *j;
    struct json_error err;
    assert_int_equal(json_parse(s->arena, body_of(s, HTTP_JSON, "Look \"here\""), &j, &err), 0);
    const struct json *c = member(j, "case");
    assert_string_equal(member(j, "message")->text.p, "Look \"here\"");
    assert_string_equal(member(j, "cause")->text.p, "Trigger: Escalate");
    assert_int_equal(member(j, "id")->text.n, 36);
    assert_string_equal(member(c, "subject")->text.p, "It <stalls> & stops");
    assert_string_equal(member(member(c, "requester"), "full_name")->text.p, "Cora");
    assert_string_equal(member(member(c, "status"), "type")->text.p, "NEW");
    assert_string_equal(member(c, "tags")->first->text.p, "vip");
    assert_string_equal(member(c, "resource_url")->text.p, "https://desk.example/api/v1/cases/1");
    assert_int_equal(member(c, "assigned_agent")->type, JSON_NULL);
}

static void a_text_that_is_json_is_the_body(void **state) {
    struct scene *s = *state;
    assert_string_equal(body_of(s, HTTP_JSON, "{\"a\": [1]}").p, "{\"a\": [1]}");
    assert_string_equal(body_of(s, HTTP_XML, "<a/>").p, "<a/>");
    assert_string_equal(body_of(s, HTTP_GET, "{\"a\": 1}").p, "");
    assert_true(str_starts(body_of(s, HTTP_JSON, "12"), S("{\"id\":")));
}

static void slack_and_mail_get_the_text_or_the_subject(void **state) {
    struct scene *s = *state;
    assert_string_equal(body_of(s, SLACK, "<!channel> a & b").p,
                        "{\"text\":\"&lt;!channel&gt; a &amp; b\",\"channel\":\"#desk\"}");
    assert_string_equal(
        body_of(s, SLACK, "").p,
        "{\"text\":\"It &lt;stalls&gt; &amp; stops\\nhttps://desk.example/api/v1/cases/1\",\"channel\":\"#desk\"}");
    assert_string_equal(body_of(s, MAIL, "").p, "It <stalls> & stops\nhttps://desk.example/api/v1/cases/1");
}

/* ---- leases ---------------------------------------------------------------------------------- */

static int step_take(struct work *w, void *arg) {
    return lease_take(w, S("reader"), str_of(arg), TIME_MINUTE);
}
static int step_release(struct work *w, void *arg) { return lease_release(w, S("reader"), str_of(arg)); }

static void a_lease_has_one_holder_until_it_ends_or_is_released(void **state) {
    struct scene *s = *state;
    assert_int_equal(in_write(s, step_take, "first"), 1);
    assert_int_equal(in_write(s, step_take, "second"), 0);
    s->now += TIME_MINUTE - 1;
    assert_int_equal(in_write(s, step_take, "second"), 0);
    assert_int_equal(in_write(s, step_take, "first"), 1); /* longer */
    s->now += TIME_MINUTE;
    assert_int_equal(in_write(s, step_take, "second"), 1);
    assert_int_equal(in_write(s, step_release, "first"), 0);
    assert_int_equal(in_write(s, step_take, "first"), 0);
    assert_int_equal(in_write(s, step_release, "second"), 1);
    assert_int_equal(in_write(s, step_take, "first"), 1);
}

/* ---- addresses ------------------------------------------------------------------------------- */

static void addresses_of_special_blocks_are_not_public(void **state) {
    static const char *const private[] = {"0.0.0.0",
                                          "0.255.255.255",
                                          "10.0.0.0",
                                          "10.255.255.255",
                                          "100.64.0.0",
                                          "100.127.255.255",
                                          "127.0.0.1",
                                          "127.255.255.255",
                                          "169.254.0.1",
                                          "172.16.0.0",
                                          "172.31.255.255",
                                          "192.0.0.8",
                                          "192.0.2.1",
                                          "192.168.255.255",
                                          "198.18.0.1",
                                          "198.19.255.255",
                                          "198.51.100.1",
                                          "203.0.113.1",
                                          "224.0.0.1",
                                          "239.255.255.255",
                                          "240.0.0.1",
                                          "255.255.255.255",
                                          "::",
                                          "::1",
                                          "::7f00:1",
                                          "::ffff:10.0.0.1",
                                          "64:ff9b::a00:1",
                                          "64:ff9b:1::1",
                                          "100::1",
                                          "2001::1",
                                          "2001:db8::1",
                                          "2002:a00:1::",
                                          "3fff::1",
                                          "fc00::1",
                                          "fdff::1",
                                          "fe80::1",
                                          "febf::1",
                                          "fec0::1",
                                          "ff02::1",
                                          "5f00::1"};
    static const char *const public[] = {
        "1.1.1.1",         "9.255.255.255", "11.0.0.0",     "100.63.255.255",       "100.128.0.0",
        "126.255.255.255", "128.0.0.0",     "169.253.0.1",  "169.255.0.1",          "172.15.255.255",
        "172.32.0.0",      "192.167.0.1",   "192.169.0.1",  "198.17.255.255",       "198.20.0.0",
        "223.255.255.255", "2606:4700::1",  "2a00:1450::1", "2001:4860:4860::8888", "64:ff9b::101:101",
        "2002:101:101::",  "::ffff:1.1.1.1"};
    struct address a;
    (void)state;
    for (size_t i = 0; i < sizeof private / sizeof *private; i++) {
        assert_true(address_parse(str_of(private[i]), &a));
        if (address_is_public(&a)) print_error("%s must not be public\n", private[i]);
        assert_false(address_is_public(&a));
    }
    for (size_t i = 0; i < sizeof public / sizeof *public; i++) {
        assert_true(address_parse(str_of(public[i]), &a));
        if (!address_is_public(&a)) print_error("%s must be public\n", public[i]);
        assert_true(address_is_public(&a));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(deliveries_of_a_conversation_follow_each_other, make, clear),
        cmocka_unit_test_setup_teardown(a_delivery_that_is_given_up_frees_the_later_ones, make, clear),
        cmocka_unit_test_setup_teardown(an_endpoint_that_is_disabled_or_gone_gets_nothing, make, clear),
        cmocka_unit_test_setup_teardown(the_envelope_has_the_conversation_and_the_cause, make, clear),
        cmocka_unit_test_setup_teardown(a_text_that_is_json_is_the_body, make, clear),
        cmocka_unit_test_setup_teardown(slack_and_mail_get_the_text_or_the_subject, make, clear),
        cmocka_unit_test_setup_teardown(a_lease_has_one_holder_until_it_ends_or_is_released, make, clear),
        cmocka_unit_test(addresses_of_special_blocks_are_not_public),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
