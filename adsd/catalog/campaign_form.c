/*
 * Parses the fields of a campaign.  The lists of targeting are read by a table.
 */
#include "catalog/campaign.h"

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

struct target {
    const char *name;
    uint32_t n_max;
    uint32_t chars_max;
    const char *(*judge)(struct ads_str text); /* what is wrong, or NULL */
};


static const char *
place_judge(struct ads_str text)
{
    struct ads_place place;

    return ads_place_read(&place, text) ? NULL : "is no place that is known";
}


static const char *
placement_judge(struct ads_str text)
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
uuid_judge(struct ads_str text)
{
    struct ads_uuid id;

    return ads_uuid_read(&id, text) ? NULL : "must be a UUID";
}


static const char *
language_judge(struct ads_str text)
{
    return language_check(text) ? NULL
                                : "must be a language tag such as en or pt-BR";
}


static const char *
keyword_judge(struct ads_str text)
{
    const struct ads_text plain = {NULL};
    struct ads_snap_keyword keyword;

    return ads_target_keyword_read(&keyword, &plain, text)
               ? NULL
               : "must have one to eight words";
}


static const struct target targets[CAMPAIGN_TARGETS] = {
    [CAMPAIGN_LOCATIONS] = {"locations", 500, 128, place_judge},
    [CAMPAIGN_NOT_LOCATIONS] = {"not_locations", 500, 128, place_judge},
    [CAMPAIGN_PLACEMENTS] = {"placements", 100, 64, placement_judge},
    [CAMPAIGN_PUBLISHERS] = {"publishers", 500, 36, uuid_judge},
    [CAMPAIGN_KEYWORDS] = {"keywords", 2000, 80, keyword_judge},
    [CAMPAIGN_NEGATIVE_KEYWORDS] = {"negative_keywords", 2000, 80,
                                    keyword_judge},
    [CAMPAIGN_CATEGORIES] = {"categories", 100, 200, NULL},
    [CAMPAIGN_LANGUAGES] = {"languages", 50, 35, language_judge},
};


/* ---- targeting ---- */

static void
list_judge(struct form *form, const struct target *target,
           const struct ads_str *items, size_t n)
{
    char at[ADS_BODY_POINTER_MAX];

    for (size_t i = 0; target->judge != NULL && i < n; i++) {
        const char *why = target->judge(items[i]);

        if (why != NULL) {
            (void)snprintf(at, sizeof(at), "%s/%zu", target->name, i);
            form_error(form, at, "invalid_format", why);
        }
    }
}


static void
targeting_read(struct campaign *campaign, struct form *form)
{
    struct form inner;

    if (form_is_null(form, "targeting")) {
        memset(campaign->targets, 0, sizeof(campaign->targets));
    }
    if (!form_object(form, "targeting", FORM_NULL, &inner)) {
        return;
    }
    for (int i = 0; i < CAMPAIGN_TARGETS; i++) {
        struct campaign_list *list = &campaign->targets[i];
        struct ads_str *items = NULL;
        size_t n = 0;

        if (form_texts(&inner, targets[i].name, FORM_NULL, targets[i].n_max,
                       targets[i].chars_max, &items, &n))
        {
            list_judge(&inner, &targets[i], items, n);
            *list = (struct campaign_list){items, n};

        } else if (form_is_null(&inner, targets[i].name)) {
            *list = (struct campaign_list){NULL, 0};
        }
    }
}


void
campaign_targets_read(struct campaign *campaign, struct pool *pool,
                      struct ads_str json)
{
    const char *why;
    struct doc *doc = doc_read(pool, pool_text(pool, json), json.len, &why);

    for (int i = 0; i < CAMPAIGN_TARGETS; i++) {
        struct doc *list = doc_find(doc, targets[i].name);
        struct ads_str *items;
        size_t n = 0;

        if (list == NULL || list->n == 0) {
            continue;
        }
        items = pool_array(pool, list->n, sizeof(*items));
        for (struct doc *item = list->first; item != NULL; item = item->next) {
            items[n++] = item->text;
        }
        campaign->targets[i] = (struct campaign_list){items, n};
    }
}


struct ads_str
campaign_targets_write(const struct campaign *campaign, struct pool *pool)
{
    struct json json;

    json_init(&json, pool);
    json_object_begin(&json, NULL);
    for (int i = 0; i < CAMPAIGN_TARGETS; i++) {
        const struct campaign_list *list = &campaign->targets[i];

        if (list->n == 0) {
            continue;
        }
        json_array_begin(&json, targets[i].name);
        for (size_t k = 0; k < list->n; k++) {
            json_string(&json, NULL, list->items[k]);
        }
        json_array_end(&json);
    }
    json_object_end(&json);
    return json_text(&json);
}


