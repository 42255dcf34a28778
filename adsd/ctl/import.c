/*
 * adsctl import: a file of products into a campaign, with progress.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ads_money.h"
#include "ads_url.h"
#include "base/clock.h"
#include "catalog/import.h"
#include "catalog/import_value.h"
#include "ctl/verbs.h"

#define BAR_CELLS 30
#define SHOWN_LEN 81 /* of a bad row's sku and value */

static const struct db_stmt STMT_CAMPAIGN = {
    .name = "ctl_import_campaign",
    .sql = "select c.account_id from ads.campaigns c "
           "where c.id = $1 and c.status <> 'archived'",
    .n_params = 1,
};

struct view {
    struct ctl *ctl;
    FILE *report; /* of bad rows, as CSV; or NULL */
    bool dry_run;
    struct feed *feed;
    bool terminal;
    double began_s;
    double shown_s;
    unsigned percent; /* that was shown */
    enum import_phase phase;
};


static double
now_s(void)
{
    return (double)clock_monotonic_us() / 1e6;
}


static double
left_s(const struct view *view, unsigned percent)
{
    double passed_s = now_s() - view->began_s;

    return percent > 0 ? passed_s * (100 - percent) / percent : 0.0;
}


static void
bar_draw(const struct view *view, const struct import_totals *totals,
         unsigned percent)
{
    double passed_s = now_s() - view->began_s;
    char bar[BAR_CELLS + 1];

    for (unsigned i = 0; i < BAR_CELLS; i++) {
        bar[i] = i * 100 < percent * BAR_CELLS ? '#' : '.';
    }
    bar[BAR_CELLS] = '\0';

    fprintf(stderr,
            "\r[%s] %3u %%  %s, %" PRIu64 " rows, %.0f/s, %.0f s left "
            "  ",
            bar, percent,
            percent == 100 ? "done" : import_phase_name(totals->phase),
            totals->rows, passed_s > 0 ? (double)totals->rows / passed_s : 0.0,
            left_s(view, percent));
}


/* A line for each tenth and each phase, where stderr is no terminal. */
static void
line_print(struct view *view, const struct import_totals *totals,
           unsigned percent)
{
    double passed_s = now_s() - view->began_s;

    if (percent / 10 == view->percent / 10 && totals->phase == view->phase) {
        return;
    }
    view->percent = percent;
    view->phase = totals->phase;
    fprintf(stderr, "%3u %%  %s, %" PRIu64 " rows, %.0f/s, %.0f s left\n",
            percent, import_phase_name(totals->phase), totals->rows,
            passed_s > 0 ? (double)totals->rows / passed_s : 0.0,
            left_s(view, percent));
}


static bool
progress_show(void *ctx, const struct import_totals *totals)
{
    struct view *view = ctx;
    unsigned percent = import_percent(totals, feed_permille(view->feed));

    if (!view->terminal) {
        /* what is over in a moment needs no lines */
        if (!view->ctl->json && now_s() - view->began_s > 2) {
            line_print(view, totals, percent);
        }
    } else if (now_s() - view->shown_s > 0.1 || totals->phase != view->phase) {
        view->shown_s = now_s();
        view->phase = totals->phase;
        bar_draw(view, totals, percent);
    }
    return true;
}


/* Which column is which field, before anything is written. */
static void
mapping_show(void *ctx, const char *format, struct ads_str map,
             const struct feed_record *header)
{
    struct view *view = ctx;

    if (!view->dry_run || view->ctl->json) {
        return;
    }
    printf("format: %s\n", format);
    for (unsigned i = 0; header != NULL && i < header->n; i++) {
        const char *field =
            import_column_name(import_column_of(map, header->cells[i]));

        printf("column %u: %.*s -> %s\n", i + 1, (int)header->cells[i].len,
               header->cells[i].ptr, field[0] == '\0' ? "(ignored)" : field);
    }
}


/* A cell of a shop's text that is no formula to a spreadsheet. */
static void
cell_print(FILE *file, const char *text)
{
    fputc('"', file);
    if (text[0] != '\0' && strchr("=+-@", text[0]) != NULL) {
        fputc('\'', file);
    }
    for (; *text != '\0'; text++) {
        fputs(*text == '"' ? "\"" : "", file);
        fputc(*text, file);
    }
    fputc('"', file);
}


