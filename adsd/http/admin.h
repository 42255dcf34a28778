/*
 * Operator's socket <run>/admin.sock: what only the adsd that runs here can
 * report or do.  Root and adsd's own user, by peer credentials and by mode; no
 * group, and nginx only where it runs as the same user.
 *
 * One line is asked, one JSON object on a line is answered, then the connection
 * is closed:
 *
 *     status              what it does now
 *     reload              opens the log again, reads the click keys again
 *     log-level LEVEL     what is logged from now on: debug, info, warn, error
 *
 * {"ok":false,"error":"..."} is a refusal.  `adsctl` asks by ctl/admin.h.
 */
#ifndef ADSD_ADMIN_H
#define ADSD_ADMIN_H

#include "daemon/adsd.h"

#define ADMIN_SOCKET "admin.sock"
#define ADMIN_LINE_MAX 128
#define ADMIN_ANSWER_MAX 65536

struct admin;

/* Listens, and answers in a thread of its own, one at a time; ADS_IO or
 * ADS_TOO_LARGE, logged, when it cannot. */
ADS_MUST enum ads_err
admin_start(struct admin **admin, struct adsd *adsd);

/* Once adsd stops.  NULL is fine. */
void
admin_stop(struct admin *admin);

#endif
