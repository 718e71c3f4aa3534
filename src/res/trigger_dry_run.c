/* POST /triggers/:id/dry_run. */
#include "api/rows/generic.h"
#include "api/rows/reply.h"
#include "api/rows/visible.h"
#include "core/rules/dry_run.h"
#include "res/trigger_dry_run.h"

/* ---- showing --------------------------------------------------------------------------------- */

/* Fields of rules about people begin so; a token needs their scope to see the values. */
static bool may_see_values(const struct view *v, struct str field) {
    static const char *const people[] = {
        "users.", "requester.", "requesterfields.", "organizationfields.", "organizations.", "languages."};
    for (size_t i = 0; i < sizeof people / sizeof *people; i++)
        if (str_starts(field, str_of(people[i]))) return view_may_read(v, resource_of("user"));
    return true;
}

static void put_seen(struct view *v, const struct dry_proposition *p) {
    struct json_writer *w = &v->w;
    jw_array(w);
    if (may_see_values(v, p->stored->field))
        for (int i = 0; p->seen && i < p->seen->count; i++) {
            if (p->numbers) jw_int(w, p->seen->numbers[i]);
            else jw_str(w, p->seen->texts[i]);
        }
    jw_end(w);
}

static void put_dry_proposition(struct view *v, const struct dry_proposition *p) {
    struct json_writer *w = &v->w;
    jw_object(w);
    jw_key(w, S("id"));
    jw_int(w, p->stored->id);
    jw_key(w, S("field"));
    jw_str(w, p->stored->field);
    jw_key(w, S("operator"));
    jw_str(w, p->stored->operator);
    jw_key(w, S("value"));
    jw_raw(w, p->stored->value);
    jw_key(w, S("seen"));
    put_seen(v, p);
    jw_key(w, S("holds"));
    jw_bool(w, p->holds);
    jw_key(w, S("resource_type"));
    view_type(v, "proposition");
    jw_end(w);
}

static void render_dry_collections(struct view *v, const struct row *row, const struct value *own) {
    const struct dry_run *run = v->c->prepared;
    (void)row, (void)own;
    jw_array(&v->w);
    for (int i = 0; i < run->collection_count; i++) {
        const struct dry_collection *c = &run->collections[i];
        jw_object(&v->w);
        jw_key(&v->w, S("id"));
        jw_int(&v->w, c->stored->id);
        jw_key(&v->w, S("propositions"));
        jw_array(&v->w);
        for (int k = 0; k < c->stored->count; k++) put_dry_proposition(v, &c->propositions[k]);
        jw_end(&v->w);
        jw_key(&v->w, S("holds"));
        jw_bool(&v->w, c->holds);
        jw_key(&v->w, S("resource_type"));
        view_type(v, "predicate_collection");
        jw_end(&v->w);
    }
    jw_end(&v->w);
}

static void put_dry_change(struct json_writer *w, const struct dry_change *d) {
    jw_object(w);
    jw_key(w, S("field"));
    jw_str(w, d->field);
    jw_key(w, S("old_value"));
    jw_str(w, d->from);
    jw_key(w, S("new_value"));
    jw_str(w, d->to);
    jw_end(w);
}

static void render_dry_actions(struct view *v, const struct row *row, const struct value *own) {
    const struct dry_run *run = v->c->prepared;
    struct json_writer *w = &v->w;
    (void)row, (void)own;
    jw_array(w);
    for (int i = 0; i < run->action_count; i++) {
        const struct dry_action *a = &run->actions[i];
        jw_object(w);
        jw_key(w, S("id"));
        jw_int(w, a->action->id);
        jw_key(w, S("name"));
        jw_str(w, a->action->name);
        jw_key(w, S("option"));
        jw_str(w, str_of(word_of(action_options, (int)a->action->option)));
        jw_key(w, S("changes"));
        jw_array(w);
        for (int k = 0; k < a->change_count; k++) put_dry_change(w, &a->changes[k]);
        jw_end(w);
        jw_key(w, S("sent"));
        jw_str(w, view_may_read(v, resource_of("user")) ? a->sent : (struct str){0});
        jw_key(w, S("refused"));
        jw_str(w, a->refused);
        jw_key(w, S("resource_type"));
        view_type(v, "automation_action");
        jw_end(w);
    }
    jw_end(w);
}

static const struct field dry_run_fields[] = {
    {"trigger", F_REF, READONLY, .ref = "trigger", .doc = "The trigger."},
    {"case", F_REF, READONLY, .ref = "case", .doc = "The conversation."},
    {"holds", F_BOOL, READONLY, .doc = "True if all collections hold. Only then would the trigger act.",
     .example = "true"},
    {"predicate_collections", F_COMPUTED, READONLY, .column = "", .render = render_dry_collections,
     .doc = "Each collection with its propositions. `seen`: the values of the conversation. `holds`: true "
            "if the proposition holds. History operators find no change, because none is made.",
     .example = "[]"},
    {"actions", F_COMPUTED, READONLY, .column = "", .render = render_dry_actions,
     .doc = "Effect that each action would have: `changes` with names as in activities, `sent` with the "
            "recipients, or `refused` with the reason.",
     .example = "[]"},
    {0},
};

const struct resource trigger_dry_run_resource = {
    .type = "trigger_dry_run",
    .scope = "conversations",
    .title = "Dry runs of triggers",
    .doc = "Values that a trigger would compare, and effects that its actions would have. Nothing is "
           "changed.",
    .fields = dry_run_fields};

/* ---- the handler ----------------------------------------------------------------------------- */

const struct field dry_run_input[] = {{"case_id", F_INT, PRESENT, .column = "", .min = 1, .max = INT64_MAX,
                                       .doc = "The conversation.", .example = "1"},
                                      {0}};

int post_trigger_dry_run(struct call *c) {
    struct dry_run *run = ARENA_NEW(c->work.arena, struct dry_run);
    TRY(api_of(c));
    TRY(api_input(c));
    int64_t id = in_int(c, "case_id");
    int rc = api_visible(c, resource_of("case"), id);
    if (rc > 0) rc = trigger_dry_run(&c->work, c->vars[0].id, id, run);
    TRY(rc);
    if (rc == 0) return in_fail(c, "case_id", ERR_FIELD_INVALID, "%s", api_absent(c, "case"));
    c->prepared = run;
    struct view *v = view_new(c);
    struct row *row = row_new(v, layout_of(c->resource), 0);
    *row_cell(row, "trigger") = (struct value){V_INT, .i = c->vars[0].id};
    *row_cell(row, "case") = (struct value){V_INT, .i = id};
    *row_cell(row, "holds") = (struct value){V_INT, .i = run->holds};
    TRY(view_follow(v, row));
    return envelope_row(v, row);
}
