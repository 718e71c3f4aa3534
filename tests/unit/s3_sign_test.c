/* Signatures of requests to an object store, against the examples that Amazon publishes for its service
 * ("Authenticating Requests": GET Bucket Lifecycle, List Objects, and a presigned address). */
#include "files/s3_sign.h"

/* clang-format off: cmocka needs these before itself */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#define AT 1369353600000 /* 2013-05-24T00:00:00Z */

static const struct s3_key key = {
    {"AKIAIOSFODNN7EXAMPLE", 20}, {"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", 40}, {"us-east-1", 9}};

static struct s3_signing request(const char *path, const char *query) {
    return (struct s3_signing){
        S("GET"), S("examplebucket.s3.amazonaws.com"), str_of(path), str_of(query), S(S3_EMPTY_SHA256), AT};
}

static void signs_a_request(struct arena *a, const char *query, const char *signature) {
    struct s3_signing s = request("/", query);
    struct str line = s3_authorization(a, &key, &s);
    struct str end =
        STR_CAT(a, S(",SignedHeaders=host;x-amz-content-sha256;x-amz-date,Signature="), str_of(signature));
    assert_string_equal(line.p, STR_CAT(a,
                                        S("AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/"
                                          "us-east-1/s3/aws4_request"),
                                        end)
                                    .p);
}

static void requests_have_the_published_signatures(void **state) {
    struct arena *a = arena_new();
    (void)state;
    signs_a_request(a, "lifecycle=", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
    signs_a_request(a, "max-keys=2&prefix=J",
                    "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
    arena_free(a);
}

static void a_presigned_address_has_the_published_signature(void **state) {
    struct arena *a = arena_new();
    struct s3_signing s = request("/test.txt", "");
    (void)state;
    assert_string_equal(
        s3_presigned_query(a, &key, &s, 86400).p,
        "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3"
        "%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
        "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_have_the_published_signatures),
        cmocka_unit_test(a_presigned_address_has_the_published_signature),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
