#include "files/s3_sign.h"

#include "base/encoding.h"

#include <inttypes.h>
#include <sodium.h>
#include <time.h>

#define ALGORITHM "AWS4-HMAC-SHA256"
#define SIGNED_HEADERS "host;x-amz-content-sha256;x-amz-date"

void s3_time(char out[S3_TIME_SIZE], int64_t now) {
    time_t seconds = (time_t)(now / 1000);
    struct tm t;
    gmtime_r(&seconds, &t);
    strftime(out, S3_TIME_SIZE, "%Y%m%dT%H%M%SZ", &t);
}

struct mac {
    unsigned char bytes[crypto_auth_hmacsha256_BYTES];
};

static struct mac mac_of(const void *key, size_t n, struct str text) {
    crypto_auth_hmacsha256_state s;
    struct mac out;
    crypto_auth_hmacsha256_init(&s, key, n);
    crypto_auth_hmacsha256_update(&s, (const unsigned char *)text.p, text.n);
    crypto_auth_hmacsha256_final(&s, out.bytes);
    return out;
}

static struct mac mac_next(struct mac key, struct str text) { return mac_of(&key, sizeof key, text); }

static struct str scope_of(struct arena *a, const struct s3_key *k, const char *at) {
    return STR_CAT(a, (struct str){at, 8}, S("/"), k->region, S("/s3/aws4_request"));
}

/* The signature of a canonical request, in hex digits. */
static struct str signature_of(struct arena *a, const struct s3_key *k, const char *at, struct str request) {
    unsigned char sum[crypto_hash_sha256_BYTES];
    struct str secret = STR_CAT(a, S("AWS4"), k->secret);
    crypto_hash_sha256(sum, (const unsigned char *)request.p, request.n);
    struct str text = STR_CAT(a, S(ALGORITHM "\n"), str_of(at), S("\n"), scope_of(a, k, at), S("\n"),
                              str_hex(a, sum, sizeof sum));
    struct mac m = mac_of(secret.p, secret.n, (struct str){at, 8});
    m = mac_next(mac_next(mac_next(m, k->region), S("s3")), S("aws4_request"));
    m = mac_next(m, text);
    return str_hex(a, &m, sizeof m);
}

struct str s3_authorization(struct arena *a, const struct s3_key *k, const struct s3_signing *s) {
    char at[S3_TIME_SIZE];
    s3_time(at, s->now);
    struct str request = STR_CAT(a, s->method, S("\n"), s->path, S("\n"), s->query, S("\nhost:"), s->host,
                                 S("\nx-amz-content-sha256:"), s->sha256, S("\nx-amz-date:"), str_of(at),
                                 S("\n\n" SIGNED_HEADERS "\n"), s->sha256);
    return STR_CAT(a, S(ALGORITHM " Credential="), k->id, S("/"), scope_of(a, k, at),
                   S(",SignedHeaders=" SIGNED_HEADERS ",Signature="), signature_of(a, k, at, request));
}

struct str s3_presigned_query(struct arena *a, const struct s3_key *k, const struct s3_signing *s,
                              int64_t seconds) {
    char at[S3_TIME_SIZE];
    s3_time(at, s->now);
    struct str credential = url_encoded(a, STR_CAT(a, k->id, S("/"), scope_of(a, k, at)));
    struct str query =
        STR_CAT(a, S("X-Amz-Algorithm=" ALGORITHM "&X-Amz-Credential="), credential, S("&X-Amz-Date="),
                str_of(at), str_fmt(a, "&X-Amz-Expires=%" PRId64 "&X-Amz-SignedHeaders=host", seconds),
                s->query.n ? S("&") : S(""), s->query);
    struct str request = STR_CAT(a, s->method, S("\n"), s->path, S("\n"), query, S("\nhost:"), s->host,
                                 S("\n\nhost\nUNSIGNED-PAYLOAD"));
    return STR_CAT(a, query, S("&X-Amz-Signature="), signature_of(a, k, at, request));
}
