/*
 * adsctl journal replay, and the verb journal, whose other words read the files
 * alone (ctl/journal.c).
 *
 * Replay shows by advertiser what the clicks cost that wait in this node's
 * journal, then, unless it is a dry run, writes the database's own watermark
 * beside the journal: adsd sees that within a moment and goes on.
 */
#include "ctl/replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ads_money.h"
#include "ctl/verbs.h"

static const struct db_stmt STMT_PREVIEW = {
    .name = "replay_preview",
    .sql = "select p.account_id, p.name, p.clicks, p.billed, p.asked_micros,"
           " p.paid_micros from ads.replay_preview($1, $2, $3, $4) p",
    .n_params = 4,
};

enum preview_column {
    PREVIEW_ACCOUNT,
    PREVIEW_NAME,
    PREVIEW_CLICKS,
    PREVIEW_BILLED,
    PREVIEW_ASKED,
    PREVIEW_PAID
};

/* Clicks that wait, a column each. */
struct waiting {
    struct ads_uuid *clicks;
    struct ads_uuid *ads;
    int64_t *prices;
    int64_t *times_us;
    size_t n;
    size_t n_max;
    uint64_t n_reported; /* clicks without a price of their own */
};


static void
waiting_add(struct waiting *w, const struct ads_event *event)
{
    size_t n;

    if (w->n == w->n_max) {
        n = w->n_max == 0 ? 1024 : w->n_max * 2;
        w->clicks = xrealloc(w->clicks, n * sizeof(*w->clicks));
        w->ads = xrealloc(w->ads, n * sizeof(*w->ads));
        w->prices = xrealloc(w->prices, n * sizeof(*w->prices));
        w->times_us = xrealloc(w->times_us, n * sizeof(*w->times_us));
        w->n_max = n;
    }
    w->clicks[w->n] = event->click.click_id;
    w->ads[w->n] = event->click.ad_id;
    w->prices[w->n] = event->click.price_micros;
    w->times_us[w->n] = (int64_t)event->at_us;
    w->n++;
}


static enum ads_err
segment_read(struct waiting *w, struct segment *segment, uint8_t *buffer)
{
    struct segment_reader reader =
        segment_reader_init(segment, ADS_SEGMENT_HEADER_LEN, 0, buffer);
    const struct ads_event *event;
    struct segment_item item;
    enum ads_err err;

    while ((err = segment_next(&reader, &item)) == ADS_OK) {
        event = &item.event;
        if (item.kind != SEGMENT_RECORD || item.off < segment->cursor
            || event->type != ADS_EVENT_CLICK
            || event->click.class != ADS_CLICK_VALID
            || (event->flags & ADS_EVENT_TEST) != 0)
        {
            continue;
        }
        if ((event->flags & ADS_EVENT_MANUAL) != 0) {
            w->n_reported++;
        } else {
            waiting_add(w, event);
        }
    }
    return err == ADS_IO ? ADS_IO : ADS_OK;
}


static void
account_put(struct ctl *ctl, const struct db_rows *rows, int i)
{
    bool known = !db_is_null(rows, i, PREVIEW_ACCOUNT);
    struct ads_uuid account = {0};
    struct ads_str name = db_text(rows, i, PREVIEW_NAME);
    int64_t asked = db_int(rows, i, PREVIEW_ASKED),
            paid = db_int(rows, i, PREVIEW_PAID);
    char paid_text[ADS_MONEY_TEXT_MAX + 1], rest_text[ADS_MONEY_TEXT_MAX + 1];
    char id[ADS_UUID_TEXT_LEN + 1] = "unknown";

    if (known) {
        account = db_uuid(rows, i, PREVIEW_ACCOUNT);
        ads_uuid_write(id, &account);
        id[ADS_UUID_TEXT_LEN] = '\0';
    }
    if (ctl->json) {
        ctl_json_begin(ctl);
        ctl_json_text(ctl, "account_id", ctl_text(known ? id : NULL));
        ctl_json_text(ctl, "name",
                      known ? name : (struct ads_str){.ptr = NULL});
        ctl_json_int(ctl, "clicks", db_int(rows, i, PREVIEW_CLICKS));
        ctl_json_int(ctl, "already_billed", db_int(rows, i, PREVIEW_BILLED));
        ctl_json_money(ctl, "billed", paid);
        ctl_json_money(ctl, known ? "unfunded" : "unknown", asked - paid);
        ctl_json_end(ctl);
        return;
    }
    *ads_money_write(paid_text, paid) = '\0';
    *ads_money_write(rest_text, asked - paid) = '\0';
    printf("%-36s %10" PRId64 " %14" PRId64 " %14s %14s  %.*s\n", id,
           db_int(rows, i, PREVIEW_CLICKS), db_int(rows, i, PREVIEW_BILLED),
           paid_text, rest_text, known ? (int)name.len : 0, name.ptr);
}


