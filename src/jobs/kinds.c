#include "api/import.h"
#include "jobs/runner.h"

const struct job_kind job_kinds[] = {
    {"import", import_run},
    {0},
};
