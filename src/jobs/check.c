#include "jobs/check.h"

#include <stdio.h>
#include <string.h>

/* One number of an enum, and what its table has for it. */
struct named {
    const char *const *names;
    int number, rows;
};

/* Returns NULL, or what is wrong. */
static const char *named_wrong(const struct named *n) {
    if (n->names[n->number] == NULL) return "it has no name";
    for (int i = 1; i < n->number; i++)
        if (strcmp(n->names[i], n->names[n->number]) == 0) return "another one has its name";
    if (n->rows == 0) return "it has no row";
    return n->rows > 1 ? "it has two rows" : NULL;
}

static bool report_defect(const char *table, const struct named *n, const char *why, char *err, size_t size) {
    const char *name = n->names[n->number];
    char number[16];
    snprintf(number, sizeof number, "%d", n->number);
    snprintf(err, size, "table of %s, %s: %s", table, name ? name : number, why);
    return false;
}

static const char *job_kind_wrong(const struct job_kind *k) {
    if (k->run == NULL) return "it has no .run";
    if ((k->outside == NULL) != (k->at_once == 0)) return ".outside and .at_once belong together";
    return NULL;
}

bool job_kinds_check(const struct job_kind *kinds, const char *const *names, int count, char *err,
                     size_t size) {
    for (int i = 1; i < count; i++) {
        struct named n = {names, i, 0};
        const char *why = NULL;
        for (const struct job_kind *k = kinds; k->name; k++)
            if ((int)k->name == i) why = job_kind_wrong(k), n.rows++;
        if (named_wrong(&n)) why = named_wrong(&n);
        if (why) return report_defect("job kinds", &n, why, err, size);
    }
    return true;
}

bool topics_check(const struct topic *list, const char *const *names, int count, char *err, size_t size) {
    for (int i = 1; i < count; i++) {
        struct named n = {names, i, 0};
        const char *why = NULL;
        for (const struct topic *t = list; t->name; t++)
            if ((int)t->name == i) why = t->notify ? NULL : "it has no .notify", n.rows++;
        if (named_wrong(&n)) why = named_wrong(&n);
        if (why) return report_defect("topics", &n, why, err, size);
    }
    return true;
}

bool jobs_check(char *err, size_t size) {
    return job_kinds_check(job_kinds, job_names, JOB_NAMES, err, size) &&
           topics_check(topics, topic_names, TOPIC_NAMES, err, size);
}
