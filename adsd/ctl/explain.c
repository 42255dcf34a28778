/*
 * adsctl explain: the decision for one query, by the very code that serves, on
 * the files that are served now.
 */
#define _GNU_SOURCE /* memmem */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "ads_explain.h"
#include "ads_money.h"
#include "ads_utf8.h"
#include "base/clock.h"
#include "ctl/verbs.h"
#include "tables/served.h"

#define SCRATCH_ALIGN 64

struct wish {
    const char *currency;
    const char *location;
    const char *placement;
    const char *max;
};


static int
ask_fill(struct ads_ask *ask, const struct wish *wish, const char *query)
{
    *ask = (struct ads_ask){
        .query = ctl_text(query),
        .placement = ads_placement_make(
            ctl_text(wish->placement == NULL ? "inline" : wish->placement)),
        .max = 3,
        .now_ms = (uint64_t)clock_realtime_us() / 1000,
    };

    if (wish->currency != NULL) {
        if (!ads_currency_check(ctl_text(wish->currency))) {
            return ctl_refuse("--currency: three letters, such as USD");
        }
        memcpy(ask->currency, wish->currency, sizeof(ask->currency));
    }
    if (wish->location != NULL
        && !ads_place_guess(&ask->place, ctl_text(wish->location)))
    {
        return ctl_refuse("--location: not known: %s", wish->location);
    }
    if (wish->placement != NULL
        && !ctl_placement_check(ctl_text(wish->placement))) {
        return ctl_refuse("--placement: not known: %s", wish->placement);
    }
    if (wish->max != NULL
        && (!ctl_read_number(&ask->max, wish->max, ADS_DECIDE_MAX)
            || ask->max < 1))
    {
        return ctl_refuse("--max: 1 to %d", ADS_DECIDE_MAX);
    }
    if (!ads_utf8_check(ask->query)) {
        return ctl_refuse("the query is not UTF-8");
    }
    if (ask->query.len == 0 || ask->query.len > ADS_BODY_QUERY_MAX) {
        return ctl_refuse("the query must have 1 to %d bytes",
                          ADS_BODY_QUERY_MAX);
    }
    return CTL_OK;
}


/* A member of the ready-made JSON of an ad, such as its title, as it stands. */
static struct ads_str
member_peek(struct ads_str json, const char *name)
{
    char mark[32];
    int len = snprintf(mark, sizeof(mark), "\"%s\":\"", name);
    const char *at = memmem(json.ptr, json.len, mark, (size_t)len);
    const char *end = at == NULL ? NULL : at + len;

    if (end == NULL) {
        return (struct ads_str){"", 0};
    }
    at = end;
    while (end < json.ptr + json.len && *end != '"') {
        end += *end == '\\' ? 2 : 1;
    }
    return (struct ads_str){at, (size_t)(end - at)};
}


/* The inside of a JSON string for people; control characters stay escaped,
 * since a terminal might obey them. */
static void
plain_print(struct ads_str json)
{
    for (size_t i = 0; i < json.len; i++) {
        if (json.ptr[i] == '\\' && i + 1 < json.len
            && (json.ptr[i + 1] == '"' || json.ptr[i + 1] == '\\'))
        {
            i++;
        }
        putchar(json.ptr[i]);
    }
}


static void
pick_print(const struct served_tables *tables,
           const struct ads_decision *decision, uint32_t i)
{
    const struct ads_pick *pick = &decision->picks[i];
    struct ads_str title =
        member_peek(ads_base_json(pick->from, pick->ad), "title");
    struct ads_str name =
        ads_head_account_name(&tables->tables.head, pick->account);
    struct ads_str words = {decision->words[i], decision->words_len[i]};
    char price[ADS_MONEY_TEXT_MAX + 1], id[ADS_UUID_TEXT_LEN];

    ads_uuid_write(id, &pick->ad->id);
    *ads_money_write(price, pick->price_micros) = '\0';
    printf("%2u. probability %.2f  relevance %5.1f %%  price %-8s "
           "matched \"%.*s\"\n    ",
           i + 1, (double)pick->fit / ADS_FIT_UNIT,
           100.0 * pick->score / ADS_MATCH_UNIT, price, (int)words.len,
           words.ptr);
    plain_print(title);
    printf("\n    by ");
    plain_print(name);
    printf(", ad %.*s\n", (int)sizeof(id), id);
}


