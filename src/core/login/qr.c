#include "core/login/qr.h"

#include "base/buf.h"

#include <qrencode.h>

#define QUIET 4 /* white modules on each side (ISO/IEC 18004) */

/* One path of unit squares; adjacent dark modules of a row are one run. */
struct str qr_svg(struct arena *a, const char *text) {
    QRcode *code = QRcode_encodeString(text, 0, QR_ECLEVEL_M, QR_MODE_8, 1);
    struct buf b = {0};
    if (code == NULL) return (struct str){0};
    int side = code->width + 2 * QUIET;
    buf_fmt(&b,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
            "shape-rendering=\"crispEdges\"><path fill=\"#fff\" d=\"M0 0h%dv%dH0z\"/><path d=\"",
            side, side, side, side);
    for (int y = 0; y < code->width; y++) {
        for (int x = 0, run; x < code->width; x += run) {
            const unsigned char *at = code->data + y * code->width + x;
            for (run = 1; x + run < code->width && (at[run] & 1) == (at[0] & 1); run++) {}
            if (at[0] & 1) buf_fmt(&b, "M%d %dh%dv1h-%dz", x + QUIET, y + QUIET, run, run);
        }
    }
    buf_text(&b, "\"/></svg>");
    QRcode_free(code);
    return buf_take(&b, a);
}
