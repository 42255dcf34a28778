/*
 * Parses adsd.conf.  The table of keys is the grammar; one loop reads it.
 * Values are text to the end of the line: a `#` begins a comment only at the
 * beginning of a line or after white space, so that a URL or a password may
 * hold one.
 */
#include "base/conf.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ads_money.h"
#include "base/pool.h"

#define CONF_LEN_MAX (1024 * 1024)
#define SPACES " \t\r"

enum conf_type { CONF_TEXT, CONF_PATH, CONF_NUMBER, CONF_CHOICE };

struct conf_key {
    const char *name;
    enum conf_type type;
    size_t offset;
    const char *standard; /* NULL: the key must be there */
    int64_t least;        /* of a number, or of a text's length */
    int64_t most;
    const char *choices[5]; /* a choice's value is its place here */
    bool is_bool;           /* where a choice is kept */
    const char *hint;
    bool (*check)(struct ads_str value);
};

static bool
check_base_url(struct ads_str value);
static bool
check_provider_url(struct ads_str value);
static bool
check_hosts(struct ads_str value);
static bool
check_mail_url(struct ads_str value);
static bool
check_mail_from(struct ads_str value);

#define AT(member) offsetof(struct conf, member)

static const struct conf_key keys[] = {
    {.name = "database",
     .type = CONF_TEXT,
     .offset = AT(database),
     .least = 1,
     .most = 4096,
     .hint = "a libpq connection string, such as host=/run/postgresql "
             "dbname=ads"},
    {.name = "state_path",
     .type = CONF_PATH,
     .offset = AT(state_path),
     .least = 1,
     .standard = "/var/lib/ads",
     .hint = "an absolute folder on a real disk, the same as ads_state_path "
             "of nginx"},
    {.name = "run_path",
     .type = CONF_PATH,
     .offset = AT(run_path),
     .least = 1,
     .standard = "/run/ads",
     .most = 80,
     .hint = "an absolute folder of at most 80 characters on a tmpfs, the same "
             "as ads_run_path of nginx"},
    {.name = "token_key_file",
     .type = CONF_PATH,
     .offset = AT(token_key_file),
     .least = 1,
     .standard = "/etc/ads/click.keys",
     .hint = "an absolute file, the same as ads_token_key_file of nginx"},
    {.name = "jwt_key_file",
     .type = CONF_PATH,
     .offset = AT(jwt_key_file),
     .standard = "",
     .hint = "an absolute file that only adsd may read; jwt.keys in state_path "
             "when not said"},
    {.name = "mail_url",
     .type = CONF_TEXT,
     .offset = AT(mail_url),
     .standard = "",
     .most = 512,
     .check = check_mail_url,
     .hint = "smtp://host[:port] or smtps://host[:port]"},
    {.name = "mail_user",
     .type = CONF_TEXT,
     .offset = AT(mail_user),
     .standard = "",
     .most = 256,
     .hint = "the login at the mail server, at most 256 characters"},
    {.name = "mail_password_file",
     .type = CONF_PATH,
     .offset = AT(mail_password_file),
     .standard = "",
     .hint = "an absolute file whose first line is the password"},
    {.name = "mail_from",
     .type = CONF_TEXT,
     .offset = AT(mail_from),
     .standard = "",
     .most = 320,
     .check = check_mail_from,
     .hint = "ASCII: an address, or Name <address>"},
    {.name = "mail_dir",
     .type = CONF_PATH,
     .offset = AT(mail_dir),
     .standard = "",
     .hint = "an absolute folder for .eml files, instead of mail_url"},
    {.name = "base_url",
     .type = CONF_TEXT,
     .offset = AT(base_url),
     .least = 8,
     .most = 512,
     .check = check_base_url,
     .hint = "the public address without a slash at its end, such as "
             "https://ads.example.org"},
    {.name = "currency",
     .type = CONF_TEXT,
     .offset = AT(currency),
     .standard = "USD",
     .least = 3,
     .most = 3,
     .check = ads_currency_check,
     .hint = "three capital letters (ISO 4217), such as USD"},
    {.name = "sql_path",
     .type = CONF_PATH,
     .offset = AT(sql_path),
     .standard = "",
     .hint = "the absolute folder that holds migrations/ and code/; found next "
             "to the program when not said"},
    {.name = "intent_model",
     .type = CONF_PATH,
     .offset = AT(intent_model),
     .standard = "",
     .hint = "the absolute path of intent.model; found next to the program "
             "when not said"},
    {.name = "guard_path",
     .type = CONF_PATH,
     .offset = AT(guard_path),
     .standard = "",
     .hint = "the absolute folder of the lists of sensitive topics; found next "
             "to the program when not said"},
    {.name = "guard_file",
     .type = CONF_PATH,
     .offset = AT(guard_file),
     .standard = "",
     .hint = "an absolute file of further sensitive words; none when not said"},
    {.name = "goods_path",
     .type = CONF_PATH,
     .offset = AT(goods_path),
     .standard = "",
     .hint = "the absolute folder of the ontology of goods; found next to the "
             "program when not said"},
    {.name = "goods_file",
     .type = CONF_PATH,
     .offset = AT(goods_file),
     .standard = "",
     .hint = "an absolute file of further kinds of goods; none when not said"},
    {.name = "log_file",
     .type = CONF_PATH,
     .offset = AT(log_file),
     .standard = "",
     .hint = "an absolute file; stderr when not said"},
    {.name = "log_level",
     .type = CONF_CHOICE,
     .offset = AT(log_level),
     .standard = "info",
     .choices = {"debug", "info", "warn", "error"},
     .hint = "debug, info, warn or error"},
    {.name = "publisher_share_bps",
     .type = CONF_NUMBER,
     .offset = AT(publisher_share_bps),
     .standard = "7000",
     .least = 0,
     .most = 10000,
     .hint = "hundredths of a percent, 0 to 10000; 7000 is 70 %"},
    {.name = "late_click_s",
     .type = CONF_NUMBER,
     .offset = AT(late_click_s),
     .standard = "600",
     .least = 0,
     .most = 86400,
     .hint = "seconds that clicks stay billable after their campaign stopped, "
             "0 to 86400"},
    {.name = "too_fast_ms",
     .type = CONF_NUMBER,
     .offset = AT(too_fast_ms),
     .standard = "200",
     .least = 0,
     .most = 60000,
     .hint = "milliseconds after serving in which no one clicks, 0 to 60000"},
    {.name = "burst_clicks",
     .type = CONF_NUMBER,
     .offset = AT(burst_clicks),
     .standard = "5",
     .least = 0,
     .most = 100000,
     .hint = "clicks of an address on a campaign within burst_s, 1 to 100000; "
             "0: any number"},
    {.name = "burst_s",
     .type = CONF_NUMBER,
     .offset = AT(burst_s),
     .standard = "10",
     .least = 1,
     .most = 3600,
     .hint = "1 to 3600 seconds"},
    {.name = "repeat_s",
     .type = CONF_NUMBER,
     .offset = AT(repeat_s),
     .standard = "1800",
     .least = 0,
     .most = 86400,
     .hint = "seconds in which a session's clicks on one ad count once, 0 to "
             "86400"},
    {.name = "crowd_clicks",
     .type = CONF_NUMBER,
     .offset = AT(crowd_clicks),
     .standard = "60",
     .least = 0,
     .most = 100000,
     .hint = "clicks of an address on a campaign within repeat_s, 1 to "
             "100000; 0: any number"},
    {.name = "conversions_per_click",
     .type = CONF_NUMBER,
     .offset = AT(conversions_per_click),
     .standard = "20",
     .least = 1,
     .most = 10000,
     .hint = "1 to 10000 conversions of one reporter"},
    {.name = "conversion_value_max",
     .type = CONF_NUMBER,
     .offset = AT(conversion_value_max),
     .standard = "100000",
     .least = 1,
     .most = 1000000000,
     .hint = "1 to 1000000000 units of the currency"},
    {.name = "publisher_approval",
     .type = CONF_CHOICE,
     .offset = AT(publisher_approval),
     .standard = "manual",
     .choices = {"manual", "auto"},
     .hint = "manual or auto"},
    {.name = "payout_hold_days",
     .type = CONF_NUMBER,
     .offset = AT(payout_hold_days),
     .standard = "30",
     .least = 0,
     .most = 365,
     .hint = "days, 0 to 365"},
    {.name = "relevance_floor_bps",
     .type = CONF_NUMBER,
     .offset = AT(relevance_floor_bps),
     .standard = "4000",
     .least = 1,
     .most = 10000,
     .hint = "hundredths of a percent, 1 to 10000; 4000 is 40 %"},
    {.name = "api_threads",
     .type = CONF_NUMBER,
     .offset = AT(api_threads),
     .standard = "8",
     .least = 1,
     .most = 256,
     .hint = "1 to 256; each has its own database connection"},
    {.name = "auth_threads",
     .type = CONF_NUMBER,
     .offset = AT(auth_threads),
     .standard = "4",
     .least = 1,
     .most = 64,
     .hint = "1 to 64; each has its own database connection"},
    {.name = "oauth_threads",
     .type = CONF_NUMBER,
     .offset = AT(oauth_threads),
     .standard = "2",
     .least = 1,
     .most = 64,
     .hint = "1 to 64; each has its own database connection"},
    {.name = "feed_threads",
     .type = CONF_NUMBER,
     .offset = AT(feed_threads),
     .standard = "2",
     .least = 1,
     .most = 64,
     .hint = "1 to 64; each has its own database connection"},
    {.name = "import_threads",
     .type = CONF_NUMBER,
     .offset = AT(import_threads),
     .standard = "2",
     .least = 1,
     .most = 16,
     .hint = "1 to 16; each has two database connections"},
    {.name = "person_per_minute",
     .type = CONF_NUMBER,
     .offset = AT(person_per_minute),
     .standard = "600",
     .least = 1,
     .most = 60000,
     .hint = "1 to 60000 requests of one person"},
    {.name = "campaigns_max",
     .type = CONF_NUMBER,
     .offset = AT(quotas[ADS_QUOTA_CAMPAIGNS]),
     .standard = "10000",
     .least = 1,
     .most = 1000000,
     .hint = "1 to 1000000 campaigns of one account"},
    {.name = "products_max",
     .type = CONF_NUMBER,
     .offset = AT(quotas[ADS_QUOTA_PRODUCTS]),
     .standard = "5000000",
     .least = 1,
     .most = 100000000,
     .hint = "1 to 100000000 products of one account"},
    {.name = "members_max",
     .type = CONF_NUMBER,
     .offset = AT(quotas[ADS_QUOTA_MEMBERS]),
     .standard = "1000",
     .least = 1,
     .most = 100000,
     .hint = "1 to 100000 members of one account"},
    {.name = "keys_max",
     .type = CONF_NUMBER,
     .offset = AT(quotas[ADS_QUOTA_KEYS]),
     .standard = "10",
     .least = 1,
     .most = 1000,
     .hint = "1 to 1000 usable keys of one account"},
    {.name = "topups_max",
     .type = CONF_NUMBER,
     .offset = AT(quotas[ADS_QUOTA_TOPUPS]),
     .standard = "100",
     .least = 1,
     .most = 100000,
     .hint = "1 to 100000 pending top-ups of one account"},
    {.name = "campaigns_per_day",
     .type = CONF_NUMBER,
     .offset = AT(quotas[ADS_QUOTA_CAMPAIGNS_MADE]),
     .standard = "20000",
     .least = 1,
     .most = 10000000,
     .hint = "1 to 10000000 campaigns that one account makes"},
    {.name = "products_per_day",
     .type = CONF_NUMBER,
     .offset = AT(quotas[ADS_QUOTA_PRODUCTS_MADE]),
     .standard = "20000000",
     .least = 1,
     .most = 1000000000,
     .hint = "1 to 1000000000 products that one account makes"},
    {.name = "keys_per_day",
     .type = CONF_NUMBER,
     .offset = AT(quotas[ADS_QUOTA_KEYS_MADE]),
     .standard = "1000",
     .least = 1,
     .most = 100000,
     .hint = "1 to 100000 keys that one account makes"},
    {.name = "imports_per_day",
     .type = CONF_NUMBER,
     .offset = AT(quotas[ADS_QUOTA_IMPORTS]),
     .standard = "2000",
     .least = 1,
     .most = 1000000,
     .hint = "1 to 1000000 feeds of one account"},
    {.name = "import_mb_per_day",
     .type = CONF_NUMBER,
     .offset = AT(quotas[ADS_QUOTA_IMPORT_MB]),
     .standard = "20480",
     .least = 1,
     .most = 10000000,
     .hint = "1 to 10000000 MiB of feeds of one account"},
    {.name = "report_seconds_per_hour",
     .type = CONF_NUMBER,
     .offset = AT(quotas[ADS_QUOTA_REPORT_SECONDS]),
     .standard = "600",
     .least = 1,
     .most = 36000,
     .hint = "1 to 36000 seconds of reports of one account"},
    {.name = "mails_per_day",
     .type = CONF_NUMBER,
     .offset = AT(quotas[ADS_QUOTA_MAILS]),
     .standard = "200",
     .least = 1,
     .most = 100000,
     .hint = "1 to 100000 invitations of one account"},
    {.name = "person_mails_per_day",
     .type = CONF_NUMBER,
     .offset = AT(quotas[ADS_QUOTA_PERSON_MAILS]),
     .standard = "20",
     .least = 1,
     .most = 1000,
     .hint = "1 to 1000 mails that one person asks for"},
    {.name = "api_timeout_s",
     .type = CONF_NUMBER,
     .offset = AT(api_timeout_s),
     .standard = "10",
     .least = 1,
     .most = 300,
     .hint = "seconds for one request, 1 to 300"},
    {.name = "journal_sync_ms",
     .type = CONF_NUMBER,
     .offset = AT(journal_sync_ms),
     .standard = "100",
     .least = 0,
     .most = 60000,
     .hint = "milliseconds between two syncs of the journal, 0 to 60000; 0 "
             "leaves it to the kernel"},
    {.name = "journal_retain_h",
     .type = CONF_NUMBER,
     .offset = AT(journal_retain_h),
     .standard = "24",
     .least = 0,
     .most = 8760,
     .hint = "hours that committed segments stay, 0 to 8760"},
    {.name = "replica_lag_max_s",
     .type = CONF_NUMBER,
     .offset = AT(replica_lag_max_s),
     .standard = "3600",
     .least = 0,
     .most = 31536000,
     .hint = "seconds that a database which takes over may be behind, 0 to "
             "31536000"},
    {.name = "journal_max_mb",
     .type = CONF_NUMBER,
     .offset = AT(journal_max_mb),
     .standard = "4096",
     .least = 1,
     .most = 1048576,
     .hint = "MiB of the journal that may wait for the database, 1 to "
             "1048576; 4096 are 4 GiB"},
    {.name = "lock_holder_max_s",
     .type = CONF_NUMBER,
     .offset = AT(lock_holder_max_s),
     .standard = "60",
     .least = 1,
     .most = 86400,
     .hint = "seconds that a session of adsd's login may keep an advertiser "
             "from being billed, 1 to 86400"},
    {.name = "base_small_ads",
     .type = CONF_NUMBER,
     .offset = AT(base_small_ads),
     .standard = "4096",
     .least = 0,
     .most = 1000000,
     .hint = "ads up to which a change of one makes a whole new base, 0 to "
             "1000000"},
    {.name = "oauth_google_client_id",
     .type = CONF_TEXT,
     .offset = AT(oauth[CONF_GOOGLE].client_id),
     .standard = "",
     .most = 256,
     .hint = "the id that the provider gave this service"},
    {.name = "oauth_google_client_secret_file",
     .type = CONF_PATH,
     .offset = AT(oauth[CONF_GOOGLE].client_secret_file),
     .standard = "",
     .hint = "an absolute file of mode 0600"},
    {.name = "oauth_google_issuer",
     .type = CONF_TEXT,
     .offset = AT(oauth[CONF_GOOGLE].issuer),
     .standard = "https://accounts.google.com",
     .least = 8,
     .most = 512,
     .check = check_provider_url,
     .hint = "an https address without a slash at its end"},
    {.name = "oauth_google_hosts",
     .type = CONF_TEXT,
     .offset = AT(oauth[CONF_GOOGLE].hosts),
     .standard = "oauth2.googleapis.com www.googleapis.com",
     .most = 512,
     .check = check_hosts,
     .hint = "host names in lower case, a space between two"},
    {.name = "oauth_github_client_id",
     .type = CONF_TEXT,
     .offset = AT(oauth[CONF_GITHUB].client_id),
     .standard = "",
     .most = 256,
     .hint = "the id that the provider gave this service"},
    {.name = "oauth_github_client_secret_file",
     .type = CONF_PATH,
     .offset = AT(oauth[CONF_GITHUB].client_secret_file),
     .standard = "",
     .hint = "an absolute file of mode 0600"},
    {.name = "oauth_github_issuer",
     .type = CONF_TEXT,
     .offset = AT(oauth[CONF_GITHUB].issuer),
     .standard = "https://github.com/login/oauth",
     .least = 8,
     .most = 512,
     .check = check_provider_url,
     .hint = "an https address without a slash at its end"},
    {.name = "oauth_github_authorize_url",
     .type = CONF_TEXT,
     .offset = AT(oauth[CONF_GITHUB].authorize_url),
     .standard = "https://github.com/login/oauth/authorize",
     .least = 8,
     .most = 512,
     .check = check_provider_url,
     .hint = "an https address without a slash at its end"},
    {.name = "oauth_github_token_url",
     .type = CONF_TEXT,
     .offset = AT(oauth[CONF_GITHUB].token_url),
     .standard = "https://github.com/login/oauth/access_token",
     .least = 8,
     .most = 512,
     .check = check_provider_url,
     .hint = "an https address without a slash at its end"},
    {.name = "oauth_github_api_url",
     .type = CONF_TEXT,
     .offset = AT(oauth[CONF_GITHUB].api_url),
     .standard = "https://api.github.com",
     .least = 8,
     .most = 512,
     .check = check_provider_url,
     .hint = "an https address without a slash at its end"},
    {.name = "oauth_microsoft_client_id",
     .type = CONF_TEXT,
     .offset = AT(oauth[CONF_MICROSOFT].client_id),
     .standard = "",
     .most = 256,
     .hint = "the id that the provider gave this service"},
    {.name = "oauth_microsoft_client_secret_file",
     .type = CONF_PATH,
     .offset = AT(oauth[CONF_MICROSOFT].client_secret_file),
     .standard = "",
     .hint = "an absolute file of mode 0600"},
    {.name = "oauth_microsoft_issuer",
     .type = CONF_TEXT,
     .offset = AT(oauth[CONF_MICROSOFT].issuer),
     .standard = "https://login.microsoftonline.com/{tenantid}/v2.0",
     .least = 8,
     .most = 512,
     .check = check_provider_url,
     .hint = "an https address without a slash at its end"},
    {.name = "oauth_ca_file",
     .type = CONF_PATH,
     .offset = AT(oauth_ca_file),
     .standard = "",
     .hint = "an absolute file of certificates (PEM); the system's when not "
             "said"},
    {.name = "oauth_allow_private",
     .type = CONF_CHOICE,
     .offset = AT(oauth_allow_private),
     .standard = "off",
     .choices = {"off", "on"},
     .is_bool = true,
     .hint = "off; on is for tests only"},
    {.name = "review",
     .type = CONF_CHOICE,
     .offset = AT(review_manual),
     .standard = "auto",
     .choices = {"auto", "manual"},
     .is_bool = true,
     .hint = "auto or manual"},
    {.name = "topup_settlement",
     .type = CONF_CHOICE,
     .offset = AT(topup_settlement),
     .standard = "manual",
     .choices = {"manual", "instant", "webhook"},
     .hint = "manual or webhook; instant is for tests only"},
    {.name = "topup_webhook_secret_file",
     .type = CONF_PATH,
     .offset = AT(topup_webhook_secret_file),
     .standard = "",
     .hint = "an absolute file that only adsd may read, with the secret that "
             "the payment provider signs with"},
};

