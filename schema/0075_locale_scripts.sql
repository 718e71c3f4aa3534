-- What programs read of a locale beside its language: the name of the region in the language itself, the code of the script (ISO 15924), and
-- the variant (BCP 47), which no locale has yet. direction is lower case, as HTML writes it.

ALTER TABLE locales ADD COLUMN native_region TEXT;
ALTER TABLE locales ADD COLUMN script TEXT;
ALTER TABLE locales ADD COLUMN variant TEXT;

UPDATE locales SET direction = CASE WHEN direction = 'RTL' THEN 'rtl' ELSE 'ltr' END,
    native_region = CASE locale WHEN 'en-us' THEN 'United States' WHEN 'en-gb' THEN 'United Kingdom' WHEN 'pt-br' THEN 'Brasil'
        WHEN 'zh-cn' THEN '中国' END,
    script = CASE locale WHEN 'ru' THEN 'Cyrl' WHEN 'ja' THEN 'Jpan' WHEN 'zh-cn' THEN 'Hans' WHEN 'ar' THEN 'Arab' ELSE 'Latn' END;
