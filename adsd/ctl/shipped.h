/*
 * The files that ship with the program, opened for verbs that need neither a
 * database nor an installation.
 */
#ifndef ADSD_CTL_SHIPPED_H
#define ADSD_CTL_SHIPPED_H

#include "ads_guard.h"
#include "ads_intent.h"
#include "ctl/ctl.h"
#include "tables/snap_file.h"

/* What is read from the files that ship. */
struct ctl_shipped {
    struct ads_str ontology; /* free() */
    struct ads_str guard_lists;
    struct snap_map model;
    struct ads_goods goods;
    struct ads_guard guard;
    struct ads_intent intent;
};

/* Opens them; errors are printed on stderr.  ctl_shipped_close() in any
 * case. */
int
ctl_shipped_open(struct ctl_shipped *shipped, const struct ctl *ctl);
void
ctl_shipped_close(struct ctl_shipped *shipped);

#endif
