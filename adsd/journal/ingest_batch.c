/*
 * Columns and slices.  Every item has a mark that says how many rows of each
 * kind lie before it, so a run of items is a run of each column.
 */
#include "journal/ingest_batch.h"

#include <stdlib.h>

#include "ads_decide.h"

struct clicks {
    int64_t off[INGEST_BATCH_RECORDS];
    int64_t at_us[INGEST_BATCH_RECORDS];
    struct ads_uuid click[INGEST_BATCH_RECORDS];
    struct ads_uuid request[INGEST_BATCH_RECORDS];
    struct ads_uuid ad[INGEST_BATCH_RECORDS];
    struct ads_uuid publisher[INGEST_BATCH_RECORDS];
    int64_t price[INGEST_BATCH_RECORDS];
    int64_t session[INGEST_BATCH_RECORDS];
    int64_t address[INGEST_BATCH_RECORDS];
    int16_t class[INGEST_BATCH_RECORDS];
    int32_t flags[INGEST_BATCH_RECORDS];
    int32_t version[INGEST_BATCH_RECORDS];
    struct ads_str placement[INGEST_BATCH_RECORDS];
    struct ads_str country[INGEST_BATCH_RECORDS];
};

struct impressions {
    int64_t off[INGEST_BATCH_RECORDS];
    int64_t at_us[INGEST_BATCH_RECORDS];
    struct ads_uuid request[INGEST_BATCH_RECORDS];
    struct ads_uuid ad[INGEST_BATCH_RECORDS];
    struct ads_uuid publisher[INGEST_BATCH_RECORDS];
    int64_t session[INGEST_BATCH_RECORDS];
    int32_t flags[INGEST_BATCH_RECORDS];
};

struct decisions {
    int64_t off[INGEST_BATCH_RECORDS];
    int64_t at_us[INGEST_BATCH_RECORDS];
    struct ads_uuid request[INGEST_BATCH_RECORDS];
    struct ads_uuid publisher[INGEST_BATCH_RECORDS];
    int64_t session[INGEST_BATCH_RECORDS];
    struct ads_str placement[INGEST_BATCH_RECORDS];
    struct ads_str country[INGEST_BATCH_RECORDS];
    struct ads_str shown[INGEST_BATCH_RECORDS];
    int32_t flags[INGEST_BATCH_RECORDS];
};

struct counts {
    int64_t off[INGEST_BATCH_COUNTS];
    int64_t bucket_us[INGEST_BATCH_COUNTS];
    struct ads_uuid publisher[INGEST_BATCH_COUNTS];
    struct ads_str placement[INGEST_BATCH_COUNTS];
    struct ads_str country[INGEST_BATCH_COUNTS];
    struct ads_str reason[INGEST_BATCH_COUNTS];
    int64_t n[INGEST_BATCH_COUNTS];
};

struct auctions {
    int64_t bucket_us[INGEST_BATCH_COUNTS];
    struct ads_uuid campaign[INGEST_BATCH_COUNTS];
    struct ads_str outcome[INGEST_BATCH_COUNTS];
    int64_t n[INGEST_BATCH_COUNTS];
};

struct mark {
    uint64_t off; /* committed before this item */
    uint64_t seq; /* likewise */
    uint64_t at;  /* where it stands */
    uint32_t raw; /* where its bytes are kept */
    uint32_t raw_len;
    uint32_t clicks;
    uint32_t impressions;
    uint32_t decisions;
    uint32_t counts;
    uint32_t auctions;
    int32_t type;
    bool reject;
};

struct ingest_batch {
    uint32_t n;
    uint32_t raw_len;
    struct mark marks[INGEST_BATCH_RECORDS + 1];
    struct clicks clicks;
    struct impressions impressions;
    struct decisions decisions;
    struct counts counts;
    struct auctions auctions;
    uint8_t raw[INGEST_BATCH_BYTES + ADS_RECORD_MAX];
    /* texts that do not lie in raw */
    struct pool *pool;
};


struct ingest_batch *
ingest_batch_new(void)
{
    struct ingest_batch *batch = xmalloc(sizeof(*batch));

    batch->pool = pool_new();
    ingest_batch_reset(batch, 0, 0);
    return batch;
}


void
ingest_batch_free(struct ingest_batch *batch)
{
    if (batch != NULL) {
        pool_free(batch->pool);
        free(batch);
    }
}


void
ingest_batch_reset(struct ingest_batch *batch, uint64_t off, uint64_t seq)
{
    pool_reset(batch->pool);
    batch->n = 0;
    batch->raw_len = 0;
    batch->marks[0] = (struct mark){.off = off, .seq = seq};
}


bool
ingest_batch_has_room(const struct ingest_batch *batch)
{
    const struct mark *mark = &batch->marks[batch->n];

    return batch->n < INGEST_BATCH_RECORDS
           && batch->raw_len < INGEST_BATCH_BYTES
           && mark->counts + ADS_NO_AD_MAX <= INGEST_BATCH_COUNTS
           && mark->auctions + ADS_AUCTION_COUNTS_MAX <= INGEST_BATCH_COUNTS;
}


