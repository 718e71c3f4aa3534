/* The hashes of the audit log. Stored chains have them: a changed one would break the chain of each desk. */
#include "core/change/audit.h"

#include "with_arena.h"

static const struct key key = {{1, 2, 3}};

static void assert_hash(struct str hash, const char *expected) {
    assert_string_equal(str_dup(arena, hash).p, expected);
}

static void hashes_never_change(void **state) {
    (void)state;
    const struct audit_hashed entry = {1, 2, 3, 4, 5, S("user"), S("values"), S("origin")};
    assert_hash(audit_values_hash(arena, &key, S("salt"), S("cause"), S("details")),
                "1eb74574d637d0d87e8f32e1498c3d4e9b9353f805aa3e720446f331967be53f");
    assert_hash(audit_origin_hash(arena, &key, S("salt"), S("192.0.2.1")),
                "836fbf0e0ed7771b5f0f37fb974293e7a6723952cfd6427b8ca881895261fa50");
    assert_hash(audit_entry_hash(arena, &key, &entry),
                "d4dd2ef7f2dde5c47c801a0a08d8a6a2771253dca67eb72998dc19471881711f");
    assert_hash(audit_chain_hash(arena, &key, S("before"), 7, S("entry")),
                "087b940a9b157202a942e260c9d6e66bb4476dd1a32c34d648c951b63dcbfe2a");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(hashes_never_change)};
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
