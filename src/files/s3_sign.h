/* Signatures of requests to an object store (AWS Signature Version 4), in the header Authorization or in
 * the address. Pure: the caller gives the time. One signer serves both forms. libcurl's CURLOPT_AWS_SIGV4
 * makes the header only, and takes the time and the order of the query from elsewhere. */
#ifndef FILES_S3_SIGN_H
#define FILES_S3_SIGN_H

#include "base/arena.h"
#include "base/str.h"

struct s3_key {
    struct str id, secret, region;
};

struct s3_signing {
    struct str method, host; /* host: as in the header, with a port that is not the default */
    struct str path;         /* percent-encoded */
    struct str query;        /* percent-encoded, in the order of its names; each name has a = */
    struct str sha256;       /* of the body, 64 hex digits */
    int64_t now;             /* milliseconds since 1970 */
};

#define S3_EMPTY_SHA256 "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define S3_TIME_SIZE 17 /* 20130524T000000Z and a NUL */

void s3_time(char out[S3_TIME_SIZE], int64_t now);
/* The value of Authorization. Signs the headers Host, X-Amz-Content-Sha256 and X-Amz-Date. */
struct str s3_authorization(struct arena *a, const struct s3_key *k, const struct s3_signing *s);
/* The query of an address that anyone may use for `seconds`. s->query: parameters whose names follow
 * X-Amz-; s->sha256 does not count, because the body is not signed. */
struct str s3_presigned_query(struct arena *a, const struct s3_key *k, const struct s3_signing *s,
                              int64_t seconds);

#endif
