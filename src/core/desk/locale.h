/* The locales of a desk, by code. */
#ifndef CORE_LOCALE_H
#define CORE_LOCALE_H

#include "work/work.h"

#define DEFAULT_LOCALE "en-us"                    /* locale of a new desk */
#define LOCALE_SETTING "account.default_language" /* locale of a title that is given without one */

/* Finds the locale with this code, ignoring case and with _ for -, and its stored spelling. Returns 1
 * found, 0 not. */
int locale_find(struct work *w, struct str code, struct str *locale);

/* Returns 1 if texts may be written in this locale (a stored spelling), 0 if it is disabled. */
int locale_is_enabled(struct work *w, struct str locale);

/* SQL: the desk's default locale. */
#define LOCALE_NOW \
    "COALESCE((SELECT s.value FROM settings s WHERE s.name = '" LOCALE_SETTING "'), '" DEFAULT_LOCALE "')"

#endif
