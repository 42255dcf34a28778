/*
 * adsctl: arguments, the table of verbs, and what all verbs share.
 */
#include "ctl/ctl.h"

#include <inttypes.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ads_blank.h"
#include "ads_money.h"
#include "ads_snap.h"
#include "ads_time.h"
#include "ads_utf8.h"
#include "auth/key.h"
#include "base/form.h"
#include "tables/served.h"

#define SERVED_WAIT_MS 10000
#define SERVED_STEP_MS 10


struct verb {
    const char *name;
    int (*run)(struct ctl *ctl, int argc, char **argv);
    const char *usage;
};

static const struct verb verbs[] = {
    {"init", ctl_init,
     "init                      folders, node id, click keys, schema"},
    {"migrate", ctl_migrate,
     "migrate                   bring the schema to this version"},
    {"tenant", ctl_tenant,
     "tenant create --type publisher|advertiser|platform --name N\n"
     "              [--timezone T]\n"
     "tenant list\n"
     "tenant suspend|activate ID"},
    {"user", ctl_user,
     "user create --email E [--name N] [--verified]\n"
     "user list [--email E]\n"
     "user verify ID\n"
     "user password ID <FILE"},
    {"member", ctl_member,
     "member add --account ID --user ID --role owner|editor|viewer\n"
     "member list --account ID\n"
     "member remove --account ID --user ID"},
    {"session", ctl_session,
     "session list [--user ID]\n"
     "session end ID\n"
     "session end --user ID"},
    {"key", ctl_key,
     "key create --account ID [--name N] [--test] [--explain]\n"
     "              [--cidrs 192.0.2.0/24,2001:db8::/32] [--expires TIME]\n"
     "key list --account ID\n"
     "key revoke ID\n"
     "key rotate [--grace SECONDS] ID"},
    {"campaign", ctl_campaign,
     "campaign create --account ID --name N --bid B [--daily D]\n"
     "              [--lifetime L] [--status active|paused|draft]\n"
     "              [--locations US,DE] [--not-locations US-CA]\n"
     "              [--placements inline,card] [--timezone T]\n"
     "campaign list [--account ID]\n"
     "campaign activate|pause|archive ID"},
    {"balance", ctl_balance,
     "balance topup --account ID --amount A --reference R\n"
     "balance reverse --topup ID [--amount A] --reason TEXT --reference R\n"
     "balance reverse --click ID --reason TEXT --reference R\n"
     "balance show --account ID"},
    {"topup", ctl_topup,
     "topup list [--status pending|settled|rejected] [--account ID]\n"
     "topup settle ID\n"
     "topup reject ID --reason TEXT"},
    {"report", ctl_report,
     "report --account ID [--from DAY] [--to DAY]\n"
     "              [--by total|day|month|campaign|placement|country|reason]"},
    {"statement", ctl_statement,
     "statement --account ID [--month MONTH] [--csv]"},
    {"import", ctl_import,
     "import --campaign ID [--base-url URL] [--currency C] [--dry-run]\n"
     "              [--gone keep|archive] [--gone-max PERCENT]\n"
     "              [--report NEW.csv] FILE\n"
     "              JSONL, CSV, TSV or XML; plain, .gz or .zst"},
    {"export", ctl_export,
     "export --campaign ID [--format jsonl|tsv]\n"
     "export --account ID [--format jsonl|tsv]"},
    {"status", ctl_status,
     "status                    what runs, what is served, what waits"},
    {"reload", ctl_reload,
     "reload                    adsd opens its log and reads the click keys"
     " again"},
    {"log-level", ctl_log_level, "log-level debug|info|warn|error"},
    {"explain", ctl_explain,
     "explain [--currency C] [--location L] [--placement P] [--max N]\n"
     "              QUERY"},
    {"intent", ctl_intent,
     "intent < LINES            score and SHOW or NO_AD of each line"},
    {"kinds", ctl_kinds,
     "kinds [--wanted] FILE     what products, or with --wanted the requests\n"
     "              in the lines of FILE, are taken for"},
    {"reconcile", ctl_reconcile, "reconcile [--from DAY] [--to DAY]"},
    {"journal", ctl_journal,
     "journal status\n"
     "journal dump [FILE ...]"},
    {"node", ctl_node,
     "node list\n"
     "node retire ID"},
    {"click-key", ctl_click_key,
     "click-key list|add\n"
     "click-key promote|retire KID"},
    {"jwt-key", ctl_jwt_key,
     "jwt-key list|add\n"
     "jwt-key promote|retire KID"},
    {"audit", ctl_audit,
     "audit list [--account ID] [--actor A] [--since TIME] [--max N]"},
    {"doctor", ctl_doctor,
     "doctor [--nginx FILE]     is all of it as it should be, and what to do"},
    {"routes", ctl_routes,
     "routes                    what adsd answers over HTTP, and to whom"},
    {"completion", ctl_completion, "completion bash|zsh"},
};

