/* The place of contents of files: the options --files to --s3-key-file. */
#include "commands/commands.h"

#include "base/disk.h"
#include "commands/listen.h"
#include "files/content.h"
#include "files/remote.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

static bool is_bucket(struct str place) { return str_starts(place, S("s3:")); }

const char *contents_folder(const struct command_line *o, struct arena *a) {
    struct str given = option_text(o, OPT_FILES);
    if (given.p && is_bucket(given)) return NULL;
    return given.p ? given.p : str_fmt(a, "%s/files", option_text(o, OPT_DATA).p).p;
}

/* ID:SECRET in the first line of the file. Its mode is checked, as that of the server key is. */
static bool bucket_key_file(const char *path, struct arena *a, struct s3_key *key) {
    char line[512] = "";
    const char *reason;
    struct stat st;
    FILE *f = plain_stream(path, &reason);
    if (f == NULL) return complain("the key of the object store %s can't be read: %s", path, reason), false;
    bool open_to_others = fstat(fileno(f), &st) == 0 && (st.st_mode & (S_IRWXG | S_IRWXO));
    if (open_to_others) complain("others may read the key of the object store %s: chmod 600 %s", path, path);
    else if (fgets(line, sizeof line, f) == NULL) *line = 0;
    fclose(f);
    struct str rest = str_dup(a, str_trim(str_of(line)));
    explicit_bzero(line, sizeof line);
    if (open_to_others) return false;
    key->id = str_cut(&rest, ':');
    key->secret = rest;
    if (key->id.n && key->secret.n) return true;
    return complain("the first line of %s is not ID:SECRET", path), false;
}

static bool bucket_key_read(const struct command_line *o, struct arena *a, struct s3_key *key) {
    struct str file = option_text(o, OPT_S3_KEY_FILE);
    const char *id = getenv("AWS_ACCESS_KEY_ID"), *secret = getenv("AWS_SECRET_ACCESS_KEY");
    *key = (struct s3_key){str_of(id), str_of(secret), option_text(o, OPT_S3_REGION)};
    if (file.p) return bucket_key_file(file.p, a, key);
    if (key->id.n && key->secret.n) return true;
    return complain(
               "a bucket needs a key: --s3-key-file, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the "
               "environment"),
           false;
}

static struct str endpoint_of(const struct command_line *o) {
    struct str url = option_text(o, OPT_S3_ENDPOINT), rest = url;
    while (rest.n && rest.p[rest.n - 1] == '/') rest.n--;
    struct str host = url_host(rest);
    if (url.p == NULL) complain("a bucket needs --s3-endpoint, the address of its object store");
    else if (memchr(host.p, '/', (size_t)(rest.p + rest.n - host.p)))
        complain("--s3-endpoint takes an address without a path: the bucket is in --files");
    else return rest;
    return (struct str){0};
}

static struct contents *bucket_named(const struct command_line *o, struct arena *a, struct str place,
                                     const char *copies, int64_t copies_mib, const struct clock *clock) {
    static const struct clock machine = {0};
    struct contents *k = ARENA_NEW(a, struct contents);
    struct s3_place at;
    k->folder = copies;
    if (!s3_url_read(place, &at.bucket, &at.prefix)) return NULL;
    at.endpoint = endpoint_of(o);
    if (at.endpoint.p == NULL || !bucket_key_read(o, a, &at.key)) return NULL;
    k->remote = remote_new(&at, copies_mib << 20, clock ? clock : &machine);
    if (k->remote) return k;
    return complain("the memory is short"), NULL;
}

const struct contents *contents_chosen(const struct command_line *o, struct arena *a,
                                       const struct clock *clock) {
    struct contents *k = ARENA_NEW(a, struct contents);
    struct str cache = option_text(o, OPT_FILES_CACHE);
    k->folder = contents_folder(o, a);
    if (k->folder) return k;
    k->folder = cache.p ? cache.p : str_fmt(a, "%s/files-cache", option_text(o, OPT_DATA).p).p;
    k = bucket_named(o, a, option_text(o, OPT_FILES), k->folder, option_int(o, OPT_FILES_CACHE_SIZE), clock);
    if (k && option_text(o, OPT_S3_PRESIGNED).p) k->presigned = 60 * option_int(o, OPT_S3_PRESIGNED);
    return k;
}

const struct contents *contents_named(const struct command_line *o, struct arena *a, struct str place) {
    struct contents *k = ARENA_NEW(a, struct contents);
    if (is_bucket(place)) return bucket_named(o, a, place, "", 0, NULL);
    k->folder = place.p;
    return k;
}

void contents_let_go(const struct contents *k) {
    if (k) remote_free(k->remote);
}
