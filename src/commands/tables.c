/* routes, openapi, settings, manual: print the tables as text. */
#include "commands/commands.h"

#include "api/table/describe.h"
#include "api/docs/openapi.h"

static int print(struct buf *text) {
    fwrite(text->p, 1, text->n, stdout);
    buf_free(text);
    return ferror(stdout) ? EXIT_FAULT : 0;
}

int command_routes(const struct command_line *o) {
    struct buf text = {0};
    (void)o;
    routes_write(&text);
    return print(&text);
}

int command_openapi(const struct command_line *o) {
    struct buf text = {0};
    struct str base = option_text(o, OPT_BASE_URL);
    openapi_write(&text, base.p ? base : S("http://127.0.0.1:8080"));
    return print(&text);
}

int command_settings(const struct command_line *o) {
    (void)o;
    options_settings(stdout);
    return 0;
}

int command_manual(const struct command_line *o) {
    (void)o;
    options_manual(stdout);
    return 0;
}
