#include "core/custom_field.h"

#include "base/fold.h"
#include "base/limits.h"

#define FIELD_COLUMNS                                                                                                                      \
    "SELECT id, area, type, key, regular_expression, is_enabled, is_required_for_agents, is_visible_to_customers, is_customer_editable, "  \
    "is_required_for_customers FROM custom_fields "
QUERY(custom_field_found, FIELD_COLUMNS "WHERE area = :area AND key = :key");
QUERY(custom_fields_listed, FIELD_COLUMNS "WHERE area = :area AND is_enabled = 1 ORDER BY sort_order, id LIMIT :most");

static struct custom_field field_read(struct arena *a, struct stmt *row) {
    return (struct custom_field){.id = col_int(row, 0), .area = (enum field_area)col_int(row, 1), .type = (enum field_kind)col_int(row, 2),
                                 .key = str_dup(a, col_text(row, 3)),
                                 .regular_expression = col_null(row, 4) ? (struct str){0} : str_dup(a, col_text(row, 4)),
                                 .is_enabled = col_int(row, 5) != 0, .is_required_for_agents = col_int(row, 6) != 0,
                                 .is_visible_to_customers = col_int(row, 7) != 0, .is_customer_editable = col_int(row, 8) != 0,
                                 .is_required_for_customers = col_int(row, 9) != 0};
}

int custom_field_by_key(struct work *w, enum field_area area, struct str key, struct custom_field *out) {
    struct stmt *row;
    int rc = db_row(w->conn, &custom_field_found, BINDS(B_INT("area", area), B_TEXT("key", key)), &row);
    if (rc <= 0) return rc;
    *out = field_read(w->arena, row);
    stmt_end(row);
    return 1;
}

int custom_fields_of(struct work *w, enum field_area area, struct custom_field **out) {
    struct custom_field *list = *out = arena_array(w->arena, LIMIT_FIELDS, sizeof *list);
    int n = 0, rc;
    DB_ROWS(rc, w->conn, &custom_fields_listed, BINDS(B_INT("area", area), B_INT("most", LIMIT_FIELDS)), row) list[n++] = field_read(w->arena, row);
    return rc < 0 ? rc : n;
}

bool field_has_options(enum field_kind type) {
    return type == FIELD_CHECKBOX || type == FIELD_RADIO || type == FIELD_SELECT || type == FIELD_CASCADINGSELECT;
}

struct str field_value_key(struct arena *a, struct str value) {
    struct str key = fold_key(a, value);
    if (key.n <= LIMIT_VALUE_KEY) return key;
    key.n = LIMIT_VALUE_KEY;
    while (key.n && ((unsigned char)key.p[key.n] & 0xC0) == 0x80) key.n--;
    return key;
}
