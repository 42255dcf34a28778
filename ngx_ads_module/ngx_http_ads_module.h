/*
 * Types that the files of the module share: the configuration, the state of a
 * worker process, and the state of a request.
 *
 * Nothing here is a mutable global.  A worker's state hangs from the main
 * configuration, is made in init_process (after fork) and ends in
 * exit_process; a request's state hangs from a cleanup of its pool, because
 * nginx clears r->ctx at each internal redirect and an error page must still
 * name the same request id.
 *
 * Each part has its own file: ngx_http_ads_live_* is in ngx_http_ads_live.c.
 */


#ifndef _NGX_HTTP_ADS_MODULE_H_INCLUDED_
#define _NGX_HTTP_ADS_MODULE_H_INCLUDED_


#include "ngx_http_ads_compat.h"

#include "ads_accept.h"
#include "ads_body.h"
#include "ads_decide.h"
#include "ads_event.h"
#include "ads_explain.h"
#include "ads_jwt.h"
#include "ads_key.h"
#include "ads_live.h"
#include "ads_problem.h"
#include "ads_quota.h"
#include "ads_ring.h"
#include "ads_token.h"
#include "ads_warning.h"

#include <sodium.h>


#define NGX_HTTP_ADS_RECOMMEND_BODY_MAX  16384
#define NGX_HTTP_ADS_EVENT_BODY_MAX      65536

#define NGX_HTTP_ADS_HOUR_MS             ((uint64_t) 3600 * 1000)
#define NGX_HTTP_ADS_DAY_MS              (24 * NGX_HTTP_ADS_HOUR_MS)
#define NGX_HTTP_ADS_BILLABLE_MS         NGX_HTTP_ADS_DAY_MS
#define NGX_HTTP_ADS_LINK_MS             (30 * NGX_HTTP_ADS_DAY_MS)

/* a link that a test key got carries this price: no click on it is billed */

#define NGX_HTTP_ADS_TEST_PRICE          (-1)

/* the journal writes at the latest when that much is gathered */

#define NGX_HTTP_ADS_BATCH_LEN           32768
#define NGX_HTTP_ADS_BATCH_RECORDS       512
#define NGX_HTTP_ADS_BATCH_WAITING       64

#define NGX_HTTP_ADS_RANDOM_LEN          4096

/* sun_path has 108 bytes, and "/events.sock" or a longer name follows */

#define NGX_HTTP_ADS_PATH_MAX            90

#define NGX_HTTP_ADS_SYNC_INTERVAL       0
#define NGX_HTTP_ADS_SYNC_OFF            1
#define NGX_HTTP_ADS_SYNC_ALWAYS         2

/* segments that ended before the next sync: one is begun a second */

#define NGX_HTTP_ADS_SYNC_LEFT           8

#define NGX_HTTP_ADS_IMPRESSION          1        /* 0: no events */
#define NGX_HTTP_ADS_CLICK               2

#define NGX_HTTP_ADS_HEALTHZ             0
#define NGX_HTTP_ADS_READYZ              1
#define NGX_HTTP_ADS_METRICS             2


typedef struct ngx_http_ads_worker_s    ngx_http_ads_worker_t;
typedef struct ngx_http_ads_snapshot_s  ngx_http_ads_snapshot_t;
typedef struct ngx_http_ads_journal_s   ngx_http_ads_journal_t;
typedef struct ngx_http_ads_sync_s      ngx_http_ads_sync_t;
typedef struct ngx_http_ads_wait_s      ngx_http_ads_wait_t;
typedef struct ngx_http_ads_agent_s     ngx_http_ads_agent_t;
typedef struct ngx_http_ads_post_s      ngx_http_ads_post_t;
typedef struct ngx_http_ads_form_s      ngx_http_ads_form_t;


/* configuration */

typedef struct {
    ngx_str_t                  lang;
    ngx_str_t                  label;        /* JSON-escaped */
} ngx_http_ads_label_t;


