/*
 * Click-key ring of the daemon: read at the start, and again when the operator
 * says that the file has changed.  Segments and requests borrow keys for as
 * long as they live, so a ring that was replaced is kept, and all are wiped at
 * the end.
 */
#ifndef ADSD_CLICK_KEYS_H
#define ADSD_CLICK_KEYS_H

#include "ads_ring.h"
#include "base/conf.h"

struct click_keys;

/* Errors as node_read_ring; free with click_keys_free() when it is ADS_OK.
 * `conf` and `log` are borrowed. */
ADS_MUST enum ads_err
click_keys_open(struct click_keys **keys, const struct conf *conf,
                struct log *log);

/* Wipes all of them.  NULL is fine. */
void
click_keys_free(struct click_keys *keys);

/* The newest ring, borrowed until click_keys_free(); from any thread. */
const struct ads_ring *
click_keys_ring(const struct click_keys *keys);

/* Reads the file again, from any thread.  On an error, logged, the ring that
 * was there goes on. */
ADS_MUST enum ads_err
click_keys_reload(struct click_keys *keys);

#endif
