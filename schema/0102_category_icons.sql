-- The pictogram of a category on the home page (category_icons of core/words.c). NULL: the first letter of its title.
ALTER TABLE categories ADD COLUMN icon INTEGER;
