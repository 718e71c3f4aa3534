/* Telephone numbers, by libphonenumber. Functions with C linkage, because the library is C++. */
#ifndef BASE_PHONE_H
#define BASE_PHONE_H

#ifdef __cplusplus
extern "C" {
#endif

#define PHONE_SIZE 17 /* bytes of a number in E.164: a plus, at most 15 digits, NUL */

/* number: digits, with a plus first if it is international. region: the two-letter country of numbers
 * without a plus, or "". Returns 1 with the number in E.164 in out, 0 if no country has such numbers, -1
 * if the country is unknown.
 *
 * Numbers are judged by length only, because numbering plans change faster than the library, and refusing
 * a valid number is worse than accepting an unused one. */
int phone_parse(const char *number, const char *region, char out[PHONE_SIZE]);
/* number: in E.164. Returns 1 with the digits behind the country code in out, 0 if no country has such
 * numbers. */
int phone_national(const char *number, char out[PHONE_SIZE]);

#ifdef __cplusplus
}
#endif

#endif