#define N_KEYS (sizeof(keys) / sizeof(keys[0]))

struct reader {
    struct conf *conf;
    const char *path;
    FILE *errors;
    unsigned line;
    unsigned n_errors;
    unsigned seen[N_KEYS]; /* line where it was said, 0: not */
};


/* An address with a scheme of the web and a host, and without `bad`. */
static bool
check_url(struct ads_str value, const char *bad)
{
    static const char *const schemes[] = {"https://", "http://"};
    const char *rest = NULL;
    size_t len;

    for (size_t i = 0; i < 2; i++) {
        len = strlen(schemes[i]);
        if (value.len > len && ads_str_starts(value, schemes[i])) {
            rest = value.ptr + len;
        }
    }
    if (rest == NULL || *rest == '/' || value.ptr[value.len - 1] == '/') {
        return false;
    }
    for (size_t i = 0; i < value.len; i++) {
        if ((uint8_t)value.ptr[i] <= ' ' || (uint8_t)value.ptr[i] >= 0x7f
            || strchr(bad, value.ptr[i]) != NULL)
        {
            return false;
        }
    }
    return true;
}


static bool
check_base_url(struct ads_str value)
{
    return check_url(value, "\"<>\\^`{|}?#");
}


/* The same with room for {tenantid}. */
static bool
check_provider_url(struct ads_str value)
{
    return check_url(value, "\"<>\\^`|?#@");
}


