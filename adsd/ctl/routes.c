/*
 * adsctl routes: what adsd answers over HTTP, out of the table that it serves
 * from.
 */
#include <stdio.h>
#include <string.h>

#include "api/routes.h"
#include "ctl/verbs.h"

static const char *const classes[ROUTE_CLASSES] = {
    [ROUTE_API] = "api",
    [ROUTE_AUTH] = "auth",
    [ROUTE_OAUTH] = "oauth",
    [ROUTE_FEED] = "feed",
};

static const char *const roles[] = {
    [ROLE_NONE] = NULL,
    [ROLE_VIEWER] = "viewer",
    [ROLE_EDITOR] = "editor",
    [ROLE_OWNER] = "owner",
};

static const struct {
    unsigned flag;
    const char *name;
} flags[] = {
    {ROUTE_OWN_TX, "own_tx"},     {ROUTE_CREATES, "creates"},
    {ROUTE_NO_KEY, "no_key"},     {ROUTE_ANY_TYPE, "any_type"},
    {ROUTE_ANY_USER, "any_user"}, {ROUTE_TEST_KEY, "test_key"},
    {ROUTE_PERSON, "person"},
};

#define N_FLAGS (sizeof(flags) / sizeof(flags[0]))


static void
json_print(struct ctl *ctl, const struct route *route)
{
    ctl_json_begin(ctl);
    ctl_json_text(ctl, "method", ctl_text(route->method));
    ctl_json_text(ctl, "path", ctl_text(route->path));
    ctl_json_text(ctl, "types", ctl_text(route->types));
    ctl_json_text(ctl, "role", ctl_text(roles[route->role]));
    ctl_json_int(ctl, "body_max", (int64_t)route->body_max);
    for (size_t i = 0; i < N_FLAGS; i++) {
        ctl_json_bool(ctl, flags[i].name, (route->flags & flags[i].flag) != 0);
    }
    ctl_json_text(ctl, "socket", ctl_text(classes[route->class]));
    ctl_json_end(ctl);
}


static void
text_print(const struct route *route)
{
    printf("%-6s %-40s %-4s %-7s %-5s", route->method, route->path,
           route->types == NULL ? "-" : route->types,
           roles[route->role] == NULL ? "-" : roles[route->role],
           classes[route->class]);
    for (size_t i = 0; i < N_FLAGS; i++) {
        if ((route->flags & flags[i].flag) != 0) {
            printf(" %s", flags[i].name);
        }
    }
    putchar('\n');
}


int
ctl_routes(struct ctl *ctl, int argc, char **argv)
{
    const struct route *routes;
    size_t n_routes;
    int n, rc;

    rc = ctl_options(argc, argv, NULL, 0, 0, 0, &n);
    if (rc != CTL_OK) {
        return rc;
    }
    routes = routes_all(&n_routes);
    for (size_t i = 0; i < n_routes; i++) {
        if (ctl->json) {
            json_print(ctl, &routes[i]);
        } else {
            text_print(&routes[i]);
        }
    }
    return CTL_OK;
}