/* ---- the rest ---- */

/* An amount, a number or a time that null takes away. */
static void
optional_money(struct form *form, const char *name, int64_t *micros)
{
    if (form_is_null(form, name)) {
        *micros = 0;
    }
    (void)form_money(form, name, FORM_NULL, BUDGET_MIN, AMOUNT_MAX, micros);
}


static void
optional_time(struct form *form, const char *name, int64_t *unix_us)
{
    if (form_is_null(form, name)) {
        *unix_us = 0;
    }
    if (form_time(form, name, FORM_NULL, unix_us) && *unix_us < TIME_MIN_US) {
        form_error(form, name, "out_of_range", "is before the year 2000");
    }
}


static void
text_read(struct form *form, const char *name, unsigned flags, uint32_t most,
          struct ads_str *text)
{
    struct ads_str given = form_text(form, name, flags, 1, most);

    if (given.ptr != NULL || form_is_null(form, name)) {
        *text = given;
    }
}


static void
choice_read(struct form *form, const char *name, const char *const *choices,
            struct ads_str *text)
{
    int i = form_choice(form, name, 0, choices);

    if (i >= 0) {
        *text = (struct ads_str){choices[i], strlen(choices[i])};
    }
}


static void
budget_read(struct campaign *campaign, struct form *form, bool create)
{
    struct form inner;

    if (!form_object(form, "budget", create ? FORM_REQUIRED : 0, &inner)) {
        return;
    }
    optional_money(&inner, "daily", &campaign->daily_micros);
    optional_money(&inner, "lifetime", &campaign->lifetime_micros);
    if (campaign->daily_micros == 0 && campaign->lifetime_micros == 0
        && (form_is_null(&inner, "daily") || !form_has(&inner, "daily"))
        && (form_is_null(&inner, "lifetime") || !form_has(&inner, "lifetime")))
    {
        form_error(&inner, NULL, "required", "needs daily, lifetime or both");
    }
}


static void
frequency_read(struct campaign *campaign, struct form *form)
{
    struct form inner;

    if (form_is_null(form, "frequency_cap")) {
        campaign->frequency_count = 0;
        campaign->frequency_window_s = 0;
    }
    if (!form_object(form, "frequency_cap", FORM_NULL, &inner)) {
        return;
    }
    (void)form_int(&inner, "count", FORM_REQUIRED, 1, 1000,
                   &campaign->frequency_count);
    (void)form_int(&inner, "window_s", FORM_REQUIRED, 60, 86400,
                   &campaign->frequency_window_s);
}


static void
attribution_read(struct campaign *campaign, struct form *form)
{
    struct form inner;

    if (form_is_null(form, "attribution")) {
        campaign->click_window_days = CLICK_WINDOW_DAYS;
    }
    if (form_object(form, "attribution", FORM_NULL, &inner)) {
        (void)form_int(&inner, "click_window_days", 0, 1, 90,
                       &campaign->click_window_days);
    }
}


void
campaign_form_read(struct campaign *campaign, struct form *form, bool create)
{
    unsigned need = create ? FORM_REQUIRED : 0;

    if (create) {
        *campaign = (struct campaign){
            .pricing = ADS_STR("cpc"),
            .status = ADS_STR("paused"),
            .pacing = ADS_STR("even"),
            .click_window_days = CLICK_WINDOW_DAYS,
        };
    }
    text_read(form, "name", need, 200, &campaign->name);
    choice_read(form, "pricing", pricings, &campaign->pricing);
    choice_read(form, "status", states, &campaign->status);
    choice_read(form, "pacing", pacings, &campaign->pacing);
    (void)form_money(form, "bid", need, 1, AMOUNT_MAX, &campaign->bid_micros);
    budget_read(campaign, form, create);
    optional_time(form, "start_at", &campaign->start_us);
    optional_time(form, "end_at", &campaign->end_us);
    if (campaign->start_us != 0 && campaign->end_us != 0
        && campaign->end_us <= campaign->start_us)
    {
        form_error(form, "end_at", "out_of_range", "must be after start_at");
    }
    text_read(form, "timezone", 0, 100, &campaign->timezone);
    text_read(form, "external_id", FORM_NULL, 200, &campaign->external_id);
    targeting_read(campaign, form);
    frequency_read(campaign, form);
    attribution_read(campaign, form);
    if (create && campaign->status.len == strlen("archived")) {
        form_error(form, "status", "not_allowed",
                   "a campaign begins as draft, paused or active");
    }
}
