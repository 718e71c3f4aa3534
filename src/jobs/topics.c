#include "core/desk/job.h"
#include "core/desk/setting.h"
#include "jobs/listener.h"

const struct topic topics[] = {
    {TOPIC_SETTINGS, settings_heard},
    {TOPIC_JOBS, jobs_heard},
    {0},
};
