/*
 * Decides requests over a catalogue with the code that serves, without a
 * database: for evaluation such as asks.py, and to inspect single requests.
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
#include "base/pool.h"
#include "shop.h"

struct options {
    const char *goods;
    const char *currency;
    bool verbose;
};


static void
fail(const char *what)
{
    fprintf(stderr, "answers: %s\n", what);
    exit(1);
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
    /* what the guard stops is not read: nothing of the one before stays */
    understood.focus.words = ADS_STR("");
    understood.wish.n_mentions = 0;
    understood.wish.least_micros = understood.wish.most_micros = -1;
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
    void *scratch = shop_scratch(tables);
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
    struct shop shop;
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
    shop_read(&shop, argv[optind]);
    shop_base(&shop, options.goods);
    shop_tables(&tables, &shop);
    requests_decide(&tables, argv[optind + 1], &options);
    shop_free(&shop);
    return 0;
}