static void
understood_print(const struct ads_understood *understood)
{
    const struct ads_goods *goods = understood->focus.match.goods;
    const struct ads_wish *wish = &understood->wish;

    for (uint32_t i = 0; i < wish->n_mentions; i++) {
        const struct ads_wish_mention *mention = &wish->mentions[i];
        struct ads_str id = ads_goods_id(goods, mention->kind);

        printf("kind       %.*s, %s %+.2f:", (int)id.len, id.ptr,
               mention->role == ADS_WISH_WANTED    ? "wanted"
               : mention->role == ADS_WISH_REFUSED ? "not wanted"
                                                   : "mentioned",
               (double)mention->score / ADS_WISH_UNIT);
        for (uint64_t bits = mention->features; bits != 0; bits &= bits - 1) {
            int feature = __builtin_ctzll(bits);
            int32_t weight = ads_wish_weight(feature);

            if (weight >= ADS_WISH_UNIT / 4 || weight <= -ADS_WISH_UNIT / 4) {
                printf(" %s %+.1f", ads_wish_feature_name(feature),
                       (double)weight / ADS_WISH_UNIT);
            }
        }
        putchar('\n');
    }
    for (uint32_t i = 0; i < wish->n_attributes; i++) {
        struct ads_str id =
            ads_goods_attribute_id(goods, wish->attributes[i].attribute);

        printf("attribute  %s%.*s\n",
               wish->attributes[i].without ? "without " : "", (int)id.len,
               id.ptr);
    }
    if (wish->least_micros >= 0 || wish->most_micros >= 0) {
        printf("price      %.2f to %.2f %.3s\n",
               wish->least_micros < 0 ? 0.0 : (double)wish->least_micros / 1e6,
               (double)wish->most_micros / 1e6, wish->currency);
    }
    printf("words      ");
    plain_print(understood->focus.words);
    putchar('\n');
}


static void
candidates_print(const struct served_tables *tables,
                 const struct ads_notes *notes)
{
    for (uint32_t i = 0; i < notes->n; i++) {
        const struct ads_note *note = &notes->list[i];
        const struct ads_base *from;
        const struct ads_snap_ad *ad =
            ads_tables_ad(&tables->tables, note->doc, &from);
        const struct ads_snap_offer *offer =
            ads_tables_offer(&tables->tables, note->doc);
        struct ads_str id =
            ads_goods_id(&tables->tables.goods,
                         offer == NULL ? ADS_GOODS_NONE : offer->kind);

        if (ad == NULL) {
            continue;
        }
        printf("candidate  %.2f%s relevance %5.1f %%, %s: %.*s: ",
               (double)note->fit.probability / ADS_FIT_UNIT,
               note->relevant ? "" : " below the floor,",
               100.0 * note->score / ADS_MATCH_UNIT,
               ads_fit_name(note->fit.kind), (int)id.len, id.ptr);
        plain_print(member_peek(ads_base_json(from, ad), "title"));
        putchar('\n');
    }
}


