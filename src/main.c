/* The command line of deskd. Exit status: 0, 1 for what failed, 2 for what was asked wrongly; of mail-in those of commands/mail.c. */
#include "commands/commands.h"

#include "base/memory.h"
#include "base/log.h"
#include "files/picture.h"

#include <signal.h>
#include <sodium.h>
#include <sysexits.h>

const struct command commands[] = {
    {"serve", SERVE, command_serve, NULL, "Run the server.",
     "Serves the API from a store until SIGTERM, which lets the requests under way end. A data folder without a "
     "store gets one, and an owner whose login is printed once. Prints one line on standard output when it is "
     "ready. SIGHUP reads the settings again."},
    {"init", INIT, command_init, NULL, "Make an empty desk: its store, its key and its owner.",
     "Makes the data folder with an empty desk and its owner, and prints the owner's password if it made that up."},
    {"demo", DEMO, command_demo, NULL, "Fill a new store with a lifelike, repeatable desk.",
     "Makes a store filled with invented people and conversations of two years. owner@, admin@, agent@, "
     "teams-agent@, collaborator@ and customer@example.com can log in, all with one password; teams-agent@ sees the "
     "conversations of two teams, agent@ sees all, customer@ has 25. The same seed makes the same desk."},
    {"password", PASSWORD, command_password, "EMAIL", "Set the password of a login.",
     "Sets the password of the person with this e-mail address and ends their sessions. Asks for it on a terminal, "
     "else reads the first line of standard input or of --password-file. A desk in a folder must not be running; one in a "
     "database may."},
    {"backup", BACKUP, command_backup, NULL, "Copy the store, also while it serves.",
     "Copies the store as it is at one moment to a new file, also while the desk is running; where files were uploaded, their "
     "contents to a folder beside it, FILE.files. The server key is not in it: keep a copy of secret.key elsewhere, once."},
    {"restore", RESTORE, command_restore, NULL, "Make a data folder from a backup.",
     "Makes the store of a new data folder from a backup and the folder of files beside it, and brings it up to date. Refuses a folder "
     "that is not "
     "empty but for its secret.key."},
    {"move", MOVE, command_move, NULL, "Copy a desk from a folder to PostgreSQL, or back.",
     "Copies every row of a stopped desk from one store to another, then reads both and compares counts and checksums. "
     "The target must be empty: a database whose user may create tables, or a folder. The desk is there when this ends "
     "with status 0; until then the target serves nobody, and a move that failed or was killed can be run again. "
     "The source is not changed. Contents of files stay where they are. URLs with a password are better given as DESKD_FROM and DESKD_TO."},
    {"check", CHECK, command_check, NULL, "Look for damage in a store.",
     "Checks the store, what must hold between its rows, and the contents of files, also while the desk is running. Prints a line for each "
     "finding. Exit status 0: nothing found, 1: something was."},
    {"mail-in", MAIL_IN, command_mail_in, NULL, "Take a mail from standard input; what a mail server runs.",
     "Keeps a delivery report that is about a mail of this desk, for the desk to read at once or when it is started; the folder "
     "is its data folder, also where the desk is in a database, and it was served once. Nothing is answered by mail. Exit status, as mail "
     "servers "
     "know it: 0 the mail is on the disk; 75 it can't be kept now, or the command line is wrong: try again; 65 it is no mail; "
     "69 it is not taken here: too large, or no delivery report (RFC 3464). One line on standard error says why."},
    {"routes", ROUTES, command_routes, NULL, "Print the operations of the API.",
     "Prints one line for each operation, separated by tabs: method, path, roles, scope, status, resource."},
    {"openapi", OPENAPI, command_openapi, NULL, "Print the OpenAPI 3.1 document.", "Prints the OpenAPI 3.1 document of the API."},
    {"settings", SETTINGS, command_settings, NULL, "Print a commented settings file.",
     "Prints a settings file with every setting, its meaning and its default, for you to change."},
    {"manual", MANUAL, command_manual, NULL, "Print the manual page.",
     "Prints the manual page deskd(1) with all commands and options, in the format of man(7)."},
    {0}};

int main(int argc, char **argv) {
    struct command_line o;
    char err[USAGE_MAX];
    if (argc == 3 && strcmp(argv[1], PICTURE_ARGUMENT) == 0) return picture_child(argv[2]);
    memory_policy();
    if (sodium_init() < 0) return complain("the cryptographic library can't be initialised");
    signal(SIGPIPE, SIG_IGN);
    struct arena *a = arena_new();
    int status = 0;
    if (options_read(&o, a, argc, argv, err) < 0) {
        fprintf(stderr, "deskd: %s\n", err);
        status = o.command && o.command->bit == MAIL_IN ? EX_TEMPFAIL : EXIT_USAGE; /* no mail is lost by a typing error */
    } else if (o.version) {
        int schema = 0;
        while (schema_files[schema].name) schema++;
        printf("deskd %s, schema %d\n", DESKD_VERSION, schema);
    } else if (o.help) {
        options_help(stdout, o.command);
    } else {
        log_level_set((enum log_level)option_int(&o, OPT_LOG_LEVEL));
        status = o.command->run(&o);
    }
    if (fflush(stdout) != 0 && status == 0) status = complain("standard output can't be written");
    arena_free(a);
    return status;
}