typedef struct {
    ngx_str_t                  state_path;
    ngx_str_t                  run_path;
    ngx_str_t                  key_file;
    ngx_str_t                  base_url;     /* JSON-escaped by its rules */
    ngx_array_t               *labels;       /* of ngx_http_ads_label_t */
    ngx_uint_t                 journal_sync;
    struct ngx_thread_pool_s  *sync_pool;    /* of `always`, else NULL */
    ngx_shm_zone_t            *event_rates;  /* of ads_event_rate, or NULL */
    struct ads_ring           *ring;
    ngx_http_ads_agent_t      *agents;
    ngx_http_ads_worker_t     *worker;
    unsigned                   used:1;
} ngx_http_ads_main_conf_t;


typedef struct {
    ngx_uint_t                 kind;         /* of ads_event or ads_status */
    ngx_flag_t                 explain;
    ngx_flag_t                 docs;         /* -1: not checked */
    ngx_http_complex_value_t  *click_ignore;
    ngx_http_complex_value_t  *credential_required;
    ngx_uint_t                 event_rate;   /* a second; 0: any */
    ngx_uint_t                 event_burst;
    size_t                     body_rate;    /* bytes a second; 0: any */
    ngx_msec_t                 body_after_ms;
    ngx_str_t                  click_fallback;
    ngx_str_t                  click_resolve;
    ngx_http_complex_value_t **fragment;     /* of ads_fragment, or NULL */
    struct ads_key            *fragment_key; /* its hash, or NULL */
} ngx_http_ads_loc_conf_t;


/*
 * A worker's parts.  Each borrows what it needs of the configuration and of
 * the parts below it; none knows the worker, which puts them together.
 */

typedef struct {
    u_char                     bytes[NGX_HTTP_ADS_RANDOM_LEN];
    size_t                     used;
} ngx_http_ads_random_t;


/* what an event points at: debug logs read an fd where a connection has one */

typedef struct {
    void                      *part;         /* whose event it is */
    void                      *unused[2];
    ngx_socket_t               fd;
} ngx_http_ads_ident_t;


typedef struct {
    ngx_http_ads_main_conf_t  *conf;
    ngx_log_t                 *log;
    struct ads_live            map;
    ngx_fd_t                   fd;           /* holds a shared lock */
    ngx_file_uniq_t            uniq;
    dev_t                      dev;
    ngx_file_uniq_t            refused;      /* logged as bad */
    unsigned                   mapped:1;
} ngx_http_ads_live_t;


typedef struct {
    uint64_t                   id;
    uint32_t                   checksum;
    void                      *bytes;
    size_t                     len;
    ngx_uint_t                 refs;
} ngx_http_ads_base_t;


struct ngx_http_ads_snapshot_s {
    struct ads_tables          tables;
    ngx_http_ads_base_t       *base;
    void                      *head;
    size_t                     head_len;
    ngx_uint_t                 refs;         /* the worker's, requests' */
    ngx_str_t                  generation;   /* as text */
    u_char                     digits[NGX_INT64_LEN];
    ngx_log_t                 *log;
};


typedef struct {
    ngx_http_ads_main_conf_t  *conf;
    ngx_http_ads_live_t       *live;
    ngx_log_t                 *log;
    ngx_http_ads_snapshot_t   *current;
    uint64_t                   tried;        /* generation looked for last */
    ngx_file_uniq_t            uniq;         /* of the head read last */
    uint64_t                   changed_ns;
    void                      *scratch;      /* of ads_decide() */
    size_t                     scratch_len;
    unsigned                   failed:1;     /* it was refused, and logged */
} ngx_http_ads_snapshots_t;


typedef struct {
    ngx_fd_t                   fd;
    char                       class;
    struct ads_uuid            uuid;
    uint64_t                   offset;
    uint64_t                   seq;
    ngx_msec_t                 opened;
    ngx_msec_t                 retry;        /* none is opened before */
    uint64_t                   refused;      /* syncs of adsd, when opened */
    unsigned                   failed:1;     /* the last could not be */
    unsigned                   unsynced:1;   /* answers wait for its sync */
} ngx_http_ads_segment_t;


typedef void (*ngx_http_ads_wait_pt)(ngx_http_request_t *r, void *data,
    ngx_uint_t durable);


/* a request whose answer waits until its records are in the file */

