-- Visitors of a widget whom the site has signed in (core/people/visitor.h).
ALTER TABLE brand_widgets ADD COLUMN secret TEXT; -- sealed; NULL: none
ALTER TABLE brand_widgets ADD COLUMN secret_created_at BIGINT;
-- Fingerprints of pages that stand for a person.
CREATE TABLE widget_visitors (
    id @ID@,
    brand_id BIGINT NOT NULL REFERENCES brands (id) ON DELETE CASCADE,
    fingerprint TEXT NOT NULL, -- keyed hash
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name TEXT NOT NULL, -- as the site gave it
    expires_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX widget_visitors_fingerprints ON widget_visitors (brand_id, fingerprint);
CREATE INDEX widget_visitors_people ON widget_visitors (user_id, brand_id);
CREATE INDEX widget_visitors_old ON widget_visitors (expires_at);
-- Tokens that were used, until they end: each is for one fingerprint.
CREATE TABLE widget_proofs (
    digest TEXT PRIMARY KEY, -- keyed hash of the token
    fingerprint TEXT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX widget_proofs_old ON widget_proofs (expires_at);
