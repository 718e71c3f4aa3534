/* Functions of identities that no operation of the API reaches directly: the owner of an address, proof by
 * a link, recomputed keys. */
#include "store.h"
#undef fail /* cmocka's fail: work.h has one, too */

#include "core/people/identity.h"
#include "core/desk/setting.h"

QUERY(world_person, "INSERT INTO users (id, uuid, full_name, name_key, is_enabled, is_mfa_enabled, role_id, "
                    "role_type, created_at, updated_at) VALUES (:id, :uuid, 'x', 'x', 1, 0, 4, 1, 0, 0)");
QUERY(world_stored, "INSERT INTO identity_emails (user_id, email, email_key, is_primary, "
                    "is_validated, is_notification_enabled, is_claim, created_at, updated_at) "
                    "VALUES (:user, :email, :email, :primary, :validated, 0, 0, 0, 0) "
                    "RETURNING id");
QUERY(world_has, "SELECT COUNT(*) FROM identity_emails WHERE user_id = :user AND is_claim = 0");
QUERY(world_claims, "SELECT COUNT(*) FROM identity_emails WHERE user_id = :user AND is_claim = 1");
QUERY(world_primary, "SELECT id FROM identity_emails WHERE user_id = :user AND is_primary = 1");
QUERY(world_changed, "SELECT updated_at FROM users WHERE id = :user");

#define PEOPLE 4
#define NOW 1000

struct world {
    struct place place;
    struct desk desk;
    void (*what)(struct work *w);
};

static int run(struct conn *c, void *arg) {
    struct world *t = arg;
    struct work w;
    char uuid[8];
    work_init(&w, &t->desk, arena_new());
    w.conn = c;
    w.now = NOW;
    for (int id = 1; id <= PEOPLE; id++) {
        snprintf(uuid, sizeof uuid, "u%d", id);
        assert_int_equal(db_exec(c, &world_person, BINDS(B_INT("id", id), B_TEXT("uuid", str_of(uuid)))), 1);
    }
    t->what(&w);
    arena_free(w.arena);
    return 0;
}

static void on_a_desk(void (*what)(struct work *w)) {
    struct world t = {.what = what};
    char command[64];
    snprintf(t.place.dir, sizeof t.place.dir, "/tmp/deskd-test-XXXXXX");
    assert_non_null(mkdtemp(t.place.dir));
    assert_int_equal(place_open(&t.place, schema_files), 0);
    t.desk.db = t.place.db;
    t.desk.settings = settings_open(db_reader(t.place.db));
    assert_int_equal(db_write(t.place.db, run, &t), 0);
    settings_close(t.desk.settings);
    place_close(&t.place);
    snprintf(command, sizeof command, "rm -rf %s", t.place.dir);
    assert_int_equal(system(command), 0);
}

static int64_t asked(struct work *w, const struct query *q, int64_t user) {
    int64_t n = 0;
    assert_true(db_int(w->conn, q, BINDS(B_INT("user", user)), &n) >= 0);
    return n;
}

static int64_t added(struct work *w, enum identity_kind kind, struct identity_new n) {
    int64_t id = 0;
    assert_true(identity_add(w, kind, &n, &id) >= 0);
    return id;
}

static int64_t stored(struct work *w, int64_t user, const char *email, bool primary, bool validated) {
    int64_t id = 0;
    assert_true(db_insert(w->conn, &world_stored,
                          BINDS(B_INT("user", user), B_TEXT("email", str_of(email)),
                                B_INT("primary", primary), B_INT("validated", validated)),
                          &id) >= 0);
    return id;
}

/* ---- owner ----------------------------------------------------------------------------------- */

static void own(struct work *w) {
    static const struct {
        enum identity_kind kind;
        const char *value, *asked;
    } values[] = {{IDENTITY_EMAIL, "ada@example.com", "ADA@Example.com"},
                  {IDENTITY_PHONE, "+49 30 1234567", "+49301234567"},
                  {IDENTITY_TWITTER, "Ada_Byron", "@ada_byron"},
                  {IDENTITY_FACEBOOK, "100004", "100004"}};
    int64_t user = 0;
    for (int i = 0; i < 4; i++)
        added(w, values[i].kind, (struct identity_new){.user_id = i + 1, .value = str_of(values[i].value)});
    for (int i = 0; i < 4; i++) {
        assert_int_equal(identity_owner(w, values[i].kind, str_of(values[i].asked), &user), 1);
        assert_int_equal(user, i + 1);
    }
    assert_int_equal(identity_owner(w, IDENTITY_EMAIL, S("somebody@example.com"), &user), 0);
    assert_int_equal(identity_owner(w, IDENTITY_TWITTER, S("not a name"), &user), 0);
}

