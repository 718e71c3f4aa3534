-- Passkeys of people (docs/ARCHITECTURE.md "Passkeys").
CREATE TABLE passkeys (
    id @ID@,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    credential_id TEXT NOT NULL UNIQUE, -- Base64url, by the authenticator
    algorithm INTEGER NOT NULL,         -- number of COSE: -7, -8, -257
    public_key TEXT NOT NULL,           -- Base64url of the key in the form of libfido2
    sign_count BIGINT NOT NULL,         -- as the authenticator last said; 0: it does not count
    transports TEXT NOT NULL,           -- words of WebAuthn, separated by blanks
    user_handle TEXT NOT NULL,          -- Base64url; one for each person
    rp_id TEXT NOT NULL,                -- host of the base URL for which it was made
    last_used_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX passkeys_of_user ON passkeys (user_id);

-- Challenges that came back. Each comes back once.
CREATE TABLE passkey_challenges (
    challenge_hash TEXT PRIMARY KEY,
    expires_at BIGINT NOT NULL
);
CREATE INDEX passkey_challenges_old ON passkey_challenges (expires_at);
