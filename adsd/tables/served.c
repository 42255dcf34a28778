/*
 * Reads head, base and live of the running service without disturbing it.
 */
#include "tables/served.h"

#include "base/clock.h"

#define LIVE_NAME "live"
#define ALIVE_US 3000000


static bool
live_map(struct snap_map *map, struct ads_live *live, const struct conf *conf,
         struct log *log)
{
    if (snap_file_map(map, conf->run_path, LIVE_NAME, log) != ADS_OK) {
        return false;
    }
    return ads_live_open(live, map->bytes, map->len) == ADS_OK;
}


void
served_look(struct served_state *state, const struct conf *conf,
            struct log *log)
{
    struct snap_map map;
    struct ads_live live;
    struct ads_head head;
    uint64_t beat;

    *state = (struct served_state){0};

    if (live_map(&map, &live, conf, log)) {
        beat = ads_live_get(&live, ADS_LIVE_HEARTBEAT);
        state->running =
            beat != 0 && beat + ALIVE_US > (uint64_t)clock_realtime_us();
        state->generation = ads_live_get(&live, ADS_LIVE_GENERATION);
        state->pending = ads_live_pending(&live);
        state->database = ads_live_get(&live, ADS_LIVE_DATABASE) != 0;
    }
    snap_file_unmap(&map);

    if (snap_file_map(&map, conf->state_path, SNAP_HEAD_NAME, log) == ADS_OK
        && ads_head_open(&head, map.bytes, map.len) == ADS_OK
        && head.generation <= state->generation)
    {
        state->served_change = head.change;
        state->made_us = head.made_us;
    }
    snap_file_unmap(&map);
}


enum ads_err
served_open(struct served_tables *tables, const struct conf *conf,
            struct log *log)
{
    char name[SNAP_BASE_NAME_LEN];
    struct ads_head head;
    enum ads_err err;

    *tables = (struct served_tables){0};

    err =
        snap_file_map(&tables->head_map, conf->state_path, SNAP_HEAD_NAME, log);
    if (err == ADS_OK) {
        err =
            ads_head_open(&head, tables->head_map.bytes, tables->head_map.len);
    }
    if (err == ADS_OK) {
        snap_file_base_name(name, head.base_id);
        err = snap_file_map(&tables->base_map, conf->state_path, name, log);
    }
    if (err == ADS_OK) {
        err = ads_tables_open(&tables->tables, tables->base_map.bytes,
                              tables->base_map.len, &head);
    }

    tables->has_live = live_map(&tables->live_map, &tables->live, conf, log);
    return err;
}


void
served_close(struct served_tables *tables)
{
    snap_file_unmap(&tables->head_map);
    snap_file_unmap(&tables->base_map);
    snap_file_unmap(&tables->live_map);
}
