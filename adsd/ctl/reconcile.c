/*
 * adsctl reconcile: does everything add up?
 *
 *     R2  clicks in the raw segment files = click rows, id by id, as far as
 *         the cursors say that they are committed; but reported ones for ads
 *         that were not shown are counted, and have no row
 *     R3 to R6, and R7 inside the database: ads.reconcile()
 *     R7  the cursor of every final segment stands at its end, and the database
 *         is no older than what is noted beside the journal
 *
 * A power failure may take the end of a file whose bytes were committed
 * before they were on disk: what the rows have beyond its end is reported, but
 * is no difference.
 *
 * Cursors are read first: what is committed after that is left for the next
 * time on both sides, so it may run beside a busy adsd.  Segments that were
 * removed after journal_retain_h are no longer compared.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "ctl/journal.h"
#include "ctl/replay.h"
#include "ctl/verbs.h"

#define DAY_US (86400 * INT64_C(1000000))
#define DEFAULT_DAYS 7

static const struct db_stmt STMT_DONE = {
    .name = "reconcile_done",
    .sql = "select 1 from ads.journal_cursor c"
           " where c.node = $1 and c.segment = $2 and c.final",
    .n_params = 2,
};

/* Every place where a click of the journal may have come to: its row, the
 * lists of those that wait for their decision or for their advertiser's
 * balance, the records set aside. */
static const struct db_stmt STMT_CLICKS = {
    .name = "reconcile_rows",
    .sql = "select k.segment, k.off, k.click_id from ads.clicks k"
           " where k.node = $1 and k.segment = any($2)"
           " and k.issue_day between ($3 - interval '32 days')::date"
           " and ($4 + interval '2 days')::date"
           " and k.at >= $3 and k.at < $4"
           " union all"
           " select p.segment, p.off, p.click_id from ads.event_pending p"
           " where p.node = $1 and p.segment = any($2) and p.kind = 'click'"
           " and p.at >= $3 and p.at < $4"
           " union all"
           " select h.segment, h.off, h.click_id from ads.clicks_held h"
           " where h.node = $1 and h.segment = any($2)"
           " and h.at >= $3 and h.at < $4"
           " union all"
           " select j.segment, j.off, null from ads.ingest_reject j"
           " where j.node = $1 and j.segment = any($2) and j.type = 1",
    .n_params = 4,
};

static const struct db_stmt STMT_COUNTED = {
    .name = "reconcile_counted",
    .sql = "select coalesce(sum(e.n), 0)::bigint from ads.events_counted e"
           " where e.node = $1 and e.segment = any($2) and e.kind = 'click'",
    .n_params = 2,
};

enum click_column { CLICK_SEGMENT, CLICK_OFF, CLICK_ID };

static const struct db_stmt STMT_RULES = {
    .name = "reconcile",
    .sql = "select r.rule, r.ok, r.detail"
           " from ads.reconcile(($1 at time zone 'UTC')::date,"
           " ($2 at time zone 'UTC')::date) r",
    .n_params = 2,
};

enum rule_column { RULE_NAME, RULE_OK, RULE_DETAIL };

struct click {
    struct ads_uuid segment;
    uint64_t off;
    struct ads_uuid id;
    bool any_id; /* set aside: the row does not say which */
    bool manual; /* of the journal: reported, and perhaps only counted */
};

struct clicks {
    struct click *list;
    size_t n;
    size_t n_max;
};

struct reconcile {
    struct ctl *ctl;
    struct ctl_files files;
    int64_t from_us; /* the range, whole days, end excluded */
    int64_t to_us;
    struct clicks journal;
    struct clicks rows;
    uint64_t n_counted; /* clicks that have no row of their own */
    uint64_t n_damaged;
    bool failed;
};


static void
rule_put(struct reconcile *r, const char *rule, bool ok, struct ads_str detail)
{
    struct ctl *ctl = r->ctl;

    r->failed = r->failed || !ok;
    if (!ctl->json) {
        printf("%-4s %s: %.*s\n", ok ? "ok" : "FAIL", rule, (int)detail.len,
               detail.ptr);
        return;
    }
    ctl_json_begin(ctl);
    ctl_json_text(ctl, "rule", (struct ads_str){rule, strlen(rule)});
    ctl_json_bool(ctl, "ok", ok);
    ctl_json_text(ctl, "detail", detail);
    ctl_json_end(ctl);
}


