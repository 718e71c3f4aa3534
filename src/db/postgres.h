/* Declarations shared by the files of the PostgreSQL engine. */
#ifndef DB_POSTGRES_H
#define DB_POSTGRES_H

#include <libpq-fe.h>

#include "base/buf.h"
#include "base/clock.h"
#include "db/engine.h"

#define PG_VERSION_MIN 150000 /* the version that the tests run on */
#define PG_WRITERS 8
#define PG_WRITERS_MAX 64
#define PG_WAITING_MAX 64
#define PG_HINTS 16        /* statements of a read that are remembered */
#define PG_HINT_KEYS 1024  /* reads whose statements are remembered */
#define PG_HINT_BYTES 2048 /* of the values of one read; with more, nothing is remembered */
#define PG_COMMAND_MS \
    30000 /* limit of commands without a timeout of their own: BEGIN, LISTEN, session settings */

struct pg_server {
    const char *name; /* its name in the log */
    const char *url;
    const char *connect_timeout; /* seconds */
    _Atomic int64_t next_try;    /* clock_monotonic(): no attempt to connect before */
    _Atomic int back_off;        /* ms, doubled with each failure; 0: the last attempt succeeded */
    atomic_bool keeps_sessions;  /* a pooler was found, and gives each connection a session of its own */
};

/* See postgres_replica.c. */
#define PG_BEATS 16
struct pg_beat {
    int64_t at;       /* clock_monotonic() before the position was read; 0: unused */
    int64_t position; /* position of the primary's log */
};
struct pg_replica {
    struct pg_server server;
    const struct clock *clock;
    bool opened, watched;
    pthread_key_t key; /* each thread's connection */
    _Atomic int64_t reads;
    pthread_mutex_t lock; /* guards stop, stopping and moment */
    pthread_cond_t stop;
    bool stopping;
    struct pg_beat moment; /* the replica has all that was committed until then */
    pthread_t watcher;     /* used by the watcher only: all below */
    struct conn *primary, *own;
    struct pg_beat beats[PG_BEATS];
    size_t next;
    int64_t timeline; /* of the primary */
    bool strange, told;
};

struct pg_store {
    struct pg_server primary;
    struct pg_replica replica;
    int statement_ms;
    const struct query *on_change; /* db_config.on_change */
    const struct clock *clock;
    bool opened; /* set: failures are logged; before that, db_open's caller gets them */
    int writer_count;
    pthread_t writers[PG_WRITERS_MAX];
    pthread_mutex_t lock; /* guards the queue, stopping and closing */
    pthread_cond_t wake;
    struct db_task *first, **last;
    bool stopping, closing;
    pthread_mutex_t hints_lock; /* guards remembered */
    struct pg_remembered *remembered[PG_HINT_KEYS];
    pthread_cond_t close; /* wakes the watcher */
    pthread_t watcher;
    bool watching;
    struct pg_notifier {
        int fd; /* an eventfd that wakes the listener */
        atomic_bool marked, ended;
        unsigned generation; /* generation of the connection in which LISTEN was run */
        int64_t quiet_until; /* clock_monotonic(): the next NOTIFY is sent then */
        _Atomic int64_t received;
    } notifier;
};

/* See postgres_hints.c. Of the present read. */
struct pg_hints {
    uint64_t key;        /* 0: the read has none */
    unsigned generation; /* of the connection that sent them */
    int64_t given;       /* the id in the path of its request; 0: none */
    int count;           /* statements that were started */
    struct pg_seen {
        uint64_t hash;
        size_t at, n; /* values in `bytes` */
    } list[PG_HINTS];
    struct buf bytes;
    int sent_count; /* statements that were sent */
    struct pg_sent {
        uint64_t hash;              /* of its text */
        const struct pg_stmt *stmt; /* NULL: it is gone */
        size_t at, n;               /* values in `sent_bytes` */
        PGresult *result;           /* NULL: not read yet, or taken */
    } sent[PG_HINTS];
    struct buf sent_bytes;
    bool read, failed; /* their results were read; one of them failed */
};

