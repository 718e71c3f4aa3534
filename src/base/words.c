#include "base/words.h"

#include "base/arena.h"

int word_id(const struct word *table, struct str word) {
    for (; table->word; table++)
        if (str_eq(str_of(table->word), word)) return table->id;
    return -1;
}

int word_id_any(const struct word *table, struct str word) {
    for (; table->word; table++)
        if (str_eqi(str_of(table->word), word)) return table->id;
    return -1;
}

const char *word_of(const struct word *table, int64_t id) {
    for (; table->word; table++)
        if (table->id == id) return table->word;
    return NULL;
}

struct str words_list(struct arena *a, const struct word *table) {
    struct str list = S("");
    for (; table->word; table++) list = str_fmt(a, "%s%s%s", list.p, list.n ? ", " : "", table->word);
    return list;
}
