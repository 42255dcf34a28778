/*
 * Writes a decision as JSON.
 *
 * Everything written is a number, an id, a constant or words of the query,
 * which are escaped; so the room needed has a bound.
 */
#include "ads_explain.h"

#define MENTIONS_MAX 16
#define WORDS_MAX 512
#define REASON_LEAST (ADS_WISH_UNIT / 4) /* weight of a listed feature */

/* A bounded writer: past the end it writes nothing. */
struct out {
    char *at;
    char *last;
    bool comma;
    bool money; /* bids, prices and ranks are written */
};


static void
put(struct out *out, const char *text, size_t len)
{
    size_t room = (size_t)(out->last - out->at);

    len = len < room ? len : room;
    memcpy(out->at, text, len);
    out->at += len;
}


static void
text_put(struct out *out, const char *text)
{
    put(out, text, strlen(text));
}


/* A comma where one is due, and the name; NULL within an array. */
static void
name_put(struct out *out, const char *name)
{
    if (out->comma) {
        put(out, ",", 1);
    }
    out->comma = true;
    if (name != NULL) {
        put(out, "\"", 1);
        text_put(out, name);
        put(out, "\":", 2);
    }
}


static void
open_put(struct out *out, const char *name, char bracket)
{
    name_put(out, name);
    put(out, &bracket, 1);
    out->comma = false;
}


static void
close_put(struct out *out, char bracket)
{
    put(out, &bracket, 1);
    out->comma = true;
}


static void
digits_put(struct out *out, uint64_t number, uint32_t least)
{
    char digits[20];
    uint32_t n = 0;

    do {
        digits[sizeof(digits) - ++n] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0 || n < least);
    put(out, digits + sizeof(digits) - n, n);
}


static void
number_put(struct out *out, const char *name, uint64_t number)
{
    name_put(out, name);
    digits_put(out, number, 1);
}


/* number / unit, three decimals, rounded down. */
static void
share_put(struct out *out, const char *name, int64_t number, int64_t unit)
{
    uint64_t size = number < 0 ? (uint64_t)-number : (uint64_t)number;

    name_put(out, name);
    if (number < 0) {
        put(out, "-", 1);
    }
    digits_put(out, size / (uint64_t)unit, 1);
    put(out, ".", 1);
    digits_put(out, size % (uint64_t)unit * 1000 / (uint64_t)unit, 3);
}


static void
bool_put(struct out *out, const char *name, bool value)
{
    name_put(out, name);
    text_put(out, value ? "true" : "false");
}


/* A constant, or null. */
static void
constant_put(struct out *out, const char *name, const char *text)
{
    name_put(out, name);
    if (text == NULL) {
        text_put(out, "null");
        return;
    }
    put(out, "\"", 1);
    text_put(out, text);
    put(out, "\"", 1);
}


static void
id_put(struct out *out, const char *name, const struct ads_uuid *id)
{
    char text[ADS_UUID_TEXT_LEN];

    ads_uuid_write(text, id);
    name_put(out, name);
    put(out, "\"", 1);
    put(out, text, sizeof(text));
    put(out, "\"", 1);
}


/* Words of a query: valid UTF-8, escaped here. */
static void
words_put(struct out *out, const char *name, struct ads_str words)
{
    static const char hex[] = "0123456789abcdef";

    name_put(out, name);
    put(out, "\"", 1);
    for (size_t i = 0; i < words.len; i++) {
        unsigned char c = (unsigned char)words.ptr[i];
        char escaped[6] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};

        if (c < 0x20 || c == '"' || c == '\\' || c == 0x7f) {
            put(out, escaped, sizeof(escaped));
        } else {
            put(out, &words.ptr[i], 1);
        }
    }
    put(out, "\"", 1);
}


/* ---- the stages ---- */

