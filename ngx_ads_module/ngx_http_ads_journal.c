/*
 * Journal of a worker: what is answered is in a file before the answer leaves.
 *
 * Records are gathered while the event loop handles what arrived; a posted
 * event then writes them with one write() and gives the waiting answers.
 *
 *     append --> batch --(posted event, 32 KiB or 64 requests)--> write()
 *                                     |
 *           done list <-- records in the file, or not: written[] says
 *               |         (ngx_http_ads_sync.c: with `always`, on disk)
 *               +--(posted event only)--> handler of each request
 *
 * A batch that is full is written at once, but answers are only ever given
 * from the posted event: a handler never finishes another request.
 *
 * A request that goes away takes its name off its records; they are written
 * all the same.  A copy of the bytes goes to adsd as datagrams, best effort;
 * the file is the truth.
 */


#include "ngx_http_ads_module.h"


#define NGX_HTTP_ADS_COPY_MS      5
#define NGX_HTTP_ADS_COPY_HEADER  24


static void ngx_http_ads_journal_flush_handler(ngx_event_t *ev);
static void ngx_http_ads_journal_write(ngx_http_ads_journal_t *journal);
static size_t ngx_http_ads_journal_write_part(ngx_http_ads_journal_t *journal,
    size_t from);
static void ngx_http_ads_journal_settle(ngx_http_ads_journal_t *journal,
    size_t end);
static void ngx_http_ads_journal_lost(ngx_http_ads_journal_t *journal,
    uint8_t type);
static void ngx_http_ads_journal_ready(ngx_http_ads_wait_t *wait);
static void ngx_http_ads_journal_cleanup(void *data);
static void ngx_http_ads_journal_copy(ngx_http_ads_journal_t *journal,
    struct ads_uuid *segment, uint64_t offset, size_t from, size_t len);
static void ngx_http_ads_journal_send_handler(ngx_event_t *ev);


ngx_int_t
ngx_http_ads_journal_init(ngx_http_ads_journal_t *journal, ngx_pool_t *pool)
{
    /* pool memory is aligned for a pointer, and so for records */

    journal->batch = ngx_palloc(pool, NGX_HTTP_ADS_BATCH_LEN);
    journal->records = ngx_palloc(pool, NGX_HTTP_ADS_BATCH_RECORDS
                                        * sizeof(ngx_http_ads_record_t));
    journal->copy = ngx_palloc(pool, NGX_HTTP_ADS_BATCH_LEN);

    if (journal->batch == NULL || journal->records == NULL
        || journal->copy == NULL)
    {
        return NGX_ERROR;
    }

    ngx_queue_init(&journal->done);

    ngx_http_ads_segment_init(&journal->money, 'm');
    ngx_http_ads_segment_init(&journal->counts, 't');

    ngx_http_ads_process_event(&journal->flush, &journal->ident, journal,
                               ngx_http_ads_journal_flush_handler,
                               journal->log);
    ngx_http_ads_process_event(&journal->send, &journal->ident, journal,
                               ngx_http_ads_journal_send_handler,
                               journal->log);

    journal->socket = socket(AF_UNIX, SOCK_DGRAM|SOCK_NONBLOCK|SOCK_CLOEXEC,
                             0);
    if (journal->socket == -1) {
        ngx_log_error(NGX_LOG_ERR, journal->log, ngx_errno,
                      "ads: socket() failed, adsd reads the files only");
    }

    return NGX_OK;
}


void
ngx_http_ads_journal_close(ngx_http_ads_journal_t *journal)
{
    ngx_http_ads_journal_write(journal);

    if (journal->copy_len > 0) {
        ngx_http_ads_journal_send_handler(&journal->send);
    }

    if (journal->send.timer_set) {
        ngx_del_timer(&journal->send);
    }

    if (journal->flush.posted) {
        ngx_delete_posted_event(&journal->flush);
    }

    if (journal->socket != -1) {
        (void) close(journal->socket);
        journal->socket = -1;
    }

    ngx_http_ads_segment_close(journal, &journal->money);
    ngx_http_ads_segment_close(journal, &journal->counts);
}


/*
 * What waits for the request's records; NULL when memory lacks.  Append the
 * records, then call ngx_http_ads_journal_end(): the handler is called once
 * after that, from the event loop, unless the request goes away before.  It
 * has to finalize the request.  `durable` is 0 when records had to be on disk
 * and may not be, though they are in the file.
 */

