/*
 * Routes: a const table and one loop over it.
 */
#include "routes.h"

#include <stdio.h>

#include "api_click.h"
#include "api_conversion.h"
#include "auth_key.h"

#define EVENTS_BODY_MAX 65536
#define ALLOW_MAX 64 /* all methods there are, with commas */

static const struct route table[] = {
    {"POST", "/v1/events/conversion", "ap", EVENTS_BODY_MAX,
     api_conversion_post},
    {"GET", "/v1/click/", NULL, 0, api_click_get},
    {"HEAD", "/v1/click/", NULL, 0, api_click_get},
};

#define N_ROUTES (sizeof(table) / sizeof(table[0]))


static bool
is(struct ads_str text, const char *other)
{
    return text.len == strlen(other) && memcmp(text.ptr, other, text.len) == 0;
}


static bool
path_fits(const struct route *route, struct ads_str path, struct ads_str *rest)
{
    size_t len = strlen(route->path);

    if (path.len < len || memcmp(path.ptr, route->path, len) != 0) {
        return false;
    }
    *rest = (struct ads_str){path.ptr + len, path.len - len};
    return route->path[len - 1] == '/' ? rest->len > 0 : rest->len == 0;
}


const struct route *
routes_find(struct request *request)
{
    char allow[ALLOW_MAX] = "";
    size_t len = 0;

    for (size_t i = 0; i < N_ROUTES; i++) {
        if (!path_fits(&table[i], request->path, &request->rest)) {
            continue;
        }
        if (!is(request->method, table[i].method)) {
            len += (size_t)snprintf(allow + len, sizeof(allow) - len, "%s%s",
                                    len > 0 ? ", " : "", table[i].method);
            continue;
        }
        if (request->head.content_length > table[i].body_max) {
            request_answer_problem(request, ADS_PROBLEM_BODY_TOO_LARGE, NULL);
            return NULL;
        }
        return &table[i];
    }
    if (len > 0) {
        const char *kept =
            pool_text(request->pool, (struct ads_str){allow, len});

        request_header(request, "Allow", (struct ads_str){kept, len});
        request_answer_problem(request, ADS_PROBLEM_METHOD_NOT_ALLOWED, NULL);
    } else {
        request_answer_problem(request, ADS_PROBLEM_NOT_FOUND, NULL);
    }
    return NULL;
}


/* application/json, whatever its parameters and letters. */
static bool
is_json(struct ads_str type)
{
    static const char wanted[] = "application/json";
    const size_t len = sizeof(wanted) - 1;

    if (type.ptr == NULL || type.len < len) {
        return false;
    }
    for (size_t i = 0; i < len; i++) {
        char c = type.ptr[i];

        if (c >= 'A' && c <= 'Z') {
            c = (char)(c + ('a' - 'A'));
        }
        if (c != wanted[i]) {
            return false;
        }
    }
    return type.len == len || type.ptr[len] == ';' || type.ptr[len] == ' ';
}


void
routes_handle(const struct route *route, struct request *request)
{
    if (route->types != NULL && !auth_key_check(request, route->types)) {
        return;
    }
    if (route->body_max > 0
        && !is_json(scgi_find(&request->head, "CONTENT_TYPE"))) {
        request_answer_problem(request, ADS_PROBLEM_UNSUPPORTED_MEDIA_TYPE,
                               "the body must be application/json");
        return;
    }
    route->handle(request);
}
