-- Programs that act for people (docs/PROGRAMS.md).

CREATE TABLE oauth_clients (
    id @ID@,
    name TEXT NOT NULL,
    url TEXT,
    key TEXT NOT NULL UNIQUE,          -- client_id of OAuth
    secret_hash TEXT,                  -- keyed hash; NULL: a public client
    scopes BIGINT NOT NULL DEFAULT 0,  -- mask of core/access/scope.h; 0: all
    description TEXT,
    author TEXT,
    author_url TEXT,
    callback_url TEXT,
    is_public INTEGER NOT NULL DEFAULT 0,
    is_password_grant_enabled INTEGER NOT NULL DEFAULT 0,
    logo_type INTEGER,                 -- enum logo_type; NULL: no logo
    logo_data @BLOB@,
    logo_created_at BIGINT,
    creator_id BIGINT REFERENCES users (id) ON DELETE SET NULL,
    last_used_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX oauth_clients_of_creator ON oauth_clients (creator_id) WHERE creator_id IS NOT NULL;

CREATE TABLE oauth_grants (
    id @ID@,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    client_id BIGINT NOT NULL REFERENCES oauth_clients (id) ON DELETE CASCADE,
    scopes BIGINT NOT NULL,            -- never 0
    last_activity_at BIGINT,
    expiry_at BIGINT,                  -- when the last token ends, unless the program asks for a new one
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (user_id, client_id)
);
CREATE INDEX oauth_grants_of_client ON oauth_grants (client_id, id);

CREATE TABLE oauth_codes (
    id @ID@,
    code_hash TEXT NOT NULL UNIQUE,
    grant_id BIGINT NOT NULL REFERENCES oauth_grants (id) ON DELETE CASCADE,
    scopes BIGINT NOT NULL,
    redirect_uri TEXT,                 -- as the authorization request sent it; NULL: it sent none
    challenge TEXT,                    -- PKCE S256; NULL: none
    family TEXT NOT NULL,              -- of the tokens that it gives
    used_at BIGINT,
    expires_at BIGINT NOT NULL
);
CREATE INDEX oauth_codes_of_grant ON oauth_codes (grant_id);
CREATE INDEX oauth_codes_old ON oauth_codes (expires_at);

CREATE TABLE oauth_tokens (
    id @ID@,
    kind INTEGER NOT NULL,             -- enum token_kind
    token_hash TEXT NOT NULL UNIQUE,   -- of a refresh token: the present one of its family
    client_id BIGINT NOT NULL REFERENCES oauth_clients (id) ON DELETE CASCADE,
    grant_id BIGINT REFERENCES oauth_grants (id) ON DELETE CASCADE, -- NULL: client_credentials
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    scopes BIGINT NOT NULL,
    family TEXT NOT NULL,              -- ended together if one of its refresh tokens is used twice
    former_hash TEXT,                  -- the refresh token that the present one replaced; NULL: none yet
    rotated_at BIGINT,                 -- when it was replaced
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX oauth_tokens_of_client ON oauth_tokens (client_id);
CREATE INDEX oauth_tokens_of_grant ON oauth_tokens (grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX oauth_tokens_of_user ON oauth_tokens (user_id);
CREATE INDEX oauth_tokens_of_family ON oauth_tokens (family);
CREATE UNIQUE INDEX oauth_tokens_refresh ON oauth_tokens (family) WHERE kind = 2;
CREATE INDEX oauth_tokens_old ON oauth_tokens (expires_at);

CREATE TABLE api_tokens (
    id @ID@,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    token_hash TEXT NOT NULL UNIQUE,
    scopes BIGINT NOT NULL,            -- never 0
    expires_at BIGINT,                 -- NULL: no end
    last_used_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX api_tokens_of_user ON api_tokens (user_id, id);
