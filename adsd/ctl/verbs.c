/*
 * Table of adsctl's verbs, their usage, and the look-up of one.
 */
#include "ctl/verbs.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "auth/key.h"

static const struct ctl_verb verbs[] = {
    {"init", ctl_init,
     "init                      folders, node id, click keys, schema"},
    {"migrate", ctl_migrate,
     "migrate                   bring the schema to this version"},
    {"tenant", ctl_tenant,
     "tenant create --type publisher|advertiser|platform --name N\n"
     "              [--timezone T]\n"
     "tenant list\n"
     "tenant suspend|activate|approve ID\n"
     "tenant quota ID [NAME NUMBER|default]"},
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
     "              [--decimal point|comma] [--map COLUMN:FIELD,...]\n"
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
     "journal dump [FILE ...]\n"
     "journal replay --from-backup [--dry-run]"},
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
verb_usage(FILE *to, const struct ctl_verb *verb, const char *first,
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
usage_of(FILE *to, const struct ctl_verb *verb)
{
    verb_usage(to, verb, "usage: adsctl ", "       adsctl ", "       ");
    return to == stderr ? CTL_USAGE : CTL_OK;
}


static int
usage(FILE *to)
{
    fputs("usage: adsctl [-c adsd.conf] [-d DATABASE] [--json] VERB ...\n"
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
verb_end(const struct ctl_verb *verb, struct ctl *ctl, int rc)
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
verb_run(const struct ctl_verb *verb, struct ctl *ctl, int argc, char **argv)
{
    struct db_options options = {
        .duty = DB_CTL, .conninfo = ctl->conf.database, .log = ctl->log};
    int rc;

    ctl->pool = pool_new();
    options.actor = ctl->actor = actor_name(ctl);
    ctl->db = db_new(&options);

    rc = verb_end(verb, ctl, verb->run(ctl, argc, argv));

    db_free(ctl->db);
    pool_free(ctl->pool);
    return rc;
}


static const struct ctl_verb *
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
    const struct ctl_verb *verb = argc > 0 ? verb_find(argv[0]) : NULL;

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
    const char *database = NULL;
    const struct ctl_verb *verb;
    struct ctl ctl = {.verbs = verbs, .n_verbs = N_VERBS};
    int i, rc;

    for (i = 1; i < argc && argv[i][0] == '-'; i++) {
        if (strcmp(argv[i], "-c") == 0 && i + 1 < argc) {
            path = argv[++i];

        } else if (strcmp(argv[i], "-d") == 0 && i + 1 < argc) {
            database = argv[++i];

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

    if (database != NULL) {
        free(ctl.conf.database);
        ctl.conf.database = xstrdup(database);
    }
    ctl.log = log_open_plain("adsctl", LOG_WARN);
    rc = verb_run(verb, &ctl, argc - i - 1, argv + i + 1);
    log_close(ctl.log);
    conf_free(&ctl.conf);
    return rc;
}
