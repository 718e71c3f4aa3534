#include "commands/options.h"

#include "base/fold.h"
#include "base/limits.h"
#include "base/log.h"
#include "db/db.h"
#include "commands/listen.h"

#define TEXT(n) #n
#define LIMIT_OF(n) TEXT(n)

#define STORE (SERVE | INIT | DEMO | BACKUP | RESTORE | CHECK | PASSWORD)
#define STORE_NAME "sqlite:DIR or postgres://user@host/name"

const struct word log_levels[] = {{LOG_ERROR, "error"}, {LOG_WARN, "warn"}, {LOG_INFO, "info"}, {LOG_DEBUG, "debug"}, {0}};

const struct option option_table[OPT_COUNT] = {
    [OPT_DATA] = {"data", "DIR", OPTION_TEXT, IN_FILE, STORE | MAIL_IN, "./data", .doc = "The folder of the store and its key."},
    [OPT_DATABASE] = {"database", "URL", OPTION_TEXT, IN_FILE, SERVE | INIT | DEMO | CHECK | PASSWORD, .valid = db_url_valid,
                      .form = "a URL as postgres://user@host/name", .doc = "A PostgreSQL database (postgres://...) instead of a folder."},
    [OPT_REPLICA_URL] = {"replica-url", "URL", OPTION_TEXT, IN_FILE, SERVE, .valid = db_url_valid,
                         .form = "a URL as postgres://user@host/name",
                         .doc = "A streaming replica of the database, one server, which answers reads of those who have not just written."},
    [OPT_SETTINGS] = {"settings", "FILE", OPTION_TEXT, 0, STORE | MOVE | MAIL_IN, .doc = "The settings file; deskd settings prints one."},
    [OPT_SECRET_FILE] = {"secret-file", "FILE", OPTION_TEXT, IN_FILE, SERVE | INIT | DEMO | MOVE,
                         .doc = "The server key, 32 random bytes, when it is not kept as secret.key in the data folder."},
    [OPT_FILES] = {"files", "DIR", OPTION_TEXT, IN_FILE, SERVE | BACKUP | RESTORE | CHECK,
                   .doc = "The folder of uploaded files; processes that share a database share it. Else `files` in the data folder."},
    [OPT_LISTEN] = {"listen", "ADDRESS:PORT", OPTION_TEXT, IN_FILE, SERVE, "127.0.0.1:8080", .valid = listen_valid,
                    .form = "a numeric address and a port, as 127.0.0.1:8080 or [::1]:8080",
                    .doc = "Where to listen: a numeric address and a port; port 0 picks a free one."},
    [OPT_BASE_URL] = {"base-url", "URL", OPTION_TEXT, IN_FILE, SERVE | OPENAPI, .valid = url_valid,
                      .form = "a URL as https://desk.example.com",
                      .doc = "The address that people use; links in replies begin with it. Else http:// and where it listens."},
    [OPT_PROXIES] = {"proxies", "ADDRESSES", OPTION_TEXT, IN_FILE, SERVE, .valid = proxies_valid,
                     .form = "numeric addresses, separated by commas",
                     .doc = "Reverse proxies whose X-Forwarded-For is believed: numeric addresses, separated by commas."},
    [OPT_THREADS] = {"threads", "N", OPTION_INT, IN_FILE, SERVE, "2", 1, 64, .doc = "Event loops, each a thread."},
    [OPT_WORKERS] = {"workers", "N", OPTION_INT, IN_FILE, SERVE, "0", 0, 64,
                     .doc = "Threads for short work, and as many for long reads (half as many if there are more than two); all reads of a "
                            "PostgreSQL database, a connection each. 0: 2, on PostgreSQL 8."},
    [OPT_WRITERS] = {"writers", "N", OPTION_INT, IN_FILE, SERVE, "0", 0, 64,
                     .doc = "Threads that write to a PostgreSQL database, a connection each; 0: 4."},
    [OPT_STATEMENT_TIMEOUT] = {"statement-timeout", "MS", OPTION_INT, IN_FILE, SERVE, "30000", 100, 3600000,
                               .doc =
                                   "How long a statement may take in a PostgreSQL database, in milliseconds; what reads, 10000 at most."},
    [OPT_PUBLIC_WRITES] = {"public-writes", "N", OPTION_INT, IN_FILE, SERVE, "60", 0, 1000000,
                           .doc = "Writes a minute that one address may make without a login; 0: any number."},
    [OPT_MAX_CONNECTIONS] = {"max-connections", "N", OPTION_INT, IN_FILE, SERVE, LIMIT_OF(LIMIT_CONNECTIONS), 1, 1000000,
                             .doc = "Open connections."},
    [OPT_MAX_PER_ADDRESS] = {"max-per-address", "N", OPTION_INT, IN_FILE, SERVE, "0", 0, 1000000,
                             .doc = "Maximum number of open connections of one address; an IPv6 /64 is one address. 0: " LIMIT_OF(
                                 LIMIT_CONNECTIONS_PER_ADDRESS) ", and "
                                                                "loopback is not counted. Proxies are never counted."},
    [OPT_HEAD_DEADLINE] = {"head-deadline", "MS", OPTION_INT, IN_FILE, SERVE, LIMIT_OF(DEADLINE_HEAD_MS), 10, 3600000,
                           .doc = "How long the header of a request may take, in milliseconds."},
    [OPT_BODY_DEADLINE] =
        {"body-deadline", "MS", OPTION_INT, IN_FILE, SERVE, LIMIT_OF(DEADLINE_BODY_MS), 10, 3600000,
         .doc = "How long a body may take, in milliseconds. It may take longer while 16 KiB a second have arrived over the last so many."},
    [OPT_IDLE] = {"idle", "SECONDS", OPTION_INT, IN_FILE, SERVE, LIMIT_OF(IDLE_KEEPALIVE_S), 1, 86400,
                  .doc = "How long a connection may rest between two requests."},
    [OPT_DRAIN] = {"drain", "MS", OPTION_INT, IN_FILE, SERVE, LIMIT_OF(DRAIN_MS), 0, 3600000,
                   .doc = "How long a stopping server waits for requests under way, in milliseconds."},
    [OPT_CASCADE_ROWS] =
        {"cascade-rows", "N", OPTION_INT, IN_FILE, SERVE, LIMIT_OF(LIMIT_CASCADE), 1, 1000000,
         .doc = "How many rows one write changes of what follows from another, as from a deleted team; jobs change the rest."},
    [OPT_CACHE] = {"cache", "KIB", OPTION_INT, IN_FILE, SERVE, "0", 0, 16777216,
                   .doc = "Memory for pages of the store, each thread; 0: the built-in choice."},
    [OPT_MMAP] = {"mmap", "MIB", OPTION_INT, IN_FILE, SERVE, "0", 0, 1048576,
                  .doc = "How much of the store is read through the page cache's own memory; 0: the built-in choice."},
    [OPT_LOG_LEVEL] = {"log-level", "LEVEL", OPTION_WORD, IN_FILE | LIVE, STORE | MOVE, "info", .words = log_levels,
                       .doc = "What is logged on standard error."},
    [OPT_ACCESS_LOG] = {"access-log", NULL, OPTION_FLAG, IN_FILE | LIVE, SERVE, "no", .doc = "Log a line for every request."},
    [OPT_OWNER_EMAIL] = {"owner-email", "EMAIL", OPTION_TEXT, 0, SERVE | INIT, "owner@example.com", .valid = email_valid,
                         .form = "an e-mail address", .doc = "The first login of a new desk."},
    [OPT_OWNER_NAME] = {"owner-name", "NAME", OPTION_TEXT, 0, SERVE | INIT, "Owner", .doc = "Its person's name."},
    [OPT_PASSWORD_FILE] = {"password-file", "FILE", OPTION_TEXT, 0, SERVE | INIT | DEMO | PASSWORD,
                           .doc = "Its first line is the password; without it a new desk prints a generated one, once."},
    [OPT_CONVERSATIONS] = {"conversations", "N", OPTION_INT, 0, DEMO, "1000", 0, 100000000, .doc = "How many to make."},
    [OPT_SEED] = {"seed", "N", OPTION_INT, 0, DEMO, "1", 0, INT64_MAX, .doc = "The same seed makes the same desk."},
    [OPT_TO] = {"to", "FILE", OPTION_TEXT, NEEDED, BACKUP, .doc = "The file to write; it must not exist yet."},
    [OPT_FROM] = {"from", "FILE", OPTION_TEXT, NEEDED, RESTORE, .doc = "The backup to restore."},
    [OPT_MOVE_FROM] = {"from", "STORE", OPTION_TEXT, NEEDED, MOVE, .valid = store_valid, .form = STORE_NAME,
                       .doc = "Where the desk is: " STORE_NAME "."},
    [OPT_MOVE_TO] = {"to", "STORE", OPTION_TEXT, NEEDED, MOVE, .valid = store_valid, .form = STORE_NAME,
                     .doc = "Where it goes, in the same words; there must be no desk yet."},
    [OPT_NEW_KEY] = {"new-key", NULL, OPTION_FLAG, 0, SERVE, "no",
                     .doc = "The server key of a database's processes was replaced: serve with this one from now on. All sessions end, and "
                            "second factors and secret settings, sealed with the one before, can't be read."},
    [OPT_CLOCK] = {"clock", "FILE", OPTION_TEXT, 0, SERVE,
                   .doc = "For tests: a file of decimal milliseconds is the time. On loopback only."},
};