static bool
check_hosts(struct ads_str value)
{
    for (size_t i = 0; i < value.len; i++) {
        char c = value.ptr[i];

        if (!ads_char_is_lower(c) && !ads_char_is_digit(c) && c != '.'
            && c != '-' && c != ' ')
        {
            return false;
        }
    }
    return true;
}


/* No credentials inside: they have keys of their own. */
static bool
check_mail_url(struct ads_str value)
{
    static const char *const schemes[] = {"smtp://", "smtps://"};

    for (size_t i = 0; i < 2; i++) {
        size_t len = strlen(schemes[i]);

        if (value.len > len && ads_str_starts(value, schemes[i])) {
            for (size_t j = len; j < value.len; j++) {
                if ((uint8_t)value.ptr[j] <= ' ' || value.ptr[j] == '@'
                    || (uint8_t)value.ptr[j] >= 0x7f)
                {
                    return false;
                }
            }
            return true;
        }
    }
    return value.len == 0;
}


static bool
check_mail_from(struct ads_str value)
{
    for (size_t i = 0; i < value.len; i++) {
        if ((uint8_t)value.ptr[i] < ' ' || (uint8_t)value.ptr[i] >= 0x7f) {
            return false;
        }
    }
    return value.len == 0 || memchr(value.ptr, '@', value.len) != NULL;
}


