#include "api/rows/import.h"
#include "core/cases/case_trash.h"
#include "core/desk/cascade.h"
#include "core/people/proof.h"
#include "core/sla/clocks.h"
#include "jobs/index_names.h"
#include "jobs/index_search.h"
#include "jobs/mail_release.h"
#include "jobs/runner.h"
#include "mail/deliver.h"

const struct job_kind job_kinds[] = {
    {.name = JOB_IMPORT, .run = import_run},
    {.name = JOB_MAIL, .run = mail_settle, .outside = mail_deliver, .at_once = MAIL_AT_ONCE},
    {.name = JOB_INDEX_NAMES, .run = index_names},
    {.name = JOB_PASSWORD_RESET, .run = password_reset_run},
    {.name = JOB_CASCADE, .run = cascade_run, .never_failed = true},
    {.name = JOB_INDEX_SEARCH, .run = index_search, .never_failed = true},
    {.name = JOB_CLOCKS, .run = clocks_run, .never_failed = true},
    {.name = JOB_BREACH, .run = breach_run, .never_failed = true},
    {.name = JOB_MAIL_RELEASE,
     .run = mail_release_run,
     .outside = mail_release_read,
     .never_failed = true,
     .at_once = 1},
    {.name = JOB_EMPTY_TRASH, .run = trash_empty_run, .never_failed = true},
    {0},
};
