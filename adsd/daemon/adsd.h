/*
 * The daemon's shared state: what its threads share.  Everything else belongs
 * to one thread.  There is no file-scope state; a thread gets this struct.
 *
 * Threads, each with its own database connection, and the function that is
 * one's whole life (it returns when adsd_stopping() turns true, after finishing
 * the request or batch at hand):
 *
 *     api x N    server_start      http/server.h
 *     ingest     ingest_run        journal/ingest.h (and the allowances)
 *     sync       journal_sync_run  journal/sync.h
 *     publish    snap_publish_run  tables/snap_publish.h
 *     mail       mail_run          mail/mail.h
 *     import     import_work_run   catalog/import_work.h
 *     maintain   maintain_run      daemon/maintain.h
 *
 * Start: conf, log, folders, node id, key ring, `live`, threads.  Stop: the
 * same in reverse.  Nothing dies because the database is away.
 */
#ifndef ADSD_ADSD_H
#define ADSD_ADSD_H

#include <pthread.h>
#include <stdatomic.h>

#include "ads_err.h"
#include "base/conf.h"
#include "base/log.h"
#include "base/pulse.h"
#include "db/db.h"

struct auth_hasher;  /* auth/password.h */
struct auth_keys;    /* daemon/auth_keys.h */
struct auth_webhook; /* auth/webhook.h */
struct click_keys;   /* daemon/click_keys.h */
struct live_file;    /* daemon/live_file.h */
struct oauth;        /* auth/oauth_provider.h */
struct rate;         /* http/rate.h */
struct server;       /* http/server.h */
struct adsd_gate;

#define ADSD_PARTS_MAX 8

/* A thread that is looked after (daemon/watch.h). */
struct adsd_part {
    const char *name;
    _Atomic pthread_t thread; /* set by itself, as it begins */
    struct pulse pulse;
};

struct adsd {
    struct conf conf;
    struct log *log;
    struct click_keys *click_keys; /* looks after itself */
    struct auth_keys *auth_keys;   /* of tokens, cursors, mail codes; it looks
                                    after itself */
    struct auth_webhook *webhook;  /* NULL: no payment provider calls */
    struct ads_str guard;          /* compiled lists (guard_list.h), constant */
    struct ads_str goods;          /* compiled ontology (goods.h), likewise */
    uint64_t node;
    struct live_file *live; /* set before the threads start, then constant;
                               what is inside looks after itself */

    int stop_fd;           /* eventfd, readable for good once stopping */
    _Atomic bool stopping; /* the same for a look in passing */

    int publish_fd; /* eventfd: something changed, publish at once */

    int ingest_fd; /* eventfd: run a cycle of ingest and allowances at once */

    /*
     * cycles of ingest that ended with all allowances set again; the publisher
     * lets a generation be served only after one that began later
     */
    _Atomic uint64_t allowance_cycles;

    int mail_fd; /* eventfd: a mail waits to be sent */

    struct auth_hasher *hasher; /* of passwords; looks after itself */
    struct rate *people;        /* how often each may ask; likewise */
    struct oauth *oauth;        /* providers to sign in with; likewise */
    struct db_breaker *breaker; /* of the api threads */
    _Atomic bool ready;         /* the database was found, with our schema */
    struct server **servers;    /* one for each class of routes; set before
                                   the operator's socket opens */

    /* what the publisher has published: all management changes up to that
     * number, and its generation */
    _Atomic uint64_t published_change;
    _Atomic uint64_t published_generation;
    struct adsd_gate *published; /* who waits for it */

    struct adsd_part *parts;
    int n_parts; /* set before the threads start, then constant */
};

/* Makes the descriptors.  ADS_IO, logged, when the system refuses. */
ADS_MUST enum ads_err
adsd_init(struct adsd *adsd);
void
adsd_end(struct adsd *adsd);

/* Asking is a sign of life of the thread that does. */
bool
adsd_stopping(const struct adsd *adsd);

/* The pulse of the thread that asks; NULL when none looks after it. */
struct pulse *
adsd_pulse(const struct adsd *adsd);

/* Begins the graceful stop, from any thread; more than once is fine. */
void
adsd_stop(struct adsd *adsd);

/* Loads what an operator changed outside of the database: opens the log
 * again and reads the click keys again.  Errors as click_keys_reload. */
ADS_MUST enum ads_err
adsd_reload(struct adsd *adsd);

/* Was the database found, with the schema this program was made for? */
bool
adsd_ready(const struct adsd *adsd);

/*
 * Waits until `fd` (-1: none) is readable, the time is over, or adsd stops.
 * True when fd is readable; false otherwise, so check adsd_stopping().
 */
bool
adsd_wait(const struct adsd *adsd, int fd, int timeout_ms);

/* Which management changes are served. */
struct adsd_served {
    uint64_t change; /* all up to this one */
    uint64_t from;   /* and from this one on */
    uint64_t last;   /* to this one */
    uint64_t generation;
};

/* The publisher says what is served now, to those who wait for it. */
void
adsd_published(struct adsd *adsd, const struct adsd_served *served);

/*
 * Wakes the publisher and waits until the workers of this node serve the change
 * of that number.  False when that takes longer, or adsd stops.
 */
bool
adsd_wait_published(const struct adsd *adsd, uint64_t change, int timeout_ms,
                    uint64_t *generation);

/* Wakes the publisher, after a management change was committed. */
void
adsd_publish_soon(const struct adsd *adsd);

/* Wakes ingest, for a cycle of allowances. */
void
adsd_ingest_soon(const struct adsd *adsd);

/* Wakes who sends mails, after one was put and committed. */
void
adsd_mail_soon(const struct adsd *adsd);

/*
 * Waits until the database was found with the schema this program was made for
 * (maintain_run looks, and says what it waits for), and `db` is connected;
 * false when adsd stops instead.
 */
bool
adsd_wait_for_database(const struct adsd *adsd, struct db *db);

#endif