#define N_VERBS (sizeof(verbs) / sizeof(verbs[0]))


/* The usage of a verb, `first` before its first line, `next` before the other
 * forms of it and `more` before lines that go on. */
static void
verb_usage(FILE *to, const struct verb *verb, const char *first,
           const char *next, const char *more)
{
    const char *begin = first;

    for (const char *line = verb->usage; line != NULL;) {
        const char *end = strchr(line, '\n');
        int len = end == NULL ? (int)strlen(line) : (int)(end - line);

        fprintf(to, "%s%.*s\n", begin, len, line);
        line = end == NULL ? NULL : end + 1;
        begin = line != NULL && *line == ' ' ? more : next;
    }
}


/* How that verb is used. */
static int
usage_of(FILE *to, const struct verb *verb)
{
    verb_usage(to, verb, "usage: adsctl ", "       adsctl ", "       ");
    return to == stderr ? CTL_USAGE : CTL_OK;
}


static int
usage(FILE *to)
{
    fputs("usage: adsctl [-c adsd.conf] [--json] VERB ...\n"
          "       adsctl help [VERB]\n\n",
          to);
    for (size_t i = 0; i < N_VERBS; i++) {
        verb_usage(to, &verbs[i], "  ", "  ", "  ");
    }
    fputs("\nexit codes: 0 done, 1 refused or different, 2 usage,"
          " 3 database or adsd away\n",
          to);
    return to == stderr ? CTL_USAGE : CTL_OK;
}


const char *
ctl_usage(size_t i, const char **name)
{
    if (i == N_VERBS) {
        return NULL;
    }
    *name = verbs[i].name;
    return verbs[i].usage;
}


