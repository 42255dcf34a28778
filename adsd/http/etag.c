/*
 * Compares If-Match with an object's ETag.  If-Match is "*" or a list of quoted
 * tags.  Weak tags never match (RFC 9110, 13.1.1).
 */
#include "http/etag.h"

#include <stdio.h>

#define ETAG_MAX 24


static size_t
etag_write(char *text, int64_t changed_n)
{
    return (size_t)snprintf(text, ETAG_MAX, "\"%lld\"", (long long)changed_n);
}


void
etag_put(struct request *request, int64_t changed_n)
{
    char text[ETAG_MAX];
    struct ads_str etag = {text, etag_write(text, changed_n)};

    etag.ptr = pool_text(request->pool, etag);
    request_header(request, "ETag", etag);
}


static bool
is_between(char c)
{
    return c == ' ' || c == '\t' || c == ',';
}


/* Is the tag one of the list's? */
static bool
list_holds(struct ads_str list, struct ads_str tag)
{
    size_t i = 0;

    while (i < list.len) {
        size_t from = i;

        while (i < list.len && !is_between(list.ptr[i])) {
            i++;
        }
        if (ads_str_equal((struct ads_str){list.ptr + from, i - from}, tag)) {
            return true;
        }
        i += i < list.len;
    }
    return false;
}


enum ads_err
etag_check(struct request *request, int64_t changed_n)
{
    struct ads_str list = request_find(request, "HTTP_IF_MATCH");
    char text[ETAG_MAX];
    struct ads_str tag = {text, etag_write(text, changed_n)};

    if (list.ptr == NULL || (list.len == 1 && list.ptr[0] == '*')
        || list_holds(list, tag))
    {
        return ADS_OK;
    }
    return request_answer_problem(request, ADS_PROBLEM_ETAG_MISMATCH, NULL);
}
