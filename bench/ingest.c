/*
 * Writes journal segments as workers would, full of events of real ads, for
 * bench/ingest.pl and for fault tests.
 *
 *     ingest STATE_PATH KEY_FILE PUBLISHER EVENTS MIX AD [AD ...]
 *
 * MIX is a cycle of letters, one an event: d decision (three ads), i
 * impression, c click on an ad of the last decision, m the same reported by
 * the publisher; p click of a price no row accepts, t one of a time that is
 * none, u a record of an unknown type.  A segment ends after 64 MiB.
 * Prints how many of each kind were written.
 */
#include <errno.h>
#include <stdlib.h>

#include "../t/lib/journal_writer.h"
#include "ads_id.h"

#define SEGMENT_MAX (64u * 1024 * 1024)
#define BATCH_MAX 32768
#define SHOWN 3
#define PRICE_MICROS 1000

struct maker {
    struct ads_ring ring;
    struct ads_uuid publisher;
    struct ads_uuid *ads;
    int n_ads;
    struct journal_writer writer;
    const char *folder;
    uint64_t node;
    uint64_t state; /* of the random numbers */
    struct ads_show show;
    uint64_t n[256];
    size_t waiting;
    _Alignas(8) uint8_t bytes[BATCH_MAX + ADS_RECORD_MAX];
};


static uint64_t
draw(struct maker *maker)
{
    uint64_t z = maker->state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}


static _Noreturn void
die(const char *what)
{
    fprintf(stderr, "ingest: %s: %s\n", what, strerror(errno));
    exit(1);
}


static size_t
file_read(const char *path, char *dst, size_t max)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, dst, max) : -1;

    if (n < 0) {
        die(path);
    }
    close(fd);
    return (size_t)n;
}


static void
flush(struct maker *maker)
{
    journal_append_raw(&maker->writer, maker->bytes, maker->waiting);
    maker->writer.off -= maker->waiting; /* counted while encoding */
    maker->waiting = 0;
    if (maker->writer.off > SEGMENT_MAX) {
        journal_close(&maker->writer);
        journal_open(&maker->writer, maker->folder, &maker->ring, maker->node,
                     'm');
    }
}


/* Encodes the event; `type` is what the record says it is. */
static void
put_as(struct maker *maker, const struct ads_event *event, uint16_t type)
{
    uint8_t *record = maker->bytes + maker->waiting;
    size_t len = ads_event_write(record, event);

    memcpy(record + 32, &type, sizeof(type));
    ads_event_stamp(record, &maker->writer.seal, maker->writer.off,
                    ++maker->writer.seq);
    maker->waiting += len;
    maker->writer.off += len;
    if (maker->waiting >= BATCH_MAX) {
        flush(maker);
    }
}


static void
put(struct maker *maker, const struct ads_event *event)
{
    put_as(maker, event, event->type);
}


static void
put_decision(struct maker *maker, struct ads_event *event)
{
    struct ads_show *show = &maker->show;

    *show = (struct ads_show){
        .publisher = maker->publisher,
        .session_hash = draw(maker),
        .country = {'U', 'S'},
        .placement = ads_placement_make(ADS_STR("inline")),
        .n = SHOWN,
    };
    show->request_id =
        ads_request_id_make(ads_ring_seal(&maker->ring), &maker->publisher,
                            event->at_us / 1000, draw(maker));
    for (uint32_t i = 0; i < SHOWN; i++) {
        show->shown[i].ad_id = maker->ads[draw(maker) % (uint64_t)maker->n_ads];
        show->shown[i].price_micros = PRICE_MICROS;
        show->shown[i].campaign_version = 1;
    }
    event->type = ADS_EVENT_DECISION;
    event->show = *show;
    put(maker, event);
}


static void
put_impression(struct maker *maker, struct ads_event *event)
{
    const struct ads_show *show = &maker->show;

    event->type = ADS_EVENT_IMPRESSION;
    event->impression = (struct ads_impression){
        .request_id = show->request_id,
        .ad_id = show->shown[draw(maker) % SHOWN].ad_id,
        .publisher = show->publisher,
        .session_hash = show->session_hash,
    };
    put(maker, event);
}


