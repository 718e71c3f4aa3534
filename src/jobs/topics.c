#include "core/desk/job.h"
#include "core/desk/setting.h"
#include "jobs/listener.h"

const struct topic topics[] = {
    {"settings", settings_heard},
    {"jobs", jobs_heard},
    {0},
};
