/*
 * Encodes a batch of records as rows.  Rows are written as PostgreSQL reads
 * them, once for each record.  Every item has a mark that says how many rows of
 * each kind lie before it, so a run of items is a run of each kind's rows.
 */
#include "journal/ingest_batch.h"

#include <stdlib.h>

#include "ads_decide.h"

#define SHOWN_LEN 28 /* of an ad in decision_in.shown */

struct mark {
    uint64_t off; /* committed before this item */
    uint64_t seq; /* likewise */
    uint64_t at;  /* where it stands */
    uint32_t raw; /* where its bytes are kept */
    uint32_t raw_len;
    struct db_records_at rows[INGEST_KINDS]; /* those before it */
    uint64_t at_us;                          /* 0: it has no time */
    int32_t type;
    bool reject;
};

struct ingest_batch {
    uint32_t n;
    uint32_t raw_len;
    uint64_t click_us;
    struct mark marks[INGEST_BATCH_RECORDS + 1];
    struct db_records rows[INGEST_KINDS];
    uint8_t raw[INGEST_BATCH_BYTES + ADS_RECORD_MAX];
};


struct ingest_batch *
ingest_batch_new(void)
{
    struct ingest_batch *batch = xmalloc(sizeof(*batch));

    memset(batch->rows, 0, sizeof(batch->rows));
    ingest_batch_reset(batch, 0, 0);
    return batch;
}


void
ingest_batch_free(struct ingest_batch *batch)
{
    if (batch != NULL) {
        for (int kind = 0; kind < INGEST_KINDS; kind++) {
            db_records_free(&batch->rows[kind]);
        }
        free(batch);
    }
}


void
ingest_batch_reset(struct ingest_batch *batch, uint64_t off, uint64_t seq)
{
    for (int kind = 0; kind < INGEST_KINDS; kind++) {
        db_records_reset(&batch->rows[kind]);
    }
    batch->n = 0;
    batch->raw_len = 0;
    batch->click_us = 0;
    batch->marks[0] = (struct mark){.off = off, .seq = seq};
}


bool
ingest_batch_has_room(const struct ingest_batch *batch)
{
    return batch->n < INGEST_BATCH_RECORDS
           && batch->raw_len < INGEST_BATCH_BYTES
           && batch->rows[INGEST_COUNTS].n + ADS_NO_AD_MAX
                  <= INGEST_BATCH_COUNTS
           && batch->rows[INGEST_AUCTIONS].n + ADS_AUCTION_COUNTS_MAX
                  <= INGEST_BATCH_COUNTS;
}


/* Null when it is not known. */
static void
put_country(struct db_records *row, const char country[2])
{
    db_records_text(row, country[0] == '\0' ? (struct ads_str){NULL, 0}
                                            : (struct ads_str){country, 2});
}


static void
put_placement(struct db_records *row, const struct ads_placement *placement)
{
    db_records_text(row, (struct ads_str){placement->text, placement->len});
}


static void
put_constant(struct db_records *row, const char *text)
{
    /* NULL: a newer worker's */
    text = text == NULL ? "unknown" : text;
    db_records_text(row, (struct ads_str){text, strlen(text)});
}


static void
add_click(struct db_records *row, uint64_t off, const struct ads_event *event)
{
    const struct ads_click *click = &event->click;

    db_records_begin(row, 14);
    db_records_int8(row, (int64_t)off);
    db_records_int8(row, (int64_t)event->at_us);
    db_records_uuid(row, &click->click_id);
    db_records_uuid(row, &click->request_id);
    db_records_uuid(row, &click->ad_id);
    db_records_uuid(row, &click->publisher);
    db_records_int8(row, click->price_micros);
    db_records_int8(row, (int64_t)click->session_hash);
    db_records_int8(row, (int64_t)click->address_hash);
    db_records_int2(row, click->class);
    db_records_int4(row, event->flags);
    db_records_int4(row, (int32_t)click->campaign_version);
    put_placement(row, &click->placement);
    put_country(row, click->country);
    db_records_end(row);
}


static void
add_impression(struct db_records *row, uint64_t off,
               const struct ads_event *event)
{
    const struct ads_impression *impression = &event->impression;

    db_records_begin(row, 7);
    db_records_int8(row, (int64_t)off);
    db_records_int8(row, (int64_t)event->at_us);
    db_records_uuid(row, &impression->request_id);
    db_records_uuid(row, &impression->ad_id);
    db_records_uuid(row, &impression->publisher);
    db_records_int8(row, (int64_t)impression->session_hash);
    db_records_int4(row, event->flags);
    db_records_end(row);
}


/* What PostgreSQL keeps of the ads shown, as in the record. */
static void
put_shown(struct db_records *row, const struct ads_show *show)
{
    char bytes[SHOWN_LEN * ADS_DECISION_MAX];
    char *at = bytes;

    for (uint32_t i = 0; i < show->n; i++, at += SHOWN_LEN) {
        memcpy(at, show->shown[i].ad_id.b, 16);
        memcpy(at + 16, &show->shown[i].price_micros, 8);
        memcpy(at + 24, &show->shown[i].campaign_version, 4);
    }
    db_records_bytea(row, bytes, (size_t)(at - bytes));
}