static void
put_click(struct maker *maker, struct ads_event *event, char kind)
{
    const struct ads_show *show = &maker->show;
    struct ads_uuid ad = show->shown[draw(maker) % SHOWN].ad_id;

    event->type = ADS_EVENT_CLICK;
    event->flags = kind == 'm' ? ADS_EVENT_MANUAL : 0;
    event->at_us = kind == 't' ? (uint64_t)INT64_MAX : event->at_us;
    event->click = (struct ads_click){
        .click_id = ads_click_id_make(ads_ring_seal(&maker->ring),
                                      &show->request_id, &ad),
        .request_id = show->request_id,
        .ad_id = ad,
        .publisher = show->publisher,
        .price_micros = kind == 'p' ? -1 : PRICE_MICROS,
        .session_hash = show->session_hash,
        .address_hash = draw(maker),
        .campaign_version = 1,
        .country = {'U', 'S'},
        .placement = show->placement,
    };
    put_as(maker, event, kind == 'u' ? 99 : ADS_EVENT_CLICK);
}


static void
events_write(struct maker *maker, uint64_t n, const char *mix)
{
    size_t period = strlen(mix);
    struct ads_event event;

    for (uint64_t i = 0; i < n; i++) {
        event =
            (struct ads_event){.at_us = journal_now_ns(CLOCK_REALTIME) / 1000};
        if (i == 0 || mix[i % period] == 'd') {
            put_decision(maker, &event);
            maker->n['d']++;
            continue;
        }
        maker->n[(uint8_t)mix[i % period]]++;
        if (mix[i % period] == 'i') {
            put_impression(maker, &event);
        } else {
            put_click(maker, &event, mix[i % period]);
        }
    }
    flush(maker);
    journal_close(&maker->writer);
}


static void
maker_init(struct maker *maker, char **argv, int n_ads)
{
    static char folder[512];
    char text[4096], path[512];
    uint8_t node[8];
    const char *why = "";
    uint32_t line = 0;
    size_t len;

    len = file_read(argv[2], text, sizeof(text));
    if (ads_ring_read(&maker->ring, (struct ads_str){text, len}, &line, &why)
        != ADS_OK)
    {
        fprintf(stderr, "ingest: %s:%u: %s\n", argv[2], line, why);
        exit(1);
    }

    (void)snprintf(path, sizeof(path), "%s/node", argv[1]);
    len = file_read(path, text, sizeof(text));
    if (len < 16 || !ads_hex_read(node, 8, (struct ads_str){text, 16})) {
        die(path);
    }
    for (int i = 0; i < 8; i++) {
        maker->node = maker->node << 8 | node[i];
    }

    maker->ads = calloc((size_t)n_ads, sizeof(*maker->ads));
    maker->n_ads = n_ads;
    if (maker->ads == NULL
        || !ads_uuid_read(&maker->publisher,
                          (struct ads_str){argv[3], strlen(argv[3])}))
    {
        die(argv[3]);
    }
    for (int i = 0; i < n_ads; i++) {
        if (!ads_uuid_read(&maker->ads[i],
                           (struct ads_str){argv[6 + i], strlen(argv[6 + i])}))
        {
            die(argv[6 + i]);
        }
    }

    (void)snprintf(folder, sizeof(folder), "%s/journal", argv[1]);
    maker->folder = folder;
    randombytes_buf(&maker->state, sizeof(maker->state));
    journal_open(&maker->writer, maker->folder, &maker->ring, maker->node, 'm');
}


int
main(int argc, char **argv)
{
    static struct maker maker;

    if (argc < 7 || sodium_init() < 0) {
        fprintf(stderr, "usage: ingest STATE_PATH KEY_FILE PUBLISHER EVENTS MIX"
                        " AD [AD ...]\n");
        return 2;
    }
    maker_init(&maker, argv, argc - 6);
    events_write(&maker, strtoull(argv[4], NULL, 10), argv[5]);
    for (const char *kind = "dicmptu"; *kind != '\0'; kind++) {
        if (maker.n[(uint8_t)*kind] > 0) {
            printf("%c=%llu ", *kind,
                   (unsigned long long)maker.n[(uint8_t)*kind]);
        }
    }
    puts(maker.writer.name);
    return 0;
}
