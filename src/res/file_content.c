/* Uploaded contents are served to other people, so they must never run in a browser with our origin. They
 * are saved and not shown, except raster images if the client asks for it. The browser may not guess the
 * type. The policy allows neither scripts nor our origin. */
#include "res/file_content.h"

#include "api/rows/generic.h"
#include "api/rows/reply.h"
#include "base/log.h"
#include "core/desk/file.h"
#include "core/words.h"
#include "files/content.h"
#include "files/remote.h"
#include "files/zip.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

const struct field content_args[] = {
    {"inline", F_BOOL, 0,
     .doc = "Raster images (PNG, JPEG, GIF, WebP) are shown inline if the client asks for it. All other "
            "files are always downloaded."},
    {0},
};

/* ---- headers --------------------------------------------------------------------------------- */

static bool is_raster(struct str type) {
    static const char *const types[] = {"image/png", "image/jpeg", "image/gif", "image/webp"};
    struct str rest = type, essence = str_trim(str_cut(&rest, ';'));
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (str_eqi(essence, str_of(types[i]))) return true;
    return false;
}

static bool is_attribute_character(char c) { /* RFC 8187 section 3.2.1 */
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           in_set(c, "!#$&+-.^_`|~");
}

/* RFC 6266: an ASCII name for all clients, and the full name beside it if they differ. */
struct str content_disposition(struct arena *a, struct str given, bool shown) {
    /* names of files that came before uploads lost them */
    struct str name = file_name_without_directions(a, given);
    struct buf plain = {0}, whole = {0};
    bool same = true;
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        bool safe = c >= ' ' && c <= '~' && !in_set(c, "\"\\%");
        same = same && safe;
        if (((unsigned char)c & 0xC0) != 0x80) buf_char(&plain, safe ? c : '_');
        if (is_attribute_character(c)) buf_char(&whole, c);
        else buf_fmt(&whole, "%%%02X", (unsigned char)c);
    }
    struct str text = str_fmt(a, "%s; filename=\"%.*s\"", shown ? "inline" : "attachment", (int)plain.n,
                              plain.p ? plain.p : "");
    if (!same) text = str_fmt(a, "%s; filename*=UTF-8''%.*s", text.p, (int)whole.n, whole.p);
    buf_free(&plain);
    buf_free(&whole);
    return text;
}

/* A position in a file: digits. One that is too large is INT64_MAX. */
static bool position_read(struct str s, int64_t *n) {
    *n = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9') return false;
        *n = *n > (INT64_MAX - 9) / 10 ? INT64_MAX : 10 * *n + s.p[i] - '0';
    }
    return s.n > 0;
}

enum range { RANGE_NONE, RANGE_PART, RANGE_OUTSIDE };

/* One range of bytes (RFC 9110 section 14.2). A header with several ranges, another unit or a wrong syntax
 * is ignored. */
static enum range range_of(struct str header, int64_t size, int64_t *at, int64_t *n) {
    struct str unit = S("bytes="), rest = header, from;
    int64_t first, last = INT64_MAX;
    if (!str_starts(header, unit)) return RANGE_NONE;
    rest = (struct str){header.p + unit.n, header.n - unit.n};
    from = str_trim(str_cut(&rest, '-'));
    if (rest.p == NULL) return RANGE_NONE;
    rest = str_trim(rest);
    if ((rest.n && !position_read(rest, &last)) || (from.n && !position_read(from, &first)) ||
        from.n + rest.n == 0)
        return RANGE_NONE;
    if (from.n == 0) { /* the last bytes */
        first = last == 0 ? size : last < size ? size - last : 0;
        last = INT64_MAX;
    }
    if (first > last) return RANGE_NONE;
    if (first >= size) return RANGE_OUTSIDE;
    *at = first;
    *n = (last < size ? last + 1 : size) - first;
    return RANGE_PART;
}

static struct str range_asked(struct call *c) {
    struct str if_range = http_header(c->http, "If-Range");
    bool same =
        if_range.p == NULL || str_eq(str_trim(if_range), STR_CAT(c->work.arena, S("\""), c->etag, S("\"")));
    return same ? http_header(c->http, "Range") : (struct str){0};
}