struct ngx_http_ads_wait_s {
    ngx_queue_t                queue;        /* of those to answer */
    ngx_http_ads_journal_t    *journal;
    ngx_http_request_t        *request;
    ngx_http_ads_wait_pt       handler;
    void                      *data;
    ngx_uint_t                 pending;      /* records not yet written */
    unsigned                   complete:1;   /* all were appended */
    unsigned                   queued:1;
    unsigned                   unsynced:1;   /* some are not on disk yet */
    unsigned                   durable:1;    /* as far as that was asked for */
};


typedef struct {
    size_t                     end;          /* in the batch */
    ngx_http_ads_wait_t       *wait;
    u_char                    *written;      /* set to 1 once it is */
    uint8_t                    type;         /* enum ads_event_type */
} ngx_http_ads_record_t;


/* what the next sync has to do beside the open segment */

typedef struct {
    ngx_fd_t                   left[NGX_HTTP_ADS_SYNC_LEFT];
    ngx_uint_t                 n_left;
    unsigned                   begun:1;      /* the folder has new names */
    unsigned                   lost:1;       /* one left found no room */
} ngx_http_ads_unsynced_t;


struct ngx_http_ads_journal_s {
    ngx_http_ads_main_conf_t  *conf;
    ngx_http_ads_live_t       *live;
    ngx_http_ads_random_t     *random;
    ngx_http_ads_sync_t       *sync;
    ngx_log_t                 *log;
    ngx_http_ads_ident_t       ident;

    ngx_http_ads_segment_t     money;        /* class m */
    ngx_http_ads_segment_t     counts;       /* class t */
    ngx_http_ads_unsynced_t    unsynced;
    ngx_event_t                flush;        /* posted */
    ngx_queue_t                done;         /* answers to give */
    ngx_uint_t                 waiting;
    ngx_uint_t                 n;
    size_t                     len;
    u_char                    *batch;
    ngx_http_ads_record_t     *records;

    ngx_event_t                send;         /* timer of the copy to adsd */
    ngx_fd_t                   socket;
    uint64_t                   copy_offset;
    struct ads_uuid            copy_uuid;
    size_t                     copy_len;
    u_char                    *copy;

    uint64_t                   node;         /* 0: not known yet */
    uint32_t                   boot;
};


/* what a thread does for `ads_journal_sync always` */

typedef struct {
    ngx_fd_t                   fds[NGX_HTTP_ADS_SYNC_LEFT + 1];
    ngx_uint_t                 n;
    char                       folder[NGX_HTTP_ADS_PATH_MAX
                                      + sizeof("/journal")];
    const char                *failed;       /* the call, or NULL */
    ngx_err_t                  err;
    unsigned                   begun:1;      /* the folder has new names */
} ngx_http_ads_sync_work_t;


struct ngx_http_ads_sync_s {
    ngx_http_ads_main_conf_t  *conf;
    ngx_http_ads_live_t       *live;
    ngx_http_ads_journal_t    *journal;
    ngx_log_t                 *log;
    ngx_http_ads_ident_t       ident;

    ngx_queue_t                next;         /* answers of the next sync */
    ngx_queue_t                flying;       /* of this one */
    ngx_thread_task_t         *task;
    ngx_http_ads_sync_work_t  *work;         /* the thread's while it flies */
    ngx_event_t                late;         /* timer */
    struct ads_uuid            uuid;         /* segment it began with */
    unsigned                   flies:1;
    unsigned                   stuck:1;      /* it is late */
};


#define NGX_HTTP_ADS_AUCTIONS_SLOTS  1024
#define NGX_HTTP_ADS_AUCTIONS_USED   768


typedef struct {
    ngx_http_ads_live_t       *live;
    ngx_http_ads_journal_t    *journal;
    struct ads_auctions        asked;        /* of the request at hand */
    uint64_t                   bucket_s;
    ngx_uint_t                 n;
    uint16_t                   used[NGX_HTTP_ADS_AUCTIONS_USED];
    struct ads_auction_count   slots[NGX_HTTP_ADS_AUCTIONS_SLOTS];
} ngx_http_ads_auctions_t;


