/*
 * Operator's socket, adsctl's side (http/admin.h).
 */
#ifndef ADSD_CTL_ADMIN_H
#define ADSD_CTL_ADMIN_H

#include "base/doc.h"
#include "ctl/ctl.h"

struct ctl_admin_answer {
    struct ads_str text; /* one JSON object, in the pool */
    struct doc *doc;     /* the same, read */
};

/*
 * Asks the adsd that runs here.  CTL_AWAY, told on stderr where `told`, when
 * none does or it does not let us; CTL_REFUSED, told, when it refuses.
 */
int
ctl_admin_ask(struct ctl *ctl, const char *line, bool told,
              struct ctl_admin_answer *answer);

/* Asks, telling what is wrong, and prints the answer for scripts or `done` for
 * people. */
int
ctl_admin_say(struct ctl *ctl, const char *line, const char *done);

#endif
