
#include "api/call/machine.h"
#include "base/limits.h"
#include "base/log.h"
#include "core/cases/draft.h"
#include "core/cases/scheduled_reply.h"
#include "core/change/log.h"
#include "core/change/outbox.h"
#include "core/desk/setting.h"
#include "core/endpoints/delivery.h"
#include "core/login/lockout.h"
#include "core/login/remember.h"
#include "core/mail/prune.h"
#include "core/mail/receive.h"
#include "core/programs/code.h"
#include "jobs/periodic.h"

#define OLDEST(table, key, old) \
    "DELETE FROM " table " WHERE (" key ") IN (SELECT " key " FROM " table " o WHERE " old " LIMIT :most)"

QUERY(sweep_failures, OLDEST("login_failures", "id", "o.created_at <= :before"));
QUERY(sweep_links, OLDEST("links", "id", "o.expires_at <= :before"));
/* Mails of messages stay: they are the recipients of the message. */
QUERY(sweep_mails,
      OLDEST("outgoing_mails", "id", "o.letter IS NULL AND o.post_id IS NULL AND o.updated_at <= :before"));
QUERY(sweep_sessions, OLDEST("sessions", "id", "o.last_activity_at <= :before"));
QUERY(sweep_auth_tokens, OLDEST("auth_tokens", "id", "o.expires_at <= :before"));
QUERY(sweep_remembered, OLDEST("remember_tokens", "id", "o.expires_at <= :before"));
QUERY(sweep_chains, OLDEST("remember_chains", "id",
                           "o.created_at <= :before AND NOT EXISTS (SELECT 1 "
                           "FROM remember_tokens t WHERE t.chain_id = o.id)"));
QUERY(sweep_idempotency, OLDEST("idempotency", "caller, key_hash", "o.created_at <= :before"));
QUERY(sweep_outbox, OLDEST("outbox", "id", "o.created_at <= :before"));
QUERY(sweep_public_writes,
      OLDEST("public_writes", "address, minute", "o.minute <= CAST(:before AS BIGINT) / 60000"));
QUERY(sweep_searches, OLDEST("help_center_searches", "id", "o.searched_at <= :before"));
/* and their attempts */
QUERY(sweep_deliveries, OLDEST("endpoint_deliveries", "id", "o.created_at <= :before"));
QUERY(sweep_arrivals, OLDEST("mail_arrivals", "digest", "o.arrived_at <= :before"));
QUERY(sweep_codes, OLDEST("oauth_codes", "id", "o.expires_at <= :before"));
QUERY(sweep_oauth_tokens, OLDEST("oauth_tokens", "id", "o.expires_at <= :before"));
QUERY(sweep_signin_states, OLDEST("signin_states", "state_hash", "o.expires_at <= :before"));
QUERY(sweep_passkey_challenges, OLDEST("passkey_challenges", "challenge_hash", "o.expires_at <= :before"));
QUERY(sweep_visitors, OLDEST("widget_visitors", "id", "o.expires_at <= :before"));
QUERY(sweep_proofs, OLDEST("widget_proofs", "digest", "o.expires_at <= :before"));
QUERY(sweep_scheduled, OLDEST("scheduled_replies", "id", "o.refused_at <= :before"));
/* and their errors */
QUERY(sweep_csv_imports, OLDEST("csv_imports", "id", "o.created_at <= :before AND o.file_id IS NULL"));
/* of dry runs that have ended */
QUERY(sweep_csv_changes, OLDEST("csv_import_changes", "id",
                                "EXISTS (SELECT 1 FROM csv_imports i WHERE i.id = o.import_id "
                                "AND i.file_id IS NULL AND i.updated_at <= :before)"));
QUERY(sweep_removals, OLDEST("content_removals", "sha256", "o.state = 3 AND o.due_at <= :before"));
QUERY(sweep_drafts, OLDEST("drafts", "id", "o.updated_at <= :before"));
QUERY(sweep_new_case_drafts, OLDEST("new_case_drafts", "id", "o.updated_at <= :before"));

/* Rows that are useless after a time, one entry for each table. */
static const struct sweep {
    const struct query *query;
    int64_t kept;
    const char *kept_days; /* setting that decides instead; NULL: none */
} sweeps[] = {
    {&sweep_failures, LOGIN_FAILURES_KEPT, NULL},
    {&sweep_links, 0, NULL},
    {&sweep_mails, 30 * TIME_DAY, NULL},
    {&sweep_sessions, 31 * TIME_DAY, NULL}, /* one day longer than a session may be idle */
    {&sweep_auth_tokens, 0, NULL},
    {&sweep_remembered, 0, NULL},
    {&sweep_chains, REMEMBERED_FOR, NULL},
    {&sweep_codes, CODES_KEPT, NULL},
    {&sweep_signin_states, 0, NULL},
    {&sweep_passkey_challenges, 0, NULL},
    {&sweep_visitors, 0, NULL},
    {&sweep_proofs, 0, NULL},
    {&sweep_oauth_tokens, 0, NULL},
    {&sweep_idempotency, IDEMPOTENCY_KEPT, NULL},
    {&sweep_outbox, OUTBOX_KEPT, NULL},
    {&sweep_deliveries, DELIVERY_KEPT, NULL},
    {&sweep_arrivals, MAIL_ARRIVALS_KEPT, NULL},
    {&sweep_public_writes, 2 * TIME_MINUTE, NULL},
    {&sweep_removals, 0, NULL},
    {&sweep_drafts, DRAFT_KEPT, NULL},
    {&sweep_new_case_drafts, DRAFT_KEPT, NULL},
    {&sweep_csv_changes, 0, NULL},
    {&sweep_csv_imports, 90 * TIME_DAY, NULL},
    {&sweep_scheduled, SCHEDULED_REFUSED_KEPT, NULL},
    {&sweep_searches, 0, "helpcenter.searches_kept_days"},
};

struct sweeping {
    const struct desk *desk;
    int64_t now, changes_kept, mails_kept; /* mails_kept 0: for ever */
    bool more;
};

static int64_t kept_for(const struct desk *d, const struct sweep *s) {
    return s->kept_days ? setting_int(d, s->kept_days) * TIME_DAY : s->kept;
}

/* Deletes as many rows as one write may take, because a desk that was stopped for long has many. */
static int run_sweeps(struct conn *c, void *arg) {
    struct sweeping *s = arg;
    int64_t left = LIMIT_CASCADE;
    for (size_t i = 0; left && i < sizeof sweeps / sizeof *sweeps; i++) {
        int rows =
            db_exec(c, sweeps[i].query,
                    BINDS(B_INT("before", s->now - kept_for(s->desk, &sweeps[i])), B_INT("most", left)));
        TRY(rows);
        left -= rows;
    }
    if (left) {
        int rows = change_log_prune(c, s->now - s->changes_kept, left);
        TRY(rows);
        left -= rows;
    }
    if (left && s->mails_kept) {
        int rows = mails_prune(c, s->now - s->mails_kept, s->now, left);
        TRY(rows);
        left -= rows;
    }
    s->more = left == 0;
    return 0;
}

void sweep(struct desk *d) {
    struct sweeping s = {.desk = d,
                         .now = clock_now(&d->clock),
                         .changes_kept = setting_int(d, "changes.kept_days") * TIME_DAY,
                         .mails_kept = setting_int(d, "mail.mails_kept_days") * TIME_DAY};
    int rc;
    do rc = db_write(d->db, run_sweeps, &s);
    while (rc >= 0 && s.more);
    if (rc < 0) log_warn("old rows could not be deleted; the next sweep tries again");
    audit_sweep(d);
    sweep_files(d);
}
