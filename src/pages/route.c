#include "pages/route.h"

/* True if the path has the segments of the pattern. A variable fits any segment that is not empty. */
static bool path_like(struct str pattern, struct str path) {
    while (pattern.p && path.p) {
        struct str w = str_cut(&pattern, '/'), p = str_cut(&path, '/');
        if (segment_is_variable(w) ? p.n == 0 : !str_eq(w, p)) return false;
    }
    return pattern.p == NULL && path.p == NULL;
}

static bool take_variables(struct site_visit *v, struct str pattern, struct str path) {
    v->var_count = 0;
    while (pattern.p) {
        struct str w = str_cut(&pattern, '/'), p = str_cut(&path, '/');
        if (!segment_is_variable(w)) continue;
        if (v->var_count == SITE_VARS || !segment_decode(v->http->arena, p, &v->vars[v->var_count]))
            return false;
        v->var_count++;
    }
    return true;
}

int site_route(struct site_visit *v) {
    struct str method = v->http->method, path = v->http->path;
    bool post = str_eq(method, S("POST")), get = str_eq(method, S("GET")) || str_eq(method, S("HEAD"));
    int found = -1;
    for (const struct site_page *p = v->pages; p->path; p++) {
        if (!path_like(str_of(p->path), path) || !take_variables(v, str_of(p->path), path)) continue;
        v->page = p;
        if (p->method == GET ? get : post) return 1;
        found = 0;
    }
    v->var_count = 0;
    return found;
}

/* True if a page can be got at this path. */
static bool is_page_path(const struct site_visit *v, struct str path) {
    for (const struct site_page *p = v->pages; p->path; p++)
        if (p->method == GET && path_like(str_of(p->path), path)) return true;
    return false;
}

struct str site_menu_path(const struct site_visit *v) {
    struct str path = v->http->path, begin = S("/helpcenter/"), query = v->http->query, locale;
    if (v->head.path.p) return v->head.path;
    if (v->page->cached || v->status == 404 || !str_starts(path, begin)) return S("");
    while (v->page->method == POST && path.n > begin.n && !is_page_path(v, path))
        path.n -= str_leaf(path).n + 1;
    struct str rest = {path.p + begin.n, path.n > begin.n ? path.n - begin.n : 0};
    locale = str_cut(&rest, '/');
    if (locale.n == 0 || rest.n == 0) return S("");
    bool queried = v->page->method == GET && query.n;
    return STR_CAT(v->arena, S("/"), rest, queried ? S("?") : S(""), queried ? query : S(""));
}

bool site_form_takes_files(const struct site_page *pages, const struct http_request *r) {
    if (!str_eq(r->method, S("POST")) || !str_starts(r->path, S("/helpcenter/"))) return false;
    for (const struct site_page *p = pages; p->path; p++)
        if (p->takes_files && path_like(str_of(p->path), r->path)) return true;
    return false;
}
