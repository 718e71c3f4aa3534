/* The locales that a desk has, by their codes. */
#ifndef CORE_LOCALE_H
#define CORE_LOCALE_H

#include "work/work.h"

#define DEFAULT_LOCALE "en-us"                    /* of a new desk */
#define LOCALE_SETTING "account.default_language" /* what a plain title is said in */

/* The locale of this code as the store spells it, letter case and _ for - aside; 1 found, 0. */
int locale_find(struct work *w, struct str code, struct str *locale);

/* SQL: the desk's default locale. */
#define LOCALE_NOW "COALESCE((SELECT s.value FROM settings s WHERE s.name = '" LOCALE_SETTING "'), '" DEFAULT_LOCALE "')"

#endif
