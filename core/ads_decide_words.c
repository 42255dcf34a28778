/*
 * Query words of a decision: which are searched for, and which matched.
 */
#include "ads_decide_words.h"


struct ads_str
ads_decide_words_join(const struct ads_ask *ask, char *room)
{
    size_t len = ask->query.len;

    if (ask->n_keywords == 0 || len > ADS_BODY_QUERY_MAX) {
        return ask->query;
    }

    memcpy(room, ask->query.ptr, len);
    for (uint32_t i = 0; i < ask->n_keywords; i++) {
        struct ads_str keyword = ask->keywords[i];

        if (keyword.len + 1 > ADS_DECIDE_WORDS_ROOM - len) {
            break;
        }
        room[len++] = ' ';
        memcpy(room + len, keyword.ptr, keyword.len);
        len += keyword.len;
    }
    return (struct ads_str){room, len};
}


void
ads_decide_words_write(struct ads_decision *decision, uint32_t i,
                       struct ads_str text, const struct ads_match_query *query)
{
    char *dst = decision->words[i];
    uint32_t len = 0, seen = 0;

    for (uint32_t k = 0; k < query->n_words; k++) {
        const struct ads_match_word *word = &query->words[k];
        uint32_t need = word->to - word->from + (len > 0);

        if (word->group == ADS_MATCH_NO_GROUP
            || (decision->picks[i].terms >> word->group & 1) == 0
            || (seen >> word->group & 1) != 0 || word->to > text.len
            || word->from >= word->to || need > ADS_TOKEN_WORDS_MAX - len)
        {
            continue;
        }

        seen |= 1u << word->group;
        if (len > 0) {
            dst[len++] = ' ';
        }
        for (uint32_t at = word->from; at < word->to; at++) {
            dst[len++] = ads_char_lower(text.ptr[at]);
        }
    }
    decision->words_len[i] = (uint8_t)len;
}
