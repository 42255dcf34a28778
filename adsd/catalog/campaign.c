/*
 * The fields of a campaign: the table, and before it what is odd about some.
 * What varies between the lists of targeting is a table, too.
 */
#include "catalog/campaign.h"

#include <stddef.h>
#include <stdio.h>

#include "ads_place.h"
#include "ads_target.h"
#include "base/language.h"

#define AMOUNT_MAX INT64_C(1000000000000000)
#define BUDGET_MIN INT64_C(1000000)
#define TIME_MIN_US INT64_C(946684800000000) /* the year 2000 */
#define CLICK_WINDOW_DAYS 30

static const char *const pricings[] = {"cpc", "cpm", NULL};
static const char *const pacings[] = {"even", "asap", NULL};
static const char *const states[] = {"draft", "paused", "active", "archived",
                                     NULL};

/* Names of the lists in the table below. */
#define TARGETING_CSV                                                      \
    "targeting.locations,targeting.not_locations,targeting.placements,"    \
    "targeting.publishers,targeting.keywords,targeting.negative_keywords," \
    "targeting.categories,targeting.languages"

struct target {
    const char *name;
    uint32_t n_max;
    uint32_t chars_max;
    const char *(*fault)(struct ads_str text); /* what is wrong, or NULL */
};


static const char *
place_fault(struct ads_str text)
{
    struct ads_place place;

    return ads_place_read(&place, text) ? NULL : "is no place that is known";
}


static const char *
placement_fault(struct ads_str text)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789_.-";

    for (size_t i = 0; i < text.len; i++) {
        if (memchr(allowed, text.ptr[i], sizeof(allowed) - 1) == NULL) {
            return "must be of a to z, 0 to 9, underscore, dot and dash";
        }
    }
    return NULL;
}


static const char *
uuid_fault(struct ads_str text)
{
    struct ads_uuid id;

    return ads_uuid_read(&id, text) ? NULL : "must be a UUID";
}


static const char *
language_fault(struct ads_str text)
{
    return language_check(text) ? NULL
                                : "must be a language tag such as en or pt-BR";
}


static const char *
keyword_fault(struct ads_str text)
{
    const struct ads_text plain = {NULL};
    struct ads_snap_keyword keyword;

    return ads_target_keyword_read(&keyword, &plain, text)
               ? NULL
               : "must have one to eight words";
}


/* In the order of answers. */
static const struct target targets[] = {
    {"locations", 500, 128, place_fault},
    {"not_locations", 500, 128, place_fault},
    {"placements", 100, 64, placement_fault},
    {"publishers", 500, 36, uuid_fault},
    {"keywords", 2000, 80, keyword_fault},
    {"negative_keywords", 2000, 80, keyword_fault},
    {"categories", 100, 200, NULL},
    {"languages", 50, 35, language_fault},
};

#define N_TARGETS (sizeof(targets) / sizeof(targets[0]))


/* ---- targeting ---- */

static void
list_check(struct form *form, const struct target *target,
           const struct ads_str *items, size_t n)
{
    char at[ADS_BODY_POINTER_MAX];

    for (size_t i = 0; target->fault != NULL && i < n; i++) {
        const char *why = target->fault(items[i]);

        if (why != NULL) {
            (void)snprintf(at, sizeof(at), "%s/%zu", target->name, i);
            form_error(form, at, "invalid_format", why);
        }
    }
}


/* The list of one target, as the body says or else as it was; empty ones are
 * left out. */
static void
target_write(const struct target *target, struct form *form,
             const struct doc *was, struct json *json)
{
    const struct doc *list = doc_find(was, target->name);
    struct ads_str *items;
    size_t n = 0;

    if (form_is_null(form, target->name)) {
        list = NULL;
    }
    if (form_texts(form, target->name, FORM_OPTIONAL, target->n_max,
                   target->chars_max, &items, &n))
    {
        list_check(form, target, items, n);
        list = NULL;
    }
    if (n == 0 && (list == NULL || list->n == 0)) {
        return;
    }
    json_array_begin(json, target->name);
    for (size_t i = 0; i < n; i++) {
        json_string(json, NULL, items[i]);
    }
    for (const struct doc *item = list == NULL ? NULL : list->first;
         item != NULL; item = item->next)
    {
        json_string(json, NULL, item->text);
    }
    json_array_end(json);
}


