-- People and organizations: identities of every kind, contact data, secrets for logins, notes and tags.

ALTER TABLE users ADD COLUMN pinned_notes_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN totp_secret @BLOB@;   -- encrypted; NULL: no second factor
ALTER TABLE users ADD COLUMN totp_step BIGINT;     -- the last step of 30 s for which a code was accepted, so that a code works once
ALTER TABLE users ADD COLUMN totp_epoch INTEGER NOT NULL DEFAULT 0; -- number of removals of the factor, so that the next secret differs
ALTER TABLE organizations ADD COLUMN pinned_notes_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE organizations ADD COLUMN deleted_at BIGINT; -- hidden from all callers; a cascade moves its people out
CREATE INDEX organizations_created ON organizations (created_at);
CREATE INDEX organizations_updated ON organizations (updated_at);
ALTER TABLE users ADD COLUMN designation_key TEXT; -- fold_key of designation
CREATE INDEX users_created ON users (created_at);
CREATE INDEX users_by_name ON users (name_key, id) WHERE deleted_at IS NULL;

-- A phone belongs to a person or an organization. (A new table, because not every engine can drop a NOT NULL.)
CREATE TABLE new_identity_phones (
    id @ID@,
    user_id BIGINT REFERENCES users (id),
    organization_id BIGINT REFERENCES organizations (id) ON DELETE CASCADE,
    number TEXT NOT NULL,
    number_key TEXT NOT NULL, -- E.164 if the number is valid
    type INTEGER NOT NULL,
    is_primary INTEGER NOT NULL,
    is_validated INTEGER NOT NULL,
    is_claim INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
INSERT INTO new_identity_phones (id, user_id, number, number_key, type, is_primary, is_validated, is_claim, created_at, updated_at)
    SELECT id, user_id, number, number_key, type, is_primary, is_validated, is_claim, created_at, updated_at FROM identity_phones;
DROP TABLE identity_phones;
ALTER TABLE new_identity_phones RENAME TO identity_phones;
CREATE UNIQUE INDEX identity_phones_key ON identity_phones (number_key) WHERE is_claim = 0 AND user_id IS NOT NULL;
CREATE UNIQUE INDEX identity_phones_held ON identity_phones (number_key, user_id);
CREATE UNIQUE INDEX identity_phones_primary ON identity_phones (user_id) WHERE is_primary = 1;
CREATE INDEX identity_phones_user ON identity_phones (user_id, is_primary);
CREATE INDEX identity_phones_organization ON identity_phones (organization_id) WHERE organization_id IS NOT NULL;
CREATE INDEX identity_phones_recent ON identity_phones (is_primary, updated_at, id);

-- Of each kind: (1) a value that is not a claim is unique, (2) no person has a value twice, (3) no person has two
-- primary values.
CREATE UNIQUE INDEX identity_emails_held ON identity_emails (email_key, user_id);
CREATE UNIQUE INDEX identity_emails_primary ON identity_emails (user_id) WHERE is_primary = 1;
CREATE INDEX identity_emails_recent ON identity_emails (is_primary, updated_at, id);

CREATE TABLE identity_twitter (
    id @ID@,
    user_id BIGINT NOT NULL REFERENCES users (id),
    twitter_id TEXT,
    full_name TEXT,
    screen_name TEXT NOT NULL,
    screen_name_key TEXT NOT NULL,
    follower_count INTEGER NOT NULL DEFAULT 0,
    description TEXT,
    url TEXT,
    location TEXT,
    profile_image_url TEXT,
    locale TEXT,
    is_verified INTEGER NOT NULL DEFAULT 0,
    is_primary INTEGER NOT NULL,
    is_validated INTEGER NOT NULL,
    is_claim INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX identity_twitter_key ON identity_twitter (screen_name_key) WHERE is_claim = 0;
CREATE UNIQUE INDEX identity_twitter_held ON identity_twitter (screen_name_key, user_id);
CREATE UNIQUE INDEX identity_twitter_primary ON identity_twitter (user_id) WHERE is_primary = 1;
CREATE UNIQUE INDEX identity_twitter_id ON identity_twitter (twitter_id) WHERE twitter_id IS NOT NULL AND is_claim = 0;
CREATE INDEX identity_twitter_user ON identity_twitter (user_id, is_primary);
CREATE INDEX identity_twitter_recent ON identity_twitter (is_primary, updated_at, id);

CREATE TABLE identity_facebook (
    id @ID@,
    user_id BIGINT NOT NULL REFERENCES users (id),
    facebook_id TEXT NOT NULL,
    user_name TEXT,
    full_name TEXT,
    email TEXT,
    bio TEXT,
    birth_date BIGINT,
    website TEXT,
    profile_url TEXT,
    locale TEXT,
    is_verified INTEGER NOT NULL DEFAULT 0,
    is_primary INTEGER NOT NULL,
    is_validated INTEGER NOT NULL,
    is_claim INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX identity_facebook_key ON identity_facebook (facebook_id) WHERE is_claim = 0;
CREATE UNIQUE INDEX identity_facebook_held ON identity_facebook (facebook_id, user_id);
CREATE UNIQUE INDEX identity_facebook_primary ON identity_facebook (user_id) WHERE is_primary = 1;
CREATE INDEX identity_facebook_user ON identity_facebook (user_id, is_primary);
CREATE INDEX identity_facebook_recent ON identity_facebook (is_primary, updated_at, id);

CREATE TABLE identity_domains (
    id @ID@,
    organization_id BIGINT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    domain TEXT NOT NULL,
    domain_key TEXT NOT NULL UNIQUE, -- lower case, IDN as A-labels
    is_primary INTEGER NOT NULL,
    is_validated INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX identity_domains_organization ON identity_domains (organization_id, is_primary);

-- These belong to a person or an organization.
CREATE TABLE contact_addresses (
    id @ID@,
    user_id BIGINT REFERENCES users (id) ON DELETE CASCADE,
    organization_id BIGINT REFERENCES organizations (id) ON DELETE CASCADE,
    is_primary INTEGER NOT NULL,
    address1 TEXT,
    address2 TEXT,
    city TEXT,
    state TEXT,
    postal_code TEXT,
    country TEXT,
    type TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX contact_addresses_user ON contact_addresses (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX contact_addresses_organization ON contact_addresses (organization_id) WHERE organization_id IS NOT NULL;

CREATE TABLE contact_websites (
    id @ID@,
    user_id BIGINT REFERENCES users (id) ON DELETE CASCADE,
    organization_id BIGINT REFERENCES organizations (id) ON DELETE CASCADE,
    is_primary INTEGER NOT NULL,
    url TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX contact_websites_user ON contact_websites (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX contact_websites_organization ON contact_websites (organization_id) WHERE organization_id IS NOT NULL;

CREATE TABLE external_identifiers (
    id @ID@,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    external_app TEXT NOT NULL,
    external_id TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (external_app, external_id)
);
CREATE INDEX external_identifiers_user ON external_identifiers (user_id);

CREATE TABLE tags (
    id @ID@,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL UNIQUE, -- fold_key of name
    created_at BIGINT NOT NULL
);

CREATE TABLE user_tags (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    tag_id BIGINT NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
    PRIMARY KEY (user_id, tag_id)
);
CREATE INDEX user_tags_tag ON user_tags (tag_id, user_id);

CREATE TABLE organization_tags (
    organization_id BIGINT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    tag_id BIGINT NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
    PRIMARY KEY (organization_id, tag_id)
);
CREATE INDEX organization_tags_tag ON organization_tags (tag_id, organization_id);

-- Translations of texts. owner_kind (enum locale_owner) and owner_id name the owner.
CREATE TABLE locale_fields (
    id @ID@,
    owner_kind INTEGER NOT NULL,
    owner_id BIGINT NOT NULL,
    locale TEXT NOT NULL,
    translation TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (owner_kind, owner_id, locale)
);

-- Custom fields of cases, users and organizations (enum field_area), their options and their values.
CREATE TABLE custom_fields (
    id @ID@,
    area INTEGER NOT NULL,
    type INTEGER NOT NULL,
    key TEXT NOT NULL,
    is_required_for_agents INTEGER NOT NULL,
    is_required_on_resolution INTEGER NOT NULL,
    is_visible_to_customers INTEGER NOT NULL,
    is_customer_editable INTEGER NOT NULL,
    is_required_for_customers INTEGER NOT NULL,
    regular_expression TEXT,
    sort_order INTEGER NOT NULL,
    is_enabled INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (area, key)
);

CREATE TABLE custom_field_options (
    id @ID@,
    field_id BIGINT NOT NULL REFERENCES custom_fields (id) ON DELETE CASCADE,
    sort_order INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX custom_field_options_field ON custom_field_options (field_id, sort_order);

CREATE TABLE user_field_values (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    field_id BIGINT NOT NULL REFERENCES custom_fields (id) ON DELETE CASCADE,
    value TEXT NOT NULL,
    value_key TEXT NOT NULL, -- first 200 bytes of fold_key, for rules
    PRIMARY KEY (user_id, field_id)
);
CREATE INDEX user_field_values_field ON user_field_values (field_id, value_key);

CREATE TABLE organization_field_values (
    organization_id BIGINT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    field_id BIGINT NOT NULL REFERENCES custom_fields (id) ON DELETE CASCADE,
    value TEXT NOT NULL,
    value_key TEXT NOT NULL,
    PRIMARY KEY (organization_id, field_id)
);
CREATE INDEX organization_field_values_field ON organization_field_values (field_id, value_key);

-- Notes on a conversation, a person or an organization: exactly one of the three is set.
CREATE TABLE notes (
    id @ID@,
    case_id BIGINT REFERENCES cases (id) ON DELETE CASCADE,
    owner_user_id BIGINT REFERENCES users (id) ON DELETE CASCADE,
    organization_id BIGINT REFERENCES organizations (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id), -- the author
    body_text TEXT NOT NULL,
    body_html TEXT,
    is_pinned INTEGER NOT NULL DEFAULT 0,
    pinned_by_id BIGINT REFERENCES users (id),
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX notes_of_case ON notes (case_id, created_at, id) WHERE case_id IS NOT NULL;
CREATE INDEX notes_of_user ON notes (owner_user_id, created_at, id) WHERE owner_user_id IS NOT NULL;
CREATE INDEX notes_of_organization ON notes (organization_id, created_at, id) WHERE organization_id IS NOT NULL;

-- Index for autocomplete: the rest of every name from each word on, cut to 60 bytes (enum name_kind). place 0 is the
-- whole name.
CREATE TABLE name_words (
    kind INTEGER NOT NULL,
    place INTEGER NOT NULL,
    word TEXT NOT NULL,
    owner_id BIGINT NOT NULL,
    PRIMARY KEY (kind, place, word, owner_id)
);
-- On a desk that has people, a job fills the names and keys.
INSERT INTO jobs (kind, status, input, attempts, run_at, created_at, updated_at)
    SELECT 'index_names', 1, '{}', 0, 0, 0, 0 WHERE EXISTS (SELECT 1 FROM users);

-- Uploaded pictures of people, scaled.
CREATE TABLE avatars (
    user_id BIGINT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    type TEXT NOT NULL,
    data @BLOB@ NOT NULL,
    updated_at BIGINT NOT NULL
);

-- Links in mails: verify an address, reset a password, accept an invitation (enum link_purpose). They work once. Only a
-- hash is stored.
CREATE TABLE links (
    id @ID@,
    purpose INTEGER NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    email_id BIGINT REFERENCES identity_emails (id) ON DELETE CASCADE,
    expires_at BIGINT NOT NULL,
    used_at BIGINT,
    created_at BIGINT NOT NULL
);
CREATE INDEX links_user ON links (user_id, purpose);
CREATE INDEX links_email ON links (email_id);
CREATE INDEX links_old ON links (expires_at);

-- Mails to be sent, or sent. The letter is encrypted, because it may contain a link.
CREATE TABLE outgoing_mails (
    id @ID@,
    template TEXT NOT NULL,
    user_id BIGINT REFERENCES users (id) ON DELETE SET NULL,
    recipient TEXT NOT NULL,
    letter @BLOB@,          -- values for the template; NULL: the mail will not be sent again
    message_id TEXT NOT NULL,
    status INTEGER NOT NULL, -- enum mail_status
    attempts INTEGER NOT NULL,
    retry_until BIGINT NOT NULL,
    last_error TEXT,         -- last reply of the relay
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE INDEX outgoing_mails_user ON outgoing_mails (user_id, created_at);
CREATE INDEX outgoing_mails_held ON outgoing_mails (id) WHERE status = 3;

CREATE TABLE password_history (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    hash TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, created_at, hash)
);

CREATE TABLE recovery_codes (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    code_hash TEXT NOT NULL,
    used_at BIGINT,
    PRIMARY KEY (user_id, code_hash)
);

-- The next step of a login. The holder of the token must give a second factor or a new password (enum auth_step).
CREATE TABLE auth_tokens (
    id @ID@,
    token_hash TEXT NOT NULL UNIQUE,
    step INTEGER NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    user_agent TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    expires_at BIGINT NOT NULL,
    used_at BIGINT
);
CREATE INDEX auth_tokens_old ON auth_tokens (expires_at);

-- Remember-me: a chain of single-use tokens. A token that is used again ends the chain and the sessions that it opened.
CREATE TABLE remember_chains (
    id @ID@,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    session_id BIGINT NOT NULL, -- session of the login that began the chain
    created_at BIGINT NOT NULL,
    ended_at BIGINT
);
CREATE INDEX remember_chains_user ON remember_chains (user_id) WHERE ended_at IS NULL;
CREATE INDEX remember_chains_old ON remember_chains (created_at);
CREATE TABLE remember_tokens (
    id @ID@,
    chain_id BIGINT NOT NULL REFERENCES remember_chains (id) ON DELETE CASCADE,
    token_hash TEXT NOT NULL UNIQUE,
    successor @BLOB@, -- encrypted; a repeated request within 60 s gets it again
    used_at BIGINT,
    expires_at BIGINT NOT NULL
);
CREATE INDEX remember_tokens_chain ON remember_tokens (chain_id);
CREATE INDEX remember_tokens_old ON remember_tokens (expires_at);
CREATE INDEX sessions_remembered ON sessions (remembered_by) WHERE remembered_by IS NOT NULL AND ended_at IS NULL;
