/* Reads the three sources of options. A stronger source replaces the values of a weaker one. */
#include "commands/options.h"

#include <stdarg.h>
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#define FILE_MAX (64 * 1024)

struct reading {
    struct command_line *o;
    struct arena *a;
    char *err;
};

#define REFUSE(r, ...) (snprintf((r)->err, USAGE_MAX, __VA_ARGS__), -1)

/* ---- names and values ------------------------------------------------------------------------ */

/* Names in the environment and the file: letter case, hyphens and underscores make no difference. */
static bool same_name(struct str a, const char *b) {
    char text[64], *at = text;
    if (a.n >= sizeof text) return false;
    for (size_t i = 0; i < a.n; i++) *at++ = a.p[i] == '_' ? '-' : a.p[i];
    return str_eqi((struct str){text, a.n}, str_of(b));
}

/* Returns the option of this name. If there are several, prefers the one that this command has. */
static int option_find(struct str name, unsigned command) {
    int found = -1;
    for (int i = 0; i < OPT_COUNT; i++) {
        if (!same_name(name, option_table[i].name)) continue;
        if (option_table[i].commands & command) return i;
        found = i;
    }
    return found;
}

static bool flag_value(struct str v, bool *on) {
    static const struct word words[] = {{1, "yes"},   {1, "true"}, {1, "on"}, {1, "1"}, {0, "no"},
                                        {0, "false"}, {0, "off"},  {0, "0"},  {0}};
    int id = word_id(words, v);
    *on = id == 1;
    return id >= 0;
}

/* Stores a value that has its option's type. `where` begins the refusal: "--listen", "DESKD_LISTEN",
 * "deskd.conf:3: listen". */
static int option_take(struct reading *r, int id, struct str value, const char *where) {
    const struct option *opt = &option_table[id];
    int64_t n;
    bool on;
    switch (opt->type) {
    case OPTION_TEXT:
        if (value.n == 0) return REFUSE(r, "%s needs a value: %s", where, opt->doc);
        if (opt->valid && !opt->valid(value))
            return REFUSE(r, "%s takes %s, not \"%.*s\"", where, opt->form, (int)value.n, value.p);
        break;
    case OPTION_INT:
        if (!str_to_int(value, &n) || n < opt->min || n > opt->max)
            return REFUSE(r, "%s takes a whole number from %lld to %lld, not \"%.*s\"", where,
                          (long long)opt->min, (long long)opt->max, (int)value.n, value.p);
        break;
    case OPTION_FLAG:
        if (!flag_value(value, &on))
            return REFUSE(r, "%s takes yes or no, not \"%.*s\"", where, (int)value.n, value.p);
        break;
    case OPTION_WORD:
        if (word_id(opt->words, value) < 0)
            return REFUSE(r, "%s takes one of %s, not \"%.*s\"", where, words_list(r->a, opt->words).p,
                          (int)value.n, value.p);
        break;
    }
    r->o->values[id] = str_dup(r->a, value);
    return 0;
}

static void defaults(struct reading *r) {
    for (int i = 0; i < OPT_COUNT; i++)
        if (option_table[i].initial) r->o->values[i] = str_of(option_table[i].initial);
}

/* ---- the settings file ----------------------------------------------------------------------- */

static int settings_read_line(struct reading *r, const char *path, int number, struct str line) {
    struct str value = str_trim(line), name = str_cut(&value, '=');
    name = str_trim(name);
    if (name.n == 0 || name.p[0] == '#') return 0;
    if (value.p == NULL) return REFUSE(r, "%s:%d: write a setting as: name = value", path, number);
    int id = option_find(name, r->o->command->bit);
    if (id < 0 || !(option_table[id].flags & IN_FILE))
        return REFUSE(r, "%s:%d: there is no setting \"%.*s\"; deskd settings prints all settings", path,
                      number, (int)name.n, name.p);
    return option_take(r, id, str_trim(value),
                       str_fmt(r->a, "%s:%d: %s", path, number, option_table[id].name).p);
}

static int settings_read_file(struct reading *r, const char *path) {
    char *text = arena_alloc(r->a, FILE_MAX);
    FILE *f = fopen(path, "re");
    if (f == NULL) return REFUSE(r, "the settings file %s can't be read: %s", path, strerror(errno));
    size_t n = fread(text, 1, FILE_MAX, f);
    int fault = ferror(f) ? errno : 0;
    fclose(f);
    if (fault) return REFUSE(r, "the settings file %s can't be read: %s", path, strerror(fault));
    if (n == FILE_MAX) return REFUSE(r, "the settings file %s is over 64 KiB: name a settings file", path);
    struct str rest = {text, n};
    for (int number = 1; rest.p; number++)
        if (settings_read_line(r, path, number, str_cut(&rest, '\n')) < 0) return -1;
    return 0;
}

/* ---- the environment ------------------------------------------------------------------------- */

static const char *environment_name(struct arena *a, const struct option *opt) {
    char *name = arena_alloc(a, strlen(opt->name) + sizeof "DESKD_"), *at = name + sizeof "DESKD_" - 1;
    memcpy(name, "DESKD_", sizeof "DESKD_" - 1);
    for (const char *c = opt->name; *c; c++) *at++ = (char)(*c == '-' ? '_' : *c - ('a' - 'A'));
    return name;
}

