/*
 * Opens the ontology, guard and intent model that ship with the program.
 */
#include "ctl/shipped.h"

#include <stdlib.h>

#include "tables/goods.h"
#include "tables/guard_list.h"


int
ctl_shipped_open(struct ctl_shipped *shipped, const struct ctl *ctl)
{
    const struct conf *conf = &ctl->conf;

    *shipped = (struct ctl_shipped){0};
    if (goods_load(conf->goods_path, conf->goods_file, &shipped->ontology,
                   stderr)
            != ADS_OK
        || ads_goods_open(shipped->ontology.ptr, shipped->ontology.len,
                          &shipped->goods)
               != ADS_OK
        || guard_list_compile(&shipped->guard_lists, conf->guard_path,
                              conf->guard_file, stderr)
               != ADS_OK
        || ads_guard_open(shipped->guard_lists.ptr, shipped->guard_lists.len,
                          &shipped->guard)
               != ADS_OK)
    {
        return CTL_REFUSED;
    }
    if (snap_file_map(&shipped->model, NULL, conf->intent_model, ctl->log)
            != ADS_OK
        || ads_intent_open(shipped->model.bytes, shipped->model.len,
                           &shipped->intent)
               != ADS_OK)
    {
        return ctl_refuse("%s: no model of intent", conf->intent_model);
    }
    return CTL_OK;
}


void
ctl_shipped_close(struct ctl_shipped *shipped)
{
    free((char *)shipped->ontology.ptr);
    free((char *)shipped->guard_lists.ptr);
    snap_file_unmap(&shipped->model);
}
