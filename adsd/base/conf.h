/*
 * Configuration file adsd.conf: `key = value` lines, `#` begins a comment.  The
 * table of keys in conf.c is the whole grammar: name, type, default, bounds and
 * a hint.
 *
 * All or nothing: every mistake is reported as file:line with a hint, all of
 * them at once, and nothing is applied when there is one.
 */
#ifndef ADSD_CONF_H
#define ADSD_CONF_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "ads_err.h"
#include "ads_quota.h"
#include "base/log.h"

#define CONF_PATH_DEFAULT "/etc/ads/adsd.conf"

enum conf_topup { CONF_TOPUP_MANUAL, CONF_TOPUP_INSTANT, CONF_TOPUP_WEBHOOK };
/* providers that people may sign in with */
enum conf_provider { CONF_GOOGLE, CONF_GITHUB, CONF_MICROSOFT, CONF_PROVIDERS };

struct conf_oauth {
    char *client_id; /* empty: not offered */
    char *client_secret_file;
    char *issuer;
    char *hosts;         /* more that discovery may lead to; of Google */
    char *authorize_url; /* these three: of GitHub */
    char *token_url;
    char *api_url;
};

struct conf {
    char *database; /* libpq conninfo or URI: may hold a password */
    char *state_path;
    char *run_path;
    char *token_key_file;
    char *jwt_key_file; /* of access tokens: only adsd's */
    char *mail_url;     /* empty: mails go to mail_dir, if that is set */
    char *mail_user;
    char *mail_password_file;
    char *mail_from; /* empty: no-reply@ the host of base_url */
    char *mail_dir;
    char *base_url; /* without a slash at its end */
    char *currency; /* three letters */
    char *sql_path; /* holds migrations/ and code/ */
    char *intent_model;
    char *guard_path; /* the shipped lists of sensitive topics */
    char *guard_file; /* empty: no lists of the operator's */
    char *goods_path; /* the shipped ontology of goods */
    char *goods_file; /* empty: no kinds of the operator's */
    char *log_file;   /* empty: stderr */
    int64_t publisher_share_bps;
    int64_t late_click_s;
    int64_t too_fast_ms; /* these five: sql/code/42_click_rules.sql */
    int64_t burst_clicks;
    int64_t burst_s;
    int64_t repeat_s;
    int64_t crowd_clicks;
    int64_t publisher_approval; /* 0 manual, 1 auto */
    int64_t payout_hold_days;
    int64_t conversions_per_click;
    int64_t conversion_value_max; /* units of the currency */
    int64_t relevance_floor_bps;
    int64_t api_threads;
    int64_t auth_threads;
    int64_t oauth_threads;
    int64_t feed_threads;
    int64_t import_threads;
    int64_t person_per_minute;
    int64_t quotas[ADS_QUOTAS]; /* of an account; the last of a person */
    int64_t api_timeout_s;
    int64_t journal_sync_ms; /* 0: never */
    int64_t journal_retain_h;
    int64_t replica_lag_max_s;
    int64_t journal_max_mb;
    int64_t lock_holder_max_s;
    int64_t base_small_ads;
    int64_t log_level; /* enum log_level */
    struct conf_oauth oauth[CONF_PROVIDERS];
    char *oauth_ca_file; /* empty: the system's */
    bool oauth_allow_private;
    bool review_manual;
    int64_t topup_settlement;        /* enum conf_topup */
    char *topup_webhook_secret_file; /* empty: none */
};

/*
 * Reads the file into *conf, defaults filled in; free with conf_free() in
 * either case.  Mistakes go to `errors`, one a line.  ADS_INVALID when there is
 * any, ADS_IO when the file cannot be read (also told there).
 */
ADS_MUST enum ads_err
conf_read(struct conf *conf, const char *path, FILE *errors);

/* A configuration that says nothing but where the files are that ship with the
 * program: for what needs no installation.  conf_free(). */
void
conf_shipped(struct conf *conf);

/* The same from text; `path` is what messages call it. */
ADS_MUST enum ads_err
conf_parse(struct conf *conf, struct ads_str text, const char *path,
           FILE *errors);

/* Wipes and frees. */
void
conf_free(struct conf *conf);

#endif
