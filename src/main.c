/* The command line of deskd. Exit status: 0, 1 if the command failed, 2 if the command line is wrong;
 * mail-in: see commands/mail.c. */
#include "commands/commands.h"

#include "base/memory.h"
#include "base/log.h"
#include "files/html_clean.h"
#include "files/nursery.h"
#include "files/picture.h"
#include "mail/read_child.h"

#include <signal.h>
#include <sodium.h>
#include <sysexits.h>

static const struct command commands[] = {
    {"serve", SERVE, command_serve, NULL, "Run the server.",
     "Serves the API from a store until SIGTERM. Then requests in progress may end. In a data folder "
     "without a store it makes a store and an owner, and prints the owner's login once. Prints one line on "
     "standard output when it is ready. SIGHUP reads the settings again."},
    {"init", INIT, command_init, NULL, "Create an empty desk: its store, its key and its owner.",
     "Makes the data folder with an empty desk and its owner. Prints the owner's password if it was "
     "generated."},
    {"demo", DEMO, command_demo, NULL, "Fill a new store with realistic, repeatable data.",
     "Makes a store filled with invented people and conversations of two years. owner@, admin@, agent@, "
     "teams-agent@, collaborator@ and customer@example.com can log in, all with one password. teams-agent@ "
     "sees the conversations of two teams, agent@ sees all, customer@ has 25. The same seed gives the same "
     "desk."},
    {"password", PASSWORD, command_password, "EMAIL", "Set the password of a person.",
     "Sets the password of the person with this e-mail address and ends their sessions. Asks for the "
     "password on a terminal, otherwise reads the first line of standard input or of --password-file. A "
     "desk in a folder must not be running. A desk in a database may."},
    {"backup", BACKUP, command_backup, NULL, "Copy the store, also while the desk is running.",
     "Copies the store as it is at one moment to a new file, also while the desk is running. If files were "
     "uploaded, copies their contents to a folder beside it, FILE.files. The backup does not contain the "
     "server key: keep a copy of secret.key elsewhere."},
    {"restore", RESTORE, command_restore, NULL, "Create a data folder from a backup.",
     "Makes the store of a new data folder from a backup and the folder of files beside it, and updates "
     "its schema. Refuses a folder that has anything but a secret.key."},
    {"export", EXPORT, command_export, NULL, "Write the desk as JSON, with its files.",
     "Writes the desk as it is at one moment to a new folder, also while the desk is running: desk.json, a "
     "file of one JSON object a line for each table, and the contents of files. docs/TRANSFER.md describes "
     "the format. The export does not contain the server key, but its values that are encrypted with it."},
    {"import", IMPORT, command_import, NULL,
     "Fill an empty desk from an export, another server, or Zendesk or Zammad.",
     "Fills a store without people from a folder that deskd export wrote, completely or not at all. With "
     "the same server key and base URL the desk then gives the same replies. Reads all files, verifies "
     "their checksums, and refuses a wrong one with its name and line. --from-zendesk and --from-zammad "
     "read files of these systems instead and print what was imported, left out and why. --from-api reads "
     "another server that speaks this API, and keeps what it read in a folder: an import that was "
     "interrupted goes on there, and the next one fetches only what has changed."},
    {"move", MOVE, command_move, NULL, "Copy a desk to PostgreSQL, its files to a bucket, or back.",
     "Copies every row of a stopped desk from one store to another, then reads both and compares counts "
     "and checksums. The target must be empty: a database whose user may create tables, or a folder. The "
     "move is complete when the command ends with status 0. Until then deskd refuses to serve the target, "
     "and a move that failed or was killed can be run again. The source is not changed. Contents of files "
     "stay where they are, unless --files-to names a place for them. Without --to only they are copied, "
     "also while the desk runs. Pass URLs with a password as DESKD_FROM and DESKD_TO."},
    {"check", CHECK, command_check, NULL, "Check a store for damage.",
     "Checks the store, the consistency of its rows, and the contents of files, also while the desk is "
     "running. Prints a line for each finding. Exit status 0: no findings, 1: some."},
    {"compact", COMPACT, command_compact, NULL,
     "Rewrite a store, so that nothing of deleted rows is left in it.",
     "Removes contents of expired files, rebuilds the search index, and rewrites the store. Afterwards no "
     "byte of what an erasure or a deletion removed is in the store, and its free space is returned to the "
     "system. A desk in a folder must be stopped; it needs as much free space again. A desk in a database "
     "should be stopped, because VACUUM FULL locks each table while it is rewritten. Backups, and the log "
     "archive of a database, stay as they are."},
    {"mail-in", MAIL_IN, command_mail_in, NULL, "Take a mail from standard input, for a mail server.",
     "Stores a mail in the inbox of the desk. The desk reads it at once or when it is started. --data "
     "names the desk's data folder, also if the desk is in a database. The desk must have been served "
     "once. mail-in sends no mail. Exit status, as mail servers expect it: 0: the mail is on the disk. 75: "
     "it can't be stored now, or the command line is wrong: try again. 65: standard input is empty. 67: "
     "the desk takes no mail for this recipient. 69: the mail is too large (over 50 MiB). One line on "
     "standard error gives the reason."},
    {"lmtp", LMTP, command_lmtp, NULL, "Take mail by LMTP, without the desk.",
     "Stores mails that mail servers deliver by LMTP in the inbox of the desk, as serve --lmtp does. It "
     "needs no store, so mail is taken while the desk is stopped. --data names the desk's data folder. The "
     "desk must have been served once. Runs until SIGTERM. Prints one line on standard output when it is "
     "ready. If run as root, continues as the owner of the data folder."},
    {"routes", ROUTES, command_routes, NULL, "Print the operations of the API.",
     "Prints one line for each operation, separated by tabs: method, path, roles, scope, status, resource."},
    {"openapi", OPENAPI, command_openapi, NULL, "Print the OpenAPI 3.1 document.",
     "Prints the OpenAPI 3.1 document of the API."},
    {"settings", SETTINGS, command_settings, NULL, "Print a commented settings file.",
     "Prints a settings file that you can edit, with every setting, its meaning and its default."},
    {"manual", MANUAL, command_manual, NULL, "Print the manual page.",
     "Prints the manual page deskd(1) with all commands and options, in the format of man(7)."},
    {0}};