int
ctl_refuse(const char *format, ...)
{
    va_list args;

    fputs("adsctl: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return CTL_REFUSED;
}


int
ctl_exit_of(enum ads_err err)
{
    switch (err) {
    case ADS_OK:
        return CTL_OK;
    case ADS_UNAVAILABLE:
    case ADS_BUSY:
        return CTL_AWAY;
    default:
        return CTL_REFUSED;
    }
}


int
ctl_act(struct ctl *ctl, int argc, char **argv,
        const struct ctl_action *actions, size_t n_actions)
{
    for (size_t i = 0; argc > 0 && i < n_actions; i++) {
        if (strcmp(actions[i].name, argv[0]) == 0) {
            return actions[i].run(ctl, argc - 1, argv + 1);
        }
    }
    return CTL_USAGE;
}


struct ads_str
ctl_text(const char *value)
{
    return (struct ads_str){value, value == NULL ? 0 : strlen(value)};
}


struct ads_str *
ctl_list(struct ctl *ctl, const char *value, size_t *n)
{
    struct ads_str *items =
        pool_array(ctl->pool, strlen(value) / 2 + 1, sizeof(*items));

    *n = 0;
    while (*value != '\0') {
        size_t len = strcspn(value, ",");
        struct ads_str item = ads_str_trim((struct ads_str){value, len}, " ");

        if (item.len > 0) {
            items[(*n)++] = item;
        }
        value += len + (value[len] == ',');
    }
    return items;
}


int
ctl_read_id(struct ads_uuid *id, const char *what, const char *text)
{
    if (ads_uuid_read(id, (struct ads_str){text, strlen(text)})) {
        return CTL_OK;
    }
    return ctl_refuse("%s: not an id: %s", what, text);
}


int
ctl_only_id(struct ads_uuid *id, const char *noun, int argc, char **argv)
{
    int n;
    int rc = ctl_options(argc, argv, NULL, 0, 1, 1, &n);

    return rc == CTL_OK ? ctl_read_id(id, noun, argv[0]) : rc;
}


int
ctl_read_money(int64_t *micros, const char *what, const char *text)
{
    if (ads_money_read(micros, (struct ads_str){text, strlen(text)},
                       ADS_MONEY_UNSIGNED)
        == ADS_OK)
    {
        return CTL_OK;
    }
    return ctl_refuse("%s: not an amount such as 12.50: %s", what, text);
}


int
ctl_text_check(const char *what, const char *text, size_t least, size_t most)
{
    struct ads_str value = ctl_text(text);
    size_t n;

    if (!ads_utf8_check(value)) {
        return ctl_refuse("%s: not UTF-8", what);
    }
    if (!form_is_plain(value, false)) {
        return ctl_refuse("%s: holds characters that are not allowed", what);
    }
    n = ads_utf8_count(value);
    if (n < least || n > most) {
        return ctl_refuse("%s: %zu to %zu characters", what, least, most);
    }
    return least > 0 && ads_blank_is(value)
               ? ctl_refuse("%s: shows nothing", what)
               : CTL_OK;
}


/* A text that `rest` completes to a time, as its day since 1970. */
static bool
day_read(int32_t *day, const char *text, const char *rest)
{
    char whole[] = "0000-00-00T00:00:00Z";
    size_t len = strlen(text);
    int64_t ms;

    if (len + strlen(rest) != strlen(whole)) {
        return false;
    }
    memcpy(whole, text, len);
    memcpy(whole + len, rest, strlen(rest));
    if (!ads_time_read(&ms, ctl_text(whole))) {
        return false;
    }
    *day = (int32_t)(ms / 86400000);
    return true;
}


int
ctl_read_day(int32_t *day, const char *what, const char *text)
{
    return day_read(day, text, "T00:00:00Z")
               ? CTL_OK
               : ctl_refuse("%s: not a day such as 2026-01-31: %s", what, text);
}


int
ctl_days_check(const char *from, const char *to)
{
    int32_t first = INT32_MIN, last = INT32_MAX;
    int rc = from == NULL ? CTL_OK : ctl_read_day(&first, "--from", from);

    if (rc == CTL_OK && to != NULL) {
        rc = ctl_read_day(&last, "--to", to);
    }
    return rc == CTL_OK && first > last
               ? ctl_refuse("--from %s is after --to %s", from, to)
               : rc;
}


int
ctl_read_month(int32_t *day, const char *what, const char *text)
{
    return day_read(day, text, "-01T00:00:00Z")
               ? CTL_OK
               : ctl_refuse("%s: not a month such as 2026-11: %s", what, text);
}


bool
ctl_read_number(uint32_t *number, const char *text, uint32_t max)
{
    uint64_t value = 0;

    if (*text == '\0') {
        return false;
    }
    for (; *text != '\0'; text++) {
        if (!ads_char_is_digit(*text)) {
            return false;
        }
        value = value * 10 + (uint64_t)(*text - '0');
        if (value > max) {
            return false;
        }
    }
    *number = (uint32_t)value;
    return true;
}


int
ctl_read_choice(const char *what, const char *text, const char *const choices[])
{
    for (size_t i = 0; choices[i] != NULL; i++) {
        if (strcmp(choices[i], text) == 0) {
            return CTL_OK;
        }
    }

    fprintf(stderr, "adsctl: %s: not one of", what);
    for (size_t i = 0; choices[i] != NULL; i++) {
        fprintf(stderr, " %s", choices[i]);
    }
    fprintf(stderr, ": %s\n", text);
    return CTL_REFUSED;
}


bool
ctl_placement_check(struct ads_str name)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789_.-";

    return name.len >= 1 && name.len <= 64
           && strspn(name.ptr, allowed) >= name.len;
}


static const struct ctl_option *
option_find(const struct ctl_option *options, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(options[i].name, name) == 0) {
            return &options[i];
        }
    }
    return NULL;
}