static void
wish_put(struct out *out, const struct ads_trace *trace)
{
    open_put(out, "guard", '{');
    bool_put(out, "passed", trace->guard == NULL);
    constant_put(out, "topic", trace->guard);
    close_put(out, '}');
    if (trace->guard != NULL) {
        return;
    }
    open_put(out, "intent", '{');
    bool_put(out, "passed", trace->intent >= trace->intent_threshold);
    share_put(out, "score", trace->intent, ADS_INTENT_UNIT);
    share_put(out, "threshold", trace->intent_threshold, ADS_INTENT_UNIT);
    close_put(out, '}');
}


static void
match_put(struct out *out, const struct ads_trace *trace)
{
    open_put(out, "match", '{');
    number_put(out, "terms", trace->n_terms);
    number_put(out, "postings", trace->match.postings);
    number_put(out, "windows", trace->match.windows);
    number_put(out, "candidates", trace->n_candidates);
    bool_put(out, "cut", trace->match.cut);
    close_put(out, '}');

    open_put(out, "refused", '{');
    for (uint32_t i = 1; i < ADS_REASON_END; i++) {
        if (trace->refused[i] > 0) {
            number_put(out, ads_reason_name(i), trace->refused[i]);
        }
    }
    close_put(out, '}');
    number_put(out, "below_relevance", trace->n_below);
}


/* The features that speak most for a mention, and against it. */
static void
because_put(struct out *out, const struct ads_wish_mention *mention)
{
    open_put(out, "because", '[');
    for (uint64_t bits = mention->features; bits != 0; bits &= bits - 1) {
        int feature = __builtin_ctzll(bits);
        int32_t weight = ads_wish_weight(feature);

        if (weight >= REASON_LEAST || weight <= -REASON_LEAST) {
            constant_put(out, NULL, ads_wish_feature_name(feature));
        }
    }
    close_put(out, ']');
}


static void
mentions_put(struct out *out, const struct ads_understood *understood)
{
    const struct ads_goods *goods = understood->focus.match.goods;
    const struct ads_wish *wish = &understood->wish;

    open_put(out, "kinds", '[');
    for (uint32_t i = 0; i < wish->n_mentions && i < MENTIONS_MAX; i++) {
        const struct ads_wish_mention *mention = &wish->mentions[i];

        open_put(out, NULL, '{');
        words_put(out, "id", ads_goods_id(goods, mention->kind));
        bool_put(out, "wanted", mention->role == ADS_WISH_WANTED);
        share_put(out, "score", mention->score, ADS_WISH_UNIT);
        because_put(out, mention);
        close_put(out, '}');
    }
    close_put(out, ']');
    open_put(out, "attributes", '[');
    for (uint32_t i = 0; i < wish->n_attributes; i++) {
        open_put(out, NULL, '{');
        words_put(out, "id",
                  ads_goods_attribute_id(goods, wish->attributes[i].attribute));
        bool_put(out, "without", wish->attributes[i].without);
        close_put(out, '}');
    }
    close_put(out, ']');
}


static void
bound_put(struct out *out, const char *name, int64_t micros)
{
    if (micros < 0) {
        constant_put(out, name, NULL);
    } else {
        share_put(out, name, micros, 1000000);
    }
}


static void
understood_put(struct out *out, const struct ads_understood *understood)
{
    static const char *const languages[] = {"en", "de", "fr", "es"};
    const struct ads_wish *wish = &understood->wish;
    struct ads_str words = understood->focus.words;

    if (words.len > WORDS_MAX) {
        words.len = WORDS_MAX; /* a whole character less is cut off below */
        while (words.len > 0 && ((uint8_t)words.ptr[words.len] & 0xc0) == 0x80)
        {
            words.len--;
        }
    }
    open_put(out, "understood", '{');
    constant_put(out, "language",
                 wish->language == ADS_CUE_END
                     ? NULL
                     : languages[wish->language - ADS_CUE_ENGLISH]);
    words_put(out, "words", words);
    mentions_put(out, understood);
    open_put(out, "price", '{');
    bound_put(out, "least", wish->least_micros);
    bound_put(out, "most", wish->most_micros);
    if (wish->currency[0] == '\0') {
        constant_put(out, "currency", NULL);
    } else {
        words_put(out, "currency", (struct ads_str){wish->currency, 3});
    }
    close_put(out, '}');
    close_put(out, '}');
}


