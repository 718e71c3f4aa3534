#include "core/all/caches.h"

#include "base/slots.h"
#include "core/cases/view_count.h"
#include "core/desk/gather.h"
#include "core/desk/kept_value.h"
#include "core/desk/widget.h"
#include "core/fields/field_catalogue.h"
#include "core/helpcenter/generation.h"
#include "core/login/session.h"
#include "core/people/people_total.h"
#include "core/rules/rule.h"
#include "core/rules/sla_match.h"
#include "core/sla/clock_settings.h"
#include "core/time/calendars.h"

void desk_caches_open(struct desk *d) {
    d->gathering = gathering_new();
    d->generations = generations_new();
    d->view_counts = view_counts_new();
    d->people_totals = people_totals_new();
    d->calendars = calendars_new();
    d->clock_cache = clock_cache_new();
    d->fields = field_catalogue_new();
    d->rules = rule_cache_new();
    d->sla_of_new = sla_of_new;
    d->known_sessions = known_sessions_new();
    d->kept_values = kept_values_new();
    d->widgets = widgets_new();
}

void desk_caches_close(struct desk *d) {
    gathering_free(d->gathering);
    generations_free(d->generations);
    view_counts_free(d->view_counts);
    slots_free(d->people_totals);
    calendars_free(d->calendars);
    clock_cache_free(d->clock_cache);
    field_catalogue_free(d->fields);
    rule_cache_free(d->rules);
    slots_free(d->known_sessions);
    slots_free(d->kept_values);
    widgets_free(d->widgets);
}
