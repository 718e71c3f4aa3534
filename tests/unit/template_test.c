/* The language of templates, and stored templates that are no longer valid. */
#include "store.h"
#undef fail /* cmocka's fail: work.h has one, too */

#include "core/text/template.h"

#include <time.h>

static struct arena *a;

static const char *parsed(const char *name, struct str contents, struct template_blocks *b) {
    const char *why = NULL;
    return template_parse(a, template_named(str_of(name)), contents, b, &why) ? NULL : why;
}

static const char *wrong_mail(const char *contents) {
    struct template_blocks b;
    return parsed("verification", str_of(contents), &b);
}

static const char *wrong_body(const char *body) {
    struct template_blocks b;
    struct str contents =
        STR_CAT(a, S("{% block title %}T{% endblock %}{% block body %}"), str_of(body), S("{% endblock %}"));
    return parsed("page_password", contents, &b);
}

static struct str filled(struct str block, const struct meaning *m, bool html) {
    struct buf b = {0};
    template_fill(&b, block, m, html);
    return buf_take(&b, a);
}

#define SUBJECT "{% block subject %}S{% endblock %}"
#define TEXT "{% block text %}{{link}}{% endblock %}"

static void every_original_is_valid(void **state) {
    (void)state;
    int n = 0;
    for (const struct template *t = templates; t->name; t++, n++) {
        struct wording w;
        template_original(a, t, &w);
        assert_int_equal(t->path != NULL, t->needs && strcmp(t->needs, "link") == 0);
        assert_true(t->app == TEMPLATE_MAIL ? w.blocks.block[BLOCK_HTML].n > 0
                                            : w.blocks.block[BLOCK_BODY].n > 0);
        assert_ptr_equal(template_named(str_of(t->name)), t);
    }
    assert_in_range(n, 1, TEMPLATES_MAX);
}

static void blocks_are_cut_out(void **state) {
    struct template_blocks b;
    (void)state;
    assert_null(parsed(
        "verification",
        S("  {%block subject%} About {{ desk }} {%  endblock subject  %}\r\n\r\n{% block text %}\r\nHi\r\n{{link}}\r\n{% endblock %}"),
        &b));
    assert_true(str_eq(b.block[BLOCK_SUBJECT], S("About {{ desk }}")));
    assert_true(str_eq(b.block[BLOCK_TEXT], S("Hi\r\n{{link}}\r\n")));
    assert_null(b.block[BLOCK_HTML].p);
    assert_string_equal(
        filled(b.block[BLOCK_TEXT], (const struct meaning[]){{.name = "link", .value = S("L")}, {0}}, false)
            .p,
        "Hi\nL\n");
    assert_null(parsed("page_link_dead",
                       S("{% block title %}T{% endblock %}{% block style %}\n@media x { a { b: c }}{% "
                         "endblock %}{% block body %}\n\n<p>B</p>{% endblock %}"),
                       &b));
    assert_true(str_eq(b.block[BLOCK_BODY], S("\n<p>B</p>")));
}

