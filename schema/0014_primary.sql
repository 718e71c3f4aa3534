-- A phone number or account that people added to themselves may be primary before it is verified. The first one is.

UPDATE identity_phones SET is_primary = 1 WHERE id IN
    (SELECT MIN(i.id) FROM identity_phones i WHERE i.user_id IS NOT NULL GROUP BY i.user_id HAVING SUM(i.is_primary) = 0);
UPDATE identity_twitter SET is_primary = 1 WHERE id IN
    (SELECT MIN(i.id) FROM identity_twitter i GROUP BY i.user_id HAVING SUM(i.is_primary) = 0);
UPDATE identity_facebook SET is_primary = 1 WHERE id IN
    (SELECT MIN(i.id) FROM identity_facebook i GROUP BY i.user_id HAVING SUM(i.is_primary) = 0);