static void
rule_format(struct reconcile *r, const char *rule, bool ok, const char *format,
            ...) __attribute__((format(printf, 4, 5)));

static void
rule_format(struct reconcile *r, const char *rule, bool ok, const char *format,
            ...)
{
    char detail[400];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(detail, sizeof(detail), format, args);
    va_end(args);
    rule_put(r, rule, ok, (struct ads_str){detail, strlen(detail)});
}


static void
click_add(struct clicks *clicks, const struct click *click)
{
    if (clicks->n == clicks->n_max) {
        clicks->n_max = clicks->n_max == 0 ? 1024 : clicks->n_max * 2;
        clicks->list =
            xrealloc(clicks->list, clicks->n_max * sizeof(*clicks->list));
    }
    clicks->list[clicks->n++] = *click;
}


static int
click_compare(const void *left, const void *right)
{
    const struct click *a = left, *b = right;
    int order = ads_uuid_compare(&a->segment, &b->segment);

    if (order != 0) {
        return order;
    }
    return a->off < b->off ? -1 : a->off > b->off;
}


/* ---- both sides ---------------------------------------------------------- */

/* A worker that just ended is drained by adsd within a moment. */
static bool
is_final(const struct segment *segment, const void *arg)
{
    (void)arg;
    return segment->final;
}


/* Reads one file to its end; *end is where its last record ends. */
static enum ads_err
segment_read(struct reconcile *r, struct segment *segment, uint64_t *end)
{
    struct segment_reader reader = segment_reader_init(
        segment, ADS_SEGMENT_HEADER_LEN, 0, r->files.buffer);
    struct segment_item item;
    struct click click = {.segment = segment->header.uuid};
    enum ads_err err;

    while ((err = segment_next(&reader, &item)) == ADS_OK) {
        if (item.kind == SEGMENT_HOLE) {
            r->n_damaged += item.len;
        }
        if (item.kind != SEGMENT_RECORD || item.event.type != ADS_EVENT_CLICK
            || item.off >= segment->cursor
            || (int64_t)item.event.at_us < r->from_us
            || (int64_t)item.event.at_us >= r->to_us)
        {
            continue;
        }
        click.off = item.off;
        click.id = item.event.click.click_id;
        click.manual = (item.event.flags & ADS_EVENT_MANUAL) != 0;
        click_add(&r->journal, &click);
    }
    *end = reader.off;
    return err == ADS_IO ? ADS_IO : ADS_OK;
}


static enum ads_err
counted_read(struct reconcile *r, const struct ads_uuid *uuids, uint32_t n)
{
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    db_args_init(&args, r->ctl->pool);
    db_arg_int8(&args, (int64_t)r->files.node);
    db_arg_uuids(&args, uuids, NULL, n);
    err = db_run_alone(r->ctl->db, &STMT_COUNTED, &args, &rows);
    if (err == ADS_OK) {
        r->n_counted = (uint64_t)db_int(rows, 0, DB_ONLY);
    }
    return err;
}


static enum ads_err
rows_read(struct reconcile *r)
{
    uint32_t n = r->files.dir.n;
    struct ads_uuid *uuids = pool_array(r->ctl->pool, n, sizeof(*uuids));
    const struct segment *segment;
    struct click click;
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    for (uint32_t i = 0; i < n; i++) {
        uuids[i] = r->files.dir.segments[i]->header.uuid;
    }
    db_args_init(&args, r->ctl->pool);
    db_arg_int8(&args, (int64_t)r->files.node);
    db_arg_uuids(&args, uuids, NULL, n);
    db_arg_time(&args, r->from_us);
    db_arg_time(&args, r->to_us);
    err = db_run_alone(r->ctl->db, &STMT_CLICKS, &args, &rows);

    for (int i = 0; err == ADS_OK && i < db_n_rows(rows); i++) {
        click.segment = db_uuid(rows, i, CLICK_SEGMENT);
        click.off = (uint64_t)db_int(rows, i, CLICK_OFF);
        click.any_id = db_is_null(rows, i, CLICK_ID);
        memset(&click.id, 0, sizeof(click.id));
        if (!click.any_id) {
            click.id = db_uuid(rows, i, CLICK_ID);
        }
        segment = segment_dir_find(&r->files.dir, &click.segment);
        if (segment != NULL && click.off < segment->cursor) {
            click_add(&r->rows, &click);
        }
    }
    return err == ADS_OK ? counted_read(r, uuids, n) : err;
}