static void a_defect_is_named_with_its_place(void **state) {
    static const struct {
        const char *contents, *why;
    } mails[] = {
        {"", "Line 1, character 1: the block subject is missing."},
        {SUBJECT, "Line 1, character 35: the block text is missing."},
        {"Hello " SUBJECT TEXT,
         "Line 1, character 1: text outside of a block: {% block NAME %} is expected, NAME one of subject, "
         "text, html."},
        {SUBJECT TEXT "\n\xC3\xBC x",
         "Line 2, character 1: text outside of a block: {% block NAME %} is expected, NAME one of subject, "
         "text, html."},
        {SUBJECT "\n  {% block htlm %}x{% endblock %}" TEXT,
         "Line 2, character 3: unknown block: one of subject, text, html is "
         "expected."},
        {SUBJECT TEXT "{% block body %}x{% endblock %}",
         "Line 1, character 73: unknown block: one of subject, text, html is "
         "expected."},
        {SUBJECT TEXT "{% block %}x{% endblock %}",
         "Line 1, character 73: unknown block: one of subject, text, html is "
         "expected."},
        {SUBJECT TEXT SUBJECT, "Line 1, character 92: the block subject occurs twice."},
        {SUBJECT "{% block text %}{{link}}",
         "Line 1, character 35: the block text is not closed: {% endblock %} "
         "is missing."},
        {SUBJECT "{% block text", "Line 1, character 35: the tag is not closed: %} is missing."},
        {SUBJECT "{% block text %}{{link}}{% block html %}x{% endblock %}{% endblock %}",
         "Line 1, character 59: the block text is still open: {% endblock %} is expected."},
        {SUBJECT "{% endblock %}", "Line 1, character 35: no block is open here."},
        {SUBJECT "{% block text %}{{link}}{% endblock html %}",
         "Line 1, character 59: the open block is text."},
        {SUBJECT "{% if a %}", "Line 1, character 35: {% block NAME %} or {% endblock %} is expected; there "
                               "are no other tags."},
        {SUBJECT "{% block text %}{{link}} {% include 'x' %}{% endblock %}",
         "Line 1, character 60: {% block NAME %} or {% endblock %} is expected; there are no other tags."},
        {SUBJECT "{% block text more %}{{link}}{% endblock %}",
         "Line 1, character 35: {% block NAME %} or {% endblock %} is expected; there are no other tags."},
        {"{% block subject %} \n {% endblock %}" TEXT, "Line 1, character 20: the block subject is empty."},
        {"{% block subject %}a\nb{% endblock %}" TEXT, "Line 1, character 21: subject must be one line."},
        {"{% block subject %}a\rBcc: b{% endblock %}" TEXT,
         "Line 1, character 21: this control character is not allowed."},
        {"{% block subject %}{{link}}{% endblock %}" TEXT,
         "Line 1, character 20: {{link}} is only allowed in text and html."},
        {SUBJECT "{% block text %}\nNo link.\n{% endblock %}",
         "Line 2, character 1: {{link}} is missing in text."},
        {SUBJECT TEXT "{% block html %}<p>No link.</p>{% endblock %}",
         "Line 1, character 89: {{link}} is missing in html."},
        {SUBJECT TEXT "{% block html %}{% endblock %}", "Line 1, character 89: the block html is empty."},
        {SUBJECT "{% block text %}\n\n\xC3\xBC{{lnik}}{% endblock %}",
         "Line 3, character 2: unknown value: {{desk}}, {{name}}, {{address}}, {{url}}, {{link}} or "
         "{{life}} is expected."},
        {SUBJECT "{% block text %}{{}}{{link}}{% endblock %}",
         "Line 1, character 51: unknown value: {{desk}}, {{name}}, {{address}}, {{url}}, {{link}} or "
         "{{life}} is expected."},
        {SUBJECT "{% block text %}{{link}} {{name{% endblock %}",
         "Line 1, character 60: the braces are not closed: }} is missing."},
        {SUBJECT "{% block text %}https://x.example/?u={{link}}{% endblock %}",
         "Line 1, character 72: {{link}} must stand alone: blanks or line breaks are expected around it."},
        {SUBJECT "{% block text %}https://x.example/?({{link}}){% endblock %}",
         "Line 1, character 71: {{link}} must stand alone: blanks or line breaks are expected around it."},
        {SUBJECT TEXT "{% block html %}<p>https://x.example/?{{link}}</p>{% endblock %}",
         "Line 1, character 111: {{link}} must stand alone: blanks or line breaks are expected around it."},
        {SUBJECT "{% block text %}{{link}}.{% endblock %}",
         "Line 1, character 51: {{link}} must stand alone: blanks or line breaks are expected around it."},
        {SUBJECT "{% block text %}{{link}}\x01{% endblock %}",
         "Line 1, character 59: this control character is not allowed."},
    };
    (void)state;
    assert_null(wrong_mail(SUBJECT TEXT));
    assert_null(wrong_mail(
        SUBJECT "{% block text %}<{{link}}>{% endblock %}{% block html %}<a href='{{link}}'>{{link}}</a> "
                "{{link}}{% endblock %}"));
    assert_null(wrong_mail(SUBJECT "{% block text %}a < b > c, 5\" wide\n{{link}}\n<{{link}}>\n{% endblock "
                                   "%}{% block html %}<p>Go:</p><p><b>{{link}}</b></p>x<br>{{link}}<hr>{% "
                                   "endblock %}"));
    for (size_t i = 0; i < sizeof mails / sizeof *mails; i++) {
        const char *why = wrong_mail(mails[i].contents);
        assert_non_null(why);
        assert_string_equal(why, mails[i].why);
    }
}

