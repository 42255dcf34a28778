/*
 * Checks a connection string, as libpq would read it.
 */
#include <stdlib.h>
#include <string.h>

#include "ads_str.h"
#include "db/wire.h"


/* What the string says, else the environment or libpq itself; NULL: nothing. */
static const char *
option_find(const PQconninfoOption *said, const PQconninfoOption *defaults,
            const char *name)
{
    const PQconninfoOption *both[] = {said, defaults};

    for (size_t i = 0; i < 2; i++) {
        for (const PQconninfoOption *at = both[i]; at->keyword != NULL; at++) {
            if (strcmp(at->keyword, name) == 0 && at->val != NULL
                && at->val[0] != '\0') {
                return at->val;
            }
        }
    }
    return NULL;
}


/* One name or address: this machine, by a socket or over loopback? */
static bool
host_is_here(struct ads_str host)
{
    return host.len == 0 || host.ptr[0] == '/' || host.ptr[0] == '@'
           || ads_str_is(host, "localhost") || ads_str_is(host, "::1")
           || (host.len > 4 && memcmp(host.ptr, "127.", 4) == 0);
}


/* A list with commas. */
static bool
hosts_are_here(const char *list)
{
    struct ads_str host;

    for (;; list += host.len + 1) {
        host = (struct ads_str){list, strcspn(list, ",")};
        if (!host_is_here(host)) {
            return false;
        }
        if (list[host.len] == '\0') {
            return true;
        }
    }
}


bool
db_conninfo_verified(const char *conninfo)
{
    PQconninfoOption *said = PQconninfoParse(conninfo, NULL);
    PQconninfoOption *defaults = PQconndefaults();
    const char *hosts, *mode;
    bool verified = true;

    if (said != NULL && defaults != NULL) {
        hosts = option_find(said, defaults, "hostaddr");
        if (hosts == NULL) {
            hosts = option_find(said, defaults, "host");
        }
        mode = option_find(said, defaults, "sslmode");
        verified = hosts == NULL || hosts_are_here(hosts)
                   || (mode != NULL && strcmp(mode, "verify-full") == 0);
    }
    PQconninfoFree(said);
    PQconninfoFree(defaults);
    return verified;
}
