/*
 * adsctl campaign: lists and changes campaigns.
 */
#include <stdio.h>
#include <string.h>

#include "ads_money.h"
#include "ads_place.h"
#include "ads_placement.h"
#include "ctl/verbs.h"

#define BID_LEAST "0.000001"
#define BUDGET_LEAST "1.00"

static const struct db_stmt STMT_CREATE = {
    .name = "ctl_campaign_create",
    .sql = "insert into ads.campaigns"
           "    (account_id, name, bid_micros, daily_budget_micros,"
           "     lifetime_budget_micros, status, timezone, targeting) "
           "select a.id, $2, $3, $4, $5, $6, coalesce($7, a.timezone),"
           "    jsonb_strip_nulls(jsonb_build_object("
           "        'locations', to_jsonb($8::text[]),"
           "        'not_locations', to_jsonb($9::text[]),"
           "        'placements', to_jsonb($10::text[]))) "
           "from ads.accounts a "
           "where a.id = $1 and a.type = 'advertiser' "
           "returning id",
    .n_params = 10,
};

static const struct db_stmt STMT_LIST = {
    .name = "ctl_campaign_list",
    .sql = "select c.id, c.account_id, c.name, c.status, c.bid_micros,"
           "    coalesce(s.spent_micros, 0) "
           "from ads.campaigns c "
           "left join ads.campaign_spend s on s.campaign_id = c.id "
           "where $1::uuid is null or c.account_id = $1 "
           "order by c.created_at, c.id",
    .n_params = 1,
};

enum campaign_column {
    CAMPAIGN_ID,
    CAMPAIGN_ACCOUNT,
    CAMPAIGN_NAME,
    CAMPAIGN_STATUS,
    CAMPAIGN_BID,
    CAMPAIGN_SPENT
};

static const struct db_stmt STMT_STATUS = {
    .name = "ctl_campaign_status",
    .sql = "update ads.campaigns set status = $2 where id = $1 returning id",
    .n_params = 2,
};

struct wanted {
    const char *account;
    const char *name;
    const char *bid;
    const char *daily;
    const char *lifetime;
    const char *status;
    const char *timezone;
    const char *locations;
    const char *not_locations;
    const char *placements;
};


/*
 * An optional amount as a parameter; *micros becomes it, or stays.  The least
 * is what the table takes.
 */
static int
money_arg(struct db_args *args, const char *what, const char *text,
          const char *least, int64_t *micros)
{
    int64_t least_micros;
    int rc;

    if (text == NULL) {
        db_arg_null(args);
        return CTL_OK;
    }

    rc = ctl_read_money(micros, what, text);
    if (rc == CTL_OK) {
        rc = ctl_read_money(&least_micros, what, least);
    }
    if (rc == CTL_OK && *micros < least_micros) {
        rc = ctl_refuse("%s: at least %s", what, least);
    }
    if (rc == CTL_OK) {
        db_arg_int8(args, *micros);
    }
    return rc;
}


/* Bid and budgets as parameters: a budget that does not pay one click sells
 * nothing. */
static int
amounts_arg(struct db_args *args, const struct wanted *wanted)
{
    int64_t bid = 0, daily = INT64_MAX, lifetime = INT64_MAX;
    int rc;

    rc = money_arg(args, "--bid", wanted->bid, BID_LEAST, &bid);
    if (rc == CTL_OK) {
        rc = money_arg(args, "--daily", wanted->daily, BUDGET_LEAST, &daily);
    }
    if (rc == CTL_OK) {
        rc = money_arg(args, "--lifetime", wanted->lifetime, BUDGET_LEAST,
                       &lifetime);
    }
    if (rc == CTL_OK && (bid > daily || bid > lifetime)) {
        rc = ctl_refuse("--bid: is above the %s budget",
                        bid > daily ? "daily" : "lifetime");
    }
    return rc;
}


/* An optional list as a parameter; every item is checked here, because what
 * is not known would silently never match. */
static int
list_arg(struct ctl *ctl, struct db_args *args, const char *what,
         const char *text, bool places)
{
    struct ads_str *items;
    struct ads_place place;
    size_t n;

    if (text == NULL) {
        db_arg_null(args);
        return CTL_OK;
    }

    items = ctl_list(ctl, text, &n);
    if (n == 0) {
        return ctl_refuse("%s: names none", what);
    }
    for (size_t i = 0; i < n; i++) {
        if (places ? !ads_place_read(&place, items[i])
                   : !ctl_placement_check(items[i])) {
            return ctl_refuse("%s: not known: %.*s", what, (int)items[i].len,
                              items[i].ptr);
        }
    }
    db_arg_texts(args, items, n);
    return CTL_OK;
}


static int
create_args(struct ctl *ctl, struct db_args *args, const struct wanted *wanted)
{
    static const char *const states[] = {"active", "paused", "draft", NULL};
    struct ads_uuid account;
    int rc;

    db_args_init(args, ctl->pool);
    rc = ctl_read_id(&account, "--account", wanted->account);
    if (rc == CTL_OK) {
        rc = ctl_read_choice("--status", wanted->status, states);
    }
    if (rc == CTL_OK && wanted->daily == NULL && wanted->lifetime == NULL) {
        rc = ctl_refuse("a campaign has a budget: --daily or --lifetime");
    }
    if (rc == CTL_OK) {
        rc = ctl_text_check("--name", wanted->name, 1, 200);
    }
    if (rc == CTL_OK) {
        rc = ctl_timezone_check(ctl, wanted->timezone);
    }
    if (rc != CTL_OK) {
        return rc;
    }

    db_arg_uuid(args, &account);
    db_arg_text(args, ctl_text(wanted->name));
    rc = amounts_arg(args, wanted);
    if (rc != CTL_OK) {
        return rc;
    }

    db_arg_text(args, ctl_text(wanted->status));
    db_arg_text(args, ctl_text(wanted->timezone));
    rc = list_arg(ctl, args, "--locations", wanted->locations, true);
    if (rc == CTL_OK) {
        rc =
            list_arg(ctl, args, "--not-locations", wanted->not_locations, true);
    }
    if (rc == CTL_OK) {
        rc = list_arg(ctl, args, "--placements", wanted->placements, false);
    }
    return rc;
}