static void
add_decision(struct db_records *row, const struct ads_event *event)
{
    const struct ads_show *show = &event->show;

    db_records_begin(row, 8);
    db_records_int8(row, (int64_t)event->at_us);
    db_records_uuid(row, &show->request_id);
    db_records_uuid(row, &show->publisher);
    db_records_int8(row, (int64_t)show->session_hash);
    put_placement(row, &show->placement);
    put_country(row, show->country);
    put_shown(row, show);
    db_records_int4(row, event->flags);
    db_records_end(row);
}


static void
add_counts(struct db_records *row, const struct ads_event *event)
{
    for (uint32_t i = 0; i < event->no_ads.n; i++) {
        const struct ads_no_ad *count = &event->no_ads.counts[i];

        db_records_begin(row, 6);
        db_records_int8(row, (int64_t)(count->bucket_s * 1000000));
        db_records_uuid(row, &count->publisher);
        put_placement(row, &count->placement);
        put_country(row, count->country);
        put_constant(row, ads_reason_name(count->reason));
        db_records_int8(row, count->count);
        db_records_end(row);
    }
}


static void
add_auctions(struct db_records *row, const struct ads_event *event)
{
    const struct ads_auction_counts *counts = &event->auctions;

    for (uint32_t i = 0; i < counts->n; i++) {
        const struct ads_auction_count *count = &counts->counts[i];

        db_records_begin(row, 4);
        db_records_int8(row, (int64_t)(counts->bucket_s * 1000000));
        db_records_uuid(row, &count->campaign);
        put_constant(row, count->outcome == ADS_OUTCOME_WON
                              ? "won"
                              : ads_outcome_name(count->outcome));
        db_records_int8(row, count->count);
        db_records_end(row);
    }
}


static void
add_rows(struct db_records rows[INGEST_KINDS], uint64_t off,
         const struct ads_event *event)
{
    switch ((enum ads_event_type)event->type) {
    case ADS_EVENT_CLICK:
        add_click(&rows[INGEST_CLICKS], off, event);
        break;
    case ADS_EVENT_IMPRESSION:
        add_impression(&rows[INGEST_IMPRESSIONS], off, event);
        break;
    case ADS_EVENT_DECISION:
        add_decision(&rows[INGEST_DECISIONS], event);
        break;
    case ADS_EVENT_NO_AD:
        add_counts(&rows[INGEST_COUNTS], event);
        break;
    case ADS_EVENT_AUCTIONS:
        add_auctions(&rows[INGEST_AUCTIONS], event);
        break;
    }
}


void
ingest_batch_add(struct ingest_batch *batch, const struct segment_item *item)
{
    struct mark *mark = &batch->marks[batch->n];
    struct mark *next = mark + 1;

    mark->at = item->off;
    mark->raw = batch->raw_len;
    mark->raw_len = (uint32_t)item->bytes_len;
    memcpy(batch->raw + batch->raw_len, item->bytes, item->bytes_len);
    batch->raw_len += (uint32_t)item->bytes_len;

    mark->reject = item->kind != SEGMENT_RECORD;
    mark->type =
        item->kind == SEGMENT_HOLE ? INGEST_TYPE_HOLE : item->event.type;
    mark->at_us = item->kind == SEGMENT_RECORD ? item->event.at_us : 0;

    *next = *mark;
    next->off = item->off + item->len;
    next->seq = item->kind == SEGMENT_HOLE ? mark->seq : item->event.seq;
    batch->n++;

    if (!mark->reject) {
        if (batch->click_us == 0 && item->event.type == ADS_EVENT_CLICK) {
            batch->click_us = item->event.at_us;
        }
        add_rows(batch->rows, item->off, &item->event);
        for (int kind = 0; kind < INGEST_KINDS; kind++) {
            next->rows[kind] = db_records_end_at(&batch->rows[kind]);
        }
    }
}


uint32_t
ingest_batch_n(const struct ingest_batch *batch)
{
    return batch->n;
}


uint64_t
ingest_batch_click_us(const struct ingest_batch *batch)
{
    return batch->click_us;
}


uint64_t
ingest_batch_off(const struct ingest_batch *batch, uint32_t i)
{
    return batch->marks[i].off;
}


uint64_t
ingest_batch_seq(const struct ingest_batch *batch, uint32_t i)
{
    return batch->marks[i].seq;
}


void
ingest_batch_args(const struct ingest_batch *batch, uint32_t from, uint32_t to,
                  const uint32_t types[INGEST_KINDS], struct db_args *args)
{
    for (int kind = 0; kind < INGEST_KINDS; kind++) {
        db_arg_records(args, types[kind], &batch->rows[kind],
                       batch->marks[from].rows[kind],
                       batch->marks[to].rows[kind]);
    }
}


uint32_t
ingest_batch_n_after(const struct ingest_batch *batch, uint32_t from,
                     uint32_t to, uint64_t at_us)
{
    uint32_t n = 0;

    for (uint32_t i = from; i < to; i++) {
        n += batch->marks[i].at_us > at_us;
    }
    return n;
}


bool
ingest_batch_is_reject(const struct ingest_batch *batch, uint32_t i)
{
    return batch->marks[i].reject;
}


struct ingest_item
ingest_batch_item(const struct ingest_batch *batch, uint32_t i)
{
    const struct mark *mark = &batch->marks[i];

    return (struct ingest_item){
        .off = mark->at,
        .type = mark->type,
        .bytes = {(const char *)batch->raw + mark->raw, mark->raw_len},
    };
}
