/*
 * Lists: {"data":[...],"has_more":bool,"next_cursor":text or null}, newest
 * first, or the same as CSV when the client accepts text/csv.
 *
 * The order is (created_at, id), both descending: whatever is inserted while a
 * client pages comes before the first page and never moves a later one.  A
 * cursor is that place of the last row shown, with a MAC over it and the list's
 * name and account, so that it cannot be made up or carried elsewhere.
 *
 *     if (!list_begin(&list, request, "campaigns")) {
 *         return ADS_OK;
 *     }
 *     ... query_* of list.query for its own filters ...
 *     if (!list_ready(&list)) {
 *         return ADS_OK;
 *     }
 *     ... args: list_args() adds before (timestamptz), before id (uuid or
 *         null) and limit + 1 ...
 *     for each row: list_row() is false once the page is full
 *     list_answer(&list, COLUMNS of the CSV: see csv.h);
 */
#ifndef ADSD_LIST_H
#define ADSD_LIST_H

#include "db.h"
#include "json.h"
#include "query.h"

/*
 * The condition of a search in SQL: does the text hold the parameter, whatever
 * the case and the database's locale?  LIST_FOLDED is to the letter what the
 * index of sql/migrations/0025_folded_titles.sql holds; the parameter is folded
 * once, not for each row.
 */
#define LIST_FOLDED(text)                                       \
    "case when octet_length(" text ") = length(" text ")"       \
    " then upper(" text " collate \"C\") collate \"und-x-icu\"" \
    " else upper(" text " collate \"und-x-icu\") end"
#define LIST_PARAM(param) "(select " LIST_FOLDED(param "::text") ")"
#define LIST_HOLDS(text, param)                         \
    "(" param "::text is null or position(" LIST_PARAM( \
        param) " in (" LIST_FOLDED(text) ")) > 0)"

struct list {
    struct request *request;
    const char *name;
    struct query query;
    int64_t limit;
    bool csv;
    bool paged; /* a cursor was given: */
    int64_t before_us;
    struct ads_uuid before;

    struct json json;
    int64_t n;
    bool more;
    int64_t last_us;
    struct ads_uuid last;
};

/* Reads limit, cursor and Accept.  False: the answer is there. */
ADS_MUST bool
list_begin(struct list *list, struct request *request, const char *name);

/* After all filters were read.  False: the answer, 400, is there. */
ADS_MUST bool
list_ready(struct list *list);

/* Three parameters, for "where ($n::timestamptz is null or (created_at, id) <
 * ($n, $n+1)) order by created_at desc, id desc limit $n+2". */
void
list_args(const struct list *list, struct db_args *args);

/* Is this row on the page?  Then write one object into list->json. */
bool
list_row(struct list *list, int64_t created_us, const struct ads_uuid *id);

void
list_answer(struct list *list, const char *columns);

/* Does the client like CSV better than JSON? */
bool
list_wants_csv(const struct request *request);

/* Answers an array of our own JSON as CSV. */
void
list_answer_csv(struct request *request, const char *columns,
                const struct json *rows);

#endif
