/* Measures the cost of a change with many enabled triggers that do not fire: CPU time for each
 * conversation.
 *
 *   triggers [COUNT]    1,000 triggers, each with two collections of two propositions, on a demo desk in a temporary folder */
#include "base/buf.h"
#include "core/desk/setting.h"
#include "core/rules/rule_predicate.h"
#include "demo/demo.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 200

/* Collections that hold for no conversation of the demo desk, of different fields. */
static const char *const collections[] = {
    "{\"propositions\": [{\"field\": \"cases.subject\", \"operator\": \"string_contains_insensitive\", "
    "\"value\": \"zzz%d\"}, {\"field\": \"tags.name\", \"operator\": "
    "\"collection_contains_any_insensitive\", \"value\": \"zzz%d,yyy\"}]}",
    "{\"propositions\": [{\"field\": \"cases.casestatusid\", \"operator\": \"history_changed_to\", "
    "\"value\": \"4\"}, {\"field\": \"casemetrics.replycount\", \"operator\": \"comparison_greaterthan\", "
    "\"value\": \"%d00000\"}]}",
    "{\"propositions\": [{\"field\": \"cases.createdat_relative_past\", \"operator\": \"date_before\", "
    "\"value\": \"lastyear\"}, {\"field\": \"cases.assigneeagentid\", \"operator\": "
    "\"history_changed_from\", \"value\": \"(current_user)\"}]}",
};
#define COLLECTIONS (sizeof collections / sizeof *collections)

static double cpu_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static struct predicate *compile_one(struct work *w, const struct definitions *d, int i) {
    struct json *list;
    struct json_error err;
    struct predicate *p;
    struct str first = str_fmt(w->arena, collections[0], i, i),
               second = str_fmt(w->arena, collections[1 + i % 2], i);
    struct str text = i % 2 ? str_fmt(w->arena, "[%s, %s]", first.p, second.p)
                            : str_fmt(w->arena, "[%s, %s]", second.p, first.p);
    if (json_parse(w->arena, text, &list, &err) < 0 ||
        predicate_read_collections(w, d, list, S("p"), PREDICATE_NEW, &p) < 0)
        exit(1);
    return p;
}

int main(int argc, char **argv) {
    int count = argc > 1 ? atoi(argv[1]) : 1000, held = 0;
    char dir[] = "/tmp/deskd-bench-XXXXXX", err[256], command[64];
    struct demo demo = {.seed = 1, .conversations = 100};
    for (int i = 0; i < DEMO_LOGINS; i++) demo.password_hashes[i] = S("x");
    struct db_config bulk = {.dir = mkdtemp(dir), .create = true, .bulk = true}, cfg = {.dir = dir};
    struct desk desk = {0};
    struct work w;
    struct definitions d;
    struct facts *facts;
    struct moment m;
    if (db_open(&bulk, &desk.db, err, sizeof err) < 0 || demo_fill(desk.db, &demo) < 0 ||
        db_close(desk.db) < 0)
        return 1;
    if (db_open(&cfg, &desk.db, err, sizeof err) < 0) return 1;
    desk.settings = settings_open(db_reader(desk.db));
    work_init(&w, &desk, arena_new());
    w.now = INT64_C(1795255800000);
    w.actor.user_id = 3;
    w.conn = db_reader(desk.db);
    if (db_read_begin(w.conn, 0) < 0 || definitions_load(&w, &case_subject, RULE_TRIGGER, &d) < 0) return 1;
    struct predicate **all = arena_array(w.arena, (size_t)count, sizeof *all);
    bool *wanted = arena_array(w.arena, (size_t)d.count, sizeof *wanted);
    double before = cpu_us();
    for (int i = 0; i < count; i++) all[i] = compile_one(&w, &d, i);
    printf("compile        %8.1f us for %d triggers, once\n", cpu_us() - before, count);
    for (int i = 0; i < count; i++) predicate_mark(all[i], wanted);
    before = cpu_us();
    for (int i = 0; i < ROUNDS; i++)
        if (facts_read(&w, &d, wanted, S("[7]"), &facts) != 1 || moment_read(&w, NEEDS_TEAMS, &m) < 0)
            return 1;
    printf("facts          %8.1f us for a conversation and a moment\n", (cpu_us() - before) / ROUNDS);
    before = cpu_us();
    for (int i = 0; i < ROUNDS; i++)
        for (int k = 0; k < count; k++) held += predicate_holds(all[k], &m, facts->list);
    printf("evaluate       %8.1f us for a conversation and %d triggers, of which %d hold\n",
           (cpu_us() - before) / ROUNDS, count, held / ROUNDS);
    db_read_end(w.conn);
    snprintf(command, sizeof command, "rm -rf %s", dir);
    return system(command);
}
