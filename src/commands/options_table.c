#include "commands/options.h"

#include "base/fold.h"
#include "base/limits.h"
#include "base/log.h"
#include "db/db.h"
#include "commands/listen.h"

#define TEXT(n) #n
#define LIMIT_OF(n) TEXT(n)

#define STORE (SERVE | INIT | DEMO | BACKUP | RESTORE | CHECK | PASSWORD | EXPORT | IMPORT | COMPACT)
#define FILES_HERE (SERVE | BACKUP | RESTORE | CHECK | DEMO | EXPORT | IMPORT | COMPACT)
#define FILES (FILES_HERE | MOVE)
#define STORE_NAME "sqlite:DIR or postgres://user@host/name"

const struct word log_levels[] = {
    {LOG_ERROR, "error"}, {LOG_WARN, "warn"}, {LOG_INFO, "info"}, {LOG_DEBUG, "debug"}, {0}};
static const struct word log_formats[] = {{LOG_TEXT, "text"}, {LOG_JSON, "json"}, {0}};

const struct option option_table[OPT_COUNT] = {
    [OPT_DATA] = {"data", "DIR", OPTION_TEXT, IN_FILE, STORE | MAIL_IN | LMTP, "./data",
                  .doc = "Folder of the store and the server key."},
    [OPT_DATABASE] = {"database", "URL", OPTION_TEXT, IN_FILE,
                      SERVE | INIT | DEMO | CHECK | PASSWORD | EXPORT | IMPORT | COMPACT,
                      .valid = db_url_valid, .form = "a URL as postgres://user@host/name",
                      .doc = "A PostgreSQL database (postgres://...) instead of a folder."},
    [OPT_REPLICA_URL] =
        {"replica-url", "URL", OPTION_TEXT, IN_FILE, SERVE, .valid = db_url_valid,
         .form = "a URL as postgres://user@host/name",
         .doc = "A streaming replica of the database: one server. It answers the reads of sessions that "
                "have not just written."},
    [OPT_SETTINGS] = {"settings", "FILE", OPTION_TEXT, 0, STORE | MOVE | MAIL_IN | LMTP,
                      .doc = "The settings file. deskd settings prints one."},
    [OPT_SECRET_FILE] = {"secret-file", "FILE", OPTION_TEXT, IN_FILE,
                         SERVE | INIT | DEMO | MOVE | CHECK | PASSWORD | EXPORT | IMPORT,
                         .doc = "File of the server key: 32 random bytes. Default: secret.key in the data "
                                "folder."},
    [OPT_FILES] = {"files", "PLACE", OPTION_TEXT, IN_FILE, FILES, .valid = files_valid,
                   .form = "a folder, or s3://BUCKET or s3://BUCKET/PREFIX",
                   .doc = "Place of uploaded files: a folder, or a bucket of an object store as "
                          "s3://BUCKET/PREFIX. Processes that share a database must share it. Default: files "
                          "in the data folder."},
    [OPT_FILES_CACHE] = {"files-cache", "DIR", OPTION_TEXT, IN_FILE, FILES_HERE,
                         .doc =
                             "Folder of uploads under way and of copies of files that are in a bucket, on a "
                             "local disk. Default: files-cache in the data folder."},
    [OPT_FILES_CACHE_SIZE] = {"files-cache-size", "MIB", OPTION_INT, IN_FILE, FILES_HERE, "1024", 0, 16777216,
                              .doc = "Size to which that folder is cut down every minute, in MiB. Files that "
                                     "were used in the last 15 minutes stay."},
    [OPT_S3_ENDPOINT] = {"s3-endpoint", "URL", OPTION_TEXT, IN_FILE, FILES, .valid = url_valid,
                         .form = "a URL as https://s3.example.com",
                         .doc = "Object store that has the bucket of --files: its address without a path."},
    [OPT_S3_REGION] = {"s3-region", "NAME", OPTION_TEXT, IN_FILE, FILES, "us-east-1",
                       .doc = "Region of the bucket."},
    [OPT_S3_KEY_FILE] = {"s3-key-file", "FILE", OPTION_TEXT, IN_FILE, FILES,
                         .doc =
                             "File whose first line is the key of the object store, as ID:SECRET. Only its "
                             "owner may read it. Default: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of "
                             "the environment."},
    [OPT_S3_PRESIGNED] = {"s3-presigned", "MINUTES", OPTION_INT, IN_FILE, SERVE, "0", 0, 60,
                          .doc = "Send downloads of files to an address of the bucket that anyone who has it "
                                 "can use for so many minutes. 0: the server sends the files itself."},
    [OPT_LISTEN] = {"listen", "ADDRESS:PORT", OPTION_TEXT, IN_FILE, SERVE, "127.0.0.1:8080",
                    .valid = listen_valid,
                    .form = "a numeric address and a port, as 127.0.0.1:8080 or [::1]:8080",
                    .doc = "Address to listen on: a numeric address and a port. Port 0 picks a free port."},
    [OPT_LMTP] = {"lmtp", "ADDRESS", OPTION_TEXT, IN_FILE, SERVE | LMTP, .valid = lmtp_valid,
                  .form = "a numeric address and a port, as 127.0.0.1:2424, or the full path of a socket; "
                          "not port 25",
                  .doc = "Take mail by LMTP here: a numeric address and a port, or the full path of a UNIX "
                         "socket (mode 0660). Anyone who can connect can deliver mail, so use a loopback "
                         "address or a socket."},
    [OPT_LMTP_CONNECTIONS] = {"lmtp-connections", "N", OPTION_INT, IN_FILE, SERVE | LMTP,
                              LIMIT_OF(LIMIT_LMTP_CONNECTIONS), 1, 10000,
                              .doc = "Maximum number of LMTP connections. Each is one thread."},
    [OPT_LMTP_IDLE] = {"lmtp-idle", "SECONDS", OPTION_INT, IN_FILE, SERVE | LMTP, LIMIT_OF(IDLE_LMTP_S), 1,
                       86400,
                       .doc = "Timeout of an LMTP connection on which nothing is sent or received, in "
                              "seconds."},
    [OPT_BASE_URL] = {"base-url", "URL", OPTION_TEXT, IN_FILE, SERVE | OPENAPI | EXPORT | IMPORT | PASSWORD,
                      .valid = url_valid, .form = "a URL as https://desk.example.com",
                      .doc = "Public address of the server. Links in replies begin with it. Default: "
                             "http:// and the address of --listen."},
    [OPT_PROXIES] = {"proxies", "ADDRESSES", OPTION_TEXT, IN_FILE, SERVE, .valid = proxies_valid,
                     .form = "numeric addresses or networks, separated by commas",
                     .doc = "Trusted reverse proxies: numeric addresses or networks (10.0.0.0/8), separated "
                            "by commas. X-Forwarded-For counts only from these addresses."},
    [OPT_THREADS] = {"threads", "N", OPTION_INT, IN_FILE, SERVE, "2", 1, 64,
                     .doc = "Number of event loops. Each is one thread."},
    [OPT_WORKERS] =
        {"workers", "N", OPTION_INT, IN_FILE, SERVE, "0", 0, 64,
         .doc = "Number of pool threads for short work. There are as many for long reads, or half as many "
                "above two. On PostgreSQL these threads do all reads, with one connection each. 0: 2, on "
                "PostgreSQL 8."},
    [OPT_WRITERS] = {"writers", "N", OPTION_INT, IN_FILE, SERVE, "0", 0, 64,
                     .doc = "Number of threads that write to a PostgreSQL database, with one connection "
                            "each. 0: 8."},
    [OPT_STATEMENT_TIMEOUT] = {"statement-timeout", "MS", OPTION_INT, IN_FILE, SERVE, "30000", 100, 3600000,
                               .doc = "Timeout of a statement in a PostgreSQL database, in milliseconds. "
                                      "Reads use at most 10000."},
    [OPT_PUBLIC_WRITES] = {"public-writes", "N", OPTION_INT, IN_FILE, SERVE, "60", 0, 1000000,
                           .doc = "Maximum number of writes a minute that one address may make without "
                                  "credentials. 0: no limit."},
    [OPT_MAX_CONNECTIONS] = {"max-connections", "N", OPTION_INT, IN_FILE, SERVE, LIMIT_OF(LIMIT_CONNECTIONS),
                             1, 1000000, .doc = "Maximum number of open connections."},
    [OPT_MAX_PER_ADDRESS] =
        {"max-per-address", "N", OPTION_INT, IN_FILE, SERVE, "0", 0, 1000000,
         .doc =
             "Maximum number of open connections of one address; an IPv6 /64 is one "
             "address. 0: " LIMIT_OF(
                 LIMIT_CONNECTIONS_PER_ADDRESS) ", and loopback is not counted. Proxies are never counted."},
    [OPT_HEAD_DEADLINE] = {"head-deadline", "MS", OPTION_INT, IN_FILE, SERVE, LIMIT_OF(DEADLINE_HEAD_MS), 10,
                           3600000, .doc = "Deadline for the header of a request, in milliseconds."},
    [OPT_BODY_DEADLINE] = {"body-deadline", "MS", OPTION_INT, IN_FILE, SERVE, LIMIT_OF(DEADLINE_BODY_MS), 10,
                           3600000,
                           .doc = "Deadline for the body of a request, in milliseconds. It is extended "
                                  "while at least 16 KiB a second arrived in the last period of this "
                                  "length."},
    [OPT_IDLE] = {"idle", "SECONDS", OPTION_INT, IN_FILE, SERVE, LIMIT_OF(IDLE_KEEPALIVE_S), 1, 86400,
                  .doc = "Timeout of an idle connection between two requests, in seconds."},
    [OPT_DRAIN] = {"drain", "MS", OPTION_INT, IN_FILE, SERVE | LMTP, LIMIT_OF(DRAIN_MS), 0, 3600000,
                   .doc = "Maximum time that a stopping server waits for running requests, in milliseconds."},
    [OPT_CASCADE_ROWS] = {"cascade-rows", "N", OPTION_INT, IN_FILE, SERVE, LIMIT_OF(LIMIT_CASCADE), 1,
                          1000000,
                          .doc = "Maximum number of rows that one cascade step changes in a single write, "
                                 "as after the deletion of a team. Jobs change the rest."},
    [OPT_SEARCH_TEXTS] =
        {"search-texts", "N", OPTION_INT, IN_FILE, SERVE, LIMIT_OF(LIMIT_SEARCH_FOUND), 10, 1000000,
         .doc = "Maximum number of texts with its rarest word that a search examines. If more have it, "
                "total_count is a lower bound."},
    [OPT_EXACT_DURATIONS] = {"exact-durations", "N", OPTION_INT, IN_FILE, SERVE,
                             LIMIT_OF(LIMIT_EXACT_DURATIONS), 1, 100000000,
                             .doc =
                                 "A report reads fewer durations of a period one by one. It reads more from "
                                 "steps, with an error of at most 4 %."},
    [OPT_CACHE] = {"cache", "KIB", OPTION_INT, IN_FILE, SERVE, "0", 0, 16777216,
                   .doc = "Page cache of SQLite for each thread, in KiB. 0: the built-in default."},
    [OPT_MMAP] = {"mmap", "MIB", OPTION_INT, IN_FILE, SERVE, "0", 0, 1048576,
                  .doc = "Maximum size of the memory map of the SQLite store, in MiB. 0: none, which costs "
                         "least if there are writes."},
    [OPT_LOG_LEVEL] = {"log-level", "LEVEL", OPTION_WORD, IN_FILE | LIVE, STORE | MOVE | LMTP, "info",
                       .words = log_levels,
                       .doc = "Lowest level of messages that are logged on standard error."},
    [OPT_LOG_FORMAT] = {"log-format", "FORMAT", OPTION_WORD, IN_FILE | LIVE, STORE | MOVE | LMTP, "text",
                        .words = log_formats,
                        .doc =
                            "Form of the lines on standard error: text, or json, an object for each line."},
    [OPT_ACCESS_LOG] = {"access-log", NULL, OPTION_FLAG, IN_FILE | LIVE, SERVE, "no",
                        .doc = "Log a line for every request."},
    [OPT_NO_CONSOLE] = {"no-console", NULL, OPTION_FLAG, IN_FILE, SERVE, "no",
                        .doc = "Serve no console of staff at /agent."},
    [OPT_OWNER_EMAIL] = {"owner-email", "EMAIL", OPTION_TEXT, 0, SERVE | INIT | IMPORT, "owner@example.com",
                         .valid = email_valid, .form = "an e-mail address",
                         .doc = "E-mail address of the owner of a new desk."},
    [OPT_OWNER_NAME] = {"owner-name", "NAME", OPTION_TEXT, 0, SERVE | INIT | IMPORT, "Owner",
                        .doc = "Name of the owner of a new desk."},
    [OPT_PASSWORD_FILE] = {"password-file", "FILE", OPTION_TEXT, 0, SERVE | INIT | DEMO | PASSWORD | IMPORT,
                           .doc = "File whose first line is the password. Without this option a new desk "
                                  "prints a generated password once."},
    [OPT_CONVERSATIONS] = {"conversations", "N", OPTION_INT, 0, DEMO, "1000", 0, 100000000,
                           .doc = "Number of conversations to create."},
    [OPT_SEED] = {"seed", "N", OPTION_INT, 0, DEMO, "1", 0, INT64_MAX,
                  .doc = "Seed of the generated data. The same seed gives the same desk."},
    [OPT_TO] = {"to", "FILE", OPTION_TEXT, NEEDED, BACKUP,
                .doc = "The backup file to write. It must not exist yet."},
    [OPT_FROM] = {"from", "FILE", OPTION_TEXT, NEEDED, RESTORE, .doc = "The backup file to restore."},
    [OPT_RECIPIENT] =
        {"recipient", "ADDRESS", OPTION_TEXT, 0, MAIL_IN,
         .doc = "Recipient of the envelope. Default: ORIGINAL_RECIPIENT or RECIPIENT of the environment, "
                "else the header X-Original-To or Delivered-To."},
    [OPT_SENDER] = {"sender", "ADDRESS", OPTION_TEXT, 0, MAIL_IN,
                    .doc =
                        "Sender of the envelope; <> is the null sender. Default: SENDER of the environment, "
                        "else the header Return-Path."},
    [OPT_MOVE_FROM] = {"from", "STORE", OPTION_TEXT, NEEDED, MOVE, .valid = store_valid, .form = STORE_NAME,
                       .doc = "Source of the move: " STORE_NAME "."},
    [OPT_MOVE_TO] = {"to", "STORE", OPTION_TEXT, 0, MOVE, .valid = store_valid, .form = STORE_NAME,
                     .doc = "Target of the move, in the same form. It must not contain a desk yet. Without "
                            "it, only the files are moved."},
    [OPT_FILES_TO] = {"files-to", "PLACE", OPTION_TEXT, 0, MOVE, .valid = files_valid,
                      .form = "a folder, or s3://BUCKET or s3://BUCKET/PREFIX",
                      .doc = "Also copy the contents of all files, from --files (default: files in the "
                             "folder of --from) to this folder or bucket. What is there already is not "
                             "copied again. Both places may be buckets of one object store."},
    [OPT_EXPORT_TO] = {"to", "FOLDER", OPTION_TEXT, NEEDED, EXPORT,
                       .doc = "The folder to write. It must not exist yet."},
    [OPT_IMPORT_FROM] = {"from", "FOLDER", OPTION_TEXT, 0, IMPORT,
                         .doc = "The folder that deskd export wrote."},
    [OPT_FROM_ZENDESK] = {"from-zendesk", "FOLDER", OPTION_TEXT, 0, IMPORT,
                          .doc = "A folder with JSON that was exported from Zendesk: users, organizations, "
                                 "groups, tickets, comments."},
    [OPT_FROM_ZAMMAD] = {"from-zammad", "FOLDER", OPTION_TEXT, 0, IMPORT,
                         .doc = "A folder with JSON of Zammad's API: users, organizations, groups, tickets, "
                                "articles."},
    [OPT_FROM_API] = {"from-api", "URL", OPTION_TEXT, 0, IMPORT, .valid = url_valid,
                      .form = "a URL as https://desk.example.com",
                      .doc = "Another server that speaks this API: people, organizations, teams, roles, "
                             "conversations, their posts and files. An empty store keeps its ids. A desk "
                             "with rows of its own gets what is new."},
    [OPT_CREDENTIALS_FILE] =
        {"credentials-file", "FILE", OPTION_TEXT, 0, IMPORT,
         .doc =
             "File whose first line logs in to the server of --from-api: EMAIL:PASSWORD, or Bearer and an "
             "API token, of an administrator or owner. Default: DESKD_API_CREDENTIALS of the environment."},
    [OPT_COPY] = {"copy", "DIR", OPTION_TEXT, 0, IMPORT,
                  .doc =
                      "Folder that keeps the rows of --from-api. The next import with it fetches only what "
                      "has changed. Default: import-api in the data folder."},
    [OPT_INSECURE] = {"insecure", NULL, OPTION_FLAG, 0, IMPORT, "no",
                      .doc = "Allow --from-api with http to another machine. The network can then read the "
                             "credentials and all data."},
    [OPT_WITHOUT_SECRETS] = {"without-secrets", NULL, OPTION_FLAG, 0, IMPORT, "no",
                             .doc = "Import without the server key of the exported desk. What only that key "
                                    "can read is left out and listed."},
    [OPT_NEW_KEY] = {"new-key", NULL, OPTION_FLAG, 0, SERVE, "no",
                     .doc =
                         "Serve a database with a new server key, because the old key was replaced. All "
                         "sessions end. Second factors and secret settings can't be read any more, because "
                         "they are encrypted with the old key."},
    [OPT_DEEP] = {"deep", NULL, OPTION_FLAG, 0, CHECK, "no",
                  .doc =
                      "Also read and verify the contents of files in a bucket. Without it, their sizes are "
                      "compared. Contents in a folder are always read."},
    [OPT_CLOCK] = {"clock", "FILE", OPTION_TEXT, 0, SERVE | INIT | PASSWORD | EXPORT | IMPORT | COMPACT,
                   .doc = "For tests: read the time from a file, in decimal milliseconds. A server needs a "
                          "loopback address for it."},
};