ngx_http_ads_wait_t *
ngx_http_ads_journal_begin(ngx_http_request_t *r,
    ngx_http_ads_journal_t *journal, ngx_http_ads_wait_pt handler, void *data)
{
    ngx_http_cleanup_t   *cln;
    ngx_http_ads_wait_t  *wait;

    cln = ngx_http_cleanup_add(r, sizeof(ngx_http_ads_wait_t));
    if (cln == NULL) {
        return NULL;
    }

    wait = cln->data;
    ngx_memzero(wait, sizeof(ngx_http_ads_wait_t));

    wait->journal = journal;
    wait->request = r;
    wait->handler = handler;
    wait->data = data;
    wait->durable = 1;

    cln->handler = ngx_http_ads_journal_cleanup;

    return wait;
}


/*
 * Adds a record.  *written will be 1 by the time the handler is called if
 * the record is in the file, else 0; what is not is counted.
 */

void
ngx_http_ads_journal_append(ngx_http_ads_wait_t *wait,
    struct ads_event *event, u_char *written)
{
    ngx_http_ads_record_t   *entry;
    ngx_http_ads_journal_t  *journal;

    journal = wait->journal;
    *written = 0;

    /* a quota that is used up is as good as a full disk */

    if (ngx_http_ads_live_pressure(journal->live) >= 3
        || ngx_http_ads_segment_open(journal, &journal->money) != NGX_OK)
    {
        ngx_http_ads_journal_lost(journal, event->type);
        return;
    }

    if (journal->len + ADS_RECORD_MAX > NGX_HTTP_ADS_BATCH_LEN
        || journal->n == NGX_HTTP_ADS_BATCH_RECORDS)
    {
        ngx_http_ads_journal_write(journal);
    }

    event->at_us = ngx_http_ads_process_now_ms() * 1000;
    journal->len += ads_event_write(journal->batch + journal->len, event);

    entry = &journal->records[journal->n++];
    entry->end = journal->len;
    entry->wait = wait;
    entry->written = written;
    entry->type = event->type;

    wait->pending++;

    ngx_log_debug3(NGX_LOG_DEBUG_EVENT, journal->log, 0,
                   "ads journal: record of type %ui, %ui in %uz bytes",
                   (ngx_uint_t) event->type, journal->n, journal->len);
}


void
ngx_http_ads_journal_end(ngx_http_ads_wait_t *wait)
{
    ngx_http_ads_journal_t  *journal;

    journal = wait->journal;

    wait->complete = 1;

    if (wait->pending == 0) {
        ngx_http_ads_journal_ready(wait);

    } else if (++journal->waiting == NGX_HTTP_ADS_BATCH_WAITING) {
        ngx_http_ads_journal_write(journal);
    }

    ngx_post_event(&journal->flush, &ngx_posted_events);
}


/* Writes a record of class t at once; no answer waits for it. */

void
ngx_http_ads_journal_count(ngx_http_ads_journal_t *journal,
    struct ads_event *event)
{
    size_t                   len;
    uint64_t                 record[ADS_RECORD_MAX / 8];
    struct ads_event_seal    seal;
    ngx_http_ads_segment_t  *segment;

    segment = &journal->counts;

    if (ngx_http_ads_live_pressure(journal->live) > 0
        || ngx_http_ads_segment_rotate(journal, segment) != NGX_OK)
    {
        ngx_http_ads_journal_lost(journal, event->type);
        return;
    }

    event->at_us = ngx_http_ads_process_now_ms() * 1000;
    len = ads_event_write((uint8_t *) record, event);

    seal.key = ads_ring_seal(journal->conf->ring);
    seal.segment = segment->uuid;

    ads_event_stamp((uint8_t *) record, &seal, segment->offset,
                    ++segment->seq);

    if (ngx_http_ads_segment_write(journal, segment, (u_char *) record, len)
        != (ssize_t) len)
    {
        ngx_http_ads_journal_lost(journal, event->type);
        return;
    }

    ngx_http_ads_live_append(journal->live, 1, len);
}


