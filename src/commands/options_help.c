/* The help, the manual page, the settings file, and the commands that print tables. */
#include "api/docs/openapi.h"
#include "api/table/describe.h"
#include "commands/commands.h"

enum { NAME_WIDTH = 28, WIDTH = 100 };

/* Writes text in lines of at most WIDTH, each after the first begun with `margin`. `column` is the column
 * of the first line's start. */
static void wrapped(FILE *out, const char *text, int column, const char *margin) {
    int at = column, left = (int)strlen(margin);
    for (struct str rest = str_of(text); rest.p;) {
        struct str word = str_cut(&rest, ' ');
        if (at + 1 + (int)word.n > WIDTH && at > left) fprintf(out, "\n%s", margin), at = left;
        else if (at > left) fputc(' ', out), at++;
        fwrite(word.p, 1, word.n, out);
        at += (int)word.n;
    }
    fputc('\n', out);
}

static const char margin[NAME_WIDTH + 1] = "                            ";

static void described(FILE *out, const char *name, const char *doc) {
    int n = fprintf(out, "  %-*s", NAME_WIDTH - 2, name);
    if (n > NAME_WIDTH) fprintf(out, "\n%s", margin);
    wrapped(out, doc, NAME_WIDTH, margin);
}

static void option_line(FILE *out, const struct option *opt) {
    char name[64], doc[512];
    snprintf(name, sizeof name, "--%s%s%s", opt->name, opt->arg ? " " : "", opt->arg ? opt->arg : "");
    int n = snprintf(doc, sizeof doc, "%s", opt->doc);
    if (opt->words) {
        n += snprintf(doc + n, sizeof doc - (size_t)n, " One of");
        for (const struct word *w = opt->words; w->word; w++)
            n += snprintf(doc + n, sizeof doc - (size_t)n, "%s %s", w == opt->words ? "" : ",", w->word);
        n += snprintf(doc + n, sizeof doc - (size_t)n, ".");
    }
    if (opt->initial) snprintf(doc + n, sizeof doc - (size_t)n, " [%s]", opt->initial);
    described(out, name, doc);
}

static void help_all(FILE *out, const struct command *commands) {
    fputs("deskd: a help desk with a JSON REST API.\n\nusage: deskd COMMAND [OPTION ...]\n\n", out);
    for (const struct command *c = commands; c->name; c++) described(out, c->name, c->summary);
    fputs("\ndeskd COMMAND --help shows what a command does and its options; deskd --version prints\n"
          "the versions of the program and of its schema.\n"
          "Each option can also be set in the environment (--base-url: DESKD_BASE_URL). Options of a\n"
          "process can be set in a settings file, too (deskd settings prints one). The command line\n"
          "overrides the environment, the environment overrides the file.\n",
          out);
}

void options_help(FILE *out, const struct command_line *o) {
    const struct command *c = o->command;
    if (c == NULL) {
        help_all(out, o->commands);
        return;
    }
    fprintf(out, "usage: deskd %s%s%s [OPTION ...]\n\n", c->name, c->operand ? " " : "",
            c->operand ? c->operand : "");
    wrapped(out, c->doc, 0, "");
    bool any = false;
    for (int i = 0; i < OPT_COUNT; i++) {
        if (!(option_table[i].commands & c->bit)) continue;
        if (!any) fputc('\n', out);
        any = true;
        option_line(out, &option_table[i]);
    }
}

/* ---- the manual page ------------------------------------------------------------------------- */

/* Writes text for troff(1): escapes backslashes, hyphens and a control character at the beginning. */
static void troff(FILE *out, const char *text) {
    if (*text == '.' || *text == '\'') fputs("\\&", out);
    for (; *text; text++) {
        if (*text == '\\') fputs("\\e", out);
        else if (*text == '-') fputs("\\-", out);
        else fputc(*text, out);
    }
    fputc('\n', out);
}

static void manual_option(FILE *out, const struct option *opt) {
    fprintf(out, ".TP\n.BR \\-\\-%s%s%s\n", opt->name, opt->arg ? " \" \" " : "", opt->arg ? opt->arg : "");
    troff(out, opt->doc);
    for (const struct word *w = opt->words; w && w->word; w++)
        fprintf(out, "%s%s", w == opt->words ? "One of " : ", ", w->word);
    if (opt->words) fputs(".\n", out);
    if (opt->initial) fprintf(out, "Default: %s.\n", opt->initial);
}

static void manual_command(FILE *out, const struct command *c) {
    fprintf(out, ".SS deskd %s%s%s [OPTION ...]\n", c->name, c->operand ? " " : "",
            c->operand ? c->operand : "");
    troff(out, c->doc);
    for (int i = 0; i < OPT_COUNT; i++)
        if (option_table[i].commands & c->bit) manual_option(out, &option_table[i]);
}

static void options_manual(FILE *out, const struct command *commands) {
    fputs(".TH DESKD 1 \"\" \"deskd " DESKD_VERSION
          "\" \"User Commands\"\n.SH NAME\ndeskd \\- help desk server with a JSON REST API\n"
          ".SH SYNOPSIS\n.B deskd\n.I COMMAND\n[OPTION ...]\n.SH DESCRIPTION\n",
          out);
    troff(out, "deskd serves a help desk over a JSON REST API from a folder (SQLite) or from a PostgreSQL "
               "database.");
    fputs(".PP\n", out);
    troff(out, "Each option can also be given in the environment (DESKD_BASE_URL for --base-url). Options "
               "of a process can be given in a settings file, too. The command line overrides the "
               "environment, and the environment overrides the file.");
    fputs(".SH COMMANDS\n", out);
    for (const struct command *c = commands; c->name; c++) manual_command(out, c);
    fputs(".SH EXIT STATUS\n", out);
    troff(out, "0: success. 1: the command failed. 2: the command line is wrong. The command mail-in uses "
               "the values of sysexits.h.");
    fputs(
        ".SH FILES\n.TP\n.I /etc/deskd.conf\nThe settings file of the packaged service.\n.TP\n.I /var/lib/deskd\n"
        "The data folder of the packaged service.\n.SH SEE ALSO\n",
        out);
    troff(out, "The folder /usr/share/doc/deskd/docs has OPERATIONS.md and the other documents. A running "
               "server shows the reference of its API at /docs.");
}

/* ---- the settings file ----------------------------------------------------------------------- */

static void options_settings(FILE *out) {
    fputs(
        "# Settings of deskd: one \"name = value\" a line. Name the file with --settings FILE or DESKD_SETTINGS.\n"
        "# The environment (DESKD_LISTEN for listen) and the command line (--listen) override it.\n"
        "# On SIGHUP a running desk reads it again, and logs the changes that need a restart.\n"
        "# Settings of the desk itself (password rules, CORS, what customers see) are not here. They are in\n"
        "# the store: GET and PUT /api/v1/settings.\n",
        out);
    for (int i = 0; i < OPT_COUNT; i++) {
        const struct option *opt = &option_table[i];
        if (!(opt->flags & IN_FILE)) continue;
        fputs("\n# ", out);
        wrapped(out, opt->doc, 2, "# ");
        if (opt->flags & LIVE) fputs("# Changes with SIGHUP.\n", out);
        fprintf(out, "#%s = %s\n", opt->name, opt->initial ? opt->initial : "");
    }
}

/* ---- the commands that print tables ----------------------------------------------------------- */

/* routes, openapi, settings, manual: print the tables as text. */

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
    options_manual(stdout, o->commands);
    return 0;
}