typedef struct {
    ngx_http_ads_journal_t    *journal;
    ngx_http_ads_auctions_t   *auctions;
    ngx_http_ads_ident_t       ident;
    struct ads_no_ads          no_ads;
    ngx_event_t                flush;        /* timer */
} ngx_http_ads_tally_t;


/* who won a request, until it is known whether their ads are shown */

typedef struct {
    ngx_uint_t                 n;
    struct ads_snap_campaign   campaigns[ADS_DECIDE_MAX];
} ngx_http_ads_winners_t;


struct ngx_http_ads_worker_s {
    ngx_http_ads_main_conf_t  *conf;
    ngx_log_t                 *log;
    ngx_http_ads_ident_t       ident;
    ngx_event_t                watch;        /* 1 s */
    ngx_http_ads_random_t      random;
    struct ads_sealer          sealer;
    struct ads_subkeys         subkeys;
    struct ads_known_keys      known_keys;
    struct ads_text            text;
    ngx_http_ads_live_t        live;
    ngx_http_ads_snapshots_t   snapshots;
    ngx_http_ads_journal_t     journal;
    ngx_http_ads_sync_t        sync;
    ngx_http_ads_tally_t       tally;
    ngx_http_ads_auctions_t    auctions;
};


/* a request: what its answer, its log line and its error page need */

typedef struct {
    ngx_http_ads_main_conf_t  *conf;
    ngx_http_ads_worker_t     *worker;
    ngx_http_ads_snapshot_t   *snapshot;     /* one generation, or NULL */
    struct ads_uuid            id;           /* X-Request-Id */

    enum ads_problem           problem;      /* of the credential */
    const char                *detail;
    const ngx_http_ads_post_t *post;         /* whose body comes; or NULL */
    const ngx_http_ads_form_t *form;         /* of a recommendation */
    struct ads_uuid            publisher;
    const struct ads_snap_key *key;          /* of snapshot; or NULL */

    struct ads_placement       placement;
    char                       country[2];   /* of the place; or zeros */
    ngx_uint_t                 reason;
    ngx_uint_t                 n_ads;
    ngx_uint_t                 match_us;
    const char                *click_class;
    struct ads_uuid            click_id;
    struct ads_uuid            ad_id;
    struct ads_uuid            campaign;
    const ngx_str_t           *fallback;     /* should adsd not answer */
    ngx_str_t                  explain;      /* of the answer; or empty */
    uint32_t                   warnings;     /* bits of enum ads_warning */

    unsigned                   key_checked:1;
    unsigned                   key_in_path:1;
    unsigned                   has_publisher:1;
    unsigned                   test:1;
    unsigned                   decided:1;
    unsigned                   events_counted:1;
    unsigned                   has_click:1;
    unsigned                   has_ad:1;
    unsigned                   has_campaign:1;
} ngx_http_ads_ctx_t;


/* a location that takes a document */

struct ngx_http_ads_post_s {
    size_t                     body_max;     /* bytes */
    ngx_int_t                (*process)(ngx_http_request_t *r,
                                        ngx_http_ads_ctx_t *ctx,
                                        ngx_str_t *text);
};


/* what a recommendation is answered in: JSON or HTML */

struct ngx_http_ads_form_s {
    ngx_int_t                (*show)(ngx_http_request_t *r,
                                     ngx_http_ads_ctx_t *ctx,
                                     ngx_str_t *answer,
                                     struct ads_str language,
                                     struct ads_show *show,
                                     struct ads_decision *decision);
    ngx_int_t                (*no_ad)(ngx_http_request_t *r,
                                      ngx_http_ads_ctx_t *ctx,
                                      ngx_str_t *answer,
                                      enum ads_reason reason);
    ngx_int_t                (*send)(ngx_http_request_t *r,
                                     ngx_http_ads_ctx_t *ctx,
                                     ngx_uint_t status,
                                     const ngx_str_t *answer);
    unsigned                   explains:1;
};


/* a link that somebody follows */

typedef struct {
    struct ads_token           token;
    const struct ads_ring_key *key;          /* which sealed it */
    uint64_t                   age_ms;
} ngx_http_ads_link_t;


/* module */

extern ngx_module_t  ngx_http_ads_module;

/* process: below all other parts */