static const struct nursery_kind prepared[] = {
    {HTML_ARGUMENT, NULL, html_child},
    {MAIL_ARGUMENT, mail_child_prepare, mail_child_run},
    {MAIL_BRIEF_ARGUMENT, mail_child_prepare, mail_child_run_brief},
    {0},
};

/* Does the work of a prepared process in this one. Returns its exit status, or -1: there is no such kind. */
static int run_unprepared(const char *argument) {
    for (const struct nursery_kind *k = prepared; k->argument; k++) {
        if (strcmp(argument, k->argument) != 0) continue;
        if (k->prepare) k->prepare();
        return k->run();
    }
    return -1;
}

int main(int argc, char **argv) {
    struct command_line o;
    char err[USAGE_MAX];
    if (argc == 3 && strcmp(argv[1], PICTURE_ARGUMENT) == 0) return picture_child(argv[2]);
    if (argc == 3 && strcmp(argv[1], NURSERY_ARGUMENT) == 0) return nursery_child(prepared);
    int work = argc == 3 ? run_unprepared(argv[1]) : -1;
    if (work >= 0) return work;
    memory_policy();
    memory_private();
    if (sodium_init() < 0) return complain("the cryptographic library can't be initialised");
    signal(SIGPIPE, SIG_IGN);
    struct arena *a = arena_new();
    int status = 0;
    if (options_read(&o, a, commands, argc, argv, err) < 0) {
        fprintf(stderr, "deskd: %s\n", err);
        /* no mail is lost by a typing error */
        status = o.command && o.command->bit == MAIL_IN ? EX_TEMPFAIL : EXIT_USAGE;
    } else if (o.version) {
        int schema = 0;
        while (schema_files[schema].name) schema++;
        printf("deskd %s, schema %d\n", DESKD_VERSION, schema);
    } else if (o.help) {
        options_help(stdout, &o);
    } else {
        log_level_set((enum log_level)option_int(&o, OPT_LOG_LEVEL));
        log_format_set((enum log_format)option_int(&o, OPT_LOG_FORMAT));
        nursery_allow(prepared);
        status = o.command->run(&o);
    }
    if (fflush(stdout) != 0 && status == 0) status = complain("standard output can't be written");
    arena_free(a);
    return status;
}