static void html_is_whole_and_values_stand_where_escaping_helps(void **state) {
    static const char *const right[] = {"{{form}}",
                                        "<div class=\"a\"><section>{{ form }}</section></div><p>{{desk}}</p>",
                                        "a > b &amp; c {{form}}",
                                        "{{form}}<p>x<br>y<br/><hr /></p>",
                                        "{{form}}<a href=\"{{url}}\">{{desk}}</a>",
                                        "{{form}}<A HREF='{{ url }}'>x</A>",
                                        "{{form}}<a href=\"HTTPS://x.example/?a=b\" title='\"'>x</a>",
                                        "{{form}}<table width=\"100%\"><tbody><tr><td "
                                        "colspan=\"2\">x</td></tr></tbody></table><img "
                                        "src=\"https://x.example/l.png\" alt=\"\">"};
    static const char *const wrong[] = {
        "<p>{{form}}</p>", "<a href='https://evil.example/'>{{form}}</a>", "<table>{{form}}</table>",
        /* places without a form */
        "<div><p>x</p><ul><li>{{form}}</li></ul></div>", "<form action=\"/x\">{{form}}</form>",
        "<input name=\"hash\">{{form}}", "<button>x</button>{{form}}", "<textarea>{{form}}",
        "<template>{{form}}", /* other forms */
        "<script>x</script>{{form}}", "<style>x</style>{{form}}", "<meta http-equiv=\"refresh\">{{form}}",
        "<base href=\"https://x.example/\">{{form}}", "<svg>{{form}}",
        "<iframe src=\"https://x.example/\"></iframe>{{form}}", "<!-- {{form}} -->",
        "<!DOCTYPE html>{{form}}", "<?x?>{{form}}", "</p>{{form}}", "<div>{{form}}",
        "<p><b>x</p></b>{{form}}", "a < b {{form}}", "{{form}}<", "{{form}}<p", "{{form}}</",
        "{{form}}<p class", "{{form}}<p class=", "{{form}}<p class=\"x", /* malformed tags */
        "<a href='https://evil.example/?{{form}}'>x</a>", "<a href=\"{{form}}\">x</a>",
        "{{form}}<a title=\"{{desk}}\">x</a>", "{{form}}<a href=\"{{desk}}\">x</a>", /* attributes */
        "{{form}}<a href={{url}}>x</a>", "{{form}}<a href=\"{{url}}x\">x</a>",
        "{{form}}<a href=\" {{url}}\">x</a>", "{{form}}<a {{desk}}>x</a>", "{{form}}<{{desk}}>",
        "{{form}}<a href=\"javascript:alert(1)\">x</a>", "{{form}}<a href=\"&#106;avascript:x\">x</a>",
        "{{form}}<a href=\"//x.example\">x</a>", "{{form}}<img src=\"data:x\">",
        "{{form}}<p onclick=\"x\">y</p>", "{{form}}<p id=\"new_password\">y</p>", "{{form}}<p class=x>y</p>",
        "{{form}}<p hidden>y</p>", "{{form}}<p class=\"<b>\">y</p>", "{{form}}{{form}}", "no form",
        "{{form}} {{link}}", "{{form}} {{name}}", "<p/>{{form}}"};
    struct buf deep = {0};
    (void)state;
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        const char *why = wrong_body(right[i]);
        if (why) print_error("%s: %s\n", right[i], why);
        assert_null(why);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *why = wrong_body(wrong[i]);
        if (why == NULL) print_error("taken: %s\n", wrong[i]);
        assert_non_null(why);
    }
    buf_text(&deep, "{{form}}");
    for (int i = 0; i < 33; i++) buf_text(&deep, "<b>");
    buf_char(&deep, 0);
    assert_non_null(strstr(wrong_body(deep.p), "Line 1, character 153: elements are nested too deeply."));
    buf_free(&deep);
}

