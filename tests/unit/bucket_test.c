/* Token buckets, and the slots that hold them (api/caller/bucket.h, api/caller/limits.h). */
#include "api/caller/limits.h"

/* clang-format off: cmocka needs these before itself */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#define SECOND INT64_C(1000000)
#define NOW (INT64_C(1700000000) * SECOND)

static void a_bucket_admits_its_quota_and_then_the_rate(void **state) {
    int64_t full_at = 0, admitted = 0;
    (void)state;
    for (int i = 0; i < 1000; i++) admitted += !bucket_take(&full_at, 60, NOW).refused;
    assert_int_equal(admitted, 60);
    for (int64_t s = 1; s <= 100; s++)
        for (int i = 0; i < 10; i++) admitted += !bucket_take(&full_at, 60, NOW + s * SECOND).refused;
    assert_int_equal(admitted, 160);
}

static void a_caller_who_waits_as_told_is_admitted_and_a_second_earlier_is_not(void **state) {
    (void)state;
    for (int64_t quota = 1; quota <= 60; quota++) {
        int64_t full_at = 0, other;
        while (!bucket_take(&full_at, quota, NOW).refused) continue;
        int64_t wait = bucket_look(full_at, quota, NOW).retry_s;
        other = full_at;
        assert_true(wait >= 1);
        assert_true(bucket_take(&other, quota, NOW + (wait - 1) * SECOND).refused);
        other = full_at;
        assert_false(bucket_take(&other, quota, NOW + wait * SECOND).refused);
    }
}

static void the_rest_and_the_time_until_full_are_those_after_the_request(void **state) {
    int64_t full_at = 0;
    (void)state;
    struct bucket_state s = bucket_take(&full_at, 600, NOW);
    assert_int_equal(s.left, 599);
    assert_int_equal(s.full_s, 1);
    for (int i = 0; i < 599; i++) s = bucket_take(&full_at, 600, NOW);
    assert_false(s.refused);
    assert_int_equal(s.left, 0);
    assert_int_equal(s.full_s, 60);
}

static void ten_requests_that_give_nine_tenths_back_cost_one(void **state) {
    int64_t full_at = 0;
    (void)state;
    for (int i = 0; i < 10; i++) {
        assert_false(bucket_take(&full_at, 100, NOW).refused);
        bucket_give(&full_at, 100, NOW, 9);
    }
    assert_int_equal(bucket_look(full_at, 100, NOW).left, 99);
}

static void odd_and_extreme_quotas_are_exact(void **state) {
    static const int64_t quotas[] = {1, 7, 59, 61, 599999, BUCKET_QUOTA};
    (void)state;
    for (size_t i = 0; i < sizeof quotas / sizeof *quotas; i++) {
        int64_t full_at = 0, admitted = 0;
        while (!bucket_take(&full_at, quotas[i], NOW).refused) admitted++;
        assert_int_equal(admitted, quotas[i]);
    }
}

static void a_clock_that_was_set_back_costs_at_most_a_minute(void **state) {
    int64_t full_at = NOW + 3600 * SECOND;
    (void)state;
    struct bucket_state s = bucket_take(&full_at, 1, NOW);
    assert_true(s.refused);
    assert_int_equal(s.retry_s, 60);
    assert_false(bucket_take(&full_at, 1, NOW + 60 * SECOND).refused);
}

static void a_set_without_a_free_slot_drops_the_fullest_bucket(void **state) {
    struct limit_slot set[LIMIT_WAYS] = {0};
    (void)state;
    for (uint64_t i = 1; i <= LIMIT_WAYS; i++) limit_slot_of(set, i)->full_at = NOW + (int64_t)i;
    struct limit_slot *fullest = limit_slot_of(set, 1);
    struct limit_slot *other = limit_slot_of(set, 100);
    assert_ptr_equal(other, fullest);
    assert_int_equal(other->full_at, 0);
    for (uint64_t i = 2; i <= LIMIT_WAYS; i++)
        assert_int_equal(limit_slot_of(set, i)->full_at, NOW + (int64_t)i);
}

/* A caller who floods has the emptiest bucket. */
static void other_callers_do_not_free_the_bucket_of_a_flood(void **state) {
    struct limit_slot set[LIMIT_WAYS] = {0};
    int64_t admitted = 0;
    (void)state;
    for (uint64_t i = 0; i < 10000; i++) {
        admitted += !bucket_take(&limit_slot_of(set, 1)->full_at, 10, NOW).refused;
        bucket_take(&limit_slot_of(set, 2 + i)->full_at, 10, NOW);
    }
    assert_int_equal(admitted, 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bucket_admits_its_quota_and_then_the_rate),
        cmocka_unit_test(a_caller_who_waits_as_told_is_admitted_and_a_second_earlier_is_not),
        cmocka_unit_test(the_rest_and_the_time_until_full_are_those_after_the_request),
        cmocka_unit_test(ten_requests_that_give_nine_tenths_back_cost_one),
        cmocka_unit_test(odd_and_extreme_quotas_are_exact),
        cmocka_unit_test(a_clock_that_was_set_back_costs_at_most_a_minute),
        cmocka_unit_test(a_set_without_a_free_slot_drops_the_fullest_bucket),
        cmocka_unit_test(other_callers_do_not_free_the_bucket_of_a_flood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