/* "key =#x" says no more than "key = #x". */
static struct ads_str
cut_comment(struct ads_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '#'
            && (i == 0
                || memchr(SPACES, text.ptr[i - 1], strlen(SPACES)) != NULL))
        {
            text.len = i;
        }
    }
    return text;
}


static void
complain(struct reader *reader, const char *what, struct ads_str name,
         const char *hint)
{
    (void)fprintf(reader->errors, "%s:%u: %s", reader->path, reader->line,
                  what);
    if (name.len > 0) {
        (void)fprintf(reader->errors, " \"");
        for (size_t i = 0; i < name.len && i < 64; i++) {
            (void)fputc(name.ptr[i] > ' ' && name.ptr[i] < 0x7f ? name.ptr[i]
                                                                : '?',
                        reader->errors);
        }
        (void)fprintf(reader->errors, "\"");
    }
    if (hint != NULL) {
        (void)fprintf(reader->errors, " (%s)", hint);
    }
    (void)fputc('\n', reader->errors);
    reader->n_errors++;
}


static bool
read_number(const struct conf_key *key, struct ads_str value, int64_t *number)
{
    int64_t n = 0;

    if (value.len == 0 || value.len > 12) {
        return false;
    }
    for (size_t i = 0; i < value.len; i++) {
        if (!ads_char_is_digit(value.ptr[i])) {
            return false;
        }
        n = n * 10 + (value.ptr[i] - '0');
    }
    *number = n;
    return n >= key->least && n <= key->most;
}