static void a_value_in_another_spelling_has_the_same_owner(void **state) {
    (void)state;
    on_a_desk(own);
}

static void claims(struct work *w) {
    int64_t user = 0;
    for (int id = 1; id <= 2; id++) {
        added(w, IDENTITY_EMAIL,
              (struct identity_new){
                  .user_id = id, .value = S("x@example.com"), .is_primary = true, .claim = CLAIM_OWN});
        assert_int_equal(asked(w, &world_primary, id), 0);
    }
    assert_int_equal(identity_owner(w, IDENTITY_EMAIL, S("x@example.com"), &user), 0);
    added(w, IDENTITY_EMAIL, (struct identity_new){.user_id = 3, .value = S("x@example.com")});
    assert_int_equal(identity_owner(w, IDENTITY_EMAIL, S("x@example.com"), &user), 1);
    assert_int_equal(user, 3);
}

static void claims_find_nobody_and_are_in_nobodys_way(void **state) {
    (void)state;
    on_a_desk(claims);
}

/* ---- proof ----------------------------------------------------------------------------------- */

static void prove(struct work *w) {
    int64_t other =
        added(w, IDENTITY_EMAIL, (struct identity_new){.user_id = 2, .value = S("b@example.com")});
    int64_t held =
        added(w, IDENTITY_EMAIL,
              (struct identity_new){.user_id = 2, .value = S("x@example.com"), .is_primary = true});
    added(w, IDENTITY_EMAIL,
          (struct identity_new){.user_id = 3, .value = S("x@example.com"), .claim = CLAIM_OWN});
    int64_t claim =
                added(w, IDENTITY_EMAIL,
                      (struct identity_new){.user_id = 1, .value = S("X@example.com"), .claim = CLAIM_OWN}),
            user = 0;
    assert_int_equal(asked(w, &world_primary, 2), held);
    w->now = NOW + 1;
    assert_true(email_validate(w, claim) >= 0);
    assert_int_equal(identity_owner(w, IDENTITY_EMAIL, S("x@example.com"), &user), 1);
    assert_int_equal(user, 1);
    assert_int_equal(asked(w, &world_primary, 1), claim); /* the first one that is not a claim */
    assert_int_equal(asked(w, &world_primary, 2), other); /* the remaining one became primary */
    assert_int_equal(asked(w, &world_claims, 3), 0);
    for (int id = 1; id <= 3; id++) assert_int_equal(asked(w, &world_changed, id), NOW + 1);
    /* a second time, because a reset is sent only to proven addresses */
    assert_int_equal(email_validate(w, claim), 0);
    assert_int_equal(email_unvalidated(w, claim), -ERR_RESOURCE_ACTION_NOT_AVAILABLE);
}

static void a_person_who_proves_an_address_takes_it_from_those_who_did_not(void **state) {
    (void)state;
    on_a_desk(prove);
}

static void proven(struct work *w) {
    int64_t user = 0;
    added(w, IDENTITY_EMAIL,
          (struct identity_new){.user_id = 2, .value = S("x@example.com"), .is_validated = true});
    int64_t claim =
        added(w, IDENTITY_EMAIL,
              (struct identity_new){.user_id = 1, .value = S("x@example.com"), .claim = CLAIM_OWN});
    assert_int_equal(email_validate(w, claim), -ERR_FIELD_DUPLICATE);
    assert_int_equal(identity_owner(w, IDENTITY_EMAIL, S("x@example.com"), &user), 1);
    assert_int_equal(user, 2);
}

static void a_proven_address_is_taken_by_nobody(void **state) {
    (void)state;
    on_a_desk(proven);
}