static int read_environment(struct reading *r, int id) {
    const char *name = environment_name(r->a, &option_table[id]), *value = getenv(name);
    return value == NULL || !(option_table[id].commands & r->o->command->bit)
               ? 0
               : option_take(r, id, str_of(value), name);
}

/* ---- the command line ------------------------------------------------------------------------ */

static const struct command *command_find(const struct command *commands, const char *name) {
    for (const struct command *c = commands; c->name; c++)
        if (strcmp(c->name, name) == 0) return c;
    return NULL;
}

/* Reads --name VALUE or --name=VALUE. A flag alone means yes. Moves *at to the last argument used. */
static int arguments_read_option(struct reading *r, int argc, char **argv, int *at) {
    struct str value = str_of(argv[*at] + 2), name = str_cut(&value, '=');
    const struct command *c = r->o->command;
    const char *shown = str_fmt(r->a, "--%.*s", (int)name.n, name.p).p;
    int id = option_find(name, c->bit);
    if (id < 0) return REFUSE(r, "there is no option %s; deskd %s --help lists the options", shown, c->name);
    if (!(option_table[id].commands & c->bit))
        return REFUSE(r, "%s is not an option of deskd %s; deskd %s --help lists its options", shown, c->name,
                      c->name);
    if (value.p == NULL && option_table[id].type == OPTION_FLAG) value = S("yes");
    if (value.p == NULL && ++*at < argc) value = str_of(argv[*at]);
    if (value.p == NULL) return REFUSE(r, "%s needs a value: %s %s", shown, shown, option_table[id].arg);
    return option_take(r, id, value, shown);
}

static bool asks_help(const char *arg) { return strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0; }

static int read_arguments(struct reading *r, int argc, char **argv) {
    const struct command *c = r->o->command;
    for (int i = 2; i < argc; i++) {
        if (asks_help(argv[i])) {
            r->o->help = argv[i];
        } else if (strncmp(argv[i], "--", 2) == 0 && argv[i][2]) {
            if (arguments_read_option(r, argc, argv, &i) < 0) return -1;
        } else if (c->operand && r->o->operand == NULL) {
            r->o->operand = argv[i];
        } else {
            return REFUSE(r, "deskd %s does not take \"%s\"; deskd %s --help shows its usage", c->name,
                          argv[i], c->name);
        }
    }
    return 0;
}

static int read_command(struct reading *r, int argc, char **argv) {
    if (argc < 2) return REFUSE(r, "name a command, for example: deskd serve; deskd --help lists them");
    if (asks_help(argv[1]) || strcmp(argv[1], "help") == 0) {
        r->o->help = argv[1];
        return 0;
    }
    if (strcmp(argv[1], "--version") == 0) {
        r->o->version = true;
        return 0;
    }
    r->o->command = command_find(r->o->commands, argv[1]);
    if (r->o->command == NULL)
        return REFUSE(r, "there is no command \"%s\"; deskd --help lists them", argv[1]);
    return 0;
}

static int check_needed(struct reading *r) {
    const struct command *c = r->o->command;
    for (int i = 0; i < OPT_COUNT; i++)
        if ((option_table[i].flags & NEEDED) && (option_table[i].commands & c->bit) &&
            r->o->values[i].p == NULL)
            return REFUSE(r, "deskd %s needs --%s %s: %s", c->name, option_table[i].name, option_table[i].arg,
                          option_table[i].doc);
    if (c->operand && r->o->operand == NULL) return REFUSE(r, "deskd %s needs %s", c->name, c->operand);
    return 0;
}

/* Reads the stronger sources first, because they name the settings file. Then reads all sources, the
 * weakest first. */
int options_read(struct command_line *o, struct arena *a, const struct command *commands, int argc,
                 char **argv, char err[USAGE_MAX]) {
    struct reading r = {o, a, err};
    *o = (struct command_line){.commands = commands, .argc = argc, .argv = argv};
    if (read_command(&r, argc, argv) < 0) return -1;
    if (o->command == NULL) return 0;
    if (read_environment(&r, OPT_SETTINGS) < 0 || read_arguments(&r, argc, argv) < 0) return -1;
    if (o->help) return 0;
    const char *file = o->values[OPT_SETTINGS].p;
    *o = (struct command_line){.commands = commands, .argc = argc, .argv = argv, .command = o->command};
    defaults(&r);
    if (file && settings_read_file(&r, file) < 0) return -1;
    for (int i = 0; i < OPT_COUNT; i++)
        if (read_environment(&r, i) < 0) return -1;
    if (read_arguments(&r, argc, argv) < 0) return -1;
    return check_needed(&r);
}

struct str option_text(const struct command_line *o, enum option_id id) {
    return o->values[id];
}

bool option_is_given(const struct command_line *o, enum option_id id) {
    return o->values[id].p != option_table[id].initial;
}

int64_t option_int(const struct command_line *o, enum option_id id) {
    const struct option *opt = &option_table[id];
    int64_t n = 0;
    bool on;
    if (opt->type == OPTION_FLAG) return flag_value(o->values[id], &on) && on;
    if (opt->type == OPTION_WORD) return word_id(opt->words, o->values[id]);
    bool number = str_to_int(o->values[id], &n);
    assert(number);
    return n;
}

int complain(const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    fputs("deskd: ", stderr);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
    return EXIT_FAULT;
}
