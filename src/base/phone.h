/* Telephone numbers, by libphonenumber behind one function: that library is C++. */
#ifndef BASE_PHONE_H
#define BASE_PHONE_H

#ifdef __cplusplus
extern "C" {
#endif

#define PHONE_SIZE 17 /* bytes of a number in E.164: a plus, at most 15 digits, NUL */

/* number: digits, a plus before them when it is international; region: two letters that numbers without plus are of, or "".
 * 1: out is the number in E.164; 0: no country has such numbers; -1: nobody knows which country it is of.
 *
 * Judged by length: numbering plans change faster than the library does, and a number refused wrongly helps nobody. */
int phone_parse(const char *number, const char *region, char out[PHONE_SIZE]);

#ifdef __cplusplus
}
#endif

#endif