static int
create(struct ctl *ctl, int argc, char **argv)
{
    struct wanted wanted = {.status = "paused"};
    const struct ctl_option options[] = {
        {"account", true, NULL, &wanted.account},
        {"name", true, NULL, &wanted.name},
        {"bid", true, NULL, &wanted.bid},
        {"daily", false, NULL, &wanted.daily},
        {"lifetime", false, NULL, &wanted.lifetime},
        {"status", false, NULL, &wanted.status},
        {"timezone", false, NULL, &wanted.timezone},
        {"locations", false, NULL, &wanted.locations},
        {"not-locations", false, NULL, &wanted.not_locations},
        {"placements", false, NULL, &wanted.placements},
    };
    struct db_args args;
    struct db_rows *rows;
    struct ads_uuid id;
    int n, rc;

    rc = ctl_options(argc, argv, options, 10, 0, 0, &n);
    if (rc == CTL_OK) {
        rc = create_args(ctl, &args, &wanted);
    }
    if (rc == CTL_OK) {
        rc = ctl_ask_one(ctl, &STMT_CREATE, &args, &rows, "advertiser");
    }
    if (rc != CTL_OK) {
        return rc;
    }

    id = db_uuid(rows, 0, DB_ONLY);
    ctl_made(ctl, &id);
    if (ctl->json) {
        ctl_json_text(ctl, "name", ctl_text(wanted.name));
        ctl_json_text(ctl, "status", ctl_text(wanted.status));
    }
    return ctl_served(ctl);
}


static void
row_print(struct ctl *ctl, const struct db_rows *rows, int i)
{
    struct ads_uuid id = db_uuid(rows, i, CAMPAIGN_ID);
    struct ads_uuid account = db_uuid(rows, i, CAMPAIGN_ACCOUNT);
    struct ads_str name = db_text(rows, i, CAMPAIGN_NAME);
    struct ads_str status = db_text(rows, i, CAMPAIGN_STATUS);
    char text[ADS_UUID_TEXT_LEN];
    char bid[ADS_MONEY_TEXT_MAX + 1], spent[ADS_MONEY_TEXT_MAX + 1];

    if (ctl->json) {
        ctl_json_begin(ctl);
        ctl_json_id(ctl, "id", &id);
        ctl_json_id(ctl, "account_id", &account);
        ctl_json_text(ctl, "name", name);
        ctl_json_text(ctl, "status", status);
        ctl_json_money(ctl, "bid", db_int(rows, i, CAMPAIGN_BID));
        ctl_json_money(ctl, "spent", db_int(rows, i, CAMPAIGN_SPENT));
        ctl_json_end(ctl);
        return;
    }

    ads_uuid_write(text, &id);
    *ads_money_write(bid, db_int(rows, i, CAMPAIGN_BID)) = '\0';
    *ads_money_write(spent, db_int(rows, i, CAMPAIGN_SPENT)) = '\0';
    printf("%.*s  %-8.*s  bid %-8s spent %-12s %.*s\n", (int)sizeof(text), text,
           (int)status.len, status.ptr, bid, spent, (int)name.len, name.ptr);
}


static int
list(struct ctl *ctl, int argc, char **argv)
{
    const char *account = NULL;
    const struct ctl_option options[] = {{"account", false, NULL, &account}};
    struct db_args args;
    int n, rc;

    db_args_init(&args, ctl->pool);
    rc = ctl_options(argc, argv, options, 1, 0, 0, &n);
    if (rc == CTL_OK) {
        rc = ctl_account_check(ctl, account);
    }
    if (rc == CTL_OK) {
        rc = ctl_arg_id(&args, "--account", account);
    }
    return rc == CTL_OK ? ctl_rows(ctl, &STMT_LIST, &args, row_print) : rc;
}


static int
activate(struct ctl *ctl, int argc, char **argv)
{
    static const struct ctl_state state = {&STMT_STATUS, "campaign", "active"};

    return ctl_set_state(ctl, argc, argv, &state);
}


static int
pause_it(struct ctl *ctl, int argc, char **argv)
{
    static const struct ctl_state state = {&STMT_STATUS, "campaign", "paused"};

    return ctl_set_state(ctl, argc, argv, &state);
}


static int
archive(struct ctl *ctl, int argc, char **argv)
{
    static const struct ctl_state state = {&STMT_STATUS, "campaign",
                                           "archived"};

    return ctl_set_state(ctl, argc, argv, &state);
}


int
ctl_campaign(struct ctl *ctl, int argc, char **argv)
{
    static const struct ctl_action actions[] = {
        {"create", create},  {"list", list},       {"activate", activate},
        {"pause", pause_it}, {"archive", archive},
    };

    return ctl_act(ctl, argc, argv, actions, 5);
}
