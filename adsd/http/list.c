/*
 * Reads and writes pages of lists.  A cursor is 40 bytes as base64url:
 * created_at in microseconds (8), id (16), MAC (16) over both and the account,
 * with the list's name as its purpose.
 */
#include "http/list.h"

#include "ads_accept.h"
#include "base/csv.h"
#include "daemon/auth_keys.h"

#define LIMIT_STANDARD 50
#define LIMIT_MAX 500
#define ROWS_FIRST (LIMIT_STANDARD + 1)
#define LEN_MAX (4 * 1024 * 1024) /* of a page; its last row may pass it */
#define PLACE_LEN 24
#define MAC_LEN 16
#define CURSOR_LEN (PLACE_LEN + MAC_LEN)

/* What the MAC is over. */
struct place {
    uint8_t bytes[PLACE_LEN];
    struct ads_uuid account;
};


static struct place
place_of(const struct list *list, int64_t us, const struct ads_uuid *id)
{
    struct place place = {.account = list->request->actor.account};

    for (int i = 0; i < 8; i++) {
        place.bytes[i] = (uint8_t)((uint64_t)us >> (8 * i));
    }
    memcpy(place.bytes + 8, id->b, sizeof(id->b));
    return place;
}


static struct ads_str
cursor_write(const struct list *list)
{
    struct place place = place_of(list, list->last_us, &list->last);
    uint8_t bytes[CURSOR_LEN], mac[AUTH_KEYS_MAC_LEN];
    char text[ADS_BASE64URL_LEN(CURSOR_LEN)];

    memcpy(bytes, place.bytes, PLACE_LEN);
    auth_keys_mac(list->request->adsd->auth_keys, list->name,
                  (struct ads_str){(const char *)&place, sizeof(place)}, mac);
    memcpy(bytes + PLACE_LEN, mac, MAC_LEN);
    (void)ads_base64url_write(text, bytes, sizeof(bytes));
    return (struct ads_str){
        pool_text(list->request->pool, (struct ads_str){text, sizeof(text)}),
        sizeof(text)};
}


static bool
cursor_read(struct list *list, struct ads_str text)
{
    uint8_t bytes[CURSOR_LEN];
    struct place place;
    uint64_t us = 0;

    if (text.len != ADS_BASE64URL_LEN(CURSOR_LEN)
        || !ads_base64url_read(bytes, sizeof(bytes), text))
    {
        return false;
    }
    for (int i = 7; i >= 0; i--) {
        us = us << 8 | bytes[i];
    }
    list->before_us = (int64_t)us;
    memcpy(list->before.b, bytes + 8, sizeof(list->before.b));
    place = place_of(list, list->before_us, &list->before);
    return auth_keys_mac_check(
        list->request->adsd->auth_keys, list->name,
        (struct ads_str){(const char *)&place, sizeof(place)},
        bytes + PLACE_LEN, MAC_LEN);
}


bool
list_wants_csv(const struct request *request)
{
    static const char *const types[] = {"application/json", "text/csv", NULL};

    return ads_accept_choose(request_find(request, "HTTP_ACCEPT"), types) == 1;
}


enum ads_err
list_begin(struct list *list, struct request *request, const char *name)
{
    struct ads_str cursor;

    memset(list, 0, sizeof(*list));
    list->request = request;
    list->name = name;
    list->limit = LIMIT_STANDARD;
    list->csv = list_wants_csv(request);
    if (query_begin(&list->query, request) != ADS_OK) {
        return ADS_ANSWERED;
    }
    (void)query_int(&list->query, "limit", 1, LIMIT_MAX, &list->limit);
    cursor = query_text(&list->query, "cursor", 200);
    if (cursor.ptr != NULL) {
        list->paged = cursor_read(list, cursor);
        if (!list->paged) {
            query_error(&list->query, "cursor", "invalid_format",
                        "is not a cursor of this list");
        }
    }
    return ADS_OK;
}


enum ads_err
list_ready(struct list *list)
{
    if (query_end(&list->query) != ADS_OK) {
        return ADS_ANSWERED;
    }
    json_init(&list->json, list->request->pool);
    if (!list->csv) {
        json_object_begin(&list->json, NULL);
    }
    json_array_begin(&list->json, list->csv ? NULL : "data");
    return ADS_OK;
}


void
list_word(struct list *list, struct db_args *args, const char *name,
          const char *const *choices)
{
    int i = query_choice(&list->query, name, choices);

    if (i < 0) {
        db_arg_null(args);
    } else {
        db_arg_text(args, (struct ads_str){choices[i], strlen(choices[i])});
    }
}


