#include "core/desk/job.h"
#include "core/desk/setting.h"
#include "jobs/listener.h"

const struct topic topics[] = {
    {TOPIC_SETTINGS, settings_notified},
    {TOPIC_JOBS, jobs_notified},
    {0},
};
