/* Passwords from a file, a terminal or a random generator. */
#include "commands/commands.h"

#include "base/limits.h"
#include "core/all/desk.h"

#include <errno.h>
#include <termios.h>
#include <unistd.h>

/* Reads the first line, without its end. The buffer holds one character more than the limit, so that a
 * longer line is detected. */
static int first_line(FILE *f, const char *from, struct arena *a, struct str *out) {
    char line[LIMIT_PASSWORD + 3];
    if (fgets(line, sizeof line, f) == NULL) line[0] = 0;
    struct str text = {line, strcspn(line, "\r\n")};
    if (text.n == 0) return complain("%s has no password in its first line", from), -1;
    if (text.n > LIMIT_PASSWORD) return complain("the password is over %d bytes", LIMIT_PASSWORD), -1;
    if (!utf8_valid(text)) return complain("the password is not UTF-8"), -1;
    *out = str_dup(a, text);
    return 0;
}

static int from_file(const char *path, struct arena *a, struct str *out) {
    FILE *f = fopen(path, "re");
    if (f == NULL) return complain("the password file %s can't be read: %s", path, strerror(errno)), -1;
    int rc = first_line(f, path, a, out);
    fclose(f);
    return rc;
}

static int from_terminal(struct arena *a, struct str *out) {
    struct termios shown, hidden;
    struct str again;
    tcgetattr(STDIN_FILENO, &shown);
    hidden = shown;
    hidden.c_lflag &= ~(tcflag_t)ECHO;
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden);
    fputs("New password: ", stderr);
    int rc = first_line(stdin, "the terminal", a, out);
    fputs(rc == 0 ? "\nRepeat it: " : "\n", stderr);
    if (rc == 0) rc = first_line(stdin, "the terminal", a, &again);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown);
    fputc('\n', stderr);
    if (rc == 0 && !str_eq(*out, again)) return complain("the passwords differ; nothing was changed"), -1;
    return rc;
}

int password_file_there(const struct command_line *o) {
    const char *file = option_text(o, OPT_PASSWORD_FILE).p;
    return file && access(file, R_OK) != 0
               ? (complain("the password file %s can't be read: %s", file, strerror(errno)), -1)
               : 0;
}

int password_ask(const struct command_line *o, struct arena *a, struct str *out) {
    const char *file = option_text(o, OPT_PASSWORD_FILE).p;
    if (file) return from_file(file, a, out);
    return isatty(STDIN_FILENO) ? from_terminal(a, out) : first_line(stdin, "standard input", a, out);
}

int password_choose(const struct command_line *o, struct arena *a, struct str *out) {
    const char *file = option_text(o, OPT_PASSWORD_FILE).p;
    if (file) return from_file(file, a, out);
    *out = password_generate(a);
    return 1;
}