static void removed(struct work *w) {
    int64_t a = added(w, IDENTITY_PHONE, (struct identity_new){.user_id = 1, .value = S("+49301234561")});
    int64_t b = added(w, IDENTITY_PHONE,
                      (struct identity_new){.user_id = 1, .value = S("+49301234562"), .is_validated = true}),
            user = 0;
    int64_t c = added(w, IDENTITY_PHONE,
                      (struct identity_new){.user_id = 1, .value = S("+49301234563"), .is_validated = true});
    assert_true(identities_remove(w, IDENTITY_PHONE, &a, 1, false) >= 0);
    assert_true(identities_remove(w, IDENTITY_PHONE, (int64_t[]){b, c}, 2, true) >= 0);
    assert_true(identities_free(w, S("[1]")) >= 0);
    assert_int_equal(identity_owner(w, IDENTITY_PHONE, S("+49301234561"), &user), 0);
    assert_int_equal(identities_remove(w, IDENTITY_PHONE, &a, 1, false) >= 0, true); /* already removed */
}

static void a_removed_address_is_free(void **state) {
    (void)state;
    on_a_desk(removed);
}

/* ---- recomputed keys ------------------------------------------------------------------------- */

#define MUELLER "m\xC3\xBCller.example"

static void rekey(struct work *w) {
    int64_t after = 0, user = 0;
    int lost = 0;
    stored(w, 1, "a@" MUELLER, true, false);             /* first, but not proven */
    stored(w, 2, "a@xn--mller-kva.example", true, true); /* the same address, proven */
    int64_t twice = stored(w, 3, "b@" MUELLER, false, true);
    int64_t kept = stored(w, 3, "b@xn--mller-kva.example", true, true); /* the same person has it twice */
    int64_t spare = stored(w, 1, "spare@example.com", false, true);
    stored(w, 4, "c@" MUELLER, true, true); /* no other person has it */
    assert_int_equal(identity_rekey(w, IDENTITY_EMAIL, &after, &lost), 0);
    assert_int_equal(lost, 1); /* the other conflict was with the same person */
    assert_int_equal(identity_owner(w, IDENTITY_EMAIL, S("a@" MUELLER), &user), 1);
    assert_int_equal(user, 2);
    assert_int_equal(asked(w, &world_claims, 1), 1);
    assert_int_equal(asked(w, &world_primary, 1), spare);
    assert_int_equal(asked(w, &world_has, 3), 1);
    assert_int_equal(asked(w, &world_primary, 3), kept);
    assert_int_not_equal(twice, kept);
    assert_int_equal(identity_owner(w, IDENTITY_EMAIL, S("c@xn--mller-kva.example"), &user), 1);
    assert_int_equal(user, 4);
    lost = 0, after = 0;
    assert_int_equal(identity_rekey(w, IDENTITY_EMAIL, &after, &lost), 0); /* a second run changes nothing */
    assert_int_equal(lost, 0);
}

static void keys_made_anew_leave_each_value_with_one_person(void **state) {
    (void)state;
    on_a_desk(rekey);
}

static void rekey_many(struct work *w) {
    int64_t after = 0, user = 0;
    int lost = 0, parts = 1;
    char email[64];
    for (int i = 0; i < 450; i++) {
        snprintf(email, sizeof email, "p%d@" MUELLER, i);
        stored(w, 1 + i % PEOPLE, email, i < PEOPLE, true);
    }
    while (identity_rekey(w, IDENTITY_EMAIL, &after, &lost) == 1) parts++;
    assert_int_equal(parts, 3);
    for (int i = 0; i < 450; i++) {
        snprintf(email, sizeof email, "p%d@xn--mller-kva.example", i);
        assert_int_equal(identity_owner(w, IDENTITY_EMAIL, str_of(email), &user), 1);
    }
    assert_int_equal(lost, 0);
}

static void keys_are_made_anew_in_parts(void **state) {
    (void)state;
    on_a_desk(rekey_many);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_in_another_spelling_has_the_same_owner),
        cmocka_unit_test(claims_find_nobody_and_are_in_nobodys_way),
        cmocka_unit_test(a_person_who_proves_an_address_takes_it_from_those_who_did_not),
        cmocka_unit_test(a_proven_address_is_taken_by_nobody),
        cmocka_unit_test(a_removed_address_is_free),
        cmocka_unit_test(keys_made_anew_leave_each_value_with_one_person),
        cmocka_unit_test(keys_are_made_anew_in_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
