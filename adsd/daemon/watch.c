/*
 * Compares the threads' signs of life with the clock.
 *
 * When this thread did not run either, the machine or the whole process stood
 * still: then no thread is to blame.
 */
#include "daemon/watch.h"

#include "base/clock.h"
#include "daemon/live_file.h"

#define DUTY "watch"
#define HANG_MS 5000
#define STILL_MS 2000 /* between two looks */


static void
part_look(struct watch *watch, int i)
{
    const struct adsd_part *part = &watch->adsd->parts[i];
    int64_t silent_ms = pulse_silent_ms(&part->pulse);
    int64_t now_ms = clock_monotonic_ms();

    if (silent_ms > HANG_MS && watch->since_ms[i] == 0) {
        watch->since_ms[i] = now_ms - silent_ms;
        log_error(watch->adsd->log, DUTY,
                  "thread %s hangs: it has not moved for %lld ms", part->name,
                  (long long)silent_ms);
    }
    if (silent_ms <= HANG_MS && watch->since_ms[i] != 0) {
        log_warn(watch->adsd->log, DUTY, "thread %s moves again after %lld ms",
                 part->name, (long long)(now_ms - watch->since_ms[i]));
        watch->since_ms[i] = 0;
    }
}


static void
words_set(const struct adsd *adsd, const struct adsd_part *ingest)
{
    int64_t silent_ms = pulse_silent_ms(&ingest->pulse);

    live_file_set(adsd->live, ADS_LIVE_HEARTBEAT,
                  (uint64_t)(clock_realtime_us() - silent_ms * 1000));
    if (pulse_asks_ms(&ingest->pulse) > HANG_MS) {
        live_file_set(adsd->live, ADS_LIVE_DATABASE, 0);
    }
}


void
watch_look(struct watch *watch)
{
    struct adsd *adsd = watch->adsd;
    int64_t last_ms = watch->looked_ms;

    watch->looked_ms = clock_monotonic_ms();
    if (last_ms != 0 && watch->looked_ms - last_ms > STILL_MS) {
        return;
    }
    for (int i = 0; i < adsd->n_parts; i++) {
        part_look(watch, i);
        if (strcmp(adsd->parts[i].name, "ingest") == 0) {
            words_set(adsd, &adsd->parts[i]);
        }
    }
}