static void
stages_print(const struct served_tables *tables,
             const struct ads_decision *decision, const struct ads_notes *notes,
             uint64_t decide_us)
{
    const struct ads_trace *trace = &decision->trace;

    printf("tables     generation %" PRIu64 ", %u ads\n",
           tables->tables.head.generation, ads_tables_n_ads(&tables->tables));
    printf("guard      %s\n", trace->guard == NULL ? "passed" : trace->guard);
    if (trace->guard == NULL) {
        printf("intent     %+.2f, commercial from %+.2f\n",
               (double)trace->intent / ADS_INTENT_UNIT,
               (double)trace->intent_threshold / ADS_INTENT_UNIT);
        printf("match      %u terms, %u postings, %u candidates, "
               "%u below the relevance floor\n",
               trace->n_terms, trace->match.postings, trace->n_candidates,
               trace->n_below);
    }
    for (uint32_t i = 1; i < ADS_REASON_END; i++) {
        if (trace->refused[i] > 0) {
            printf("refused    %u documents: %s\n", trace->refused[i],
                   ads_reason_name(i));
        }
    }
    if (decision->understood != NULL) {
        understood_print(decision->understood);
        candidates_print(tables, notes);
    }
    printf("time       %" PRIu64 " us\n", decide_us);
    printf("decision   %s%s%s\n", decision->n > 0 ? "SHOW" : "NO_AD",
           decision->n > 0 ? "" : ", ",
           decision->n > 0 ? "" : ads_reason_name(decision->reason));
}


/* The object that a recommendation carries, and with it the money in it. */
static void
json_print(struct ctl *ctl, const struct served_tables *tables,
           const struct ads_decision *decision, const struct ads_notes *notes,
           uint64_t decide_us)
{
    char *text = pool_alloc(ctl->pool, ADS_EXPLAIN_LEN_MAX);
    size_t len = ads_explain_write(text, &tables->tables, decision, notes,
                                   decide_us, true);

    printf("%.*s\n", (int)len, text);
}


static int
decide(struct ctl *ctl, const struct served_tables *tables, struct ads_ask *ask)
{
    struct ads_notes notes = {0};
    int64_t begin_us;
    uint64_t decide_us;
    struct ads_text text = {sb_stemmer_new("english", NULL)};
    size_t len = ads_decide_scratch_len(&tables->tables);
    struct ads_decision *decision = pool_alloc(ctl->pool, sizeof(*decision));
    void *scratch =
        aligned_alloc(SCRATCH_ALIGN,
                      (len + SCRATCH_ALIGN - 1) & ~(size_t)(SCRATCH_ALIGN - 1));

    if (scratch == NULL || text.stemmer == NULL) {
        sb_stemmer_delete(text.stemmer);
        free(scratch);
        return ctl_refuse("out of memory");
    }

    ask->notes = &notes;
    begin_us = clock_monotonic_us();
    ads_decide(decision, &tables->tables,
               tables->has_live ? &tables->live : NULL, ask, &text, scratch);
    decide_us = (uint64_t)(clock_monotonic_us() - begin_us);
    ask->notes = NULL;
    if (ctl->json) {
        json_print(ctl, tables, decision, &notes, decide_us);

    } else {
        stages_print(tables, decision, &notes, decide_us);
        for (uint32_t i = 0; i < decision->n; i++) {
            pick_print(tables, decision, i);
        }
    }

    free(scratch);
    sb_stemmer_delete(text.stemmer);
    return CTL_OK;
}


int
ctl_explain(struct ctl *ctl, int argc, char **argv)
{
    struct wish wish = {0};
    const struct ctl_option options[] = {
        {"currency", false, NULL, &wish.currency},
        {"location", false, NULL, &wish.location},
        {"placement", false, NULL, &wish.placement},
        {"max", false, NULL, &wish.max},
    };
    struct served_tables tables;
    struct ads_ask ask;
    enum ads_err err;
    int n, rc;

    rc = ctl_options(argc, argv, options, 4, 1, 1, &n);
    if (rc == CTL_OK) {
        rc = ask_fill(&ask, &wish, argv[0]);
    }
    if (rc != CTL_OK) {
        return rc;
    }

    err = served_open(&tables, &ctl->conf, ctl->log);
    if (err == ADS_OK) {
        rc = decide(ctl, &tables, &ask);

    } else {
        ctl_refuse("no ad tables under %s (%s); adsd publishes them",
                   ctl->conf.state_path, ads_strerror(err));
        rc = CTL_AWAY;
    }
    served_close(&tables);
    return rc;
}
