/*
 * adsctl log-level: shows and sets what the adsd that runs here logs.
 */
#include <stdio.h>
#include <string.h>

#include "ctl/admin.h"
#include "ctl/verbs.h"
#include "http/admin.h"


int
ctl_log_level(struct ctl *ctl, int argc, char **argv)
{
    char line[ADMIN_LINE_MAX];
    int n;
    int rc = ctl_options(argc, argv, NULL, 0, 1, 1, &n);

    if (rc != CTL_OK) {
        return rc;
    }
    if (log_level_find(ctl_text(argv[0])) < 0) {
        return ctl_refuse("not one of debug, info, warn, error: %s", argv[0]);
    }
    (void)snprintf(line, sizeof(line), "log-level %s", argv[0]);
    return ctl_admin_say(ctl, line, "set until adsd ends or gets another");
}
