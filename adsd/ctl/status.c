/*
 * adsctl status: shows what runs here, what is served, what waits.
 */
#include <inttypes.h>
#include <stdio.h>

#include "ctl/admin.h"
#include "ctl/verbs.h"
#include "tables/served.h"

static const struct db_stmt STMT_STATUS = {
    .name = "ctl_status",
    .sql = "select c.n,"
           "    (select count(*) from ads.campaigns where status = 'active'),"
           "    (select count(*) from ads.products where status = 'active'),"
           "    (select count(*) from ads.ingest_reject) "
           "from ads.change c",
    .n_params = 0,
};

enum status_column {
    STATUS_CHANGE,
    STATUS_CAMPAIGNS,
    STATUS_PRODUCTS,
    STATUS_REJECTED
};

struct status {
    struct served_state head;
    uint32_t n_ads;
    uint32_t n_campaigns;
    uint32_t n_keys;
    uint32_t n_refused; /* campaigns without allowance */
    bool answers;       /* adsd, on the operator's socket, this: */
    struct ctl_admin_answer inside;
};


static void
tables_look(struct status *status, struct ctl *ctl)
{
    struct served_tables tables;

    if (served_open(&tables, &ctl->conf, ctl->log) == ADS_OK) {
        const struct ads_head *head = &tables.tables.head;

        status->n_ads = ads_tables_n_ads(&tables.tables);
        status->n_campaigns = head->campaigns.rows;
        status->n_keys = head->keys.rows + head->bound_keys.rows;

        for (uint32_t i = 0; tables.has_live && i < head->campaigns.rows; i++) {
            const struct ads_snap_campaign *campaign =
                ads_head_campaign(head, i);
            const struct ads_live_slot *slot =
                ads_live_slot(&tables.live, campaign->slot, campaign->tag);

            status->n_refused +=
                ads_snap_is_active(campaign)
                && (slot == NULL || !ads_live_pays(slot, campaign->bid_micros));
        }
    }
    served_close(&tables);
}


static void
json_print(struct ctl *ctl, const struct status *status,
           const struct db_rows *rows)
{
    ctl_json_begin(ctl);
    ctl_json_bool(ctl, "adsd", status->head.running);
    ctl_json_bool(ctl, "database", rows != NULL);
    ctl_json_int(ctl, "generation", (int64_t)status->head.generation);
    ctl_json_int(ctl, "change_served", (int64_t)status->head.served_change);
    ctl_json_int(ctl, "journal_pending_bytes", (int64_t)status->head.pending);
    ctl_json_int(ctl, "ads", status->n_ads);
    ctl_json_int(ctl, "campaigns", status->n_campaigns);
    ctl_json_int(ctl, "campaigns_without_allowance", status->n_refused);
    ctl_json_int(ctl, "keys", status->n_keys);
    ctl_json_raw(ctl, "inside",
                 status->answers ? status->inside.text
                                 : (struct ads_str){NULL, 0});
    if (rows != NULL) {
        ctl_json_int(ctl, "change", db_int(rows, 0, STATUS_CHANGE));
        ctl_json_int(ctl, "campaigns_active",
                     db_int(rows, 0, STATUS_CAMPAIGNS));
        ctl_json_int(ctl, "products_active", db_int(rows, 0, STATUS_PRODUCTS));
        ctl_json_int(ctl, "records_rejected", db_int(rows, 0, STATUS_REJECTED));
    }
    ctl_json_end(ctl);
}


/* The member as it was written, "?" when it is not there, filled up to `width`,
 * and what follows. */
static void
member_print(const struct doc *object, const char *name, int width,
             const char *behind)
{
    const struct doc *member = doc_find(object, name);
    struct ads_str text = member == NULL ? ADS_STR("?") : member->text;

    printf("%-*.*s%s", width, (int)text.len, text.ptr, behind);
}


static void
inside_print(const struct doc *doc)
{
    const struct doc *servers = doc_find(doc, "servers");

    printf("          process ");
    member_print(doc, "pid", 0, " since ");
    member_print(doc, "uptime_s", 0, " s, click key ");
    member_print(doc, "click_key_seals", 0, " seals\n");
    for (const struct doc *server = servers == NULL ? NULL : servers->first;
         server != NULL; server = server->next)
    {
        printf("          ");
        member_print(server, "name", 5, " ");
        member_print(server, "busy", 0, " of ");
        member_print(server, "threads", 0, " threads busy, ");
        member_print(server, "waiting", 0, " waiting, ");
        member_print(server, "refused", 0, " refused\n");
    }
}


static void
text_print(const struct status *status, const struct db_rows *rows)
{
    const struct served_state *head = &status->head;

    printf("adsd      %s\n", head->running ? "running" : "not running here");
    if (status->answers) {
        inside_print(status->inside.doc);
    }
    printf("database  %s\n", rows != NULL ? "answers" : "does not answer");
    printf("tables    generation %" PRIu64 ", change %" PRIu64
           ": %u ads, %u campaigns (%u active without allowance), %u keys\n",
           head->generation, head->served_change, status->n_ads,
           status->n_campaigns, status->n_refused, status->n_keys);
    printf("journal   %" PRIu64 " bytes not committed\n", head->pending);
    if (rows != NULL) {
        printf(
            "rows      change %" PRId64 ": %" PRId64
            " active campaigns, %" PRId64 " active products, %" PRId64
            " records rejected\n",
            db_int(rows, 0, STATUS_CHANGE), db_int(rows, 0, STATUS_CAMPAIGNS),
            db_int(rows, 0, STATUS_PRODUCTS), db_int(rows, 0, STATUS_REJECTED));
    }
}


int
ctl_status(struct ctl *ctl, int argc, char **argv)
{
    struct status status = {0};
    struct db_rows *rows = NULL;
    struct db_args args;
    enum ads_err err;
    int n, rc;

    rc = ctl_options(argc, argv, NULL, 0, 0, 0, &n);
    if (rc != CTL_OK) {
        return rc;
    }

    served_look(&status.head, &ctl->conf, ctl->log);
    tables_look(&status, ctl);
    status.answers =
        ctl_admin_ask(ctl, "status", false, &status.inside) == CTL_OK;

    db_args_init(&args, ctl->pool);
    err = db_run_alone(ctl->db, &STMT_STATUS, &args, &rows);
    if (err != ADS_OK) {
        rows = NULL;
    }

    if (ctl->json) {
        json_print(ctl, &status, rows);

    } else {
        text_print(&status, rows);
    }
    return status.head.running ? ctl_exit_of(err) : CTL_AWAY;
}
