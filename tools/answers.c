/*
 * Decides requests over a catalogue with the code that serves, without a
 * database: for evaluation such as asks.py, and to look at single requests.
 *
 *     answers [-g GOODS] [-c CURRENCY] [-v] PRODUCTS REQUESTS > ANSWERS
 *
 * PRODUCTS  JSON lines: title, price, currency, url and, where known, brand,
 *           category, description, source
 * REQUESTS  JSON lines: id, query and, where known, language; - reads standard
 *           input
 * ANSWERS   JSON lines: id, decision, reason, ads (title, price, probability)
 * -g        folder of the ontology (data/goods)
 * -c        only ads in that currency (USD)
 * -v        what was understood, and the best candidates, to standard error
 *
 * Products go to eight advertisers by brand, as in the demo cheap and dear ones
 * to two campaigns each; all of them may be sold.
 */
#define _GNU_SOURCE /* asprintf */

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ads_decide.h"
#include "goods.h"
#include "guard_list.h"
#include "snap_build.h"

#define ACCOUNTS 8
#define CAMPAIGNS (2 * ACCOUNTS)
#define DEAR 100 /* units of currency */
#define SCRATCH_ALIGN 64

struct options {
    const char *goods;
    const char *currency;
    bool verbose;
};

struct rows {
    struct pool *pool;
    struct snap_ad_row *ads;
    uint32_t n;
    uint32_t room;
};


static void
fail(const char *what)
{
    fprintf(stderr, "answers: %s\n", what);
    exit(1);
}


static struct ads_uuid
uuid_of(uint8_t what, uint32_t number)
{
    struct ads_uuid id = {.b = {what}};

    memcpy(id.b + 12, &number, sizeof(number));
    return id;
}


static struct ads_str
text_of(struct rows *rows, const json_t *value)
{
    struct ads_str text = {"", 0};

    if (json_is_string(value)) {
        text = (struct ads_str){json_string_value(value),
                                json_string_length(value)};
        text.ptr = pool_text(rows->pool, text);
    }
    return text;
}


static struct ads_str
categories_of(struct rows *rows, const json_t *value)
{
    struct ads_str text = text_of(rows, value);
    const json_t *part;
    size_t i;

    json_array_foreach(value, i, part)
    {
        text.ptr = pool_format(rows->pool, &text.len, "%s%s\n", text.ptr,
                               json_string_value(part));
    }
    return text;
}


static uint32_t
campaign_of(const struct snap_ad_row *row)
{
    uint32_t sum = 0;

    for (size_t i = 0; i < row->brand.len; i++) {
        sum = sum * 31 + (uint8_t)ads_char_lower(row->brand.ptr[i]);
    }
    return 2 * (sum % ACCOUNTS)
           + (row->price_micros >= DEAR * INT64_C(1000000));
}


static void
row_add(struct rows *rows, const json_t *product)
{
    struct ads_str currency =
        text_of(rows, json_object_get(product, "currency"));
    struct snap_ad_row *row;

    if (rows->n == rows->room) {
        rows->room = 2 * rows->room + 1024;
        rows->ads = xrealloc(rows->ads, rows->room * sizeof(*rows->ads));
    }
    row = &rows->ads[rows->n];
    *row = (struct snap_ad_row){
        .id = uuid_of(1, rows->n),
        .product = uuid_of(2, rows->n),
        .title = text_of(rows, json_object_get(product, "title")),
        .description = text_of(rows, json_object_get(product, "description")),
        .brand = text_of(rows, json_object_get(product, "brand")),
        .categories = categories_of(rows, json_object_get(product, "category")),
        .url = ADS_STR("https://shop.example/p"),
        .price_micros =
            (int64_t)(json_number_value(json_object_get(product, "price"))
                      * 1e6),
        .currency = {'U', 'S', 'D'},
    };
    if (currency.len == 3) {
        memcpy(row->currency, currency.ptr, 3);
    }
    row->campaign = uuid_of(3, campaign_of(row));
    rows->n++;
}


static FILE *
open_or_fail(const char *path)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");

    if (file == NULL) {
        fail("a file cannot be opened");
    }
    return file;
}


static void
rows_read(struct rows *rows, const char *path)
{
    FILE *file = open_or_fail(path);
    char *line = NULL;
    size_t size = 0;

    while (getline(&line, &size, file) > 0) {
        json_t *product = json_loads(line, 0, NULL);

        if (product == NULL) {
            fail("a line of the products is not JSON");
        }
        row_add(rows, product);
        json_decref(product);
    }
    free(line);
    (void)fclose(file);
}


