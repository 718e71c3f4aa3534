#include "propositions.h"

#include "core/predicates/definition.h"

#include <stdlib.h>

static const char *value_for(const struct definition *d) {
    static const char *const values[INPUT_TYPES] = {
        [INPUT_INTEGER] = "1",           [INPUT_FLOAT] = "1.5",     [INPUT_STRING] = "a",
        [INPUT_BOOLEAN] = "1",           [INPUT_TAGS] = "a,b",      [INPUT_DATE_ABSOLUTE] = "2026-11-21",
        [INPUT_DATE_RELATIVE] = "today", [INPUT_AUTOCOMPLETE] = "1"};
    bool chosen = d->input == INPUT_OPTIONS || d->input == INPUT_MULTIPLE;
    return chosen && d->options ? d->options[0].key : values[d->input] ? values[d->input] : "1";
}

void propositions(struct work *w, const struct subject *subject,
                  void (*each)(void *arg, const char *what, const char *body), void *arg) {
    struct definitions d;
    if (definitions_load(w, subject, RULE_FILTER, &d) < 0) abort();
    for (int i = 0; i < d.count; i++) {
        const struct definition *def = &d.list[i];
        for (const struct word *o = operator_words; o->word; o++) {
            if (def->rules & INTERNAL || !(operators_of(d.user, def) & OP(o->id))) continue;
            each(arg, str_fmt(w->arena, "%s %s", def->field, o->word).p,
                 str_fmt(w->arena,
                         "\"predicates\": {\"collections\": [{\"propositions\": [{\"field\": \"%s\", "
                         "\"operator\": \"%s\", \"value\": \"%s\"}]}]}",
                         def->field, o->word, value_for(def))
                     .p);
        }
    }
}