/* Line, field, rule, sku and value of every bad row. */
static void
fault_show(void *ctx, const struct import_fault *fault)
{
    struct view *view = ctx;
    char sku[SHOWN_LEN], value[SHOWN_LEN];

    import_text_show(sku, sizeof(sku), fault->sku);
    import_text_show(value, sizeof(value), fault->value);
    if (view->report != NULL) {
        fprintf(view->report, "%" PRIu64 ",%u,%s,\"%s\",", fault->line,
                fault->column, fault->field, fault->why);
        cell_print(view->report, sku);
        fputc(',', view->report);
        cell_print(view->report, value);
        fputs("\r\n", view->report);
    }
    if (view->ctl->json) {
        ctl_json_begin(view->ctl);
        ctl_json_int(view->ctl, "line", (int64_t)fault->line);
        ctl_json_int(view->ctl, "column", (int64_t)fault->column);
        ctl_json_text(view->ctl, "field", ctl_text(fault->field));
        ctl_json_text(view->ctl, "why", ctl_text(fault->why));
        ctl_json_text(view->ctl, "sku", ctl_text(sku));
        ctl_json_text(view->ctl, "value", ctl_text(value));
        ctl_json_end(view->ctl);
        return;
    }
    fprintf(stderr, "%sline %" PRIu64 ": %s%s%s", view->terminal ? "\r" : "",
            fault->line, fault->field, fault->field[0] == '\0' ? "" : " ",
            fault->why);
    fprintf(stderr, sku[0] == '\0' ? "%s" : " (sku %s)", sku);
    fprintf(stderr, value[0] == '\0' ? "%s\n" : ": %s\n", value);
}


static void
totals_print(const struct view *view, const struct import_totals *totals)
{
    const struct {
        const char *name;
        uint64_t n;
    } counts[] = {
        {"added", totals->added},
        {"changed", totals->changed},
        {"unchanged", totals->unchanged},
        {"repeated", totals->repeated},
        {"gone", totals->gone},
        {"archived", totals->archived},
        {"bad", totals->bad},
    };
    size_t n = sizeof(counts) / sizeof(counts[0]);
    struct ctl *ctl = view->ctl;
    double passed_s = now_s() - view->began_s;

    if (view->terminal) {
        bar_draw(view, totals,
                 totals->verdict == IMPORT_DONE
                     ? 100
                     : import_percent(totals, feed_permille(view->feed)));
        fputc('\n', stderr);
    }
    if (ctl->json) {
        ctl_json_begin(ctl);
        ctl_json_int(ctl, "rows", (int64_t)totals->rows);
        for (size_t i = 0; i < n; i++) {
            ctl_json_int(ctl, counts[i].name, (int64_t)counts[i].n);
        }
        ctl_json_int(ctl, "elapsed_ms", (int64_t)(passed_s * 1000));
        return;
    }
    printf("%" PRIu64 " rows in %.1f s:", totals->rows, passed_s);
    for (size_t i = 0; i < n; i++) {
        printf("%s %" PRIu64 " %s", i == 0 ? "" : ",", counts[i].n,
               counts[i].name);
    }
    printf("\n");
}


static int
account_find(struct ctl *ctl, struct import_options *options)
{
    struct db_rows *rows;
    int rc = ctl_ask_id(ctl, &STMT_CAMPAIGN, &options->campaign, &rows,
                        "campaign that is not archived");

    if (rc == CTL_OK) {
        options->account = db_uuid(rows, 0, DB_ONLY);
    }
    return rc;
}


/* What is printed for a feed that was not imported. */
static int
verdict_tell(const char *path, const struct import_totals *totals)
{
    switch (totals->verdict) {
    case IMPORT_DONE:
        return totals->bad > 0 ? CTL_REFUSED : CTL_OK;
    case IMPORT_UNREADABLE:
        return ctl_refuse("%s: no products can be read from it", path);
    case IMPORT_TOO_MANY_GONE:
        return ctl_refuse("%s: %" PRIu64 " of %" PRIu64 " products are not in"
                          " it any more; nothing is imported; if that is"
                          " meant, repeat it with --gone-max %" PRIu64,
                          path, totals->gone, totals->present,
                          import_gone_percent(totals));
    case IMPORT_DAMAGED:
        return ctl_refuse("%s: cut or damaged after row %" PRIu64
                          "; nothing is imported",
                          path, totals->rows);
    default:
        return ctl_refuse("%s: %s after row %" PRIu64 "; nothing is imported",
                          path, strerror(totals->read_errno), totals->rows);
    }
}


/* *imported: what is right of the file is in the database. */
static int
file_import(struct ctl *ctl, const char *path, FILE *report,
            const struct import_options *options, bool *imported)
{
    struct view view = {.ctl = ctl,
                        .report = report,
                        .dry_run = options->dry_run,
                        .terminal = isatty(STDERR_FILENO) && !ctl->json,
                        .began_s = now_s()};
    struct import_options shown = *options;
    struct import_totals totals;
    enum ads_err err;

    if (feed_open(&view.feed, path) != ADS_OK) {
        return ctl_refuse("%s: %s", path, strerror(errno));
    }

    shown.mapping = mapping_show;
    shown.fault = fault_show;
    shown.progress = progress_show;
    shown.ctx = &view;
    err = import_run(&totals, view.feed, ctl->db, &shown);
    if (err == ADS_OK) {
        totals_print(&view, &totals);
    }
    feed_close(view.feed);

    *imported =
        err == ADS_OK && !options->dry_run && totals.verdict == IMPORT_DONE;
    if (err == ADS_BUSY) {
        return ctl_refuse("%s: another import of this account takes too long",
                          path);
    }
    return err == ADS_OK ? verdict_tell(path, &totals) : ctl_failed(ctl, err);
}


