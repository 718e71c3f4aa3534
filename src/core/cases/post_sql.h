/* SQL over posts. */
#ifndef CORE_POST_SQL_H
#define CORE_POST_SQL_H

/* Over the alias p: the conversation that the post was written in, even if a merge has moved it. */
#define POST_WRITTEN_IN "COALESCE(p.written_case_id, p.case_id)"

#endif