static void
targeting_read(const struct field *field, struct form *form, void *record,
               bool create)
{
    struct ads_str *targeting = field_text(field, record);
    struct pool *pool = form->pool;
    struct form inner;
    struct json json;
    struct doc *was;
    const char *why;

    (void)create;
    if (form_is_null(form, field->name)) {
        *targeting = ADS_STR("{}");
    }
    if (!form_object(form, field->name, FORM_OPTIONAL, &inner)) {
        return;
    }
    was = doc_read(pool, pool_text(pool, *targeting), targeting->len, &why);
    json_init(&json, pool);
    json_object_begin(&json, NULL);
    for (size_t i = 0; i < N_TARGETS; i++) {
        target_write(&targets[i], &inner, was, &json);
    }
    json_object_end(&json);
    *targeting = json_text(&json);
}


/* ---- the rest ---- */

/* The order of errors is older than that of answers: the three choices come
 * first, and the external id is behind the time zone. */
static void
choices_read(const struct field *field, struct form *form, void *record,
             bool create)
{
    field_form(field, form, record, create);
    field_form(fields_find(&campaign_fields, "status"), form, record, create);
    field_form(fields_find(&campaign_fields, "pacing"), form, record, create);
}


static void
timezone_read(const struct field *field, struct form *form, void *record,
              bool create)
{
    field_form(field, form, record, create);
    field_form(fields_find(&campaign_fields, "external_id"), form, record,
               create);
}


static void
time_read(const struct field *field, struct form *form, void *record,
          bool create)
{
    int64_t *unix_us = field_number(field, record);

    (void)create;
    if (form_is_null(form, field->name)) {
        *unix_us = 0;
    }
    if (form_time(form, field->name, FORM_OPTIONAL, unix_us)
        && *unix_us < TIME_MIN_US)
    {
        form_error(form, field->name, "out_of_range",
                   "must not be before the year 2000");
    }
}


static void
end_check(const struct field *field, struct form *form, const void *record)
{
    const struct campaign *campaign = record;

    if (campaign->start_us != 0 && campaign->end_us != 0
        && campaign->end_us <= campaign->start_us)
    {
        form_error(form, field->name, "out_of_range", "must be after start_at");
    }
}


/* Both budgets: one of them is needed. */
static void
budget_read(const struct field *field, struct form *form, void *record,
            bool create)
{
    const struct campaign *campaign = record;
    struct form inner;

    if (!form_object(form, "budget", create ? FORM_REQUIRED : FORM_KEPT,
                     &inner)) {
        return;
    }
    field_form(field, &inner, record, create);
    field_form(fields_find(&campaign_fields, "budget.lifetime"), &inner, record,
               create);
    if (campaign->daily_micros == 0 && campaign->lifetime_micros == 0
        && !form_has(&inner, "daily") && !form_has(&inner, "lifetime"))
    {
        form_error(&inner, NULL, "required", "needs daily, lifetime or both");
    }
}


/* A budget that does not pay one click sells nothing. */
static void
bid_check(struct form *form, const struct campaign *campaign)
{
    if (campaign->daily_micros != 0
        && campaign->bid_micros > campaign->daily_micros)
    {
        form_error(form, "bid", "out_of_range", "is above the daily budget");
    } else if (campaign->lifetime_micros != 0
               && campaign->bid_micros > campaign->lifetime_micros)
    {
        form_error(form, "bid", "out_of_range", "is above the lifetime budget");
    }
}


/* Both numbers of the cap, or none. */
static void
frequency_read(const struct field *field, struct form *form, void *record,
               bool create)
{
    struct campaign *campaign = record;
    struct form inner;

    (void)field;
    (void)create;
    if (form_is_null(form, "frequency_cap")) {
        campaign->frequency_count = 0;
        campaign->frequency_window_s = 0;
    }
    if (!form_object(form, "frequency_cap", FORM_OPTIONAL, &inner)) {
        return;
    }
    (void)form_int(&inner, "count", FORM_REQUIRED, 1, 1000,
                   &campaign->frequency_count);
    (void)form_int(&inner, "window_s", FORM_REQUIRED, 60, 86400,
                   &campaign->frequency_window_s);
}


