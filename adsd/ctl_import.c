/*
 * adsctl import: a file of products into a campaign, with progress.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ctl.h"
#include "import.h"

#define BAR_CELLS 30

static const struct db_stmt STMT_CAMPAIGN = {
    .name = "ctl_import_campaign",
    .sql = "select c.account_id from ads.campaigns c "
           "where c.id = $1 and c.status <> 'archived'",
    .n_params = 1,
};

struct view {
    struct ctl *ctl;
    struct feed *feed;
    bool terminal;
    double began_s;
};


static double
now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}


static void
bar_draw(const struct view *view, const struct import_totals *totals)
{
    unsigned permille = feed_permille(view->feed);
    double passed_s = now_s() - view->began_s;
    char bar[BAR_CELLS + 1];

    for (unsigned i = 0; i < BAR_CELLS; i++) {
        bar[i] = i * 1000 < permille * BAR_CELLS ? '#' : '.';
    }
    bar[BAR_CELLS] = '\0';

    fprintf(stderr, "\r[%s] %3u %%  %" PRIu64 " rows, %.0f/s, %.0f s left  ",
            bar, permille / 10, totals->lines,
            passed_s > 0 ? (double)totals->lines / passed_s : 0.0,
            permille > 0 ? passed_s * (1000 - permille) / permille : 0.0);
}


static void
progress_show(void *ctx, const struct import_totals *totals)
{
    const struct view *view = ctx;

    if (view->terminal) {
        bar_draw(view, totals);
    }
}


/* Line, field, rule: every bad row, none of its content. */
static void
fault_show(void *ctx, const struct import_fault *fault)
{
    struct view *view = ctx;

    if (view->ctl->json) {
        ctl_json_begin(view->ctl);
        ctl_json_int(view->ctl, "line", (int64_t)fault->line);
        ctl_json_text(view->ctl, "field", ctl_text(fault->field));
        ctl_json_text(view->ctl, "why", ctl_text(fault->why));
        ctl_json_end(view->ctl);
        return;
    }
    fprintf(stderr, "%sline %" PRIu64 ": %s%s%s\n", view->terminal ? "\r" : "",
            fault->line, fault->field, fault->field[0] == '\0' ? "" : " ",
            fault->why);
}


static void
totals_print(const struct view *view, const struct import_totals *totals)
{
    struct ctl *ctl = view->ctl;
    double passed_s = now_s() - view->began_s;

    if (view->terminal) {
        bar_draw(view, totals);
        fputc('\n', stderr);
    }

    if (ctl->json) {
        ctl_json_begin(ctl);
        ctl_json_int(ctl, "rows", (int64_t)totals->lines);
        ctl_json_int(ctl, "added", (int64_t)totals->added);
        ctl_json_int(ctl, "changed", (int64_t)totals->changed);
        ctl_json_int(ctl, "unchanged", (int64_t)totals->unchanged);
        ctl_json_int(ctl, "repeated", (int64_t)totals->repeated);
        ctl_json_int(ctl, "bad", (int64_t)totals->bad);
        ctl_json_int(ctl, "elapsed_ms", (int64_t)(passed_s * 1000));
        return;
    }
    printf("%" PRIu64 " rows in %.1f s: %" PRIu64 " added, %" PRIu64
           " changed, %" PRIu64 " unchanged, %" PRIu64 " repeated, %" PRIu64
           " bad\n",
           totals->lines, passed_s, totals->added, totals->changed,
           totals->unchanged, totals->repeated, totals->bad);
}


static int
account_find(struct ctl *ctl, struct import_options *options)
{
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    db_args_init(&args, ctl->pool);
    db_arg_uuid(&args, &options->campaign);
    err = db_run_alone(ctl->db, &STMT_CAMPAIGN, &args, &rows);
    if (err != ADS_OK) {
        return ctl_failed(ctl, err);
    }
    if (db_n_rows(rows) == 0) {
        return ctl_refuse("no campaign that is not archived has this id");
    }
    options->account = db_uuid(rows, 0, 0);
    return CTL_OK;
}


static int
file_import(struct ctl *ctl, const char *path,
            const struct import_options *options)
{
    struct view view = {.ctl = ctl,
                        .terminal = isatty(STDERR_FILENO) && !ctl->json,
                        .began_s = now_s()};
    const char *rest =
        options->dry_run ? "" : "; the good rows before are imported";
    struct import_options shown = *options;
    struct import_totals totals;
    enum ads_err err;

    if (feed_open(&view.feed, path) != ADS_OK) {
        return ctl_refuse("%s: %s", path, strerror(errno));
    }

    shown.fault = fault_show;
    shown.progress = progress_show;
    shown.ctx = &view;
    err = import_run(&totals, view.feed, ctl->db, &shown);
    totals_print(&view, &totals);
    feed_close(view.feed);

    switch (err) {
    case ADS_OK:
        return totals.bad > 0 ? CTL_REFUSED : CTL_OK;
    case ADS_DAMAGED:
        return ctl_refuse("%s: cut or damaged after row %" PRIu64 "%s", path,
                          totals.lines, rest);
    default:
        return totals.read_errno != 0
                   ? ctl_refuse("%s: %s after row %" PRIu64 "%s", path,
                                strerror(totals.read_errno), totals.lines, rest)
                   : ctl_failed(ctl, err);
    }
}


int
ctl_import(struct ctl *ctl, int argc, char **argv)
{
    const char *campaign = NULL;
    struct import_options import = {0};
    const struct ctl_option options[] = {
        {"campaign", true, NULL, &campaign},
        {"dry-run", false, &import.dry_run, NULL},
    };
    int n, rc, served;

    rc = ctl_options(argc, argv, options, 2, 1, 1, &n);
    if (rc == CTL_OK) {
        rc = ctl_read_id(&import.campaign, "--campaign", campaign);
    }
    if (rc == CTL_OK) {
        rc = account_find(ctl, &import);
    }
    if (rc != CTL_OK) {
        return rc;
    }

    rc = file_import(ctl, argv[0], &import);
    if (import.dry_run || rc == CTL_AWAY) {
        return rc;
    }
    served = ctl_served(ctl);
    return served != CTL_OK ? served : rc;
}