static struct ads_str
keep(struct ingest_batch *batch, const void *bytes, size_t len)
{
    char *copy = pool_alloc(batch->pool, len);

    memcpy(copy, bytes, len);
    return (struct ads_str){copy, len};
}


/* A country, null when it is not known. */
static struct ads_str
keep_country(struct ingest_batch *batch, const char country[2])
{
    if (country[0] == '\0') {
        return (struct ads_str){NULL, 0};
    }
    return keep(batch, country, 2);
}


static struct ads_str
keep_placement(struct ingest_batch *batch,
               const struct ads_placement *placement)
{
    return keep(batch, placement->text, placement->len);
}


static void
add_click(struct ingest_batch *batch, struct mark *next, uint64_t off,
          const struct ads_event *event)
{
    const struct ads_click *click = &event->click;
    struct clicks *to = &batch->clicks;
    uint32_t i = next->clicks++;

    to->off[i] = (int64_t)off;
    to->at_us[i] = (int64_t)event->at_us;
    to->click[i] = click->click_id;
    to->request[i] = click->request_id;
    to->ad[i] = click->ad_id;
    to->publisher[i] = click->publisher;
    to->price[i] = click->price_micros;
    to->session[i] = (int64_t)click->session_hash;
    to->address[i] = (int64_t)click->address_hash;
    to->class[i] = click->class;
    to->flags[i] = event->flags;
    to->version[i] = (int32_t)click->campaign_version;
    to->placement[i] = keep_placement(batch, &click->placement);
    to->country[i] = keep_country(batch, click->country);
}


static void
add_impression(struct ingest_batch *batch, struct mark *next, uint64_t off,
               const struct ads_event *event)
{
    const struct ads_impression *impression = &event->impression;
    struct impressions *to = &batch->impressions;
    uint32_t i = next->impressions++;

    to->off[i] = (int64_t)off;
    to->at_us[i] = (int64_t)event->at_us;
    to->request[i] = impression->request_id;
    to->ad[i] = impression->ad_id;
    to->publisher[i] = impression->publisher;
    to->session[i] = (int64_t)impression->session_hash;
    to->flags[i] = event->flags;
}


/* What PostgreSQL keeps of the ads shown: 28 bytes each, as in the record. */
static struct ads_str
keep_shown(struct ingest_batch *batch, const struct ads_show *show)
{
    char *bytes = pool_alloc(batch->pool, 28 * (size_t)show->n);
    char *at = bytes;

    for (uint32_t i = 0; i < show->n; i++, at += 28) {
        memcpy(at, show->shown[i].ad_id.b, 16);
        memcpy(at + 16, &show->shown[i].price_micros, 8);
        memcpy(at + 24, &show->shown[i].campaign_version, 4);
    }
    return (struct ads_str){bytes, 28 * (size_t)show->n};
}


static void
add_decision(struct ingest_batch *batch, struct mark *next, uint64_t off,
             const struct ads_event *event)
{
    const struct ads_show *show = &event->show;
    struct decisions *to = &batch->decisions;
    uint32_t i = next->decisions++;

    to->off[i] = (int64_t)off;
    to->at_us[i] = (int64_t)event->at_us;
    to->request[i] = show->request_id;
    to->publisher[i] = show->publisher;
    to->session[i] = (int64_t)show->session_hash;
    to->placement[i] = keep_placement(batch, &show->placement);
    to->country[i] = keep_country(batch, show->country);
    to->shown[i] = keep_shown(batch, show);
    to->flags[i] = event->flags;
}


static void
add_counts(struct ingest_batch *batch, struct mark *next, uint64_t off,
           const struct ads_event *event)
{
    const struct ads_no_ads *no_ads = &event->no_ads;
    struct counts *to = &batch->counts;
    const char *reason;

    for (uint32_t k = 0; k < no_ads->n; k++) {
        const struct ads_no_ad *count = &no_ads->counts[k];
        uint32_t i = next->counts++;

        reason = ads_reason_name(count->reason);
        if (reason == NULL) {
            reason = "unknown"; /* a newer worker's */
        }
        to->off[i] = (int64_t)off;
        to->bucket_us[i] = (int64_t)(count->bucket_s * 1000000);
        to->publisher[i] = count->publisher;
        to->placement[i] = keep_placement(batch, &count->placement);
        to->country[i] = keep_country(batch, count->country);
        to->reason[i] = (struct ads_str){reason, strlen(reason)};
        to->n[i] = count->count;
    }
}


