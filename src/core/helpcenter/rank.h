/* The rank of articles, which orders POPULAR sections. */
#ifndef CORE_HELPCENTER_RANK_H
#define CORE_HELPCENTER_RANK_H

/* SQL: the rank for these values. Each write of one of them sets it. */
#define ARTICLE_RANK(views, up, down) views " + 10 * (" up " - (" down "))"

#endif
