#include "pages/layout.h"
#include "pages/shown.h"

int show_home(struct site_visit *v) {
    v->head.title = str_of(SAY(v, WORD_HELP_CENTER));
    v->head.path = S("");
    html(&v->main, "<h1>%s</h1>\n", v->head.title.p);
    return 0;
}
