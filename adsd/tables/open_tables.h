/*
 * What this node serves now, as adsctl sees it from outside: the files that
 * adsd keeps.
 */
#ifndef ADSD_CTL_HEAD_H
#define ADSD_CTL_HEAD_H

#include "ads_decide.h"
#include "ads_live.h"
#include "base/conf.h"
#include "base/log.h"
#include "tables/snap_file.h"

struct ctl_head_state {
    bool running;           /* adsd gave a sign of life within 3 s */
    uint64_t generation;    /* that workers are told to serve; 0: none */
    uint64_t served_change; /* the last change in it */
    uint64_t made_us;
    uint64_t pending; /* journal bytes not committed */
    bool database;    /* adsd reaches it */
};

/* Looks at head and live; what is not there stays 0. */
void
ctl_head_look(struct ctl_head_state *state, const struct conf *conf,
              struct log *log);

/* The tables as a worker would open them.  ctl_head_close() in any case. */
struct ctl_tables {
    struct snap_map head_map;
    struct snap_map base_map;
    struct snap_map live_map;
    struct ads_tables tables;
    struct ads_live live;
    bool has_live;
};

ADS_MUST enum ads_err
ctl_head_open(struct ctl_tables *tables, const struct conf *conf,
              struct log *log);
void
ctl_head_close(struct ctl_tables *tables);

#endif