static bool
read_choice(const struct conf_key *key, struct ads_str value, int64_t *number)
{
    for (int i = 0; key->choices[i] != NULL; i++) {
        if (ads_str_is(value, key->choices[i])) {
            *number = i;
            return true;
        }
    }
    return false;
}


static bool
text_fits(const struct conf_key *key, struct ads_str value)
{
    size_t most = key->most > 0 ? (size_t)key->most : 1024;

    if (memchr(value.ptr, '\0', value.len) != NULL || value.len > most
        || value.len < (size_t)key->least)
    {
        return false;
    }
    if (key->type == CONF_PATH && value.len > 0 && value.ptr[0] != '/') {
        return false;
    }
    return key->check == NULL || key->check(value);
}


static bool
key_apply(const struct conf_key *key, struct conf *conf, struct ads_str value)
{
    char *place = (char *)conf + key->offset;
    char **text = (char **)(void *)place;
    int64_t number = 0;

    if (key->type == CONF_NUMBER || key->type == CONF_CHOICE) {
        if (!(key->type == CONF_NUMBER ? read_number(key, value, &number)
                                       : read_choice(key, value, &number)))
        {
            return false;
        }
        if (key->is_bool) {
            *(bool *)place = number != 0;
        } else {
            *(int64_t *)(void *)place = number;
        }
        return true;
    }

    if (!text_fits(key, value)) {
        return false;
    }
    free(*text);
    *text = xmalloc(value.len + 1);
    memcpy(*text, value.ptr, value.len);
    (*text)[value.len] = '\0';
    return true;
}