void
list_time(struct list *list, struct db_args *args, const char *name)
{
    int64_t us;

    if (query_time(&list->query, name, &us)) {
        db_arg_time(args, us);
    } else {
        db_arg_null(args);
    }
}


void
list_uuid(struct list *list, struct db_args *args, const char *name)
{
    struct ads_uuid id;

    db_arg_uuid(args, query_uuid(&list->query, name, &id) ? &id : NULL);
}


static void
page_args(const struct list *list, struct db_args *args, int64_t limit)
{
    if (list->paged) {
        db_arg_time(args, list->before_us);
        db_arg_uuid(args, &list->before);
    } else {
        db_arg_null(args);
        db_arg_null(args);
    }
    db_arg_int8(args, limit);
}


bool
list_row(struct list *list, int64_t place, const struct ads_uuid *id)
{
    if (list->n == list->limit || list->json.len > LEN_MAX) {
        list->more = true;
        return false;
    }
    list->n++;
    list->last_us = place;
    list->last = *id;
    return true;
}


void
list_answer_csv(struct request *request, const char *columns,
                const struct json *rows)
{
    struct ads_str text = json_text(rows);
    const char *why;
    struct doc *doc = doc_read(request->pool, (char *)text.ptr, text.len, &why);

    request_answer_text(request, 200, "text/csv; charset=utf-8; header=present",
                        csv_write(request->pool, columns, doc));
}


void
list_answer(struct list *list, const char *columns)
{
    struct request *request = list->request;
    struct ads_str cursor;

    json_array_end(&list->json);
    if (list->csv) {
        if (list->more) {
            request_header(request, "X-Next-Cursor", cursor_write(list));
        }
        list_answer_csv(request, columns, &list->json);
        return;
    }
    json_bool(&list->json, "has_more", list->more);
    cursor = list->more ? cursor_write(list) : (struct ads_str){NULL, 0};
    json_string(&list->json, "next_cursor", cursor);
    json_object_end(&list->json);
    request_answer_json(request, 200, &list->json);
}


/* How many rows to ask for: what is missing, and one that says whether there
 * are more; but no more than should fit, by the length of those before. */
static int64_t
rows_wanted(const struct list *list)
{
    int64_t missing = list->limit - list->n + 1, len, room;

    if (list->n == 0) {
        return missing < ROWS_FIRST ? missing : ROWS_FIRST;
    }
    len = (int64_t)list->json.len;
    room = len < LEN_MAX ? (LEN_MAX - len) / (len / list->n + 1) : 0;
    return missing <= room ? missing : room + 1;
}


static void
row_add(struct list *list, const struct list_of *of, const struct db_rows *rows,
        int i)
{
    if (of->fields != NULL) {
        fields_row_write(of->fields, &list->json, rows, i);
    } else {
        of->write(&list->json, rows, i);
    }
}


/* The next rows, in the page as long as they fit. */
static enum ads_err
rows_add(struct list *list, const struct db_stmt *stmt, struct db_args *args,
         const struct list_of *of, int *n)
{
    struct db_rows *rows;
    int id = of->id, created_at = of->created_at;
    enum ads_err err;

    err = db_run(list->request->tx, stmt, args, &rows);
    if (err != ADS_OK) {
        return err;
    }
    if (of->fields != NULL) {
        id = db_column(rows, of->by_id != NULL ? of->by_id : "id");
        created_at =
            db_column(rows, of->by_time != NULL ? of->by_time : "created_at");
    }
    *n = db_n_rows(rows);
    for (int i = 0; i < *n; i++) {
        struct ads_uuid row_id = db_uuid(rows, i, id);

        if (list_row(list, db_time(rows, i, created_at), &row_id)) {
            row_add(list, of, rows, i);
        }
    }
    list->paged = true;
    list->before_us = list->last_us;
    list->before = list->last;
    return ADS_OK;
}


enum ads_err
list_run(struct list *list, const struct db_stmt *stmt, struct db_args *args,
         const struct list_of *of)
{
    const int n_filters = args->n;
    int64_t wanted;
    enum ads_err err;
    int n;

    err = list_ready(list);
    if (err != ADS_OK) {
        return err;
    }
    do {
        wanted = rows_wanted(list);
        args->n = n_filters;
        page_args(list, args, wanted);
        err = rows_add(list, stmt, args, of, &n);
        if (err != ADS_OK) {
            return err;
        }
    } while (n == wanted && !list->more);

    list_answer(list, of->fields != NULL
                          ? fields_csv(of->fields, list->request->pool)
                          : of->csv);
    return ADS_OK;
}