/* PostgreSQL's part of a conn. */
struct pg {
    struct pg_server *server;
    PGconn *handle; /* NULL: not connected */
    int number;     /* of the server's process; with a pooler, PQbackendPID returns another number */
    int fd;         /* socket of the handle, while it may be shut down; guarded by the store's lock */
    /* clock_monotonic(): the watcher shuts down a wait that lasts longer; 0: no wait */
    _Atomic int64_t until;
    unsigned generation; /* number of the connection: statements of an earlier one are prepared again */
    unsigned names;      /* number of statement names used so far */
    int timeout_ms;      /* the session's statement_timeout */
    int wanted_ms;       /* the one that the transaction wants */
    bool ended;          /* the server ends this connection, and libpq has not met the end yet */
    bool sent;           /* a command was sent and its result is not read yet */
    const char *begin;   /* a BEGIN that goes out with the first statement; NULL: none waits */
    bool pipes;          /* the transaction is one pipeline, without BEGIN; its `begin` is "" */
    bool collided;       /* serialisation failure or deadlock: the task can be run again */
    /* a unique or foreign key violation: a concurrent write may have committed after a check */
    bool raced;
    /* See postgres_pipeline.c. Texts of the statements that were sent and whose results are not read yet. */
    const char *waiting[PG_WAITING_MAX];
    int waiting_count;
    const char *culprit; /* the one of them that failed; NULL: none did */
    bool late;           /* one of them failed, and the task runs again to fail where its cause is */
    bool at_once;        /* no statement of this task waits */
    bool unconfirmed;    /* the wait of a COMMIT for a standby was cancelled */
    struct pg_hints hints;
    struct pg_ahead *ahead; /* of the present write: postgres_ahead.c */
};

/* Numbers of types in pg_type. They never change. */
enum {
    TYPE_BYTEA = 17,
    TYPE_INT8 = 20,
    TYPE_INT2 = 21,
    TYPE_INT4 = 23,
    TYPE_TEXT = 25,
    TYPE_JSON = 114,
    TYPE_FLOAT8 = 701,
    TYPE_VARCHAR = 1043
};

/* PG_LOCKS: a read that locks its rows. */
enum pg_effect { PG_READS, PG_LOCKS, PG_CHANGES };

#define PG_NUMBER_MAX 24
struct pg_stmt {
    struct arena *memory;
    char name[16];
    const char *text; /* with numbered parameters */
    bool by_values;   /* planned at each run */
    enum pg_effect effect;
    unsigned generation; /* generation of the connection in which it is prepared; 0: none */
    int count;
    const char **names;
    Oid *types;
    const char **values;
    int *lengths, *formats;
    char (*numbers)[PG_NUMBER_MAX];
    PGresult *result; /* result of the current run */
    int row;
    struct bytes *bytes; /* decoded columns */
};

/* postgres.c */
int pg_open(struct db *db, struct pg_server *server, enum conn_role role, struct conn **out,
            struct why why); /* connects; joins the store */
void pg_close(struct conn *c);
/* makes sure that the connection is open and idle; reconnects outside of transactions */
int pg_ready(struct conn *c);
bool pg_alive(const struct pg *g);
int pg_run_text(struct conn *c, const char *text); /* runs commands at once, and no BEGIN before */
/* Begins a transaction. Its BEGIN (text, constant) goes out with its first statement. */
int pg_begin(struct conn *c, const char *text, int timeout_ms);
int pg_begin_ready(struct conn *c); /* for the statement that it goes out with */
/* Ends a transaction of which nothing has gone out yet. Returns true if that was so. */
bool pg_unbegun(struct conn *c);
bool pg_lost(const struct conn *c); /* the connection was lost in a transaction */
/* Converts a failed result to an error and frees it. Defects and faults are logged, never with values. */
int pg_error(struct conn *c, PGresult *r, const char *sql);
void pg_reason(struct conn *c, char *out, size_t n); /* writes libpq's last message on one line */
void pg_drop(struct conn *c);                        /* closes the connection */
/* Units: milliseconds; 0: a command has no time limit */
int pg_limit(const struct conn *c);