static void a_style_of_the_help_center_is_whole_and_loads_nothing(void **state) {
    static const char *const good[] = {"h1 { color: red; }",
                                       "@media (width > 30em) { a[href] { content: \"url( } it's\"; } } /* "
                                       "} */",
                                       "a { width: calc((1px + 2px) * 3); }"};
    static const char *const bad[] = {"input[value^=a] { background: url(https://x.example/a) }",
                                      "a { background: URL (x) } b { background: uRl(x) }",
                                      "@import 'https://x.example/a.css';",
                                      "a { background: -webkit-image-set('x' 1x) }",
                                      "a { background: \\75rl(x) }",
                                      "a { content: '\\' }",
                                      "a { color: red",
                                      "a } b {",
                                      "a { b: (] }",
                                      "a { b: 'c\n}",
                                      "/* a { }"};
    size_t at;
    const char *why;
    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(template_style(str_of(good[i]), &at, &why));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(template_style(str_of(bad[i]), &at, &why));
}

static void a_style_holds_no_tag(void **state) {
    struct template_blocks b;
    (void)state;
    assert_string_equal(parsed("page_verified",
                               S("{% block title %}T{% endblock %}{% block body %}b{% endblock %}{% block "
                                 "style %}</style>{% endblock %}"),
                               &b),
                        "Line 1, character 81: no < is allowed in style.");
    assert_string_equal(parsed("page_verified",
                               S("{% block title %}T{% endblock %}{% block body %}b{% endblock %}{% block "
                                 "style %}a{{desk}}{% endblock %}"),
                               &b),
                        "Line 1, character 82: no values are allowed in style.");
}

static void values_stay_values(void **state) {
    const struct meaning m[] = {{.name = "name", .value = S("a<b>\r\nc {{link}}")},
                                {.name = "link", .value = S("https://x/?a&b")},
                                {.name = "form", .value = S("<form>"), .html = S("<form>")},
                                {0}};
    (void)state;
    assert_string_equal(filled(S("{{name}}: {{ link }}"), m, false).p, "a<b>  c {{link}}: https://x/?a&b");
    assert_string_equal(filled(S("{{name}}: {{link}}"), m, true).p,
                        "a&lt;b&gt;  c {{link}}: https://x/?a&amp;b");
    assert_string_equal(filled(S("a\r\nb{{form}}"), m, true).p, "a\nb<form>");
    assert_string_equal(filled(S(""), m, true).p, "");
}

/* Two megabytes, which take longer if any part is read repeatedly. */
static void the_worst_contents_are_read_in_one_go(void **state) {
    static const struct {
        const char *piece;
        bool right;
    } all[] = {{"{{desk}} ", true}, {"<b>x</b>", true}, {"\n", false}, {"<p class=\"", false},
               {"x}}", true},       {"{{", false},      {"&\n", true}};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct buf b = {0};
        struct template_blocks blocks;
        clock_t began = clock();
        buf_text(&b, "{% block title %}T{% endblock %}{% block body %}");
        while (b.n < 2 * 1024 * 1024) buf_text(&b, all[i].piece);
        buf_text(&b, "{% endblock %}");
        assert_int_equal(parsed("page_verified", buf_view(&b), &blocks) == NULL, all[i].right);
        assert_true(clock() - began < 10 * CLOCKS_PER_SEC);
        buf_free(&b);
    }
}

/* ---- what is stored -------------------------------------------------------------------------- */

QUERY(test_template, "INSERT INTO templates (brand_id, name, contents, created_at) "
                     "VALUES (1, :name, :contents, 0) ON CONFLICT (brand_id, name) DO UPDATE "
                     "SET contents = excluded.contents");
QUERY(test_language, "UPDATE brands SET locale_id = 3 WHERE id = 1");

struct stored {
    struct str contents;
    struct wording found;
};

