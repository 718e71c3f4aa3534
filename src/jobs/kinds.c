#include "api/import.h"
#include "core/change/cascade.h"
#include "core/login/proof.h"
#include "jobs/index_names.h"
#include "jobs/runner.h"
#include "mail/deliver.h"

const struct job_kind job_kinds[] = {
    {.name = "import", .run = import_run},
    {.name = "mail", .run = mail_settle, .outside = mail_deliver, .at_once = MAIL_AT_ONCE},
    {.name = "index_names", .run = index_names},
    {.name = "password_reset", .run = password_reset_run},
    {.name = "cascade", .run = cascade_run, .never_failed = true},
    {0},
};
