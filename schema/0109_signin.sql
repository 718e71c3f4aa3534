-- Sign-in by OpenID Connect (docs/OPERATIONS.md "Sign-in").

CREATE TABLE signin_providers (
    id @ID@,
    name TEXT NOT NULL,
    issuer TEXT NOT NULL,              -- never changed: links and the secret belong to it
    client_id TEXT NOT NULL,          -- client_id of the desk at the provider
    client_secret TEXT,                -- sealed; NULL: a public client
    scopes TEXT NOT NULL,
    button_label TEXT,
    email_domains TEXT,                -- separated by blanks; NULL: any
    is_enabled INTEGER NOT NULL,
    is_for_staff INTEGER NOT NULL,
    is_for_customers INTEGER NOT NULL,
    creates_people INTEGER NOT NULL,
    updates_people INTEGER NOT NULL,   -- role and teams follow the claims at each login
    counts_as_two_factors INTEGER NOT NULL,
    highest_role INTEGER NOT NULL,     -- enum role_type
    role_id BIGINT NOT NULL REFERENCES roles (id),
    rules TEXT NOT NULL,               -- JSON: core/signin/provider.h
    end_session_url TEXT,              -- as the provider last said; NULL: none
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX signin_providers_of_role ON signin_providers (role_id);

-- A person is known by (issuer, subject) after the first login.
CREATE TABLE signin_links (
    id @ID@,
    provider_id BIGINT NOT NULL REFERENCES signin_providers (id) ON DELETE CASCADE,
    subject TEXT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    last_used_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (provider_id, subject)
);
CREATE INDEX signin_links_of_user ON signin_links (user_id, provider_id);

-- States of logins that came back. Each comes back once.
CREATE TABLE signin_states (
    state_hash TEXT PRIMARY KEY,
    expires_at BIGINT NOT NULL
);
CREATE INDEX signin_states_old ON signin_states (expires_at);

ALTER TABLE sessions ADD COLUMN signin_provider_id BIGINT; -- NULL: by password