/* The report's file, opened before anything is imported. */
static int
report_open(FILE **report, const char *path)
{
    *report = NULL;
    if (path == NULL) {
        return CTL_OK;
    }
    *report = fopen(path, "wxe");
    if (*report == NULL) {
        return ctl_refuse("%s: %s", path, strerror(errno));
    }
    fputs("line,column,field,rule,sku,value\r\n", *report);
    return CTL_OK;
}


static int
report_close(FILE *report, const char *path, int rc)
{
    if (report != NULL && fclose(report) != 0) {
        return ctl_refuse("%s: %s", path, strerror(errno));
    }
    return rc;
}


static int
arguments_check(struct ctl *ctl, struct import_options *import,
                const char *campaign, const char *base_url,
                const char *currency)
{
    int rc = ctl_read_id(&import->campaign, "--campaign", campaign);

    if (rc == CTL_OK && base_url != NULL
        && ads_url_check(ctl_text(base_url), ADS_URL_DESTINATION, NULL)
               != ADS_OK)
    {
        rc = ctl_refuse("--base-url must be an https address of the shop");
    }
    if (rc == CTL_OK && currency != NULL
        && !ads_currency_known(ctl_text(currency))) {
        rc = ctl_refuse("--currency must be a code of ISO 4217, as USD");
    }
    if (base_url != NULL) {
        import->base_url = ctl_text(base_url);
        while (import->base_url.len > 0
               && import->base_url.ptr[import->base_url.len - 1] == '/')
        {
            import->base_url.len--;
        }
    }
    if (currency != NULL) {
        import->currency = ctl_text(currency);
    }
    return rc == CTL_OK ? account_find(ctl, import) : rc;
}


static int
gone_read(struct import_options *import, const char *gone, const char *most)
{
    static const char *const choices[] = {"keep", "archive", NULL};
    uint32_t percent = IMPORT_GONE_MAX;
    int rc;

    if (gone != NULL) {
        rc = ctl_read_choice("--gone", gone, choices);
        if (rc != CTL_OK) {
            return rc;
        }
        import->archive_gone = strcmp(gone, "archive") == 0;
    }
    if (most != NULL && !ctl_read_number(&percent, most, 100)) {
        return ctl_refuse("--gone-max must be a percentage, 0 to 100");
    }
    import->gone_max = (int)percent;
    return CTL_OK;
}


/* How prices and columns are read. */
static int
reading_read(struct import_options *import, const char *decimal,
             const char *map)
{
    static const char *const choices[] = {"point", "comma", NULL};
    const char *why;
    int rc;

    if (decimal != NULL) {
        rc = ctl_read_choice("--decimal", decimal, choices);
        if (rc != CTL_OK) {
            return rc;
        }
        import->decimal = import_decimal_find(ctl_text(decimal));
    }
    if (map != NULL) {
        import->map = ctl_text(map);
        if (import_map_check(import->map, &why) != ADS_OK) {
            return ctl_refuse("--map %s", why);
        }
    }
    return CTL_OK;
}


int
ctl_import(struct ctl *ctl, int argc, char **argv)
{
    const char *campaign = NULL, *base_url = NULL, *currency = NULL;
    const char *report_path = NULL, *gone = NULL, *gone_max = NULL;
    const char *decimal = NULL, *map = NULL;
    struct import_options import = {.format = IMPORT_FORMATS,
                                    .gone_max = IMPORT_GONE_MAX};
    const struct ctl_option options[] = {
        {"campaign", true, NULL, &campaign},
        {"base-url", false, NULL, &base_url},
        {"currency", false, NULL, &currency},
        {"decimal", false, NULL, &decimal},
        {"map", false, NULL, &map},
        {"report", false, NULL, &report_path},
        {"gone", false, NULL, &gone},
        {"gone-max", false, NULL, &gone_max},
        {"dry-run", false, &import.dry_run, NULL},
    };
    bool imported = false;
    FILE *report;
    int n, rc, served;

    rc = ctl_options(argc, argv, options, sizeof(options) / sizeof(options[0]),
                     1, 1, &n);
    if (rc == CTL_OK) {
        rc = gone_read(&import, gone, gone_max);
    }
    if (rc == CTL_OK) {
        rc = reading_read(&import, decimal, map);
    }
    if (rc == CTL_OK) {
        rc = arguments_check(ctl, &import, campaign, base_url, currency);
    }
    if (rc == CTL_OK) {
        rc = report_open(&report, report_path);
    }
    if (rc != CTL_OK) {
        return rc;
    }

    rc = file_import(ctl, argv[0], report, &import, &imported);
    rc = report_close(report, report_path, rc);
    if (!imported) {
        return rc;
    }
    /* what is wrong with the file is printed first: that what is right of it is
     * not served yet is no news to who has to mend it */
    served = ctl_served(ctl);
    return rc != CTL_OK ? rc : served;
}
