-- The ids before and after each change of an activity, as one JSON array: previous, current, previous, current ... 0: none, or no reference.
-- NULL: no change is one of a reference. Activities of older versions have none.
ALTER TABLE activities ADD COLUMN objects TEXT;