/* ---- rules --------------------------------------------------------------- */

/* Both lists sorted, walked side by side. */
static void
rule_clicks(struct reconcile *r)
{
    const struct clicks *a = &r->journal, *b = &r->rows;
    uint64_t lost = 0, counted = 0, invented = 0, changed = 0;
    size_t i = 0, k = 0;
    int order;

    if (a->n > 0) {
        qsort(a->list, a->n, sizeof(*a->list), click_compare);
    }
    if (b->n > 0) {
        qsort(b->list, b->n, sizeof(*b->list), click_compare);
    }

    while (i < a->n || k < b->n) {
        order = i == a->n   ? 1
                : k == b->n ? -1
                            : click_compare(&a->list[i], &b->list[k]);
        if (order == 0) {
            changed += !b->list[k].any_id
                       && !ads_uuid_equal(&a->list[i].id, &b->list[k].id);
            i++;
            k++;
        } else if (order < 0) {
            if (a->list[i].manual && counted < r->n_counted) {
                counted++;
            } else {
                lost++;
            }
            i++;
        } else {
            /* a record set aside may lie outside the range of days */
            invented += !b->list[k].any_id;
            k++;
        }
    }
    rule_format(r, "R2 clicks in the journal = click rows",
                lost + invented + changed == 0,
                "%zu in the journal, %zu rows, %" PRIu64 " counted; %" PRIu64
                " without a row, %" PRIu64 " without a record, %" PRIu64
                " different",
                a->n, b->n, counted, lost, invented, changed);
}


/* Is it a segment whose key is gone, and was it committed before? */
static bool
is_past(struct reconcile *r, const char *name)
{
    uint8_t head[ADS_SEGMENT_HEADER_LEN];
    struct ads_segment header;
    struct db_args args;
    struct db_rows *rows;
    ssize_t n = -1;
    int fd;

    fd = openat(r->files.dir.fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0) {
        n = pread(fd, head, sizeof(head), 0);
        close(fd);
    }
    if (n != (ssize_t)sizeof(head)
        || ads_segment_read(&header, head, sizeof(head)) != ADS_OK
        || ads_ring_find(&r->files.ring, header.kid) != NULL)
    {
        return false;
    }
    db_args_init(&args, r->ctl->pool);
    db_arg_int8(&args, (int64_t)r->files.node);
    db_arg_uuid(&args, &header.uuid);
    return db_run_alone(r->ctl->db, &STMT_DONE, &args, &rows) == ADS_OK
           && db_n_rows(rows) == 1;
}


/* Files that were put aside, and bytes that are no records. */
static void
rule_damage(struct reconcile *r)
{
    uint64_t n = 0, n_past = 0;
    struct dirent *entry;
    DIR *list = NULL;
    int fd;

    for (uint32_t i = 0; i < r->files.dir.n_skipped; i++) {
        if (is_past(r, r->files.dir.skipped[i])) {
            n_past++;
        } else {
            n++;
        }
    }

    fd = openat(r->files.dir.fd, SEGMENT_DIR_QUARANTINE,
                O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        list = fdopendir(fd);
    }
    while (list != NULL && (entry = readdir(list)) != NULL) {
        n += entry->d_name[0] != '.';
    }
    if (list != NULL) {
        closedir(list);
    }
    rule_format(r, "R2 every byte of the journal is a record",
                n == 0 && r->n_damaged == 0,
                "%" PRIu64 " bytes damaged, %" PRIu64
                " files put aside or not readable; %" PRIu64
                " committed before their key was retired",
                r->n_damaged, n, n_past);
}


static enum ads_err
rule_cursors(struct reconcile *r)
{
    uint64_t n = 0, behind = 0, ahead = 0, waiting = 0, cut = 0, end = 0;
    struct segment *segment;
    enum ads_err err;

    for (uint32_t i = 0; i < r->files.dir.n; i++) {
        segment = r->files.dir.segments[i];
        err = segment_read(r, segment, &end);
        if (err != ADS_OK) {
            (void)ctl_refuse("could not read %s: %s", segment->name,
                             strerror(errno));
            return err;
        }
        if (segment->final) {
            n++;
            behind += !segment->done || segment->cursor < end;
        } else {
            /* its writer lives: what it writes next would be passed over */
            ahead += segment->cursor > end;
        }
        if (segment->final && segment->cursor > end) {
            cut += segment->cursor - end;
            segment->cursor = end;
        }
        waiting += segment->cursor < end ? end - segment->cursor : 0;
    }
    rule_format(r, "R7 cursors stand at the ends of final segments",
                behind + ahead == 0,
                "%" PRIu64 " final segments, %" PRIu64 " not committed to their"
                " end, %" PRIu64 " others past theirs; %" PRIu64
                " bytes wait; %" PRIu64
                " were committed and then lost by their file",
                n, behind, ahead, waiting, cut);
    return ADS_OK;
}


