/*
 * adsctl journal: what the raw segment files hold, every signature checked.
 *
 *     status   one line a segment: state, length, committed, waiting
 *     dump     one JSON object a record, in the order of the files
 *
 * Damaged bytes are a line of their own and make the exit code 1.
 */
#include "ctl/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ads_decide.h"
#include "ctl/verbs.h"
#include "daemon/node.h"

#define WAIT_TRIES 20
#define WAIT_PAUSE_NS 100000000

static const struct db_stmt STMT_CURSORS = {
    .name = "journal_cursors",
    .sql = "select c.segment, c.off, c.final from ads.journal_cursor c"
           " where c.node = $1",
    .n_params = 1,
};

enum cursor_column { CURSOR_SEGMENT, CURSOR_OFF, CURSOR_FINAL };


enum ads_err
ctl_files_open(struct ctl_files *files, struct ctl *ctl)
{
    enum ads_err err;

    *files = (struct ctl_files){.dir = {.fd = -1}};
    files->buffer = xmalloc(SEGMENT_BUFFER_LEN);
    err = node_read_ring(&files->ring, &ctl->conf, ctl->log);
    if (err == ADS_OK) {
        err = node_read_id(&files->node, &ctl->conf, ctl->log);
        if (err == ADS_ABSENT) {
            (void)ctl_refuse("this node has no id yet: run adsctl init");
        }
    }
    if (err == ADS_OK) {
        err = segment_dir_open(&files->dir, ctl->conf.state_path, &files->ring,
                               files->node, ctl->log, false);
    }
    if (err == ADS_OK) {
        err = segment_dir_scan(&files->dir);
    }
    return err;
}


enum ads_err
ctl_files_cursors(struct ctl_files *files, struct ctl *ctl)
{
    struct segment *segment;
    struct ads_uuid uuid;
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    db_args_init(&args, ctl->pool);
    db_arg_int8(&args, (int64_t)files->node);
    err = db_run_alone(ctl->db, &STMT_CURSORS, &args, &rows);
    for (int i = 0; err == ADS_OK && i < db_n_rows(rows); i++) {
        uuid = db_uuid(rows, i, CURSOR_SEGMENT);
        segment = segment_dir_find(&files->dir, &uuid);
        if (segment != NULL) {
            segment->cursor = (uint64_t)db_int(rows, i, CURSOR_OFF);
            segment->done = db_bool(rows, i, CURSOR_FINAL);
            segment->known = true;
        }
    }

    /* measured after the cursors were read: what is committed is in the file */
    for (uint32_t i = 0; err == ADS_OK && i < files->dir.n; i++) {
        segment = files->dir.segments[i];
        if (!segment->final) {
            err = segment_measure(segment);
        }
    }
    return err;
}


enum ads_err
ctl_files_wait(struct ctl_files *files, struct ctl *ctl,
               bool (*awaits)(const struct segment *segment, const void *arg),
               const void *arg, uint32_t *n_left)
{
    const struct timespec pause = {.tv_nsec = WAIT_PAUSE_NS};
    const struct segment *segment;
    enum ads_err err = ctl_files_cursors(files, ctl);

    for (int i = 0; err == ADS_OK; i++) {
        *n_left = 0;
        for (uint32_t k = 0; k < files->dir.n; k++) {
            segment = files->dir.segments[k];
            *n_left += awaits(segment, arg) && !segment->done;
        }
        if (*n_left == 0 || i == WAIT_TRIES) {
            break;
        }
        (void)nanosleep(&pause, NULL);
        err = ctl_files_cursors(files, ctl);
    }
    return err;
}


void
ctl_files_close(struct ctl_files *files)
{
    segment_dir_close(&files->dir);
    free(files->buffer);
    explicit_bzero(&files->ring, sizeof(files->ring));
}


/* ---- dump ---------------------------------------------------------------- */

static struct ads_str
text_of(const char *text)
{
    return (struct ads_str){text, text != NULL ? strlen(text) : 0};
}


static void
place_put(struct ctl *ctl, const struct ads_placement *placement,
          const char country[2])
{
    ctl_json_text(ctl, "placement",
                  (struct ads_str){placement->text, placement->len});
    ctl_json_text(ctl, "country",
                  (struct ads_str){country[0] != '\0' ? country : NULL, 2});
}


static void
click_put(struct ctl *ctl, const struct ads_click *click)
{
    ctl_json_id(ctl, "click_id", &click->click_id);
    ctl_json_id(ctl, "request_id", &click->request_id);
    ctl_json_id(ctl, "ad_id", &click->ad_id);
    ctl_json_id(ctl, "publisher", &click->publisher);
    ctl_json_int(ctl, "price_micros", click->price_micros);
    ctl_json_text(ctl, "class", text_of(ads_click_class_name(click->class)));
    ctl_json_int(ctl, "campaign_version", click->campaign_version);
    place_put(ctl, &click->placement, click->country);
}