static struct ads_str
file_read(const char *path)
{
    FILE *file = open_or_fail(path);
    struct ads_str text;
    char *bytes = xmalloc(4 << 20);

    text = (struct ads_str){bytes, fread(bytes, 1, 4 << 20, file)};
    (void)fclose(file);
    return text;
}


/* The ad tables of all rows; what they borrow is never freed. */
static void
tables_make(struct ads_tables *tables, const struct rows *rows,
            const struct options *options)
{
    static struct snap_campaign_row campaigns[CAMPAIGNS];
    static struct snap_account_row accounts[ACCOUNTS];
    const struct snap_stamp stamp = {.id = 1};
    struct snap_base_rows base_rows = {.ads = rows->ads, .n_ads = rows->n};
    const struct snap_head_rows head_rows = {.campaigns = campaigns,
                                             .n_campaigns = CAMPAIGNS,
                                             .accounts = accounts,
                                             .n_accounts = ACCOUNTS};
    struct snap_image base_image, head_image;
    struct snap_source source;
    struct ads_base base;
    struct ads_head head;
    uint32_t refused;

    base_rows.intent_model = file_read("data/intent.model");
    if (guard_list_compile(&base_rows.guard, "data/guard", "", stderr) != ADS_OK
        || goods_load(options->goods, NULL, &base_rows.goods, stderr) != ADS_OK)
    {
        fail("no guard or no ontology");
    }
    for (uint32_t i = 0; i < ACCOUNTS; i++) {
        accounts[i] = (struct snap_account_row){
            .id = uuid_of(4, i), .name = ADS_STR("Shop"), .active = true};
    }
    for (uint32_t i = 0; i < CAMPAIGNS; i++) {
        campaigns[i] = (struct snap_campaign_row){.id = uuid_of(3, i),
                                                  .account = uuid_of(4, i / 2),
                                                  .bid_micros = 300000,
                                                  .version = 1,
                                                  .active = true,
                                                  .slot = i};
    }
    snap_base_build(&base_image, &refused, &base_rows, &stamp);
    if (ads_base_open(&base, base_image.bytes, base_image.len) != ADS_OK
        || snap_source_open(&source, &base) != ADS_OK)
    {
        fail("the base that was built cannot be opened");
    }
    snap_head_build(&head_image, &head_rows, &source, &stamp);
    if (ads_head_open(&head, head_image.bytes, head_image.len) != ADS_OK
        || ads_tables_open(tables, base_image.bytes, base_image.len, &head)
               != ADS_OK)
    {
        fail("the tables that were built cannot be opened");
    }
}


/* A member of an ad's ready-made JSON. */
static json_t *
ad_json(const struct ads_base *from, const struct ads_snap_ad *ad)
{
    struct ads_str text = ads_base_json(from, ad);
    char *whole = NULL;
    json_t *json;

    if (asprintf(&whole, "{%.*s}", (int)text.len, text.ptr) < 0) {
        fail("out of memory");
    }
    json = json_loads(whole, 0, NULL);
    free(whole);
    return json;
}


static void
understood_print(const struct ads_tables *tables,
                 const struct ads_understood *understood,
                 const struct ads_decision *decision,
                 const struct ads_notes *notes, const char *query)
{
    const struct ads_wish *wish = &understood->wish;

    fprintf(stderr, "%s\n  ", query);
    for (uint32_t i = 0; i < wish->n_mentions; i++) {
        const struct ads_wish_mention *mention = &wish->mentions[i];
        struct ads_str id = ads_goods_id(&tables->goods, mention->kind);

        fprintf(stderr, " %.*s%s%+.1f", (int)id.len, id.ptr,
                mention->role == ADS_WISH_WANTED ? "*" : "",
                (double)mention->score / ADS_WISH_UNIT);
    }
    fprintf(stderr, "\n   words \"%.*s\" intent %+.2f of %+.2f",
            (int)understood->focus.words.len, understood->focus.words.ptr,
            (double)decision->trace.intent / ADS_INTENT_UNIT,
            (double)decision->trace.intent_threshold / ADS_INTENT_UNIT);
    if (wish->least_micros >= 0 || wish->most_micros >= 0) {
        fprintf(stderr, " price %lld to %lld", (long long)wish->least_micros,
                (long long)wish->most_micros);
    }
    fprintf(stderr, " %s\n",
            decision->n > 0 ? "SHOW" : ads_reason_name(decision->reason));
    for (uint32_t i = 0; i < notes->n && i < 6; i++) {
        const struct ads_base *from;
        const struct ads_snap_ad *ad =
            ads_tables_ad(tables, notes->list[i].doc, &from);
        const struct ads_snap_offer *offer =
            ads_tables_offer(tables, notes->list[i].doc);
        struct ads_str id = ads_goods_id(&tables->goods, offer->kind);
        json_t *json = ad_json(from, ad);

        fprintf(stderr, "     %5u %.2f %-8s %.*s: %.90s\n",
                notes->list[i].score,
                (double)notes->list[i].fit.probability / ADS_FIT_UNIT,
                ads_fit_name(notes->list[i].fit.kind), (int)id.len, id.ptr,
                json_string_value(json_object_get(json, "title")));
        json_decref(json);
    }
}