uint64_t ngx_http_ads_process_now_ms(void);
uint64_t ngx_http_ads_process_clock_ns(clockid_t clock);
void ngx_http_ads_process_random(ngx_http_ads_random_t *random, void *dst,
    size_t len);
void ngx_http_ads_process_event(ngx_event_t *ev, ngx_http_ads_ident_t *ident,
    void *part, ngx_event_handler_pt handler, ngx_log_t *log);
void *ngx_http_ads_process_part(ngx_event_t *ev);

/* worker */

ngx_http_ads_worker_t *ngx_http_ads_worker_begin(
    ngx_http_ads_main_conf_t *amcf, ngx_cycle_t *cycle);
void ngx_http_ads_worker_end(ngx_http_ads_worker_t *worker);

/* request */

ngx_http_ads_ctx_t *ngx_http_ads_request_find(ngx_http_request_t *r);
ngx_http_ads_ctx_t *ngx_http_ads_request_begin(ngx_http_request_t *r);
ngx_http_ads_ctx_t *ngx_http_ads_request_part(ngx_http_request_t *r);
ngx_http_ads_snapshot_t *ngx_http_ads_request_snapshot(
    ngx_http_ads_ctx_t *ctx);
void ngx_http_ads_request_renew(ngx_http_ads_ctx_t *ctx);
size_t ngx_http_ads_request_address(ngx_http_request_t *r, u_char ip[16]);
uint64_t ngx_http_ads_request_session(ngx_http_ads_ctx_t *ctx,
    struct ads_str session_id);
ngx_str_t *ngx_http_ads_request_header(ngx_http_request_t *r,
    const ngx_str_t *name, ngx_uint_t *n);
ngx_int_t ngx_http_ads_request_accepts(ngx_http_request_t *r,
    const char *const *types);

/* live */

void ngx_http_ads_live_watch(ngx_http_ads_live_t *live);
void ngx_http_ads_live_close(ngx_http_ads_live_t *live);
struct ads_live *ngx_http_ads_live_peek(ngx_http_ads_live_t *live);
uint64_t ngx_http_ads_live_word(ngx_http_ads_live_t *live,
    enum ads_live_word word);
void ngx_http_ads_live_serve(ngx_http_ads_live_t *live,
    const struct ads_pick *pick);
uint64_t ngx_http_ads_live_pressure(ngx_http_ads_live_t *live);
void ngx_http_ads_live_append(ngx_http_ads_live_t *live, uint64_t n,
    uint64_t bytes);
void ngx_http_ads_live_show(ngx_http_ads_live_t *live,
    const struct ads_cap *cap);
void ngx_http_ads_live_count(ngx_http_ads_live_t *live,
    ngx_uint_t counter, uint64_t n);

/* snapshot */

ngx_http_ads_snapshot_t *ngx_http_ads_snapshot_take(
    ngx_http_ads_snapshots_t *snapshots);
void ngx_http_ads_snapshot_release(ngx_http_ads_snapshot_t *snapshot);
void ngx_http_ads_snapshot_watch(ngx_http_ads_snapshots_t *snapshots);
void ngx_http_ads_snapshot_close(ngx_http_ads_snapshots_t *snapshots);

/* journal */

ngx_int_t ngx_http_ads_journal_init(ngx_http_ads_journal_t *journal,
    ngx_pool_t *pool);
void ngx_http_ads_journal_close(ngx_http_ads_journal_t *journal);
ngx_http_ads_wait_t *ngx_http_ads_journal_begin(ngx_http_request_t *r,
    ngx_http_ads_journal_t *journal, ngx_http_ads_wait_pt handler, void *data);
void ngx_http_ads_journal_append(ngx_http_ads_wait_t *wait,
    struct ads_event *event, u_char *written);
void ngx_http_ads_journal_end(ngx_http_ads_wait_t *wait);
void ngx_http_ads_journal_count(ngx_http_ads_journal_t *journal,
    struct ads_event *event);

/* segment */

void ngx_http_ads_segment_init(ngx_http_ads_segment_t *segment, char class);
ngx_int_t ngx_http_ads_segment_open(ngx_http_ads_journal_t *journal,
    ngx_http_ads_segment_t *segment);