PGresult *pg_received(struct conn *c, PGresult *r); /* notes if the result ends the session; returns it */
PGresult *pg_exec(struct conn *c, const char *text, int ms); /* PQexec within a time, if not 0 */
/* Reads the result of the next command in a pipeline, within the time of one command. NULL: the connection is
 * lost. */
PGresult *pg_next_result(struct conn *c);
void pg_pipeline_ended(struct conn *c); /* reads up to the end of the pipeline and leaves its mode */

typedef bool pg_send(PGconn *handle, const void *command);     /* false: it could not be sent */
bool pg_send_statement(PGconn *handle, const void *statement); /* a pg_send, as the next one */

/* postgres_pipeline.c */
bool pg_send_constant(PGconn *handle, const void *text);
/* Sends a command whose result pg_pipeline reads. Returns 0 or an error. */
int pg_send_later(struct conn *c, pg_send *send, const void *command, const char *sql);
/* Sends the BEGIN that waits and a command, after those of pg_send_later. Returns the result of the
 * command, or of the first that failed (pg_error names it); NULL: the connection is lost. send NULL: no
 * command; returns NULL if all succeeded, too. */
PGresult *pg_pipeline(struct conn *c, pg_send *send, const void *command);
int pg_collect(struct conn *c); /* reads the results of all commands that were sent; 0 or an error */
/* runs a constant command with those that were sent before */
int pg_run_last(struct conn *c, const char *text);
/* Sends a BEGIN that still waits, and reads the results of all statements. For code that uses the handle
 * itself. */
int pg_begin_now(struct conn *c);
int pg_run(struct conn *c, const char *text); /* runs constant commands without parameters */

/* postgres_ahead.c */
void pg_ahead_begin(struct conn *c);            /* a task begins */
void pg_ahead_end(struct conn *c, bool learns); /* no result is valid from here on */
void pg_ahead_pass(const struct stmt *s);       /* a statement goes out without being awaited */
/* Notes a statement that is awaited. Returns its result if it was sent ahead; the caller frees it. */
PGresult *pg_ahead_take(const struct stmt *s);
bool pg_ahead_any(const struct conn *c); /* reads would be sent with the next statement */
bool pg_ahead_send(struct conn *c);      /* sends them; false: the connection failed */
void pg_ahead_read(struct conn *c);      /* reads their results, after that of the statement */
void pg_ahead_gone(struct conn *c, const struct pg_stmt *p); /* before it is freed */

/* postgres_watch.c: call these around each libpq call that waits for a result. ms: the server's own limit;
 * 0: none */
void pg_wait(struct conn *c, int ms);
void pg_waited(struct conn *c);
void pg_watch_socket(struct conn *c, int fd); /* fd -1: before the handle is closed */
void pg_watch_cut(struct db *db, const struct pg_server *server);
int pg_watch_start(struct db *db);
void pg_watch_stop(struct db *db); /* call it before the connections are closed */

/* postgres_pooler.c */
/* Opens a connection without a role. like: to the same host as this one; NULL: to any host of the URL. The
 * caller looks at its PQstatus, and ends it with PQfinish. */
PGconn *pg_connect(const struct pg_server *server, const PGconn *like);
/* Refuses a pooler that gives another session to each transaction. answer: the result of
 * SELECT pg_backend_pid() */
int pg_pooler_check(struct conn *c, const PGresult *answer, struct why why);