static void
answer_print(const struct ads_decision *decision, const char *id)
{
    json_t *ads = json_array();
    json_t *answer;
    char *text;

    for (uint32_t i = 0; i < decision->n; i++) {
        const struct ads_pick *pick = &decision->picks[i];
        json_t *json = ad_json(pick->from, pick->ad);

        json_array_append_new(
            ads, json_pack("{s:O, s:O, s:f}", "title",
                           json_object_get(json, "title"), "price",
                           json_object_get(json, "price"), "probability",
                           (double)pick->fit / ADS_FIT_UNIT));
        json_decref(json);
    }
    answer = json_pack(
        "{s:s, s:s, s:s?, s:o}", "id", id, "decision",
        decision->n > 0 ? "SHOW" : "NO_AD", "reason",
        decision->n > 0 ? NULL : ads_reason_name(decision->reason), "ads", ads);
    text = json_dumps(answer, 0);
    puts(text);
    free(text);
    json_decref(answer);
}


static void
request_decide(const struct ads_tables *tables, struct ads_text *text,
               void *scratch, const json_t *request,
               const struct options *options)
{
    static struct ads_decision decision;
    static struct ads_understood understood;
    static struct ads_notes notes;
    const char *query = json_string_value(json_object_get(request, "query"));
    const char *id = json_string_value(json_object_get(request, "id"));
    struct ads_ask ask = {
        .placement = ads_placement_make(ADS_STR("inline")),
        .max = 3,
        .test = true,
        .now_ms = 1,
        .hash = ads_index_hash(id, strlen(id)),
        .understood = &understood,
        .notes = &notes,
    };

    ask.query = (struct ads_str){query, strlen(query)};
    memcpy(ask.currency, options->currency, sizeof(ask.currency));
    notes.n = 0;
    ads_decide(&decision, tables, NULL, &ask, text, scratch);
    if (options->verbose) {
        understood_print(tables, &understood, &decision, &notes, query);
    }
    answer_print(&decision, id);
}


static void
requests_decide(const struct ads_tables *tables, const char *path,
                const struct options *options)
{
    struct ads_text text = {sb_stemmer_new("english", NULL)};
    size_t len = ads_decide_scratch_len(tables) + SCRATCH_ALIGN;
    void *scratch = aligned_alloc(SCRATCH_ALIGN, len & -(size_t)SCRATCH_ALIGN);
    FILE *file = open_or_fail(path);
    char *line = NULL;
    size_t size = 0;

    while (getline(&line, &size, file) > 0) {
        json_t *request = json_loads(line, 0, NULL);

        if (json_string_value(json_object_get(request, "query")) == NULL
            || json_string_value(json_object_get(request, "id")) == NULL)
        {
            fail("a request needs id and query");
        }
        request_decide(tables, &text, scratch, request, options);
        json_decref(request);
    }
    free(line);
    (void)fclose(file);
    free(scratch);
    sb_stemmer_delete(text.stemmer);
}


int
main(int argc, char **argv)
{
    static struct ads_tables tables;
    struct options options = {"data/goods", "USD", false};
    struct rows rows = {.pool = pool_new()};
    int option;

    while ((option = getopt(argc, argv, "g:c:v")) != -1) {
        switch (option) {
        case 'g':
            options.goods = optarg;
            break;
        case 'c':
            options.currency = optarg;
            break;
        case 'v':
            options.verbose = true;
            break;
        default:
            return 2;
        }
    }
    if (argc - optind != 2 || strlen(options.currency) != 3) {
        fprintf(stderr, "usage: answers [-g GOODS] [-c CURRENCY] [-v] PRODUCTS "
                        "REQUESTS\n");
        return 2;
    }
    rows_read(&rows, argv[optind]);
    tables_make(&tables, &rows, &options);
    requests_decide(&tables, argv[optind + 1], &options);
    free(rows.ads);
    pool_free(rows.pool);
    return 0;
}