static enum ads_err
rules_database(struct reconcile *r)
{
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;
    char *rule;

    db_args_init(&args, r->ctl->pool);
    db_arg_time(&args, r->from_us);
    db_arg_time(&args, r->to_us - 1);
    err = db_run_alone(r->ctl->db, &STMT_RULES, &args, &rows);
    for (int i = 0; err == ADS_OK && i < db_n_rows(rows); i++) {
        rule = pool_text(r->ctl->pool, db_text(rows, i, RULE_NAME));
        rule_put(r, rule, db_bool(rows, i, RULE_OK),
                 db_text(rows, i, RULE_DETAIL));
    }
    return err;
}


/* A restored database that waits for the operator. */
static enum ads_err
rule_watermark(struct reconcile *r)
{
    enum watermark_state state;
    int64_t behind_s;
    enum ads_err err = ctl_watermark(r->ctl, r->files.node, &state, &behind_s);

    if (err == ADS_OK) {
        rule_format(r, "R7 the database is as far as this journal",
                    state < WATERMARK_BEHIND, "%" PRId64 " s behind%s%s",
                    behind_s, state < WATERMARK_BEHIND ? "" : "; clicks wait",
                    state == WATERMARK_GAP
                        ? "; those of removed segments are lost"
                        : "");
    }
    return err;
}


/* ---- the verb ------------------------------------------------------------ */

/* Reads a day as its begin; NULL keeps what is there. */
static int
day_read(int64_t *at_us, const char *what, const char *text)
{
    int32_t day;
    int rc;

    if (text == NULL) {
        return CTL_OK;
    }
    rc = ctl_read_day(&day, what, text);
    if (rc == CTL_OK) {
        *at_us = day * DAY_US;
    }
    return rc;
}


static enum ads_err
reconcile(struct reconcile *r)
{
    enum ads_err err = ctl_files_open(&r->files, r->ctl);
    uint32_t n_left; /* rule_cursors tells of them */

    if (err == ADS_OK) {
        err = ctl_files_wait(&r->files, r->ctl, is_final, NULL, &n_left);
    }
    if (err == ADS_OK) {
        err = rule_cursors(r);
    }
    if (err == ADS_OK) {
        err = rule_watermark(r);
    }
    if (err == ADS_OK) {
        err = rows_read(r);
    }
    if (err == ADS_OK) {
        rule_clicks(r);
        rule_damage(r);
        err = rules_database(r);
    }
    ctl_files_close(&r->files);
    free(r->journal.list);
    free(r->rows.list);
    return err;
}


int
ctl_reconcile(struct ctl *ctl, int argc, char **argv)
{
    const char *from = NULL, *to = NULL;
    const struct ctl_option options[] = {{.name = "from", .value = &from},
                                         {.name = "to", .value = &to}};
    struct reconcile r = {.ctl = ctl};
    int64_t last_us;
    enum ads_err err;
    int n_args, rc;

    rc = ctl_options(argc, argv, options, 2, 0, 0, &n_args);
    if (rc != CTL_OK) {
        return rc;
    }
    last_us = clock_realtime_us() / DAY_US * DAY_US;
    rc = ctl_days_check(from, to);
    if (rc == CTL_OK) {
        rc = day_read(&last_us, "--to", to);
    }
    r.from_us = last_us - (DEFAULT_DAYS - 1) * DAY_US;
    if (rc == CTL_OK) {
        rc = day_read(&r.from_us, "--from", from);
    }
    if (rc == CTL_OK && r.from_us > last_us) {
        rc = ctl_refuse("--from %s is after today", from);
    }
    if (rc != CTL_OK) {
        return CTL_USAGE;
    }
    r.to_us = last_us + DAY_US;

    err = reconcile(&r);
    if (err != ADS_OK) {
        return ctl_exit_of(err);
    }
    return r.failed ? CTL_REFUSED : CTL_OK;
}
