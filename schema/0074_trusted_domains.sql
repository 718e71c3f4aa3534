-- The domain of a brand that an owner set or confirmed. A brand's domain is a trusted Origin only if it is this one. Domains of before
-- stay trusted, so that no help center stops.
ALTER TABLE brands ADD COLUMN trusted_domain TEXT;
UPDATE brands SET trusted_domain = domain;