static void
attribution_read(const struct field *field, struct form *form, void *record,
                 bool create)
{
    struct form inner;

    if (form_is_null(form, "attribution")) {
        *field_number(field, record) = CLICK_WINDOW_DAYS;
    }
    if (form_object(form, "attribution", FORM_OPTIONAL, &inner)) {
        field_form(field, &inner, record, create);
    }
}


/* ---- the table ---- */

#define AT(member) offsetof(struct campaign, member)
#define GIVEN FIELD_GIVEN
#define OPTIONAL (FIELD_GIVEN | FIELD_NULL)
#define REQUIRED (FIELD_GIVEN | FIELD_REQUIRED)

static const struct field list[] = {
    {"id", .type = FIELD_UUID},
    {"name", FIELD_TEXT, REQUIRED, AT(name), .least = 1, .most = 200},
    {"status", FIELD_TEXT, GIVEN | FIELD_WITH, AT(status), .choices = states},
    {"serving_status", .type = FIELD_TEXT},
    {"reasons", .type = FIELD_JSON},
    {"pricing", FIELD_TEXT, GIVEN, AT(pricing), .choices = pricings,
     .read = choices_read},
    {"bid", FIELD_MONEY, REQUIRED, AT(bid_micros), .least = 1,
     .most = AMOUNT_MAX},
    {"currency", .type = FIELD_TEXT},
    {"budget.daily", FIELD_MONEY, OPTIONAL, AT(daily_micros),
     .least = BUDGET_MIN, .most = AMOUNT_MAX, .column = "daily_budget_micros",
     .read = budget_read},
    {"budget.lifetime", FIELD_MONEY, OPTIONAL | FIELD_WITH, AT(lifetime_micros),
     .least = BUDGET_MIN, .most = AMOUNT_MAX,
     .column = "lifetime_budget_micros"},
    {"start_at", FIELD_TIME, OPTIONAL, AT(start_us), .read = time_read},
    {"end_at", FIELD_TIME, OPTIONAL, AT(end_us), .read = time_read,
     .check = end_check},
    {"timezone", FIELD_TEXT, GIVEN, AT(timezone), .least = 1, .most = 100,
     .read = timezone_read},
    {"pacing", FIELD_TEXT, GIVEN | FIELD_WITH, AT(pacing), .choices = pacings},
    {"targeting", FIELD_JSON, GIVEN, AT(targeting), .read = targeting_read,
     .csv = TARGETING_CSV},
    {"frequency_cap.count", FIELD_INT, OPTIONAL | FIELD_NULLS,
     AT(frequency_count), .column = "frequency_count", .read = frequency_read},
    {"frequency_cap.window_s", FIELD_INT, OPTIONAL | FIELD_WITH,
     AT(frequency_window_s), .column = "frequency_window_s"},
    {"attribution.click_window_days", FIELD_INT, GIVEN, AT(click_window_days),
     .least = 1, .most = 90, .column = "attribution_window_days",
     .read = attribution_read},
    {"external_id", FIELD_TEXT, OPTIONAL | FIELD_WITH, AT(external_id),
     .least = 1, .most = 200},
    {"spent", .type = FIELD_MONEY},
    {"spent_today", .type = FIELD_MONEY},
    {"version", .type = FIELD_INT},
    {"created_at", .type = FIELD_TIME},
    {"updated_at", .type = FIELD_TIME},
    {"archived_at", .type = FIELD_TIME},
};

const struct fields campaign_fields = FIELDS(list);


void
campaign_form_read(struct campaign *campaign, struct form *form, bool create)
{
    if (create) {
        *campaign = (struct campaign){
            .pricing = ADS_STR("cpc"),
            .status = ADS_STR("paused"),
            .pacing = ADS_STR("even"),
            .targeting = ADS_STR("{}"),
            .click_window_days = CLICK_WINDOW_DAYS,
        };
    }
    fields_form(&campaign_fields, form, campaign, create);
    if (create || form_has(form, "bid") || form_has(form, "budget")) {
        bid_check(form, campaign);
    }
    if (create && ads_str_is(campaign->status, "archived")) {
        form_error(form, "status", "not_allowed",
                   "must be one of draft, paused, active in a new campaign");
    }
}
