/*
 * Finds the route of a request, in one loop over the table of routes.
 */
#include "http/dispatch.h"

#include <stdio.h>

#include "http/frame.h"

#define ALLOW_MAX 64 /* all methods there are, with commas */


/* Does the path fit?  Then `args` holds its variable segments. */
static bool
path_fits(const char *pattern, struct ads_str path, struct ads_str *args)
{
    size_t i = 0, n_args = 0;

    while (*pattern != '\0') {
        if (pattern[0] == '{') {
            size_t from = i;

            while (i < path.len && path.ptr[i] != '/') {
                i++;
            }
            if (i == from || n_args == REQUEST_ARGS_MAX) {
                return false;
            }
            args[n_args++] = (struct ads_str){path.ptr + from, i - from};
            pattern += 2;
        } else if (i < path.len && path.ptr[i] == *pattern) {
            i++;
            pattern++;
        } else {
            return false;
        }
    }
    return i == path.len;
}


/* 405 with the methods there are, or 404 when there are none. */
static void
answer_none(struct request *request, struct ads_str allow)
{
    if (allow.len == 0) {
        request_answer_problem(request, ADS_PROBLEM_NOT_FOUND, NULL);
        return;
    }
    allow.ptr = pool_text(request->pool, allow);
    request_header(request, "Allow", allow);
    request_answer_problem(request, ADS_PROBLEM_METHOD_NOT_ALLOWED, NULL);
}


const struct route *
dispatch_find(const struct dispatch *dispatch, struct request *request,
              enum route_class class)
{
    struct ads_str args[REQUEST_ARGS_MAX];
    char allow[ALLOW_MAX] = "";
    size_t len = 0;

    for (size_t i = 0; i < dispatch->n_routes; i++) {
        const struct route *route = &dispatch->routes[i];

        if (route->class != class
            || !path_fits(route->path, request->path, args)) {
            continue;
        }
        if (!ads_str_is(request->method, route->method)) {
            len += (size_t)snprintf(allow + len, sizeof(allow) - len, "%s%s",
                                    len > 0 ? ", " : "", route->method);
            continue;
        }
        if (request->head.content_length > route->body_max) {
            request_answer_problem(request, ADS_PROBLEM_BODY_TOO_LARGE, NULL);
            return NULL;
        }
        memcpy(request->args, args, sizeof(args));
        return route;
    }
    answer_none(request, (struct ads_str){allow, len});
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


enum ads_err
dispatch_check(const struct dispatch *dispatch, const struct route *route,
               struct request *request)
{
    enum ads_err err;

    if (route->types != NULL) {
        err = dispatch->check(request, route);
        if (err != ADS_OK) {
            return err;
        }
    }
    if (request->head.content_length > 0 && (route->flags & ROUTE_ANY_TYPE) == 0
        && (request_is_packed(request)
            || !is_json(scgi_find(&request->head, "CONTENT_TYPE"))))
    {
        return request_answer_problem(request,
                                      ADS_PROBLEM_UNSUPPORTED_MEDIA_TYPE,
                                      "the body must be application/json");
    }
    return route->types != NULL ? dispatch->allow(request, route) : ADS_OK;
}


void
dispatch_handle(const struct route *route, struct request *request)
{
    const struct api_job job = {
        .handle = route->handle,
        .creates = (route->flags & ROUTE_CREATES) != 0,
    };
    enum ads_err err;

    if ((route->flags & ROUTE_OWN_TX) == 0) {
        api_run(request, &job);
        return;
    }
    err = route->handle(request);
    if (err != ADS_OK) {
        request_answer_err(request, err);
    }
}
