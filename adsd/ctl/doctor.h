/*
 * Functions that the checks of adsctl doctor share.
 */
#ifndef ADSD_CTL_DOCTOR_H
#define ADSD_CTL_DOCTOR_H

#include "ctl/ctl.h"

enum ctl_doctor_state { CTL_DOCTOR_OK, CTL_DOCTOR_WARN, CTL_DOCTOR_BAD };

struct ctl_doctor {
    struct ctl *ctl;
    const char *check; /* the one at work */
    const char *nginx; /* its configuration; NULL: where it usually is */
    bool no_db;        /* the database does not answer */
    bool away;         /* that, or the schema in it is another one */
    int n_bad;
};

/* One finding; `advice` NULL: nothing is to be done. */
void
ctl_doctor_tell(struct ctl_doctor *doctor, enum ctl_doctor_state state,
                const char *advice, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Does nginx's configuration fit ours? */
void
ctl_doctor_nginx(struct ctl_doctor *doctor);

#endif