/* The id of what a product is taken for, or null. */
static void
kind_put(struct out *out, const struct ads_tables *tables, uint32_t doc)
{
    const struct ads_snap_offer *offer = ads_tables_offer(tables, doc);
    struct ads_str id = {NULL, 0};

    if (offer != NULL) {
        id = ads_goods_id(&tables->goods, offer->kind);
    }
    if (id.len == 0) {
        constant_put(out, "kind", NULL);
    } else {
        words_put(out, "kind", id);
    }
}


static const char *
state_of(const struct ads_decision *decision, const struct ads_note *note)
{
    for (uint32_t i = 0; i < decision->n; i++) {
        if (decision->picks[i].doc == note->doc) {
            return "shown";
        }
    }
    return note->relevant ? "outranked" : "below_relevance";
}


static void
candidates_put(struct out *out, const struct ads_tables *tables,
               const struct ads_decision *decision,
               const struct ads_notes *notes)
{
    open_put(out, "candidates", '[');
    for (uint32_t i = 0; i < notes->n; i++) {
        const struct ads_note *note = &notes->list[i];
        const struct ads_base *from;
        const struct ads_snap_ad *ad = ads_tables_ad(tables, note->doc, &from);
        const struct ads_snap_campaign *campaign =
            ad == NULL ? NULL
                       : ads_head_campaign_of(&tables->head, ad->campaign);

        if (campaign == NULL) {
            continue;
        }
        open_put(out, NULL, '{');
        id_put(out, "ad_id", &ad->id);
        id_put(out, "campaign_id", &campaign->id);
        share_put(out, "relevance", note->score, ADS_MATCH_UNIT);
        kind_put(out, tables, note->doc);
        constant_put(out, "fit", ads_fit_name(note->fit.kind));
        share_put(out, "probability", note->fit.probability, ADS_FIT_UNIT);
        if (out->money) {
            number_put(out, "bid_micros", (uint64_t)campaign->bid_micros);
        }
        constant_put(out, "state", state_of(decision, note));
        close_put(out, '}');
    }
    close_put(out, ']');
}


static void
shown_put(struct out *out, const struct ads_decision *decision)
{
    open_put(out, "shown", '[');
    for (uint32_t i = 0; i < decision->n; i++) {
        const struct ads_pick *pick = &decision->picks[i];
        struct ads_str words = {decision->words[i], decision->words_len[i]};

        open_put(out, NULL, '{');
        number_put(out, "position", i + 1);
        id_put(out, "ad_id", &pick->ad->id);
        share_put(out, "relevance", pick->score, ADS_MATCH_UNIT);
        share_put(out, "probability", pick->fit, ADS_FIT_UNIT);
        if (out->money) {
            number_put(out, "rank", pick->rank);
            number_put(out, "price_micros", (uint64_t)pick->price_micros);
        }
        words_put(out, "words", words);
        close_put(out, '}');
    }
    close_put(out, ']');
}


size_t
ads_explain_write(char *dst, const struct ads_tables *tables,
                  const struct ads_decision *decision,
                  const struct ads_notes *notes, uint64_t decide_us, bool money)
{
    struct out out = {dst, dst + ADS_EXPLAIN_LEN_MAX, false, money};
    const struct ads_trace *trace = &decision->trace;

    open_put(&out, NULL, '{');
    number_put(&out, "generation", tables->head.generation);
    constant_put(&out, "decision", decision->n > 0 ? "SHOW" : "NO_AD");
    constant_put(&out, "reason",
                 decision->n > 0 ? NULL : ads_reason_name(decision->reason));
    wish_put(&out, trace);
    if (decision->understood != NULL) {
        understood_put(&out, decision->understood);
    }
    if (trace->n_terms > 0) {
        match_put(&out, trace);
        if (notes != NULL) {
            candidates_put(&out, tables, decision, notes);
        }
    }
    shown_put(&out, decision);
    open_put(&out, "times", '{');
    number_put(&out, "decide_us", decide_us);
    close_put(&out, '}');
    close_put(&out, '}');
    return (size_t)(out.at - dst);
}
