/* An upload in parts: begin, a PUT for each part, complete. Each part has its own SHA-256 in its signature,
 * and is tried again by itself. The whole file is hashed meanwhile, so a file that has changed on the disk
 * is never completed under its name. A reader finds the object when it is complete, as with one PUT.
 *
 * An upload that fails is aborted, because its parts take room that no list of objects shows. The abort may
 * fail, too: a process that is killed leaves its parts. A rule of the bucket removes these
 * (docs/OPERATIONS.md), and deskd check names them. */
#include "files/s3_parts.h"

#include "base/encoding.h"

#include <inttypes.h>
#include <unistd.h>

struct upload {
    struct s3 *s3;
    struct arena *arena;
    struct str name, id; /* id: percent-encoded */
    int from;
    int64_t size;
    struct buf list; /* of the parts, for the request that completes */
    crypto_hash_sha256_state whole;
};

static const char *begin_is_whole(const struct s3_asking *q, struct s3_answered *r) {
    (void)q;
    return s3_reply_ends_with(r, "</InitiateMultipartUploadResult>");
}

/* The store answers 200 before it puts the parts together, so a refusal may be in the body. */
static const char *completion_is_whole(const struct s3_asking *q, struct s3_answered *r) {
    (void)q;
    return s3_reply_ends_with(r, "</CompleteMultipartUploadResult>");
}

static enum s3_outcome parts_begin(struct upload *u, struct why why) {
    struct s3_asking q = s3_asking_new(u->s3, u->arena, "POST", u->name);
    struct s3_answered r;
    q.query = S("uploads=");
    s3_ask(u->s3, u->arena, &q, &r, begin_is_whole);
    struct str id = s3_member(u->arena, buf_view(&r.body), "UploadId");
    enum s3_outcome outcome = s3_outcome_of(&r, why);
    if (outcome != S3_DONE) return S3_FAILED;
    if (id.n == 0 || id.n > 1024) return db_refuse(why, "it began no upload"), S3_FAILED;
    u->id = url_encoded(u->arena, id);
    return S3_DONE;
}

/* Hashes a part, and the whole file with it. Returns false if the file is shorter than it was. */
static bool part_hash(struct upload *u, int64_t at, int64_t n, struct str *sha256) {
    unsigned char piece[1 << 16], sum[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_state part;
    crypto_hash_sha256_init(&part);
    for (int64_t done = 0; done < n;) {
        size_t most = n - done < (int64_t)sizeof piece ? (size_t)(n - done) : sizeof piece;
        ssize_t got = pread(u->from, piece, most, (off_t)(at + done));
        if (got <= 0) return false;
        crypto_hash_sha256_update(&part, piece, (size_t)got);
        crypto_hash_sha256_update(&u->whole, piece, (size_t)got);
        done += got;
    }
    crypto_hash_sha256_final(&part, sum);
    *sha256 = str_hex(u->arena, sum, sizeof sum);
    return true;
}

static bool is_tag(struct str tag) {
    for (size_t i = 0; i < tag.n; i++)
        if (tag.p[i] == '<' || tag.p[i] == '&' || (unsigned char)tag.p[i] <= ' ') return false;
    return tag.n > 0;
}

static enum s3_outcome parts_send(struct upload *u, int number, int64_t at, struct why why) {
    struct s3_asking q = s3_asking_new(u->s3, u->arena, "PUT", u->name);
    struct s3_answered r;
    q.query = str_fmt(u->arena, "partNumber=%d&uploadId=%s", number, u->id.p);
    q.from = u->from;
    q.at = at;
    q.n = u->size - at < S3_PART ? u->size - at : S3_PART;
    if (!part_hash(u, at, q.n, &q.sha256)) return db_refuse(why, "the file here can't be read"), S3_FAILED;
    s3_ask(u->s3, u->arena, &q, &r, NULL);
    struct str tag = r.tag;
    if (s3_outcome_of(&r, why) != S3_DONE) return S3_FAILED;
    if (!is_tag(tag)) return db_refuse(why, "it sent no ETag of a part"), S3_FAILED;
    buf_fmt(&u->list, "<Part><PartNumber>%d</PartNumber><ETag>%.*s</ETag></Part>", number, (int)tag.n, tag.p);
    return S3_DONE;
}

static bool parts_are_there(struct upload *u, struct why why) {
    struct s3_asking q = s3_asking_new(u->s3, u->arena, "HEAD", u->name);
    struct s3_answered r;
    s3_ask(u->s3, u->arena, &q, &r, NULL);
    return s3_outcome_of(&r, why) == S3_DONE && r.length == u->size;
}

/* If a reply was lost, the next attempt finds no such upload, because it was completed. */
static enum s3_outcome parts_complete(struct upload *u, struct why why) {
    struct s3_asking q = s3_asking_new(u->s3, u->arena, "POST", u->name);
    struct s3_answered r;
    unsigned char sum[crypto_hash_sha256_BYTES];
    q.query = STR_CAT(u->arena, S("uploadId="), u->id);
    q.text = STR_CAT(u->arena, S("<CompleteMultipartUpload>"), buf_view(&u->list),
                     S("</CompleteMultipartUpload>"));
    q.n = (int64_t)q.text.n;
    crypto_hash_sha256(sum, (const unsigned char *)q.text.p, q.text.n);
    q.sha256 = str_hex(u->arena, sum, sizeof sum);
    s3_ask(u->s3, u->arena, &q, &r, completion_is_whole);
    bool gone = r.broken == NULL && r.status == 404;
    enum s3_outcome outcome = s3_outcome_of(&r, why);
    return outcome == S3_DONE || (gone && parts_are_there(u, why)) ? S3_DONE : S3_FAILED;
}

static void parts_abort(struct upload *u) {
    struct s3_asking q = s3_asking_new(u->s3, u->arena, "DELETE", u->name);
    struct s3_answered r;
    char unsaid[300];
    q.query = STR_CAT(u->arena, S("uploadId="), u->id);
    s3_ask(u->s3, u->arena, &q, &r, NULL);
    s3_outcome_of(&r, (struct why){unsaid, sizeof unsaid});
}

static bool whole_is(struct upload *u, struct str sha256) {
    unsigned char sum[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_final(&u->whole, sum);
    return str_eq(str_hex(u->arena, sum, sizeof sum), sha256);
}

enum s3_outcome s3_put_parts(struct s3 *s, struct arena *a, struct str name, struct str sha256, int from,
                             int64_t size, struct why why) {
    struct upload u = {.s3 = s, .arena = a, .name = name, .from = from, .size = size};
    crypto_hash_sha256_init(&u.whole);
    enum s3_outcome outcome = parts_begin(&u, why);
    if (outcome != S3_DONE) return outcome;
    int number = 0;
    for (int64_t at = 0; at < size && outcome == S3_DONE; at += S3_PART)
        outcome = parts_send(&u, ++number, at, why);
    if (outcome == S3_DONE && !whole_is(&u, sha256))
        db_refuse(why, "the file here does not match its SHA-256"), outcome = S3_FAILED;
    if (outcome == S3_DONE) outcome = parts_complete(&u, why);
    if (outcome != S3_DONE) parts_abort(&u);
    buf_free(&u.list);
    return outcome;
}