ngx_int_t ngx_http_ads_segment_rotate(ngx_http_ads_journal_t *journal,
    ngx_http_ads_segment_t *segment);
ssize_t ngx_http_ads_segment_write(ngx_http_ads_journal_t *journal,
    ngx_http_ads_segment_t *segment, u_char *bytes, size_t len);
void ngx_http_ads_segment_close(ngx_http_ads_journal_t *journal,
    ngx_http_ads_segment_t *segment);
void ngx_http_ads_segment_watch(ngx_http_ads_journal_t *journal,
    ngx_http_ads_segment_t *segment);

/* sync */

char *ngx_http_ads_sync_conf(ngx_conf_t *cf, ngx_http_ads_main_conf_t *amcf);
ngx_int_t ngx_http_ads_sync_init(ngx_http_ads_sync_t *sync,
    ngx_pool_t *pool);
void ngx_http_ads_sync_close(ngx_http_ads_sync_t *sync);
void ngx_http_ads_sync_wait(ngx_http_ads_sync_t *sync,
    ngx_http_ads_wait_t *wait);
void ngx_http_ads_sync_start(ngx_http_ads_sync_t *sync);

/* tally */

void ngx_http_ads_tally_init(ngx_http_ads_tally_t *tally, ngx_log_t *log);
void ngx_http_ads_tally_add(ngx_http_ads_tally_t *tally,
    ngx_http_ads_ctx_t *ctx, enum ads_reason reason);
void ngx_http_ads_tally_winners(ngx_http_ads_tally_t *tally,
    ngx_http_ads_winners_t *winners, uint8_t outcome);
void ngx_http_ads_tally_auctions(ngx_http_ads_tally_t *tally,
    ngx_http_ads_ctx_t *ctx);
void ngx_http_ads_tally_flush(ngx_http_ads_tally_t *tally);

/* auctions */

void ngx_http_ads_auctions_add(ngx_http_ads_auctions_t *auctions,
    const struct ads_head *head, uint64_t bucket_s);
void ngx_http_ads_auctions_winners(ngx_http_ads_auctions_t *auctions,
    const struct ads_head *head, ngx_http_ads_winners_t *winners);
void ngx_http_ads_auctions_end(ngx_http_ads_auctions_t *auctions,
    ngx_http_ads_winners_t *winners, uint8_t outcome, uint64_t bucket_s);
void ngx_http_ads_auctions_flush(ngx_http_ads_auctions_t *auctions);

/* key */

ngx_int_t ngx_http_ads_key_check(ngx_http_request_t *r,
    ngx_http_ads_ctx_t *ctx);
ngx_int_t ngx_http_ads_key_use(ngx_http_ads_ctx_t *ctx,
    const struct ads_key *key);

/* body */

enum ads_problem ngx_http_ads_body_check(ngx_http_request_t *r, size_t max);
ngx_int_t ngx_http_ads_body_begin(ngx_http_request_t *r,
    ngx_http_client_body_handler_pt handler);
ngx_int_t ngx_http_ads_body_take(ngx_http_request_t *r, size_t max,
    ngx_str_t *body);

/* post */

ngx_int_t ngx_http_ads_post_begin(ngx_http_request_t *r,
    const ngx_http_ads_post_t *post);
ngx_int_t ngx_http_ads_post_refuse(ngx_http_request_t *r,
    ngx_http_ads_ctx_t *ctx, const struct ads_body_errors *errors);

/* link */

ngx_int_t ngx_http_ads_link_open(ngx_http_request_t *r,
    ngx_http_ads_ctx_t *ctx, const ngx_str_t *path, ngx_http_ads_link_t *link);
ngx_uint_t ngx_http_ads_link_is_prefetch(ngx_http_request_t *r);
ngx_uint_t ngx_http_ads_link_is_navigation(ngx_http_request_t *r);

/* reply */

ngx_int_t ngx_http_ads_reply_header(ngx_http_request_t *r,
    const ngx_str_t *key, const ngx_str_t *value);
ngx_int_t ngx_http_ads_reply_number(ngx_http_request_t *r,
    const ngx_str_t *key, uint64_t value);
