/*
 * Opens kept words.  They are read whole, once, by a merge, so everything is
 * checked when they are opened.
 */
#include "ads_doc_words.h"

#include "ads_index.h"


uint64_t
ads_doc_words_measure(const struct ads_doc_words *tokens)
{
    return ADS_DOC_WORDS_HEAD_LEN + ((uint64_t)tokens->n_docs + 1) * 8
           + tokens->n_tokens * 4 + (uint64_t)tokens->n_terms * 4
           + tokens->n_words;
}


void
ads_doc_words_head_write(uint8_t *dst, const struct ads_doc_words *tokens)
{
    const uint32_t words[6] = {ADS_DOC_WORDS_MAGIC, ADS_DOC_WORDS_VERSION,
                               tokens->n_docs,      tokens->n_terms,
                               tokens->n_words,     tokens->n_counted};

    memcpy(dst, words, sizeof(words));
    memcpy(dst + 24, &tokens->n_tokens, 8);
    memcpy(dst + 32, tokens->mean, sizeof(tokens->mean));
}


static bool
tokens_fit(const struct ads_doc_words *tokens)
{
    if (tokens->start[0] != 0
        || tokens->start[tokens->n_docs] != tokens->n_tokens) {
        return false;
    }
    for (uint32_t i = 0; i < tokens->n_docs; i++) {
        if (tokens->start[i] > tokens->start[i + 1]) {
            return false;
        }
    }
    for (uint64_t i = 0; i < tokens->n_tokens; i++) {
        uint32_t word = tokens->tokens[i] & ADS_TOKEN_WORD;

        if (word >= tokens->n_words && word != ADS_TOKEN_STOP) {
            return false;
        }
    }
    for (uint32_t i = 0; i < tokens->n_terms; i++) {
        if (tokens->stem[i] >= tokens->n_words) {
            return false;
        }
    }
    return true;
}


enum ads_err
ads_doc_words_open(struct ads_doc_words *tokens, const void *bytes,
                   uint64_t len)
{
    struct ads_cursor cursor = ads_cursor_init(bytes, len);
    uint32_t magic = ads_cursor_u32(&cursor);
    uint32_t version = ads_cursor_u32(&cursor);

    *tokens = (struct ads_doc_words){0};
    if (len < ADS_DOC_WORDS_HEAD_LEN || (uintptr_t)bytes % 8 != 0) {
        return ADS_DAMAGED;
    }
    if (magic != ADS_DOC_WORDS_MAGIC || version != ADS_DOC_WORDS_VERSION) {
        return ADS_UNSUPPORTED;
    }

    tokens->n_docs = ads_cursor_u32(&cursor);
    tokens->n_terms = ads_cursor_u32(&cursor);
    tokens->n_words = ads_cursor_u32(&cursor);
    tokens->n_counted = ads_cursor_u32(&cursor);
    tokens->n_tokens = ads_cursor_u64(&cursor);
    for (int i = 0; i < ADS_DOC_WORDS_FIELDS; i++) {
        tokens->mean[i] = ads_cursor_u64(&cursor);
        if (tokens->mean[i] == 0) {
            return ADS_DAMAGED;
        }
    }
    if (tokens->n_docs > ADS_INDEX_DOCS_MAX
        || tokens->n_terms > ADS_INDEX_TERMS_MAX
        || tokens->n_words >= ADS_INDEX_WORDS_MAX || tokens->n_tokens > len / 4
        || len != ads_doc_words_measure(tokens))
    {
        return ADS_DAMAGED;
    }

    tokens->start =
        (const void *)((const uint8_t *)bytes + ADS_DOC_WORDS_HEAD_LEN);
    tokens->tokens = (const void *)(tokens->start + tokens->n_docs + 1);
    tokens->stem = tokens->tokens + tokens->n_tokens;
    tokens->kind = (const void *)(tokens->stem + tokens->n_terms);
    return tokens_fit(tokens) ? ADS_OK : ADS_DAMAGED;
}