static void
impression_put(struct ctl *ctl, const struct ads_impression *impression)
{
    ctl_json_id(ctl, "request_id", &impression->request_id);
    ctl_json_id(ctl, "ad_id", &impression->ad_id);
    ctl_json_id(ctl, "publisher", &impression->publisher);
    ctl_json_int(ctl, "occurred_ms", (int64_t)impression->occurred_ms);
}


static void
show_put(struct ctl *ctl, const struct ads_show *show)
{
    char id[ADS_UUID_TEXT_LEN];

    ctl_json_id(ctl, "request_id", &show->request_id);
    ctl_json_id(ctl, "publisher", &show->publisher);
    place_put(ctl, &show->placement, show->country);
    printf(",\"shown\":[");
    for (uint32_t i = 0; i < show->n; i++) {
        ads_uuid_write(id, &show->shown[i].ad_id);
        printf("%s{\"ad_id\":\"%.*s\",\"price_micros\":%" PRId64 "}",
               i > 0 ? "," : "", ADS_UUID_TEXT_LEN, id,
               show->shown[i].price_micros);
    }
    putchar(']');
}


static void
no_ads_put(const struct ads_no_ads *no_ads)
{
    const struct ads_no_ad *count;
    const char *reason;
    char id[ADS_UUID_TEXT_LEN];

    printf(",\"counts\":[");
    for (uint32_t i = 0; i < no_ads->n; i++) {
        count = &no_ads->counts[i];
        reason = ads_reason_name(count->reason);
        ads_uuid_write(id, &count->publisher);
        printf(
            "%s{\"publisher\":\"%.*s\",\"reason\":\"%s\",\"bucket_s\":%" PRIu64
            ",\"n\":%" PRIu32 "}",
            i > 0 ? "," : "", ADS_UUID_TEXT_LEN, id,
            reason != NULL ? reason : "unknown", count->bucket_s, count->count);
    }
    putchar(']');
}


static void
auctions_put(const struct ads_auction_counts *auctions)
{
    const struct ads_auction_count *count;
    const char *lost;
    char id[ADS_UUID_TEXT_LEN];

    printf(",\"bucket_s\":%" PRIu64 ",\"counts\":[", auctions->bucket_s);
    for (uint32_t i = 0; i < auctions->n; i++) {
        count = &auctions->counts[i];
        lost = ads_outcome_name(count->outcome);
        ads_uuid_write(id, &count->campaign);
        printf("%s{\"campaign\":\"%.*s\",\"outcome\":\"%s\",\"n\":%" PRIu32 "}",
               i > 0 ? "," : "", ADS_UUID_TEXT_LEN, id,
               lost != NULL                        ? lost
               : count->outcome == ADS_OUTCOME_WON ? "won"
                                                   : "unknown",
               count->count);
    }
    putchar(']');
}


static const char *
type_name(const struct segment_item *item)
{
    if (item->kind == SEGMENT_HOLE) {
        return "damaged";
    }
    switch ((enum ads_event_type)item->event.type) {
    case ADS_EVENT_CLICK:
        return "click";
    case ADS_EVENT_IMPRESSION:
        return "impression";
    case ADS_EVENT_DECISION:
        return "decision";
    case ADS_EVENT_NO_AD:
        return "no_ad";
    case ADS_EVENT_AUCTIONS:
        return "auctions";
    }
    return "unknown";
}


static void
item_put(struct ctl *ctl, const struct segment *segment,
         const struct segment_item *item)
{
    const struct ads_event *event = &item->event;

    ctl_json_begin(ctl);
    ctl_json_text(ctl, "type", text_of(type_name(item)));
    ctl_json_id(ctl, "segment", &segment->header.uuid);
    ctl_json_int(ctl, "off", (int64_t)item->off);
    ctl_json_int(ctl, "len", (int64_t)item->len);
    if (item->kind != SEGMENT_HOLE) {
        ctl_json_int(ctl, "seq", (int64_t)event->seq);
        ctl_json_int(ctl, "at_us", (int64_t)event->at_us);
        ctl_json_bool(ctl, "manual", (event->flags & ADS_EVENT_MANUAL) != 0);
        ctl_json_bool(ctl, "test", (event->flags & ADS_EVENT_TEST) != 0);
    }
    if (item->kind == SEGMENT_UNKNOWN) {
        ctl_json_int(ctl, "type_number", event->type);
    } else if (item->kind == SEGMENT_RECORD) {
        switch ((enum ads_event_type)event->type) {
        case ADS_EVENT_CLICK:
            click_put(ctl, &event->click);
            break;
        case ADS_EVENT_IMPRESSION:
            impression_put(ctl, &event->impression);
            break;
        case ADS_EVENT_DECISION:
            show_put(ctl, &event->show);
            break;
        case ADS_EVENT_NO_AD:
            no_ads_put(&event->no_ads);
            break;
        case ADS_EVENT_AUCTIONS:
            auctions_put(&event->auctions);
            break;
        }
    }
    ctl_json_end(ctl);
}