/* What the waiting clicks would come to. */
static int
preview(struct ctl *ctl, const struct waiting *w)
{
    struct db_args args;

    db_args_init(&args, ctl->pool);
    db_arg_uuids(&args, w->clicks, NULL, w->n);
    db_arg_uuids(&args, w->ads, NULL, w->n);
    db_arg_int8s(&args, w->prices, w->n);
    db_arg_times(&args, w->times_us, NULL, w->n);
    if (!ctl->json) {
        printf("%-36s %10s %14s %14s %14s\n", "account", "clicks",
               "billed before", "to be billed", "unfunded");
    }
    return ctl_rows(ctl, &STMT_PREVIEW, &args, account_put);
}


static int
waiting_show(struct ctl *ctl, struct ctl_files *files)
{
    struct waiting w = {0};
    enum ads_err err = ctl_files_cursors(files, ctl);
    int rc;

    for (uint32_t i = 0; err == ADS_OK && i < files->dir.n; i++) {
        err = segment_read(&w, files->dir.segments[i], files->buffer);
    }
    rc = err == ADS_OK ? preview(ctl, &w) : ctl_exit_of(err);
    if (rc == CTL_OK && w.n_reported > 0 && !ctl->json) {
        printf("%" PRIu64 " reported clicks have the price of their decision\n",
               w.n_reported);
    }
    free(w.clicks);
    free(w.ads);
    free(w.prices);
    free(w.times_us);
    return rc;
}


enum ads_err
ctl_watermark(struct ctl *ctl, uint64_t node, enum watermark_state *state,
              int64_t *behind_s)
{
    struct watermark mark, there;
    enum ads_err err = watermark_ask(&there, ctl->db, node, ctl->pool);

    *state = WATERMARK_LEVEL;
    *behind_s = 0;
    if (err == ADS_OK) {
        err = watermark_read(&mark, &ctl->conf, ctl->log);
        if (err == ADS_ABSENT) {
            return ADS_OK;
        }
    }
    if (err == ADS_OK) {
        *state = watermark_compare(&mark, &there, ctl->conf.replica_lag_max_s);
        if (mark.drained_us > there.drained_us) {
            *behind_s = (mark.drained_us - there.drained_us) / 1000000;
        }
    }
    return err;
}


/* The database is taken as it is: adsd replays what it has not. */
static int
allow(struct ctl *ctl, uint64_t node)
{
    struct watermark there;
    enum ads_err err = watermark_ask(&there, ctl->db, node, ctl->pool);

    if (err == ADS_OK) {
        err = watermark_write(&there, &ctl->conf, ctl->log);
    }
    if (err == ADS_OK && !ctl->json) {
        printf("adsd replays the journal now\n");
    }
    return ctl_exit_of(err);
}


static int
replay(struct ctl *ctl, int argc, char **argv)
{
    bool from_backup = false, dry_run = false;
    const struct ctl_option options[] = {
        {"from-backup", false, &from_backup, NULL},
        {"dry-run", false, &dry_run, NULL}};
    struct ctl_files files;
    int n_args, rc;

    rc = ctl_options(argc, argv, options, 2, 0, 0, &n_args);
    if (rc != CTL_OK || !from_backup) {
        return CTL_USAGE;
    }
    if (ctl_files_open(&files, ctl) != ADS_OK) {
        rc = CTL_REFUSED;
    } else {
        rc = waiting_show(ctl, &files);
    }
    if (rc == CTL_OK && !dry_run) {
        rc = allow(ctl, files.node);
    }
    ctl_files_close(&files);
    return rc;
}


int
ctl_journal(struct ctl *ctl, int argc, char **argv)
{
    return argc > 0 && strcmp(argv[0], "replay") == 0
               ? replay(ctl, argc - 1, argv + 1)
               : ctl_files_journal(ctl, argc, argv);
}