static void
read_line(struct reader *reader, struct ads_str line)
{
    struct ads_str name, value;
    const char *equals;
    size_t i;

    line = ads_str_trim(cut_comment(line), SPACES);
    if (line.len == 0) {
        return;
    }
    equals = memchr(line.ptr, '=', line.len);
    if (equals == NULL) {
        complain(reader, "no \"=\" in", line, "key = value");
        return;
    }
    name.ptr = line.ptr;
    name.len = (size_t)(equals - line.ptr);
    value = cut_comment(ads_str_tail(line, name.len + 1));
    value = ads_str_trim(value, SPACES);
    name = ads_str_trim(name, SPACES);

    for (i = 0; i < N_KEYS; i++) {
        if (ads_str_is(name, keys[i].name)) {
            break;
        }
    }
    if (i == N_KEYS) {
        complain(reader, "unknown key", name,
                 "docs/adsd.conf.md lists the keys");
        return;
    }
    if (reader->seen[i] != 0) {
        complain(reader, "said twice:", name, keys[i].hint);
        return;
    }
    reader->seen[i] = reader->line;
    if (!key_apply(&keys[i], reader->conf, value)) {
        complain(reader, "not a value of", name, keys[i].hint);
    }
}


/* What was not said: its default, or a complaint about the file as a whole. */
static void
fill_in(struct reader *reader)
{
    struct ads_str name, value;

    for (size_t i = 0; i < N_KEYS; i++) {
        if (reader->seen[i] != 0) {
            continue;
        }
        name = (struct ads_str){keys[i].name, strlen(keys[i].name)};
        if (keys[i].standard == NULL) {
            complain(reader, "missing:", name, keys[i].hint);
            continue;
        }
        value = (struct ads_str){keys[i].standard, strlen(keys[i].standard)};
        if (!key_apply(&keys[i], reader->conf, value)) {
            abort(); /* a default outside its own bounds */
        }
    }
}


