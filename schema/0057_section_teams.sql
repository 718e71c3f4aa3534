-- 1: only members of the teams of section_teams see the section. It stays 1 when the last of these teams is deleted.
ALTER TABLE sections ADD COLUMN is_limited_to_teams INTEGER NOT NULL DEFAULT 0;
UPDATE sections SET is_limited_to_teams = 1 WHERE EXISTS (SELECT 1 FROM section_teams t WHERE t.section_id = sections.id);