/* postgres_statement.c */
int pg_prepare(struct conn *c, const char *sql, void **handle, int *params);
void pg_finalize(struct conn *c, void *handle);
const char *pg_param_name(void *handle, int i);
int pg_bind(struct stmt *s, int i, const struct bind *b);
int pg_step(struct stmt *s);
int pg_later(struct stmt *s);
int pg_reset(struct stmt *s);
int pg_changed(struct stmt *s);
int64_t pg_col_int(void *handle, int i);
bool pg_col_int_given(void *handle, int i, int64_t *out);
struct str pg_col_text(void *handle, int i);
bool pg_col_null(void *handle, int i);
int pg_col_count(void *handle);

/* postgres_hints.c */
void pg_expect(struct conn *c, uint64_t key, int64_t given); /* see db_expect */
/* Runs a command in a transaction that `pipes`, and reads the results of hints. Returns its result, or that
 * of a hint that failed; NULL: the connection is lost. send NULL: no command; NULL if no hint failed. */
PGresult *pg_pipe(struct conn *c, pg_send *send, const void *command);
/* Notes a statement that starts. Returns its hint, or -1: none was sent. */
int pg_hint_of(struct conn *c, const struct stmt *s);
PGresult *pg_hinted(struct conn *c, const struct pg_stmt *p, int hint); /* the result, as pg_pipe */
bool pg_hints_failed(const struct conn *c);
/* Ends the pipeline whose results were not used, so that the read begins anew, without hints. */
void pg_hints_withdraw(struct conn *c);
void pg_hints_gone(struct conn *c, const struct pg_stmt *p); /* before it is freed */
void pg_hints_free(struct pg_store *s);
int pg_read_begin(struct conn *c, int budget_ms);
void pg_read_end(struct conn *c);

/* postgres_store.c */
int pg_store_open(struct db *db, const struct db_config *cfg, const struct schema_file *files,
                  struct why why);
int pg_store_close(struct db *db);
void pg_submit(struct db *db, struct db_task *t);
bool pg_writes_here(const struct db *db);
void pg_stats(struct db *db, struct db_stats *out);

/* postgres_replica.c */
int pg_replica_open(struct db *db, const struct db_config *cfg, struct why why);
void pg_replica_close(struct db *db); /* call it before the connections are closed */
struct conn *pg_replica(struct db *db, int64_t since);
bool pg_replica_usable(struct db *db);

/* postgres_notify.c */
void pg_notify(struct db *db);
int pg_listen(struct db *db, int wait_ms);
void pg_listen_end(struct db *db);

/* postgres_move.c */
extern const struct mover pg_mover;
/* until the connection ends, no other move can fill this database */
int pg_claim(struct conn *c, struct why why);
/* Fails if deskd has other connections: stop those processes, `then` ... Waits up to 2 s for sessions that
 * are ending. */
int pg_alone_to(struct conn *c, const char *then, struct why why);
int pg_alone(struct conn *c, struct why why); /* for a move */

/* postgres_schema.c */
int pg_migrate(struct conn *c, const struct schema_file *files, struct why why);
int pg_schema_version(struct conn *c, const struct schema_file *files, struct why why);
/* SQL: the sequence that gives the ids of column `a` (pg_attribute) of table `c` (pg_class): its own, or
 * another table's that its default names, because some tables share an id space. NULL: none. */
#define PG_SEQUENCE_OF                                                               \
    "COALESCE(pg_get_serial_sequence(CAST(c.oid::regclass AS TEXT), a.attname), "    \
    "(SELECT CAST(s.oid::regclass AS TEXT) FROM pg_attrdef x JOIN pg_depend d "      \
    "ON d.classid = 'pg_attrdef'::regclass AND d.objid = x.oid "                     \
    "AND d.refclassid = 'pg_class'::regclass JOIN pg_class s ON s.oid = d.refobjid " \
    "AND s.relkind = 'S' WHERE x.adrelid = a.attrelid AND x.adnum = a.attnum))"
int pg_settle_ids(struct conn *c);
int pg_next_id(struct conn *c, const char *table, int64_t id);

#endif