/* A final segment's bytes behind its last record. */
static void
torn_put(struct ctl *ctl, const struct segment *segment, uint64_t off)
{
    ctl_json_begin(ctl);
    ctl_json_text(ctl, "type", text_of("torn"));
    ctl_json_id(ctl, "segment", &segment->header.uuid);
    ctl_json_int(ctl, "off", (int64_t)off);
    ctl_json_int(ctl, "len", (int64_t)(segment->size - off));
    ctl_json_end(ctl);
}


static int
segment_dump(struct ctl *ctl, struct segment *segment, uint8_t *buffer)
{
    struct segment_reader reader =
        segment_reader_init(segment, ADS_SEGMENT_HEADER_LEN, 0, buffer);
    struct segment_item item;
    int rc = CTL_OK;
    enum ads_err err;

    while ((err = segment_next(&reader, &item)) == ADS_OK) {
        item_put(ctl, segment, &item);
        if (item.kind == SEGMENT_HOLE) {
            rc = CTL_REFUSED;
        }
    }
    if (err == ADS_IO) {
        return ctl_refuse("could not read %s: %s", segment->name,
                          strerror(errno));
    }
    if (err == ADS_ABSENT && reader.off < segment->size) {
        torn_put(ctl, segment, reader.off);
    }
    return rc;
}


/* A file anywhere, by its path. */
static int
path_dump(struct ctl *ctl, struct ctl_files *files, const char *path)
{
    char *folder = pool_text(ctl->pool, text_of(path));
    char *name = pool_text(ctl->pool, text_of(path));
    struct segment *segment;
    enum ads_err err = ADS_IO;
    int dir, rc;

    dir = open(dirname(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir >= 0) {
        err = segment_open(&segment, dir, basename(name), &files->ring);
        close(dir);
    }
    if (err != ADS_OK) {
        return ctl_refuse("%s is not a segment of this journal: %s", path,
                          ads_strerror(err));
    }
    rc = segment_dump(ctl, segment, files->buffer);
    segment_close(segment);
    return rc;
}


static int
dump(struct ctl *ctl, struct ctl_files *files, int n, char **paths)
{
    int worst = CTL_OK, rc;

    for (int i = 0; i < n; i++) {
        rc = path_dump(ctl, files, paths[i]);
        worst = rc > worst ? rc : worst;
    }
    for (uint32_t i = 0; n == 0 && i < files->dir.n; i++) {
        rc = segment_dump(ctl, files->dir.segments[i], files->buffer);
        worst = rc > worst ? rc : worst;
    }
    return worst;
}


/* ---- status -------------------------------------------------------------- */

static void
segment_status(struct ctl *ctl, const struct segment *segment, bool known)
{
    uint64_t waiting =
        segment->size > segment->cursor ? segment->size - segment->cursor : 0;

    if (ctl->json) {
        ctl_json_begin(ctl);
        ctl_json_text(ctl, "name", text_of(segment->name));
        ctl_json_id(ctl, "segment", &segment->header.uuid);
        ctl_json_text(ctl, "state", text_of(segment->final ? "final" : "live"));
        ctl_json_int(ctl, "bytes", (int64_t)segment->size);
        if (known) {
            ctl_json_int(ctl, "committed", (int64_t)segment->cursor);
            ctl_json_int(ctl, "waiting", (int64_t)waiting);
            ctl_json_bool(ctl, "done", segment->done);
        }
        ctl_json_end(ctl);
        return;
    }
    if (known) {
        printf("%-52s %-5s %12" PRIu64 " %12" PRIu64 " %12" PRIu64 "%s\n",
               segment->name, segment->final ? "final" : "live", segment->size,
               segment->cursor, waiting, segment->done ? "  done" : "");
    } else {
        printf("%-52s %-5s %12" PRIu64 " %12s %12s\n", segment->name,
               segment->final ? "final" : "live", segment->size, "?", "?");
    }
}


static int
status(struct ctl *ctl, struct ctl_files *files)
{
    enum ads_err err = ctl_files_cursors(files, ctl);

    if (!ctl->json) {
        printf("%-52s %-5s %12s %12s %12s\n", "segment", "state", "bytes",
               "committed", "waiting");
    }
    for (uint32_t i = 0; i < files->dir.n; i++) {
        segment_status(ctl, files->dir.segments[i], err == ADS_OK);
    }
    return ctl_exit_of(err);
}


int
ctl_files_journal(struct ctl *ctl, int argc, char **argv)
{
    struct ctl_files files;
    int n_args, rc;

    if (argc < 1) {
        return CTL_USAGE;
    }
    rc = ctl_options(argc - 1, argv + 1, NULL, 0, 0,
                     strcmp(argv[0], "dump") == 0 ? argc : 0, &n_args);
    if (rc != CTL_OK) {
        return rc;
    }
    if (strcmp(argv[0], "dump") != 0 && strcmp(argv[0], "status") != 0) {
        return CTL_USAGE;
    }

    if (ctl_files_open(&files, ctl) != ADS_OK) {
        rc = CTL_REFUSED;
    } else if (strcmp(argv[0], "dump") == 0) {
        rc = dump(ctl, &files, n_args, argv + 1);
    } else {
        rc = status(ctl, &files);
    }
    ctl_files_close(&files);
    return rc;
}