/* Takes the option at argv[*i] and what belongs to it. */
static int
option_take(int argc, char **argv, int *i, const struct ctl_option *options,
            size_t n_options, uint32_t *given)
{
    const char *name = argv[*i] + 2;
    const struct ctl_option *option = option_find(options, n_options, name);
    uint32_t bit;

    if (option == NULL && strcmp(name, "json") == 0) {
        ctl_refuse("--json stands before the verb");
        return CTL_USAGE;
    }
    if (option == NULL) {
        ctl_refuse("unknown option --%s", name);
        return CTL_USAGE;
    }

    bit = UINT32_C(1) << (option - options);
    if ((*given & bit) != 0) {
        ctl_refuse("--%s is given twice", name);
        return CTL_USAGE;
    }
    *given |= bit;

    if (option->flag != NULL) {
        *option->flag = true;

    } else if (++*i < argc) {
        *option->value = argv[*i];

    } else {
        ctl_refuse("--%s needs a value", name);
        return CTL_USAGE;
    }
    return CTL_OK;
}


int
ctl_options(int argc, char **argv, const struct ctl_option *options,
            size_t n_options, int least, int most, int *n_args)
{
    bool only_args = false;
    uint32_t given = 0;

    *n_args = 0;
    for (int i = 0; i < argc; i++) {
        if (only_args || strncmp(argv[i], "--", 2) != 0) {
            argv[(*n_args)++] = argv[i];
            continue;
        }
        if (argv[i][2] == '\0') {
            only_args = true;

        } else if (option_take(argc, argv, &i, options, n_options, &given)
                   != CTL_OK) {
            return CTL_USAGE;
        }
    }

    for (size_t i = 0; i < n_options; i++) {
        if (options[i].required && (given & UINT32_C(1) << i) == 0) {
            ctl_refuse("--%s is missing", options[i].name);
            return CTL_USAGE;
        }
    }
    if (*n_args < least || *n_args > most) {
        ctl_refuse("%s", *n_args < least ? "an argument is missing"
                                         : "too many arguments");
        return CTL_USAGE;
    }
    return CTL_OK;
}


static const struct db_stmt STMT_CHANGE = {
    .name = "ctl_change",
    .sql = "select c.n from ads.change c",
    .n_params = 0,
};


static void
pause_ms(long ms)
{
    struct timespec pause = {.tv_nsec = ms * 1000000};

    nanosleep(&pause, NULL);
}


/* Waits until `change` is served.  CTL_AWAY, told, when it is not in time. */
static int
served_wait(struct ctl *ctl, struct served_state *state, uint64_t change)
{
    for (int waited = 0; waited < SERVED_WAIT_MS; waited += SERVED_STEP_MS) {
        served_look(state, &ctl->conf, ctl->log);
        if (!state->running) {
            fputs("committed; adsd does not run here, it will be served when"
                  " it starts\n",
                  stderr);
            return CTL_OK;
        }
        if (state->served_change >= change) {
            return CTL_OK;
        }
        pause_ms(SERVED_STEP_MS);
    }

    ctl_refuse("committed, but adsd has not published it within %d s;"
               " see its log",
               SERVED_WAIT_MS / 1000);
    return CTL_AWAY;
}


int
ctl_served(struct ctl *ctl)
{
    struct served_state state = {0};
    struct db_args args;
    struct db_rows *rows;
    uint64_t change;
    bool served;
    int rc;

    db_args_init(&args, ctl->pool);
    rc = ctl_ask(ctl, &STMT_CHANGE, &args, &rows);
    if (rc == CTL_OK) {
        change = (uint64_t)db_int(rows, 0, 0);
        rc = served_wait(ctl, &state, change);
    }
    served = rc == CTL_OK && state.running;

    if (ctl->json) {
        if (!ctl->json_open) {
            ctl_json_begin(ctl);
        }
        ctl_json_bool(ctl, "served", served);
        if (served) {
            ctl_json_int(ctl, "generation", (int64_t)state.generation);
        }
        ctl_json_end(ctl);

    } else if (served) {
        fprintf(stderr, "served: generation %" PRIu64 "\n", state.generation);
    }
    return rc;
}