static unsigned
line_of(const struct reader *reader, const char *name)
{
    for (size_t i = 0; i < N_KEYS; i++) {
        if (strcmp(keys[i].name, name) == 0) {
            return reader->seen[i];
        }
    }
    return 0;
}


/* What is wrong only together; told at the line that was said. */
static void
check_together(struct reader *reader)
{
    const struct conf *conf = reader->conf;
    unsigned line = line_of(reader, "journal_retain_h");

    if (conf->journal_retain_h * 3600 < conf->replica_lag_max_s) {
        reader->line = line != 0 ? line : line_of(reader, "replica_lag_max_s");
        complain(reader,
                 "shorter than replica_lag_max_s:", ADS_STR("journal_retain_h"),
                 "a database that takes over so late is brought up to date "
                 "from segments that are gone by then; raise it, or lower "
                 "replica_lag_max_s");
    }
}


enum ads_err
conf_parse(struct conf *conf, struct ads_str text, const char *path,
           FILE *errors)
{
    struct reader reader = {.conf = conf, .path = path, .errors = errors};
    const char *end;
    struct ads_str line;

    memset(conf, 0, sizeof(*conf));
    while (text.len > 0) {
        end = memchr(text.ptr, '\n', text.len);
        line.ptr = text.ptr;
        line.len = end == NULL ? text.len : (size_t)(end - text.ptr);
        reader.line++;
        read_line(&reader, line);
        line.len += end == NULL ? 0 : 1;
        text.ptr += line.len;
        text.len -= line.len;
    }
    fill_in(&reader);
    if (reader.n_errors == 0) {
        check_together(&reader);
    }
    return reader.n_errors > 0 ? ADS_INVALID : ADS_OK;
}


