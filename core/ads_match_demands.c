/*
 * What a query demands of a product: its model, its brand, a measure, what it
 * is like.  Part of ads_match_read().
 */
#include "ads_match_words.h"


/* Is the word the brand of a product? */
static bool
is_brand(const struct ads_index *index, const struct ads_match_token *token)
{
    return ads_index_fact_find(index, ADS_INDEX_BRAND,
                               ads_match_token_bytes(token))
           != ADS_INDEX_NONE;
}


/* Is the word an attribute that a product has or has not?  For whom it is, and
 * how large, titles seldom say. */
static bool
is_quality(const struct ads_match_reading *reading, uint32_t i)
{
    const struct ads_match_span *span =
        ads_match_span_of(reading, &reading->tokens[i]);
    const struct ads_goods_attribute *attribute =
        span == NULL || span->known != ADS_MATCH_DESCRIBES
            ? NULL
            : ads_goods_attribute_peek(reading->focus->goods, span->attribute);

    return attribute != NULL && attribute->family <= ADS_GOODS_MATERIAL;
}


const char *const ads_match_longer[ADS_MATCH_LONGER] = {
    "plus", "edge", "mini", "pro", "max", "ultra", "lite", "xl"};


/* Does the word make another model of the one before: "7 plus"? */
static bool
makes_longer(const struct ads_match_reading *reading, uint32_t i)
{
    const struct ads_match_token *token = &reading->tokens[i];

    return token->follows
           && ads_str_is_one_of(ads_match_token_bytes(token), ads_match_longer,
                                ADS_MATCH_LONGER);
}


void
ads_match_longer_note(const struct ads_match_reading *reading)
{
    struct ads_match_query *query = reading->query;

    for (uint32_t k = 0; k < ADS_MATCH_LONGER && query->models != 0; k++) {
        uint32_t term = ads_match_term_find(
            reading->index,
            (struct ads_str){ads_match_longer[k], strlen(ads_match_longer[k])});
        bool asked = term == ADS_INDEX_NONE;

        for (uint32_t i = 0; i < query->n_words; i++) {
            asked = asked || reading->tokens[i].term == term;
        }
        if (!asked) {
            query->longer[query->n_longer++] = term;
        }
    }
}


/* Notes that group g, of word i, is a model, and of which series. */
static void
model_note(const struct ads_match_reading *reading, uint32_t g, uint32_t i)
{
    struct ads_match_query *query = reading->query;
    const struct ads_match_token *token = &reading->tokens[i];
    uint8_t before = ADS_MATCH_NO_GROUP;

    query->models |= 1u << g;
    query->either |=
        (uint32_t)ads_match_is_known_as(reading, i, ADS_MATCH_EITHER) << g;
    if (i > 0 && token->follows && token[-1].text.kind == ADS_TEXT_LETTERS) {
        before = query->words[i - 1].group;
    }
    query->series[g] = (uint8_t)(before == ADS_MATCH_NO_GROUP ? 0 : before + 1);
}


void
ads_match_demands_note(const struct ads_match_reading *reading)
{
    struct ads_match_query *query = reading->query;

    for (uint32_t g = 0; g < query->n_groups; g++) {
        uint32_t i = query->groups[g].word;
        const struct ads_match_token *token = &reading->tokens[i];
        const struct ads_match_token *unit = token->text.kind == ADS_TEXT_NUMBER
                                                 ? ads_match_unit(reading, i)
                                                 : NULL;

        if (ads_match_is_known_as(reading, i, ADS_MATCH_NAMES) && unit == NULL)
        {
            continue;
        }
        if ((token->text.kind == ADS_TEXT_MIXED && !ads_match_is_count(token)
             && !ads_match_is_known_as(reading, i, ADS_MATCH_DESCRIBES))
            || (token->text.kind == ADS_TEXT_NUMBER && unit == NULL)
            || (makes_longer(reading, i) && g > 0
                && query->groups[g - 1].word == i - 1
                && (query->models >> (g - 1) & 1) != 0))
        {
            model_note(reading, g, i);
        } else if (unit != NULL) {
            uint8_t of = query->words[unit - reading->tokens].group;

            if (of != ADS_MATCH_NO_GROUP) {
                query->measures |= 1u << of;
                query->numbers[of] |= 1u << g;
            }
        } else if (is_quality(reading, i)) {
            query->qualities |= 1u << g;
        } else if (token->text.kind == ADS_TEXT_LETTERS
                   && !ads_match_is_known_as(reading, i, ADS_MATCH_DESCRIBES)
                   && is_brand(reading->index, token))
        {
            query->brands |= 1u << g;
        }
    }
}


/* Is the attribute asked for, too: "wired or wireless"? */
static bool
is_asked(const struct ads_match_reading *reading, uint32_t attribute)
{
    const struct ads_match_query *query = reading->query;

    for (uint32_t g = 0; g < query->n_groups; g++) {
        if (ads_match_attribute_of(reading, query->groups[g].word) == attribute)
        {
            return true;
        }
    }
    return false;
}


/* Notes what contradicts the attribute of group g.  How large a thing is, its
 * titles and its buyers call differently. */
static void
contraries_note(const struct ads_match_reading *reading, uint32_t g,
                uint32_t asked)
{
    const struct ads_goods *goods = reading->focus->goods;
    const struct ads_goods_attribute *own =
        ads_goods_attribute_peek(goods, asked);
    struct ads_match_query *query = reading->query;

    if (own == NULL || own->family == ADS_GOODS_SIZE) {
        return;
    }
    for (uint32_t k = 0; k < goods->n_attributes; k++) {
        uint32_t term;

        if ((k != own->against && goods->attributes[k].against != asked)
            || is_asked(reading, k))
        {
            continue;
        }
        term = ads_match_fact_term(reading, ADS_INDEX_ATTRIBUTE,
                                   ads_goods_attribute_id(goods, k));
        if (term != ADS_INDEX_NONE && query->n_against < ADS_MATCH_AGAINST) {
            query->against[query->n_against++] = term;
            query->opposed |= 1u << g;
        }
    }
}


void
ads_match_against_note(const struct ads_match_reading *reading)
{
    struct ads_match_query *query = reading->query;

    for (uint32_t g = 0; g < query->n_groups; g++) {
        uint32_t asked = ads_match_attribute_of(reading, query->groups[g].word);

        if (asked != ADS_GOODS_NONE) {
            query->said |= 1u << g;
            contraries_note(reading, g, asked);
        }
    }
}