/* "ctl:" and who runs it, for the audit log. */
static const char *
actor_name(struct ctl *ctl)
{
    const struct passwd *user = getpwuid(getuid());
    size_t len;

    return user == NULL
               ? pool_format(ctl->pool, &len, "ctl:%u", (unsigned)getuid())
               : pool_format(ctl->pool, &len, "ctl:%s", user->pw_name);
}


/* Closes what a verb printed, and tells how it is used where it was not so. */
static int
verb_end(const struct verb *verb, struct ctl *ctl, int rc)
{
    if (ctl->json_open) {
        ctl_json_end(ctl);
    }
    if (rc == CTL_USAGE) {
        usage_of(stderr, verb);
    }
    if ((fflush(stdout) != 0 || ferror(stdout)) && rc == CTL_OK) {
        rc = ctl_refuse("could not write the answer");
    }
    return rc;
}


static int
verb_run(const struct verb *verb, struct ctl *ctl, int argc, char **argv)
{
    struct db_options options = {
        .duty = DB_CTL, .conninfo = ctl->conf.database, .log = ctl->log};
    int rc;

    ctl->pool = pool_new();
    options.actor = actor_name(ctl);
    ctl->db = db_new(&options);

    rc = verb_end(verb, ctl, verb->run(ctl, argc, argv));

    db_free(ctl->db);
    pool_free(ctl->pool);
    return rc;
}


static const struct verb *
verb_find(const char *name)
{
    for (size_t i = 0; i < N_VERBS; i++) {
        if (strcmp(verbs[i].name, name) == 0) {
            return &verbs[i];
        }
    }
    return NULL;
}


static int
help(int argc, char **argv)
{
    /* the usage of a verb has all its actions: one may be named, too */
    const struct verb *verb = argc > 0 ? verb_find(argv[0]) : NULL;

    if (argc == 0) {
        return usage(stdout);
    }
    if (verb == NULL) {
        ctl_refuse("unknown verb %s", argv[0]);
        return usage(stderr);
    }
    return usage_of(stdout, verb);
}


/* Is help with the verb asked for, before anything that ends its options? */
static bool
asks_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            return true;
        }
    }
    return false;
}


int
ctl_main(int argc, char **argv)
{
    const char *const standard_path = CONF_PATH_DEFAULT;
    const char *path = standard_path;
    const struct verb *verb;
    struct ctl ctl = {0};
    int i, rc;

    for (i = 1; i < argc && argv[i][0] == '-'; i++) {
        if (strcmp(argv[i], "-c") == 0 && i + 1 < argc) {
            path = argv[++i];

        } else if (strcmp(argv[i], "--json") == 0) {
            ctl.json = true;

        } else if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
        {
            return usage(stdout);

        } else {
            return usage(stderr);
        }
    }

    if (i < argc && strcmp(argv[i], "help") == 0) {
        return help(argc - i - 1, argv + i + 1);
    }
    verb = i < argc ? verb_find(argv[i]) : NULL;
    if (verb != NULL && asks_help(argc - i - 1, argv + i + 1)) {
        return usage_of(stdout, verb);
    }
    if (verb == NULL && i < argc) {
        ctl_refuse("unknown verb %s", argv[i]);
    }
    if (verb == NULL || !auth_key_init()) {
        return usage(stderr);
    }

    if (verb->run == ctl_completion || verb->run == ctl_routes) {
        /* say nothing about an installation, and need none */
        return verb_end(verb, &ctl,
                        verb->run(&ctl, argc - i - 1, argv + i + 1));
    }

    if ((verb->run == ctl_intent || verb->run == ctl_kinds)
        && path == standard_path && access(path, R_OK) != 0)
    {
        conf_shipped(&ctl.conf); /* nothing is installed: nor is it needed */
    } else if (conf_read(&ctl.conf, path, stderr) != ADS_OK) {
        conf_free(&ctl.conf);
        return CTL_REFUSED;
    }

    ctl.log = log_open_plain("adsctl", LOG_WARN);
    rc = verb_run(verb, &ctl, argc - i - 1, argv + i + 1);
    log_close(ctl.log);
    conf_free(&ctl.conf);
    return rc;
}
