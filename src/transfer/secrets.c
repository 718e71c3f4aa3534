#include "transfer/secrets.h"

#include "base/error.h"

QUERY(drop_sessions, "DELETE FROM sessions");
QUERY(drop_remember_tokens, "DELETE FROM remember_tokens");
QUERY(drop_remember_chains, "DELETE FROM remember_chains");
QUERY(drop_auth_tokens, "DELETE FROM auth_tokens");
QUERY(drop_links, "DELETE FROM links");
QUERY(drop_recovery_codes, "DELETE FROM recovery_codes");
QUERY(drop_factors, "UPDATE users SET totp_secret = NULL, is_mfa_enabled = 0 WHERE totp_secret IS NOT NULL");
QUERY(drop_replies, "DELETE FROM idempotency");
QUERY(drop_letters, "UPDATE outgoing_mails SET letter = NULL WHERE letter IS NOT NULL");
QUERY(drop_endpoint_secrets,
      "UPDATE endpoints "
      "SET auth_password = NULL, secret = NULL, former_secret = NULL, former_secret_until = NULL "
      "WHERE auth_password IS NOT NULL OR secret IS NOT NULL OR former_secret IS NOT NULL");
QUERY(drop_mailbox_passwords, "UPDATE mailboxes SET imap_password = NULL, smtp_password = NULL "
                              "WHERE imap_password IS NOT NULL OR smtp_password IS NOT NULL");
QUERY(
    drop_mailbox_tokens,
    "UPDATE mailboxes SET oauth_client_secret = NULL, oauth_refresh_token = NULL, oauth_access_token = NULL, "
    "oauth_access_until = NULL, oauth_renew_at = NULL, oauth_failed_at = NULL, "
    "oauth_state = CASE WHEN oauth_provider IS NULL THEN NULL ELSE 1 END, oauth_reason = NULL "
    "WHERE oauth_client_secret IS NOT NULL OR oauth_refresh_token IS NOT NULL "
    "OR oauth_access_token IS NOT NULL");
QUERY(drop_mailbox_codes,
      "UPDATE mailboxes SET verification_hash = NULL WHERE verification_hash IS NOT NULL");
QUERY(drop_relay_password, "DELETE FROM settings WHERE name = 'mail.smtp_password'");
QUERY(drop_client_secrets, "UPDATE oauth_clients SET secret_hash = NULL WHERE secret_hash IS NOT NULL");
QUERY(drop_provider_secrets,
      "UPDATE signin_providers SET client_secret = NULL WHERE client_secret IS NOT NULL");
QUERY(drop_signin_states, "DELETE FROM signin_states");
QUERY(drop_passkey_challenges, "DELETE FROM passkey_challenges");
QUERY(drop_widget_secrets, "UPDATE brand_widgets SET secret = NULL, secret_created_at = NULL WHERE secret IS "
                           "NOT NULL");
QUERY(drop_codes, "DELETE FROM oauth_codes");
QUERY(drop_tokens, "DELETE FROM oauth_tokens");
QUERY(drop_api_tokens, "DELETE FROM api_tokens");
QUERY(drop_event_tokens, "DELETE FROM event_tokens");

/* The order matters where a row refers to another one. The proof of the old key stays, because by it deskd
 * serve sees that the key is another one, and begins a new chain of the audit log. */
static const struct {
    const struct query *query;
    const char *what; /* NULL: nothing that people made */
} drops[] = {
    {&drop_sessions, "sessions"},
    {&drop_remember_tokens, NULL},
    {&drop_remember_chains, "remembered logins"},
    {&drop_auth_tokens, NULL},
    {&drop_links, "links in e-mails"},
    {&drop_recovery_codes, "recovery codes"},
    {&drop_factors, "second factors"},
    {&drop_replies, "kept replies of idempotent requests"},
    {&drop_letters, "e-mails that were not sent yet"},
    {&drop_endpoint_secrets, "secrets of endpoints"},
    {&drop_mailbox_passwords, "passwords of mailboxes"},
    {&drop_mailbox_tokens, "consents of mailboxes at their providers"},
    {&drop_mailbox_codes, "codes of unverified mailboxes"},
    {&drop_relay_password, "the password of the mail server (mail.smtp_password)"},
    {&drop_client_secrets, "secrets of OAuth clients"},
    {&drop_provider_secrets, "secrets of sign-in providers"},
    {&drop_signin_states, NULL},
    {&drop_passkey_challenges, NULL},
    {&drop_widget_secrets, "secrets of widgets"},
    {&drop_codes, NULL},
    {&drop_tokens, "access and refresh tokens"},
    {&drop_api_tokens, "API tokens"},
    {&drop_event_tokens, "event tokens with their webhook addresses"},
};

int secrets_drop(struct conn *c, void (*dropped)(const char *what, int64_t rows)) {
    for (size_t i = 0; i < sizeof drops / sizeof *drops; i++) {
        int rows = db_exec(c, drops[i].query, NULL);
        TRY(rows);
        if (rows && drops[i].what && dropped) dropped(drops[i].what, rows);
    }
    return 0;
}