static void
ngx_http_ads_journal_flush_handler(ngx_event_t *ev)
{
    ngx_queue_t              done, *q;
    ngx_connection_t        *c;
    ngx_http_request_t      *r;
    ngx_http_ads_wait_t     *wait;
    ngx_http_ads_journal_t  *journal;

    journal = ngx_http_ads_process_part(ev);

    ngx_http_ads_journal_write(journal);

    if (journal->conf->sync_pool != NULL) {
        ngx_http_ads_sync_start(journal->sync);
    }

    /* what new requests append while these are answered is another turn's */

    if (ngx_queue_empty(&journal->done)) {
        return;
    }

    done = journal->done;
    done.next->prev = &done;
    done.prev->next = &done;

    ngx_queue_init(&journal->done);

    while (!ngx_queue_empty(&done)) {

        q = ngx_queue_head(&done);
        wait = ngx_queue_data(q, ngx_http_ads_wait_t, queue);

        ngx_queue_remove(q);
        wait->queued = 0;

        r = wait->request;
        c = r->connection;

        ngx_http_set_log_request(c->log, r);

        wait->handler(r, wait->data, wait->durable);

        ngx_http_run_posted_requests(c);
    }
}


/* Writes the batch, with a second segment where the first takes no more. */

static void
ngx_http_ads_journal_write(ngx_http_ads_journal_t *journal)
{
    size_t  done;

    if (journal->n == 0) {
        return;
    }

    done = 0;

    if (ngx_http_ads_segment_rotate(journal, &journal->money) == NGX_OK) {

        done = ngx_http_ads_journal_write_part(journal, 0);

        if (done < journal->len
            && ngx_http_ads_segment_open(journal, &journal->money) == NGX_OK)
        {
            done += ngx_http_ads_journal_write_part(journal, done);
        }
    }

    ngx_http_ads_journal_settle(journal, done);

    journal->n = 0;
    journal->len = 0;
    journal->waiting = 0;
}


/*
 * Signs what is in the batch from there on for its place in the segment and
 * writes it.  Returns how many bytes of whole records are in the file.
 */

static size_t
ngx_http_ads_journal_write_part(ngx_http_ads_journal_t *journal, size_t from)
{
    size_t                   begin, len, whole;
    ssize_t                  n;
    uint64_t                 offset;
    ngx_uint_t               i, appended;
    struct ads_event_seal    seal;
    ngx_http_ads_segment_t  *segment;

    segment = &journal->money;

    seal.key = ads_ring_seal(journal->conf->ring);
    seal.segment = segment->uuid;

    offset = segment->offset;
    begin = 0;

    for (i = 0; i < journal->n; i++) {

        if (begin >= from) {
            ads_event_stamp(journal->batch + begin, &seal,
                            offset + begin - from, ++segment->seq);
        }

        begin = journal->records[i].end;
    }

    len = journal->len - from;

    n = ngx_http_ads_segment_write(journal, segment, journal->batch + from,
                                   len);
    whole = 0;
    appended = 0;

    for (i = 0; i < journal->n && n > 0; i++) {

        if (journal->records[i].end > from
            && journal->records[i].end - from <= (size_t) n)
        {
            whole = journal->records[i].end - from;
            appended++;
        }
    }

    ngx_log_debug4(NGX_LOG_DEBUG_EVENT, journal->log, 0,
                   "ads journal: %ui records, %uz of %uz bytes at %uL",
                   appended, whole, len, offset);

    ngx_http_ads_live_append(journal->live, appended, whole);
    ngx_http_ads_journal_copy(journal, &seal.segment, offset, from, whole);

    return whole;
}


/* Tells the waiting which records are in the file: those up to `end`. */

static void
ngx_http_ads_journal_settle(ngx_http_ads_journal_t *journal, size_t end)
{
    ngx_uint_t            i;
    ngx_http_ads_wait_t  *wait;

    for (i = 0; i < journal->n; i++) {

        if (journal->records[i].end > end) {
            ngx_http_ads_journal_lost(journal, journal->records[i].type);
        }

        wait = journal->records[i].wait;

        if (wait == NULL) {
            continue;
        }

        if (journal->records[i].end <= end) {
            *journal->records[i].written = 1;
            wait->unsynced = (journal->conf->sync_pool != NULL);
        }

        if (--wait->pending == 0 && wait->complete) {
            ngx_http_ads_journal_ready(wait);
        }
    }
}


/* A record that is in no file. */