static int store_and_load(struct conn *c, void *arg) {
    struct stored *s = arg;
    struct work w = {.conn = c, .arena = a};
    TRY(db_exec(c, &test_language, NULL));
    TRY(db_exec(c, &test_template,
                BINDS(B_TEXT("name", S("password_changed")), B_TEXT("contents", s->contents))));
    return template_load(&w, template_named(S("password_changed")), &s->found);
}

static void a_stored_text_that_is_not_valid_any_more_gives_way_to_the_original(void **state) {
    struct place *p = *state;
    struct stored s = {.contents = S("{% block subject %}Neu{% endblock %}{% block text %}Hallo{% endblock "
                                     "%}")};
    assert_int_equal(db_write(p->db, store_and_load, &s), 0);
    assert_null(s.found.outdated);
    assert_true(str_eq(s.found.blocks.block[BLOCK_SUBJECT], S("Neu")) && str_eq(s.found.language, S("de")));
    s.contents = S("{% block subject %}Neu{% endblock %}{% block text %}{{gone}}{% endblock %}");
    assert_int_equal(db_write(p->db, store_and_load, &s), 0);
    assert_string_equal(s.found.outdated, "Line 1, character 53: unknown value: {{desk}}, {{name}}, "
                                          "{{address}} or {{url}} is expected.");
    assert_true(str_starts(s.found.blocks.block[BLOCK_SUBJECT], S("Your password at")) &&
                str_eq(s.found.language, S("en")));
}

/* ---- the migration of a desk older than brands ----------------------------------------------- */

QUERY(test_name, "INSERT INTO settings (name, value, updated_at) "
                 "VALUES ('desk.name', 'Motors', 0), ('desk.created_at', '5', 0)");
QUERY(test_brands, "SELECT COUNT(*) FROM brands "
                   "WHERE id = 1 AND name = 'Motors' AND locale_id = 1 AND is_default = 1 AND is_enabled = 1 "
                   "AND created_at = 5");

static int name_desk(struct conn *c, void *arg) {
    (void)arg;
    return db_exec(c, &test_name, NULL);
}

static void an_older_desk_gets_a_brand_of_its_name(void **state) {
    struct place *p = *state;
    struct schema_file before[64] = {0};
    int64_t n = 0;
    for (int i = 0; strncmp(schema_files[i].name, "0010_", 5) != 0; i++) before[i] = schema_files[i];
    assert_int_equal(place_open(p, before), 0);
    assert_int_equal(db_write(p->db, name_desk, NULL), 2);
    place_close(p);
    assert_int_equal(place_open(p, schema_files), 0);
    struct conn *c = db_reader(p->db);
    assert_int_equal(db_read_begin(c, 0), 0);
    assert_int_equal(db_int(c, &test_brands, NULL, &n), 1);
    db_read_end(c);
    assert_int_equal(n, 1);
}

static int make_folder(void **state) {
    struct place *p = calloc(1, sizeof *p);
    if (p == NULL) return -1;
    *state = p;
    snprintf(p->dir, sizeof p->dir, "/tmp/deskd-test-XXXXXX");
    return mkdtemp(p->dir) ? 0 : -1;
}

static int make(void **state) { return make_folder(state) < 0 ? -1 : place_open(*state, schema_files); }

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_original_is_valid),
        cmocka_unit_test(blocks_are_cut_out),
        cmocka_unit_test(a_defect_is_named_with_its_place),
        cmocka_unit_test(html_is_whole_and_values_stand_where_escaping_helps),
        cmocka_unit_test(a_style_holds_no_tag),
        cmocka_unit_test(a_style_of_the_help_center_is_whole_and_loads_nothing),
        cmocka_unit_test(values_stay_values),
        cmocka_unit_test(the_worst_contents_are_read_in_one_go),
        cmocka_unit_test_setup_teardown(a_stored_text_that_is_not_valid_any_more_gives_way_to_the_original,
                                        make, place_remove),
        cmocka_unit_test_setup_teardown(an_older_desk_gets_a_brand_of_its_name, make_folder, place_remove),
    };
    a = arena_new();
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(a);
    return rc;
}
