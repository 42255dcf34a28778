/*
 * Ad tables served by this node now, read from the files that the publisher
 * keeps: for previews, adsctl explain and adsctl status.
 */
#ifndef ADSD_SERVED_H
#define ADSD_SERVED_H

#include "ads_decide.h"
#include "ads_live.h"
#include "base/conf.h"
#include "base/log.h"
#include "tables/snap_file.h"

struct served_state {
    bool running;           /* adsd gave a sign of life within 3 s */
    uint64_t generation;    /* that workers have to serve; 0: none */
    uint64_t served_change; /* the last change in it */
    uint64_t made_us;
    uint64_t pending; /* journal bytes not committed */
    bool database;    /* adsd reaches it */
};

/* Reads head and live; what is not there stays 0. */
void
served_look(struct served_state *state, const struct conf *conf,
            struct log *log);

/* The tables as a worker would open them.  served_close() in any case. */
struct served_tables {
    struct snap_map head_map;
    struct snap_map base_map;
    struct snap_map live_map;
    struct ads_tables tables;
    struct ads_live live;
    bool has_live;
};

ADS_MUST enum ads_err
served_open(struct served_tables *tables, const struct conf *conf,
            struct log *log);
void
served_close(struct served_tables *tables);

#endif