static void
ngx_http_ads_journal_lost(ngx_http_ads_journal_t *journal, uint8_t type)
{
    uint32_t  counter;

    switch (type) {

    case ADS_EVENT_CLICK:
        counter = ADS_COUNT_UNJOURNALED_CLICK;
        break;

    case ADS_EVENT_IMPRESSION:
        counter = ADS_COUNT_UNJOURNALED_IMPRESSION;
        break;

    case ADS_EVENT_DECISION:
        counter = ADS_COUNT_UNJOURNALED_DECISION;
        break;

    default: /* ADS_EVENT_NO_AD, ADS_EVENT_AUCTIONS */
        counter = ADS_COUNT_UNJOURNALED_COUNTS;
    }

    ngx_log_debug1(NGX_LOG_DEBUG_EVENT, journal->log, 0,
                   "ads journal: record of type %ui is lost",
                   (ngx_uint_t) type);

    ngx_http_ads_live_count(journal->live, counter, 1);
}


/* All its records are in the file, or will never be. */

static void
ngx_http_ads_journal_ready(ngx_http_ads_wait_t *wait)
{
    if (wait->unsynced) {
        ngx_http_ads_sync_wait(wait->journal->sync, wait);
        return;
    }

    wait->queued = 1;
    ngx_queue_insert_tail(&wait->journal->done, &wait->queue);
}


/* The request goes away: its records are written, but no answer is sent. */

static void
ngx_http_ads_journal_cleanup(void *data)
{
    ngx_http_ads_wait_t *wait = data;

    ngx_uint_t               i;
    ngx_http_ads_journal_t  *journal;

    if (wait->queued) {
        wait->queued = 0;
        ngx_queue_remove(&wait->queue);
    }

    if (wait->pending == 0) {
        return;
    }

    journal = wait->journal;

    for (i = 0; i < journal->n; i++) {

        if (journal->records[i].wait == wait) {
            journal->records[i].wait = NULL;
        }
    }
}


/*
 * Keeps a copy of what was written for the next datagram, as long as that is
 * one piece of one segment.
 */

static void
ngx_http_ads_journal_copy(ngx_http_ads_journal_t *journal,
    struct ads_uuid *segment, uint64_t offset, size_t from, size_t len)
{
    if (len == 0
        || ngx_http_ads_live_word(journal->live, ADS_LIVE_LISTENING) != 1)
    {
        return;
    }

    if (journal->copy_len == 0) {
        journal->copy_uuid = *segment;
        journal->copy_offset = offset;
    }

    if (journal->copy_len + len > NGX_HTTP_ADS_BATCH_LEN
        || journal->copy_offset + journal->copy_len != offset
        || !ads_uuid_equal(&journal->copy_uuid, segment))
    {
        return;
    }

    ngx_memcpy(journal->copy + journal->copy_len, journal->batch + from, len);
    journal->copy_len += len;

    if (!journal->send.timer_set && !ngx_exiting) {
        ngx_add_timer(&journal->send, NGX_HTTP_ADS_COPY_MS);
    }
}


static void
ngx_http_ads_journal_send_handler(ngx_event_t *ev)
{
    u_char                   header[NGX_HTTP_ADS_COPY_HEADER];
    ssize_t                  n;
    struct iovec             iov[2];
    struct msghdr            msg;
    struct sockaddr_un       address;
    ngx_http_ads_journal_t  *journal;

    journal = ngx_http_ads_process_part(ev);
    if (journal->socket == -1 || journal->copy_len == 0) {
        return;
    }

    ngx_memcpy(header, &journal->copy_uuid, 16);
    ngx_memcpy(header + 16, &journal->copy_offset, 8);

    ngx_memzero(&address, sizeof(struct sockaddr_un));
    address.sun_family = AF_UNIX;
    ngx_snprintf((u_char *) address.sun_path, sizeof(address.sun_path) - 1,
                 "%V/events.sock", &journal->conf->run_path);

    iov[0].iov_base = header;
    iov[0].iov_len = sizeof(header);
    iov[1].iov_base = journal->copy;
    iov[1].iov_len = journal->copy_len;

    ngx_memzero(&msg, sizeof(struct msghdr));
    msg.msg_name = &address;
    msg.msg_namelen = sizeof(struct sockaddr_un);
    msg.msg_iov = iov;
    msg.msg_iovlen = 2;

    n = sendmsg(journal->socket, &msg, MSG_DONTWAIT|MSG_NOSIGNAL);

    ngx_log_debug2(NGX_LOG_DEBUG_EVENT, journal->log, 0,
                   "ads journal: copy of %uz bytes to adsd: %z",
                   journal->copy_len, n);

    ngx_http_ads_live_count(journal->live,
                            n == -1 ? ADS_COUNT_DATAGRAM_LOST
                                    : ADS_COUNT_DATAGRAM, 1);
    journal->copy_len = 0;
}
