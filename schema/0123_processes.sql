-- The lease of a process that serves the desk also has what all such processes must have in common.
ALTER TABLE leases ADD COLUMN version TEXT;  -- of the program; other leases: NULL
ALTER TABLE leases ADD COLUMN base_url TEXT; -- other leases: NULL