/* RFC 9530: the digest of the whole file, even if only a range is sent. */
static struct str digest_of(struct arena *a, struct str sha256) {
    unsigned char sum[crypto_hash_sha256_BYTES];
    char text[sodium_base64_ENCODED_LEN(sizeof sum, sodium_base64_VARIANT_ORIGINAL)];
    int rc = sodium_hex2bin(sum, sizeof sum, sha256.p, sha256.n, NULL, NULL, NULL);
    assert(rc == 0);
    sodium_bin2base64(text, sizeof text, sum, sizeof sum, sodium_base64_VARIANT_ORIGINAL);
    return str_fmt(a, "sha-256=:%s:", text);
}

/* Names of files that were uploaded before uploads lost these characters. */
void render_file_name(struct view *v, const struct row *row, const struct value *own) {
    (void)row;
    jw_str(&v->w, file_name_without_directions(v->c->work.arena, own->s));
}

/* ---- sending --------------------------------------------------------------------------------- */

/* A content with other bytes of the same length is found by the client, by `deskd check` and by the next
 * upload of the same bytes. A hash here would read each download twice and cost 100 ms of a core for 20 MB
 * (libsodium, measured). sendfile costs a few. */
static int open_content(struct call *c, const struct content *f, struct download *d) {
    struct stat st;
    const char *path = content_path(c->work.arena, c->work.desk->files, f->sha256).p;
    TRY(call_needs_content(c, f->sha256, f->size));
    d->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (d->fd >= 0 && fstat(d->fd, &st) == 0 && st.st_size == f->size) return 0;
    int rc = UNAVAILABLE("downloads of missing or damaged contents",
                         "the content %s of a file is not there as it was: %s", path,
                         d->fd < 0 ? strerror(errno) : "another size");
    if (d->fd >= 0) close(d->fd);
    return rc;
}

static void guards(struct call *c, struct str caching) {
    call_header(c, "X-Content-Type-Options", S("nosniff"));
    call_header(c, "Content-Security-Policy", S("default-src 'none'; sandbox"));
    call_header(c, "Cache-Control", caching);
}

#define REVALIDATED "private, max-age=0, must-revalidate"
void content_guards(struct call *c) { guards(c, S(REVALIDATED)); }
void picture_guards(struct call *c) { guards(c, S("private, max-age=300")); }

/* Types that a page of this origin could load as a script or a style (WHATWG MIME Sniffing, section 4.6),
 * although the policy of the desk's pages allows only its own: uploads lie on the same origin. nosniff
 * makes browsers refuse every other type there. */
static bool is_code(struct str type) {
    const struct str names[] = {S("javascript"), S("ecmascript"), S("jscript"), S("livescript"), S("css")};
    struct str name = type;
    str_cut(&name, '/');
    if (name.n > 2 && str_eqi((struct str){name.p, 2}, S("x-"))) name = (struct str){name.p + 2, name.n - 2};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (name.n >= names[i].n && str_eqi((struct str){name.p, names[i].n}, names[i])) return true;
    return false;
}

/* Access was checked. A page that loads a file by a script or as a picture gets the bytes from here, because
 * its policy allows no other origin. HEAD does, too: the address is signed for GET. */
static bool is_sent_by_bucket(const struct call *c, bool shown) {
    struct str mode = str_trim(http_header(c->http, "Sec-Fetch-Mode"));
    return c->work.desk->files->presigned && !shown && !c->head && c->subcall == NULL &&
           (mode.p == NULL || str_eqi(mode, S("navigate")));
}

static struct str shown_type(const struct content *f) { return is_code(f->type) ? S("text/plain") : f->type; }

static int send_to_bucket(struct call *c, const struct content *f) {
    struct arena *a = c->work.arena;
    struct s3_shown as = {shown_type(f), content_disposition(a, f->name, false), S(REVALIDATED)};
    call_header(c, "Location", remote_address(a, c->work.desk->files, f->sha256, &as));
    guards(c, S("no-store"));
    c->etag = (struct str){0};
    c->raw = true;
    c->status = 307;
    return 0;
}

