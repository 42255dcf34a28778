/*
 * Lists: {"data":[...],"has_more":bool,"next_cursor":text or null}, newest
 * first, or the same as CSV when the client accepts text/csv.
 *
 * The order is (created_at, id), both descending: whatever is inserted while a
 * client pages comes before the first page and never moves a later one.  A
 * cursor is that place of the last row shown, with a MAC over it and the list's
 * name and account, so that it cannot be made up or carried elsewhere.
 *
 *     if (list_begin(list, request, "campaigns") != ADS_OK) {
 *         return ADS_ANSWERED;
 *     }
 *     ... parameters of the statement; its own filters by list_word(),
 *         list_time(), list_uuid() and query_* of list->query ...
 *     return list_run(list, &STMT_LIST, &args, &campaigns);
 */
#ifndef ADSD_LIST_H
#define ADSD_LIST_H

#include "base/json.h"
#include "catalog/field.h"
#include "db/db.h"
#include "http/query.h"

/*
 * The condition of a search in SQL: does the text hold the parameter, whatever
 * the case and the database's locale?  LIST_FOLDED is to the letter what the
 * index of sql/migrations/0004_campaigns.sql holds; the parameter is folded
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

/* What a list is made of: the columns of the statement that place a row, how a
 * row is written as one object, and the columns of the CSV (csv.h).  With
 * `fields` these say it all, but for the names of the columns that place a row,
 * where they are not "id" and "created_at". */
struct list_of {
    const struct fields *fields;
    const char *by_id;
    const char *by_time;
    int id;
    int created_at;
    void (*write)(struct json *json, const struct db_rows *rows, int row);
    const char *csv;
};

/* Reads limit, cursor and Accept; ADS_ANSWERED when it cannot. */
ADS_MUST enum ads_err
list_begin(struct list *list, struct request *request, const char *name);

/* A filter as the next parameter; null where it was not asked for. */
void
list_word(struct list *list, struct db_args *args, const char *name,
          const char *const *choices);
void
list_time(struct list *list, struct db_args *args, const char *name);
void
list_uuid(struct list *list, struct db_args *args, const char *name);

/*
 * After all filters: answers the page, or 400.  The statement has three more
 * parameters, before (timestamptz or null), before id, and a limit: "where
 * ($n::timestamptz is null or (created_at, id) < ($n, $n+1)) order by
 * created_at desc, id desc limit $n+2".
 */
enum ads_err
list_run(struct list *list, const struct db_stmt *stmt, struct db_args *args,
         const struct list_of *of);

/*
 * The same by hand, where rows are placed by something else: after all filters
 * list_ready(), ADS_ANSWERED, 400, when it is not; for each row list_row(),
 * false once the page is full, then one object in list->json; list_answer().
 */
ADS_MUST enum ads_err
list_ready(struct list *list);
bool
list_row(struct list *list, int64_t place, const struct ads_uuid *id);
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
