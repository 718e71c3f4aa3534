#include "core/erasure/erase_receipt.h"

#include "json/json.h"

const struct word erasure_statuses[] = {{ERASURE_RUNNING, "RUNNING"}, {ERASURE_COMPLETED, "COMPLETED"}, {0}};

const struct word erased_words[] = {{ERASED_PROFILE, "PROFILE"},
                                    {ERASED_IDENTITIES, "IDENTITIES"},
                                    {ERASED_CONTACTS, "CONTACTS"},
                                    {ERASED_FIELD_VALUES, "FIELD_VALUES"},
                                    {ERASED_TAGS, "TAGS"},
                                    {ERASED_PICTURE, "PICTURE"},
                                    {ERASED_CREDENTIALS, "CREDENTIALS"},
                                    {ERASED_GRANTS, "GRANTS"},
                                    {ERASED_PREFERENCES, "NOTIFICATION_PREFERENCES"},
                                    {ERASED_VIEWS, "PRIVATE_VIEWS_AND_MACROS"},
                                    {ERASED_NOTES, "NOTES_ON_PERSON"},
                                    {ERASED_TRAIL, "ACTIVITY_VALUES"},
                                    {ERASED_CHANGES, "CHANGE_LOG_VALUES"},
                                    {ERASED_AUDIT, "AUDIT_VALUES"},
                                    {ERASED_LETTERS, "OUTGOING_MAILS"},
                                    {ERASED_RECIPIENTS, "MAIL_RECIPIENTS"},
                                    {ERASED_MAILS, "INCOMING_MAILS"},
                                    {ERASED_DELIVERIES, "ENDPOINT_DELIVERIES"},
                                    {ERASED_SESSIONS, "SESSIONS"},
                                    {ERASED_ADDRESSES, "IP_ADDRESSES"},
                                    {ERASED_FAILURES, "LOGIN_FAILURES"},
                                    {ERASED_EVENTS, "EVENTS"},
                                    {ERASED_CONVERSATIONS, "CONVERSATION_DETAILS"},
                                    {ERASED_MESSAGES, "MESSAGE_DETAILS"},
                                    {ERASED_SEARCHES, "HELP_CENTER_SEARCHES"},
                                    {ERASED_JOBS, "JOB_INPUTS"},
                                    {ERASED_REPLIES, "REPEATED_REPLIES"},
                                    {ERASED_FILES, "UNATTACHED_FILES"},
                                    {ERASED_MESSAGE_TEXTS, "MESSAGE_TEXTS"},
                                    {ERASED_NOTE_TEXTS, "NOTE_TEXTS"},
                                    {ERASED_SUBJECTS, "SUBJECTS"},
                                    {ERASED_CASE_VALUES, "CONVERSATION_FIELD_VALUES"},
                                    {ERASED_RATINGS, "RATING_COMMENTS"},
                                    {ERASED_COMMENTS, "COMMENT_TEXTS"},
                                    {0}};

QUERY(erasure_counted, "INSERT INTO erasure_counts (user_id, what, n) "
                       "VALUES (:user, :what, :n) ON CONFLICT (user_id, what) DO UPDATE "
                       "SET n = erasure_counts.n + excluded.n");

int erasure_count(struct work *w, int64_t user_id, enum erased what, int64_t n) {
    if (n == 0) return 0;
    int rc =
        db_exec(w->conn, &erasure_counted, BINDS(B_INT("user", user_id), B_INT("what", what), B_INT("n", n)));
    return rc < 0 ? rc : 0;
}

/* ---- the receipt ----------------------------------------------------------------------------- */

#define CASES_OF "(SELECT c.id FROM cases c WHERE c.requester_id = :id)"
QUERY(kept_conversations, "SELECT COUNT(*) FROM cases c WHERE c.requester_id = :id");
QUERY(kept_messages, "SELECT COUNT(*) FROM posts p WHERE p.creator_id = :id OR p.case_id IN " CASES_OF);
QUERY(kept_notes, "SELECT COUNT(*) FROM notes n WHERE n.user_id = :id OR n.case_id IN " CASES_OF);
QUERY(kept_ratings, "SELECT COUNT(*) FROM case_ratings r WHERE r.creator_id = :id OR r.case_id IN " CASES_OF);
QUERY(kept_comments, "SELECT COUNT(*) FROM article_comments k WHERE k.user_id = :id");
QUERY(kept_votes, "SELECT COUNT(*) FROM article_votes v WHERE v.user_id = :id");
QUERY(kept_articles, "SELECT COUNT(*) FROM articles a WHERE a.author_id = :id OR a.creator_id = :id");
QUERY(kept_activities, "SELECT COUNT(*) FROM activities a WHERE a.owner_user_id = :id");
QUERY(kept_changes, "SELECT COUNT(*) FROM change_log l WHERE l.kind = 'user' AND l.object_id = :id");
QUERY(kept_audit, "SELECT COUNT(*) FROM audit_entries n WHERE n.actor_id = :id");

