/* The three sources of options: which one overrides, and every refusal is one line that says what to do. */
#include "commands/listen.c" /* no library has the command line, so its sources are included */
#include "commands/options.c"
#include "commands/options_table.c"

#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

#include <cmocka.h>

/* In place of the table in main.c. */
static int nothing(const struct command_line *o) { return o == NULL; }
static const struct command commands[] = {
    {"serve", SERVE, nothing, NULL, "", ""},          {"backup", BACKUP, nothing, NULL, "", ""},
    {"restore", RESTORE, nothing, NULL, "", ""},      {"move", MOVE, nothing, NULL, "", ""},
    {"password", PASSWORD, nothing, "EMAIL", "", ""}, {0}};

static struct command_line line;
static char err[USAGE_MAX];

#define READ(a, ...) read_all((a), (char *[]){(char *)"deskd", __VA_ARGS__, NULL})
static int read_all(struct arena *a, char **argv) {
    int argc = 0;
    while (argv[argc]) argc++;
    err[0] = 0;
    return options_read(&line, a, commands, argc, argv, err);
}

static void the_stronger_source_wins(void **state) {
    struct arena *a = arena_new();
    char path[] = "/tmp/deskd-options-XXXXXX", *serve = "serve";
    int fd = mkstemp(path);
    static const char text[] =
        "# a comment\n\nthreads = 3\n workers=4 \nLISTEN = 127.0.0.1:1\nlog_level = warn";
    (void)state;
    assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
    close(fd);
    setenv("DESKD_WORKERS", "5", 1);
    setenv("DESKD_THREADS", "6", 1);
    assert_int_equal(READ(a, serve, "--settings", path, "--threads=7"), 0);
    assert_int_equal(option_int(&line, OPT_THREADS), 7);
    assert_int_equal(option_int(&line, OPT_WORKERS), 5);
    assert_string_equal(option_text(&line, OPT_LISTEN).p, "127.0.0.1:1");
    assert_int_equal(option_int(&line, OPT_LOG_LEVEL), 1);
    assert_string_equal(option_text(&line, OPT_DATA).p, "./data");
    unsetenv("DESKD_WORKERS");
    unsetenv("DESKD_THREADS");
    unlink(path);
    arena_free(a);
}

static void refusals_say_what_to_do(void **state) {
    struct arena *a = arena_new();
    (void)state;
    assert_int_equal(READ(a, "sreve"), -1);
    assert_non_null(strstr(err, "no command \"sreve\""));
    assert_int_equal(READ(a, "serve", "--lisen", "x"), -1);
    assert_non_null(strstr(err, "no option --lisen"));
    assert_int_equal(READ(a, "serve", "--to", "x"), -1);
    assert_non_null(strstr(err, "--to is not an option of deskd serve"));
    assert_int_equal(READ(a, "serve", "--threads"), -1);
    assert_non_null(strstr(err, "--threads needs a value"));
    assert_int_equal(READ(a, "serve", "--threads", "0"), -1);
    assert_non_null(strstr(err, "from 1 to 64"));
    assert_int_equal(READ(a, "serve", "--data="), -1);
    assert_int_equal(READ(a, "serve", "stray"), -1);
    assert_non_null(strstr(err, "does not take \"stray\""));
    assert_int_equal(READ(a, "backup"), -1);
    assert_non_null(strstr(err, "needs --to"));
    assert_int_equal(READ(a, "password"), -1);
    assert_int_equal(READ(a, "serve", "--base-url", "foo"), -1);
    assert_string_equal(err, "--base-url takes a URL as https://desk.example.com, not \"foo\"");
    assert_int_equal(READ(a, "serve", "--proxies", "proxy.example"), -1);
    assert_int_equal(READ(a, "serve", "--owner-email", "nobody"), -1);
    assert_int_equal(READ(a, "move", "--from", "desk", "--to", "sqlite:x"), -1);
    assert_int_equal(READ(a, "serve", "--settings", "/nowhere/deskd.conf"), -1);
    assert_non_null(strstr(err, "/nowhere/deskd.conf"));
    arena_free(a);
}

static void flags_and_operands(void **state) {
    struct arena *a = arena_new();
    (void)state;
    assert_int_equal(READ(a, "serve", "--access-log"), 0);
    assert_int_equal(option_int(&line, OPT_ACCESS_LOG), 1);
    assert_int_equal(READ(a, "serve", "--access-log=off"), 0);
    assert_int_equal(option_int(&line, OPT_ACCESS_LOG), 0);
    assert_int_equal(READ(a, "password", "you@example.com", "--data", "x"), 0);
    assert_string_equal(line.operand, "you@example.com");
    assert_int_equal(READ(a, "restore", "--from", "desk.db"), 0); /* this name has another meaning below */
    assert_string_equal(option_text(&line, OPT_FROM).p, "desk.db");
    assert_int_equal(READ(a, "move", "--from", "sqlite:x", "--to", "postgres://y/z"), 0);
    assert_string_equal(option_text(&line, OPT_MOVE_FROM).p, "sqlite:x");
    assert_null(option_text(&line, OPT_FROM).p);
    assert_int_equal(READ(a, "--version"), 0);
    assert_true(line.version);
    assert_int_equal(READ(a, "backup", "--help"), 0); /* without required options */
    assert_non_null(line.help);
    arena_free(a);
}

static void addresses(void **state) {
    struct arena *a = arena_new();
    (void)state;
    struct listen l = listen_of(S("[::1]:0"), a);
    assert_true(listen_is_loopback(&l) && l.port == 0);
    l = listen_of(S("10.0.0.1:65535"), a);
    assert_false(listen_is_loopback(&l));
    static const char *const wrong[] = {
        "8080",       ":8080",       "localhost:8080", "127.0.0.1",     "127.0.0.1:65536",
        "127.0.0.1:", "127.0.0.1:x", "::1:80",         "[127.0.0.1]:80"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) assert_false(listen_valid(str_of(wrong[i])));
    assert_true(proxies_valid(S("10.0.0.1, ::1")));
    struct str *list = proxies_of(S("10.0.0.1, ::1"), a);
    assert_true(str_eq(list[1], S("::1")) && list[2].p == NULL);
    assert_true(proxies_valid(S("10.0.0.0/8, 2001:db8::/32, 192.0.2.7/32,")));
    static const char *const no_proxies[] = {
        "10.0.0.1, proxy.example", "10.0.0.1/8", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8/8",
        "2001:db8::/129",          "/8",         "10/8"};
    for (size_t i = 0; i < sizeof no_proxies / sizeof *no_proxies; i++)
        assert_false(proxies_valid(str_of(no_proxies[i])));
    assert_true(str_eq(url_host(S("https://desk.example.com:8443/x")), S("desk.example.com")));
    assert_false(url_valid(S("ftp://desk.example.com")));
    assert_false(url_valid(S("http://")));
    assert_true(store_valid(S("sqlite:desk")) && store_valid(S("postgres://x/y")));
    assert_false(store_valid(S("sqlite:")) || store_valid(S("desk")));
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_stronger_source_wins),
        cmocka_unit_test(refusals_say_what_to_do),
        cmocka_unit_test(flags_and_operands),
        cmocka_unit_test(addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