ngx_int_t ngx_http_ads_reply_send(ngx_http_request_t *r, ngx_uint_t status,
    const ngx_str_t *type, const ngx_str_t *body);
ngx_int_t ngx_http_ads_reply_json(ngx_http_request_t *r,
    ngx_http_ads_ctx_t *ctx, ngx_uint_t status, const ngx_str_t *body);
ngx_int_t ngx_http_ads_reply_problem(ngx_http_request_t *r,
    enum ads_problem problem, const char *detail,
    const struct ads_body_errors *errors);
ngx_int_t ngx_http_ads_reply_refusal(ngx_http_request_t *r,
    ngx_http_ads_ctx_t *ctx, enum ads_problem problem, const char *detail,
    const struct ads_body_errors *errors);
ngx_int_t ngx_http_ads_reply_method(ngx_http_request_t *r,
    const ngx_str_t *allow);
ngx_int_t ngx_http_ads_reply_redirect(ngx_http_request_t *r,
    const ngx_str_t *location);

/* answer */

ngx_int_t ngx_http_ads_answer_show(ngx_http_request_t *r,
    ngx_http_ads_ctx_t *ctx, ngx_str_t *answer, struct ads_str language,
    struct ads_show *show, struct ads_decision *decision);
ngx_int_t ngx_http_ads_answer_no_ad(ngx_http_request_t *r,
    ngx_http_ads_ctx_t *ctx, ngx_str_t *answer, enum ads_reason reason);

/* recommend */

ngx_int_t ngx_http_ads_recommend_serve(ngx_http_request_t *r,
    ngx_http_ads_ctx_t *ctx, struct ads_recommend_body *body);

/* agent */

ngx_http_ads_agent_t *ngx_http_ads_agent_new(ngx_pool_t *pool);
ngx_uint_t ngx_http_ads_agent_is_robot(const ngx_http_ads_agent_t *table,
    const ngx_str_t *agent);

/* handlers of locations */

ngx_int_t ngx_http_ads_recommend_handler(ngx_http_request_t *r);
ngx_int_t ngx_http_ads_click_handler(ngx_http_request_t *r);
ngx_int_t ngx_http_ads_event_handler(ngx_http_request_t *r);
ngx_int_t ngx_http_ads_impression_handler(ngx_http_request_t *r);
ngx_int_t ngx_http_ads_fragment_handler(ngx_http_request_t *r);
ngx_int_t ngx_http_ads_status_handler(ngx_http_request_t *r);
ngx_int_t ngx_http_ads_problem_handler(ngx_http_request_t *r);

/* fragment */

char *ngx_http_ads_fragment_conf(ngx_conf_t *cf,
    ngx_http_ads_loc_conf_t *alcf);
char *ngx_http_ads_fragment_key_file(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);

/* card */

ngx_int_t ngx_http_ads_card_write(ngx_pool_t *pool, ngx_str_t *json,
    ngx_str_t *html);

/* disclosure */

const ngx_str_t *ngx_http_ads_disclosure_find(ngx_http_ads_main_conf_t *amcf,
    struct ads_str language);
char *ngx_http_ads_disclosure(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/* secret */

ngx_int_t ngx_http_ads_secret_read(ngx_conf_t *cf, ngx_str_t *path, size_t max,
    ngx_str_t *text);

/* ring */

char *ngx_http_ads_ring(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/* docs */

ngx_int_t ngx_http_ads_docs_add(ngx_conf_t *cf);

/* stranger */

ngx_int_t ngx_http_ads_stranger_add(ngx_conf_t *cf);
char *ngx_http_ads_stranger_rate(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);

/* rate */

ngx_int_t ngx_http_ads_rate_add(ngx_conf_t *cf);
char *ngx_http_ads_rate(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
ngx_uint_t ngx_http_ads_rate_take(ngx_http_request_t *r,
    ngx_http_ads_ctx_t *ctx, ngx_uint_t n);

/* mask */

ngx_int_t ngx_http_ads_mask_add(ngx_conf_t *cf);

/* variables */

ngx_int_t ngx_http_ads_variables_add(ngx_conf_t *cf);


#endif /* _NGX_HTTP_ADS_MODULE_H_INCLUDED_ */
