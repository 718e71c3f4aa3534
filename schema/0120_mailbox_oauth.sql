-- The login of mailboxes by OAuth 2 (src/core/mail/mailbox_oauth.h). NULL addresses and scopes: those of the preset.
ALTER TABLE mailboxes ADD COLUMN oauth_provider INTEGER; -- enum mail_provider_kind; NULL: logins by password
ALTER TABLE mailboxes ADD COLUMN oauth_authorization_url TEXT;
ALTER TABLE mailboxes ADD COLUMN oauth_token_url TEXT;
ALTER TABLE mailboxes ADD COLUMN oauth_issuer TEXT;
ALTER TABLE mailboxes ADD COLUMN oauth_scopes TEXT;
ALTER TABLE mailboxes ADD COLUMN oauth_client_id TEXT;
ALTER TABLE mailboxes ADD COLUMN oauth_client_secret TEXT; -- sealed
ALTER TABLE mailboxes ADD COLUMN oauth_state INTEGER;      -- enum consent; NULL: no provider
ALTER TABLE mailboxes ADD COLUMN oauth_reason TEXT;
ALTER TABLE mailboxes ADD COLUMN oauth_connected_at BIGINT;
ALTER TABLE mailboxes ADD COLUMN oauth_refresh_token TEXT; -- sealed
ALTER TABLE mailboxes ADD COLUMN oauth_access_token TEXT;  -- sealed
ALTER TABLE mailboxes ADD COLUMN oauth_access_until BIGINT;
ALTER TABLE mailboxes ADD COLUMN oauth_renew_at BIGINT;
ALTER TABLE mailboxes ADD COLUMN oauth_failed_at BIGINT; -- of the last renewal, if the provider could not be asked