static void
add_auctions(struct ingest_batch *batch, struct mark *next,
             const struct ads_event *event)
{
    const struct ads_auction_counts *counts = &event->auctions;
    struct auctions *to = &batch->auctions;

    for (uint32_t k = 0; k < counts->n; k++) {
        const struct ads_auction_count *count = &counts->counts[k];
        const char *outcome = count->outcome == ADS_OUTCOME_WON
                                  ? "won"
                                  : ads_outcome_name(count->outcome);
        uint32_t i = next->auctions++;

        if (outcome == NULL) {
            outcome = "unknown"; /* a newer worker's */
        }
        to->bucket_us[i] = (int64_t)(counts->bucket_s * 1000000);
        to->campaign[i] = count->campaign;
        to->outcome[i] = (struct ads_str){outcome, strlen(outcome)};
        to->n[i] = count->count;
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

    *next = *mark;
    next->off = item->off + item->len;
    next->seq = item->kind == SEGMENT_HOLE ? mark->seq : item->event.seq;
    batch->n++;

    if (mark->reject) {
        return;
    }
    switch ((enum ads_event_type)item->event.type) {
    case ADS_EVENT_CLICK:
        add_click(batch, next, item->off, &item->event);
        break;
    case ADS_EVENT_IMPRESSION:
        add_impression(batch, next, item->off, &item->event);
        break;
    case ADS_EVENT_DECISION:
        add_decision(batch, next, item->off, &item->event);
        break;
    case ADS_EVENT_NO_AD:
        add_counts(batch, next, item->off, &item->event);
        break;
    case ADS_EVENT_AUCTIONS:
        add_auctions(batch, next, &item->event);
        break;
    }
}


uint32_t
ingest_batch_n(const struct ingest_batch *batch)
{
    return batch->n;
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


static void
click_args(const struct clicks *from, uint32_t i, uint32_t n,
           struct db_args *args)
{
    db_arg_int8s(args, from->off + i, n);
    db_arg_int8s(args, from->at_us + i, n);
    db_arg_uuids(args, from->click + i, NULL, n);
    db_arg_uuids(args, from->request + i, NULL, n);
    db_arg_uuids(args, from->ad + i, NULL, n);
    db_arg_uuids(args, from->publisher + i, NULL, n);
    db_arg_int8s(args, from->price + i, n);
    db_arg_int8s(args, from->session + i, n);
    db_arg_int8s(args, from->address + i, n);
    db_arg_int2s(args, from->class + i, n);
    db_arg_int4s(args, from->flags + i, n);
    db_arg_int4s(args, from->version + i, n);
    db_arg_texts(args, from->placement + i, n);
    db_arg_texts(args, from->country + i, n);
}


void
ingest_batch_args(const struct ingest_batch *batch, uint32_t from, uint32_t to,
                  struct db_args *args)
{
    const struct mark *a = &batch->marks[from], *b = &batch->marks[to];
    const struct impressions *seen = &batch->impressions;
    const struct decisions *shown = &batch->decisions;
    const struct counts *counts = &batch->counts;
    const struct auctions *auctions = &batch->auctions;
    uint32_t i, n;

    click_args(&batch->clicks, a->clicks, b->clicks - a->clicks, args);

    i = a->impressions;
    n = b->impressions - i;
    db_arg_int8s(args, seen->off + i, n);
    db_arg_int8s(args, seen->at_us + i, n);
    db_arg_uuids(args, seen->request + i, NULL, n);
    db_arg_uuids(args, seen->ad + i, NULL, n);
    db_arg_uuids(args, seen->publisher + i, NULL, n);
    db_arg_int8s(args, seen->session + i, n);
    db_arg_int4s(args, seen->flags + i, n);

    i = a->decisions;
    n = b->decisions - i;
    db_arg_int8s(args, shown->off + i, n);
    db_arg_int8s(args, shown->at_us + i, n);
    db_arg_uuids(args, shown->request + i, NULL, n);
    db_arg_uuids(args, shown->publisher + i, NULL, n);
    db_arg_int8s(args, shown->session + i, n);
    db_arg_texts(args, shown->placement + i, n);
    db_arg_texts(args, shown->country + i, n);
    db_arg_byteas(args, shown->shown + i, n);

    i = a->counts;
    n = b->counts - i;
    db_arg_int8s(args, counts->off + i, n);
    db_arg_int8s(args, counts->bucket_us + i, n);
    db_arg_uuids(args, counts->publisher + i, NULL, n);
    db_arg_texts(args, counts->placement + i, n);
    db_arg_texts(args, counts->reason + i, n);
    db_arg_int8s(args, counts->n + i, n);

    db_arg_texts(args, counts->country + i, n);

    i = a->decisions;
    db_arg_int4s(args, shown->flags + i, b->decisions - i);

    i = a->auctions;
    n = b->auctions - i;
    db_arg_int8s(args, auctions->bucket_us + i, n);
    db_arg_uuids(args, auctions->campaign + i, NULL, n);
    db_arg_texts(args, auctions->outcome + i, n);
    db_arg_int8s(args, auctions->n + i, n);
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
