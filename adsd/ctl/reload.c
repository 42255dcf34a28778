/*
 * adsctl reload: makes adsd load what an operator changed outside of the
 * database.
 */
#include "ctl/admin.h"
#include "ctl/verbs.h"


int
ctl_reload(struct ctl *ctl, int argc, char **argv)
{
    int n;
    int rc = ctl_options(argc, argv, NULL, 0, 0, 0, &n);

    return rc == CTL_OK ? ctl_admin_say(ctl, "reload",
                                        "log opened and click keys read again")
                        : rc;
}
