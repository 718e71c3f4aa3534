/* QR codes as SVG (libqrencode). */
#ifndef CORE_QR_H
#define CORE_QR_H

#include "base/arena.h"
#include "base/str.h"

struct str qr_svg(struct arena *a, const char *text); /* p NULL: the text is too long for a QR code */

#endif
