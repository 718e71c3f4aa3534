/* Texts of format=flowed (RFC 3676): lines that end with a blank continue on the next line. */
#ifndef MAIL_FLOWED_H
#define MAIL_FLOWED_H

#include "base/arena.h"
#include "base/str.h"

/* Joins the lines of each paragraph. With `delsp`, the blank before a joint is removed. Quoted lines begin
 * with "> " afterwards. */
struct str flowed_joined(struct arena *a, struct str text, bool delsp);

#endif