int content_send(struct call *c, const struct content *f, bool shown) {
    struct arena *a = c->work.arena;
    shown = shown && is_raster(f->type);
    struct download *d = ARENA_NEW(a, struct download);
    c->etag = (struct str){f->sha256.p, 32};
    int rc = conditional(c);
    if (rc != 0) return rc < 0 ? rc : 0;
    if (is_sent_by_bucket(c, shown)) return send_to_bucket(c, f);
    *d = (struct download){-1, 0, f->size};
    enum range range = range_of(range_asked(c), f->size, &d->at, &d->n);
    if (range == RANGE_OUTSIDE) {
        call_header(c, "Content-Range", str_fmt(a, "bytes */%" PRId64, f->size));
        return fail(&c->work, ERR_RANGE_NOT_SATISFIABLE);
    }
    TRY(open_content(c, f, d));
    if (range == RANGE_PART) {
        c->status = 206;
        call_header(c, "Content-Range",
                    str_fmt(a, "bytes %" PRId64 "-%" PRId64 "/%" PRId64, d->at, d->at + d->n - 1, f->size));
    }
    c->raw = true;
    c->download = d;
    call_header(c, "Content-Type", shown_type(f));
    call_header(c, "Content-Disposition", content_disposition(a, f->name, shown));
    call_header(c, "Repr-Digest", digest_of(a, f->sha256));
    call_header(c, "Accept-Ranges", S("bytes"));
    content_guards(c);
    return 0;
}

int zip_needs(struct call *c, const struct zip_entry *entries, int n) {
    int rc = 0;
    for (int i = 0; i < n; i++)
        if (entries[i].fd == 0 && call_needs_content(c, entries[i].sha256, entries[i].size) < 0)
            rc = -ERR_SERVICE_UNAVAILABLE;
    return rc;
}

/* ---- which, and for whom --------------------------------------------------------------------- */

struct content content_read(struct call *c, struct stmt *row) {
    struct arena *a = c->work.arena;
    return (struct content){str_dup(a, col_text(row, 0)), str_dup(a, col_text(row, 1)),
                            str_dup(a, col_text(row, 2)), col_int(row, 3)};
}

QUERY(content_of_file, "SELECT " CONTENT("t") " FROM files t WHERE t.id = :file AND " FILE_OF_ACTOR(
                           "t") " AND (t.expires_at IS NULL OR t.expires_at > :now)");
#define CONTENT_OF_VALUE(area)                                                                             \
    "SELECT " CONTENT("t") " FROM field_values v JOIN custom_fields f ON f.id = v.field_id "               \
                           "JOIN files t ON t.id = v.file_id WHERE v.owner_id = :owner AND v.area = " area \
                           " AND v.file_id = :file AND f.is_enabled = 1 AND f.is_visible_to_customers >= " \
                           ":visible LIMIT 1"
QUERY(content_of_case, CONTENT_OF_VALUE("1"));
QUERY(content_of_user, CONTENT_OF_VALUE("2"));
QUERY(content_of_organization, CONTENT_OF_VALUE("3"));

/* to_customers: only values of fields that customers see. */
static int send_found(struct call *c, const struct query *q, bool to_customers) {
    struct work *w = &c->work;
    struct stmt *row;
    const struct bind *binds =
        BINDS(B_INT("file", c->vars[c->var_count - 1].id), B_INT("owner", c->vars[0].id), B_FILE_OF_ACTOR(w),
              B_INT("visible", to_customers), B_INT("now", w->now));
    TRY_FOUND(w, db_row(w->conn, q, binds, &row));
    struct content f = content_read(c, row);
    stmt_end(row);
    TRY(api_input(c));
    return content_send(c, &f, arg(c, "inline")->value.i != 0);
}

static bool below_staff(const struct call *c) { return c->work.actor.rank < ROLE_COLLABORATOR; }

int get_file_content(struct call *c) { return send_found(c, &content_of_file, false); }

int get_user_file_content(struct call *c) {
    TRY(api_of(c));
    bool sees = c->work.actor.rank >= ROLE_COLLABORATOR || c->vars[0].id == c->work.actor.user_id;
    return sees ? send_found(c, &content_of_user, below_staff(c)) : fail(&c->work, ERR_RESOURCE_NOT_FOUND);
}

int get_organization_file_content(struct call *c) {
    TRY(api_of(c));
    return send_found(c, &content_of_organization, below_staff(c));
}

int get_case_file_content(struct call *c) {
    TRY(api_of(c));
    return send_found(c, &content_of_case, false);
}

/* A conversation shows the same fields to all callers. */
int get_conversation_file_content(struct call *c) {
    TRY(api_of(c));
    return send_found(c, &content_of_case, true);
}