/* The whole file, NULL with errno set when it cannot be read. */
static char *
file_read(const char *path, size_t *len)
{
    struct stat st;
    char *text = NULL;
    ssize_t n;
    int fd;

    *len = 0;
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return NULL;
    }
    if (fstat(fd, &st) == 0 && !S_ISREG(st.st_mode)) {
        errno = EINVAL;
    } else if (st.st_size > CONF_LEN_MAX) {
        errno = EFBIG;
    } else {
        text = xmalloc(CONF_LEN_MAX);
        while ((n = read(fd, text + *len, CONF_LEN_MAX - *len)) > 0) {
            *len += (size_t)n;
        }
        if (n < 0) {
            free(text);
            text = NULL;
        }
    }
    (void)close(fd);
    return text;
}


/* `path` when it exists, with what stands before the program's folder. */
static char *
path_near(const char *folder, const char *path)
{
    size_t len = strlen(folder) + strlen(path) + 2;
    char *whole = xmalloc(len);

    (void)snprintf(whole, len, "%s/%s", folder, path);
    if (access(whole, R_OK) != 0) {
        free(whole);
        return NULL;
    }
    return whole;
}


/* What ships with the program and was not said: in a source tree it lies next
 * to build/, installed under share/. */
static void
locate(char **value, const char *in_tree, const char *installed)
{
    char folder[4096];
    char *slash, *found = NULL;
    ssize_t n;

    n = readlink("/proc/self/exe", folder, sizeof(folder) - 1);
    if ((*value)[0] != '\0' || n <= 0) {
        return;
    }
    folder[n] = '\0';
    for (int i = 0; i < 2; i++) { /* the program, then its folder */
        slash = strrchr(folder, '/');
        if (slash == NULL) {
            return;
        }
        *slash = '\0';
    }
    found = path_near(folder, in_tree);
    if (found == NULL) {
        found = path_near(folder, installed);
    }
    if (found != NULL) {
        free(*value);
        *value = found;
    }
}


/* What lies in state_path when not said. */
static void
place(char **value, const char *state_path, const char *name)
{
    size_t len = strlen(state_path) + strlen(name) + 2;

    if ((*value)[0] == '\0') {
        free(*value);
        *value = xmalloc(len);
        (void)snprintf(*value, len, "%s/%s", state_path, name);
    }
}


/* Where what ships with the program lies, unless that was said. */
static void
shipped_locate(struct conf *conf)
{
    locate(&conf->sql_path, "sql", "share/ngx-ads");
    locate(&conf->intent_model, "data/intent.model",
           "share/ngx-ads/intent.model");
    locate(&conf->guard_path, "data/guard", "share/ngx-ads/guard");
    locate(&conf->goods_path, "data/goods", "share/ngx-ads/goods");
}


void
conf_shipped(struct conf *conf)
{
    memset(conf, 0, sizeof(*conf));
    conf->sql_path = xstrdup("");
    conf->intent_model = xstrdup("");
    conf->guard_path = xstrdup("");
    conf->guard_file = xstrdup("");
    conf->goods_path = xstrdup("");
    conf->goods_file = xstrdup("");
    shipped_locate(conf);
}


enum ads_err
conf_read(struct conf *conf, const char *path, FILE *errors)
{
    enum ads_err err;
    size_t len;
    char *text;

    memset(conf, 0, sizeof(*conf));
    text = file_read(path, &len);
    if (text == NULL) {
        (void)fprintf(errors, "%s: could not read the configuration: %s\n",
                      path, strerror(errno));
        return ADS_IO;
    }
    err = conf_parse(conf, (struct ads_str){text, len}, path, errors);
    explicit_bzero(text, len);
    free(text);
    if (err == ADS_OK) {
        place(&conf->jwt_key_file, conf->state_path, "jwt.keys");
        shipped_locate(conf);
    }
    return err;
}


void
conf_free(struct conf *conf)
{
    char **text;

    for (size_t i = 0; i < N_KEYS; i++) {
        if (keys[i].type != CONF_TEXT && keys[i].type != CONF_PATH) {
            continue;
        }
        text = (char **)(void *)((char *)conf + keys[i].offset);
        if (*text != NULL) {
            explicit_bzero(*text, strlen(*text));
            free(*text);
            *text = NULL;
        }
    }
}