enum when { ALWAYS, WITHOUT_TEXTS, WITH_TEXTS };
static const struct {
    const char *what;
    const struct query *count; /* NULL: nobody can count it */
    enum when when;
    const char *reason;
} kept[] = {
    {"PERSON", NULL, ALWAYS,
     "A row without name, addresses or secrets stays, because conversations refer to it. It is shown as "
     "\"Deleted user\"."},
    {"CONVERSATIONS", &kept_conversations, ALWAYS,
     "Numbers, times and states stay for statistics and for the people "
     "who worked on them."},
    {"MESSAGE_TEXTS", &kept_messages, WITHOUT_TEXTS,
     "The texts and files of conversations stay, because contents=true "
     "was not given."},
    {"MESSAGES", &kept_messages, WITH_TEXTS,
     "The rows stay without texts and files, because counters and "
     "statistics refer to them."},
    {"NOTE_TEXTS", &kept_notes, WITHOUT_TEXTS,
     "The notes in conversations stay, because contents=true was not "
     "given."},
    {"RATING_COMMENTS", &kept_ratings, WITHOUT_TEXTS,
     "Ratings and their comments stay, because contents=true was not "
     "given."},
    {"RATINGS", &kept_ratings, WITH_TEXTS, "The scores stay for statistics, without comments."},
    {"COMMENT_TEXTS", &kept_comments, WITHOUT_TEXTS,
     "The comments on articles stay without the name, because contents=true was not given."},
    {"VOTES", &kept_votes, ALWAYS, "Votes are counted. They refer to the person's row, which has no name."},
    {"ARTICLES", &kept_articles, ALWAYS, "Articles belong to the desk. They stay without the author's name."},
    {"ACTIVITIES", &kept_activities, ALWAYS, "Who did what, and when, stays as evidence, without values."},
    {"CHANGE_LOG", &kept_changes, ALWAYS,
     "Entries stay without values, because programs read the log by cursor. They are deleted by their age."},
    {"AUDIT_ENTRIES", &kept_audit, ALWAYS,
     "Entries stay without values, because the chain of the audit log "
     "covers their hashes."},
    {"CONFIGURATION", NULL, ALWAYS,
     "Rules, views, macros, templates, articles, programs and settings are texts of the desk. If staff "
     "wrote a name or an address into them, it is still there."},
    {"MENTIONS", NULL, ALWAYS,
     "Texts that other people wrote elsewhere may name the person: in conversations, notes, comments and "
     "fields."},
    {"SENT_MAILS", NULL, ALWAYS,
     "Mails that left the desk, and what endpoints and programs received, are "
     "outside of it."},
    {"SERVER_LOGS", NULL, ALWAYS,
     "The logs of the server and of proxies may have IP addresses. They are "
     "outside of the store."},
    {"BACKUPS", NULL, ALWAYS,
     "Backups made before this erasure have everything. Delete them, or erase "
     "again after a restore."},
    {"FREED_SPACE", NULL, ALWAYS,
     "Bytes of deleted rows may stay in freed parts of the store's files until deskd compact runs. "
     "Contents of deleted files are removed within minutes."},
};

static int write_kept(struct work *w, struct json_writer *j, int64_t user_id, bool with_contents) {
    jw_array(j);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        int64_t n = 0;
        if (kept[i].when == (with_contents ? WITHOUT_TEXTS : WITH_TEXTS)) continue;
        if (kept[i].count) TRY(db_int(w->conn, kept[i].count, BINDS(B_INT("id", user_id)), &n));
        if (kept[i].count && n == 0) continue;
        jw_object(j);
        jw_key(j, S("what"));
        jw_str(j, str_of(kept[i].what));
        jw_key(j, S("count"));
        if (kept[i].count) jw_int(j, n);
        else jw_null(j);
        jw_key(j, S("reason"));
        jw_str(j, str_of(kept[i].reason));
        jw_end(j);
    }
    jw_end(j);
    return 0;
}

QUERY(erasure_sums, "SELECT what, n FROM erasure_counts WHERE user_id = :user ORDER BY what");

static int write_removed(struct work *w, struct json_writer *j, int64_t user_id) {
    int rc;
    jw_array(j);
    DB_ROWS(rc, w->conn, &erasure_sums, BINDS(B_INT("user", user_id)), row) {
        jw_object(j);
        jw_key(j, S("what"));
        jw_str(j, str_of(word_of(erased_words, col_int(row, 0))));
        jw_key(j, S("count"));
        jw_int(j, col_int(row, 1));
        jw_end(j);
    }
    jw_end(j);
    return rc;
}

QUERY(erasure_contents, "SELECT with_contents FROM erasures WHERE user_id = :user AND status = 1");
QUERY(erasure_complete,
      "UPDATE erasures SET status = 2, removed = :removed, kept = :kept, completed_at = :now "
      "WHERE user_id = :user AND status = 1");
QUERY(erasure_counts_go, "DELETE FROM erasure_counts WHERE user_id = :user");

static int write_receipt(struct work *w, int64_t user_id, bool with_contents, struct buf *removed,
                         struct buf *left) {
    struct json_writer j;
    jw_init(&j, removed);
    TRY(write_removed(w, &j, user_id));
    jw_init(&j, left);
    return write_kept(w, &j, user_id, with_contents);
}

int erasure_done(struct work *w, int64_t user_id) {
    struct buf removed = {0}, left = {0};
    int64_t contents = 0;
    int rc = db_int(w->conn, &erasure_contents, BINDS(B_INT("user", user_id)), &contents);
    if (rc > 0) rc = write_receipt(w, user_id, contents != 0, &removed, &left);
    if (rc >= 0)
        rc = db_exec(w->conn, &erasure_complete,
                     BINDS(B_INT("user", user_id), B_TEXT("removed", buf_view(&removed)),
                           B_TEXT("kept", buf_view(&left)), B_INT("now", w->now)));
    buf_free(&removed);
    buf_free(&left);
    return rc < 0 ? rc : db_exec(w->conn, &erasure_counts_go, BINDS(B_INT("user", user_id)));
}
