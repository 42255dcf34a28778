/*
 * Maps the words of a query to groups of index terms.
 *
 * A word that products have is its term; one they do not have is looked up by
 * its stem, then as two words, joined with its neighbour, and corrected.  Stop
 * words are not asked for; fillers ("need", "best") only when nothing else is.
 */
#include "ads_match_words.h"

/* Of a word that no product has: as of a fairly rare one. */
#define UNKNOWN_IDF 110

#define CONTEXT_SHARE 144 /* of 256 */
#define HEAD_SURE 64     /* of 255: share of titles whose head noun a word is */
#define SPLIT_WEIGHT 256 /* of a known word written as two */
#define JOIN_RARER 3 /* a joined form may be 2^n times rarer than the pair */

/* The wanted kind weighs at least as much as a rare word; the words that name
 * it weigh less then, of 256.  A product of the next broader kind counts. */
#define KIND_IDF 60
#define KIND_SHARE 112 /* of 256: words tell kinds of one kind apart */
#define NAMED_SHARE 256
#define BROADER_WEIGHT 128
#define ATTRIBUTE_WEIGHT 64 /* of what is said otherwise or elsewhere */


/* Looks a token up as it stands and by its stem.  False: a stop word. */
static bool
token_find(struct ads_match_reading *reading, struct ads_match_token *token)
{
    const struct ads_index *index = reading->index;
    struct ads_str bytes = ads_match_token_bytes(token);

    token->term = ADS_INDEX_NONE;
    token->filler = ADS_TEXT_CONTENT;
    token->word = ads_index_word_find(index, bytes);
    if (token->text.kind == ADS_TEXT_LETTERS) {
        token->filler = ads_text_filler(bytes);
        if (token->filler == ADS_TEXT_STOP) {
            return false;
        }
        if (token->word == ADS_INDEX_NONE) {
            token->word = ads_index_word_find(
                index, ads_text_stem(reading->text, &token->text));
        }
    }
    token->term = ads_index_word_term(index, token->word);
    return true;
}


/* Is the token a word that could name what is looked for? */
static bool
is_noun(const struct ads_match_token *token,
        const struct ads_match_token *before)
{
    return token->content
           && (before == NULL || before->text.kind != ADS_TEXT_NUMBER)
           && (token->text.kind == ADS_TEXT_LETTERS
               || token->text.kind == ADS_TEXT_PAIR);
}


/* What a token says about the one right before it: "price pfister" names a
 * brand, "kettle price" does not; "under $80" is no place. */
static void
neighbour_settle(struct ads_match_token *token)
{
    struct ads_match_token *before = token - 1;

    if (token->content && before->filler == ADS_TEXT_TAIL) {
        before->content = true;
    }
    if (token->text.kind == ADS_TEXT_PRICE && before->filler == ADS_TEXT_FILLER)
    {
        before->content = false;
    }
}


/* Reads the words that matter; notes the phrases they form. */
static void
tokens_read(struct ads_match_reading *reading, struct ads_str source)
{
    struct ads_match_query *query = reading->query;
    bool follows = false, content = false;
    struct ads_text_reader reader;
    uint32_t phrase = 0;

    ads_text_init(&reader, source);
    while (query->n_words < ADS_MATCH_WORDS) {
        struct ads_match_token *token = &reading->tokens[query->n_words];
        bool ends;

        if (!ads_text_next(&reader, &token->text)) {
            break;
        }
        ends =
            token->text.kind == ADS_TEXT_PRICE || !token_find(reading, token);
        content = !ends
                  && (token->filler == ADS_TEXT_CONTENT
                      || (token->filler == ADS_TEXT_FILLER && content));
        token->content = content;
        if (follows) {
            neighbour_settle(token);
        }
        phrase += !content || token->text.gap == ADS_TEXT_BREAK;
        token->phrase = phrase;
        token->follows = follows;
        follows = !ends;
        if (ends) {
            continue;
        }
        token->noun = is_noun(token, token->follows ? token - 1 : NULL);
        query->words[query->n_words++] = (struct ads_match_word){
            .from = token->text.from,
            .to = token->text.to,
            .group = ADS_MATCH_NO_GROUP,
            .state = token->term == ADS_INDEX_NONE ? ADS_MATCH_UNKNOWN
                                                   : ADS_MATCH_KNOWN};
    }
}


/*
 * The group of the head noun.  In "i plan a trip and need a warm jacket" it is
 * "jacket": of the last nouns of all phrases the first that is mostly a head
 * noun in titles, else the one that is so most often.
 */
static uint8_t
head_find(const struct ads_match_reading *reading)
{
    const struct ads_match_query *query = reading->query;
    uint8_t head = ADS_MATCH_NO_GROUP;
    uint32_t most = 0;

    for (uint32_t i = 0; i < query->n_words && most <= HEAD_SURE; i++) {
        const struct ads_match_token *token = &reading->tokens[i];
        uint32_t heads;

        if (!token->noun || query->words[i].group == ADS_MATCH_NO_GROUP
            || (i + 1 < query->n_words && token[1].noun
                && token[1].phrase == token->phrase))
        {
            continue;
        }
        heads =
            token->term == ADS_INDEX_NONE
                ? 1
                : 1u + ads_index_term_peek(reading->index, token->term)->heads;
        if (heads > most) {
            most = heads;
            head = query->words[i].group;
        }
    }
    return head;
}


const struct ads_match_span *
ads_match_span_of(const struct ads_match_reading *reading,
                  const struct ads_match_token *token)
{
    const struct ads_match_focus *focus = reading->focus;

    for (uint32_t i = 0; focus != NULL && i < focus->n_spans; i++) {
        if (focus->spans[i].from <= token->text.from
            && token->text.to <= focus->spans[i].to)
        {
            return &focus->spans[i];
        }
    }
    return NULL;
}


bool
ads_match_is_known_as(const struct ads_match_reading *reading, uint32_t i,
                      enum ads_match_known known)
{
    const struct ads_match_span *span =
        ads_match_span_of(reading, &reading->tokens[i]);

    return span != NULL && span->known == known;
}


/* Does the word say that something is cheap or dear? */
static bool
is_price_word(const struct ads_match_reading *reading, uint32_t i)
{
    const struct ads_match_span *span =
        ads_match_span_of(reading, &reading->tokens[i]);
    struct ads_str id = {"", 0};

    if (span != NULL && span->known == ADS_MATCH_DESCRIBES) {
        id = ads_goods_attribute_id(reading->focus->goods, span->attribute);
    }
    return ads_str_is(id, "budget") || ads_str_is(id, "luxury");
}


/* Fillers are not asked for when there is anything else, and what is said of
 * the price ("cheap", in any language) never is. */
static void
fillers_drop(struct ads_match_reading *reading)
{
    struct ads_match_query *query = reading->query;
    bool better = false;

    for (uint32_t i = 0; i < query->n_words; i++) {
        /* each word was a token */
        /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign) */
        better = better || reading->tokens[i].content;
    }
    for (uint32_t i = 0; better && i < query->n_words; i++) {
        if (!reading->tokens[i].content || is_price_word(reading, i)) {
            query->words[i].state = ADS_MATCH_STOP;
        }
    }
    for (uint32_t i = 0; i < query->n_words; i++) {
        if (ads_match_is_known_as(reading, i, ADS_MATCH_BOUND)
            || (i > 0 && ads_match_is_known_as(reading, i, ADS_MATCH_MOST)
                && ads_match_is_known_as(reading, i - 1, ADS_MATCH_LEAST)))
        {
            query->words[i].state = ADS_MATCH_STOP; /* read with that one */
        }
    }
}


/* ---- groups -------------------------------------------------------------- */

void
ads_match_alternative_add(struct ads_match_group *group, uint32_t term,
                          uint32_t second, uint32_t weight)
{
    for (uint8_t i = 0; i < group->n_alternatives; i++) {
        if (group->alternatives[i].term == term
            && group->alternatives[i].second == second)
        {
            return;
        }
    }
    if (group->n_alternatives < ADS_MATCH_ALTERNATIVES) {
        group->alternatives[group->n_alternatives++] =
            (struct ads_match_alternative){
                .term = term, .second = second, .weight = weight};
    }
}


/* The term of the two tokens written as one word, or ADS_INDEX_NONE. */
static uint32_t
join_find(const struct ads_match_reading *reading, uint32_t i)
{
    const struct ads_match_token *one = &reading->tokens[i], *other = one + 1;
    char bytes[2 * ADS_TEXT_WORD_MAX];
    uint32_t word, term, often;

    if (i + 1 >= reading->query->n_words || !other->follows
        || one->text.kind != ADS_TEXT_LETTERS
        || (other->text.kind != ADS_TEXT_LETTERS
            && other->text.kind != ADS_TEXT_NUMBER)
        || one->text.len + other->text.len > ADS_TEXT_WORD_MAX)
    {
        return ADS_INDEX_NONE;
    }

    memcpy(bytes, one->text.bytes, one->text.len);
    memcpy(bytes + one->text.len, other->text.bytes, other->text.len);
    word = ads_index_word_find(
        reading->index,
        (struct ads_str){.ptr = bytes,
                         .len = (size_t)one->text.len + other->text.len});
    term = ads_index_word_term(reading->index, word);
    if (term == ADS_INDEX_NONE || one->term == ADS_INDEX_NONE
        || other->term == ADS_INDEX_NONE)
    {
        return term;
    }
    often = ads_index_pair_find(reading->index, one->term, other->term);
    return ads_index_term_peek(reading->index, term)->n << JOIN_RARER
                   >= 1u << often >> 1
               ? term
               : ADS_INDEX_NONE;
}


/* Takes the nearest word within `edits`; false when there is none. */
static bool
group_correct(struct ads_match_reading *reading, uint32_t i, unsigned edits,
              struct ads_match_group *group)
{
    const struct ads_index *index = reading->index;
    struct ads_match_token *token = &reading->tokens[i];
    uint32_t before = i > 0 ? reading->tokens[i - 1].term : ADS_INDEX_NONE;
    uint32_t after = i + 1 < reading->query->n_words
                         ? reading->tokens[i + 1].term
                         : ADS_INDEX_NONE;
    uint32_t found = ads_match_correct(index, ads_match_token_bytes(token),
                                       edits, before, after);
    uint32_t term = ads_index_word_term(index, found);

    if (term == ADS_INDEX_NONE) {
        return false;
    }
    token->word = found;
    token->term = term;
    ads_match_alternative_add(group, term, ADS_INDEX_NONE, ADS_MATCH_WHOLE);
    group->idf = ads_match_term_idf(index, term);
    reading->query->words[i].state = ADS_MATCH_CORRECTED;
    return true;
}


/* Fills a group for a word that no product has: one letter wrong, two words
 * in one, two letters wrong.  False when nothing fits.  A word that the
 * ontology knows is right, perhaps in another language than the products'. */
static bool
group_guess(struct ads_match_reading *reading, uint32_t i,
            struct ads_match_group *group)
{
    const struct ads_index *index = reading->index;
    struct ads_match_token *token = &reading->tokens[i];
    bool correctable = token->text.kind == ADS_TEXT_LETTERS
                       && reading->corrections < ADS_MATCH_CORRECTIONS
                       && ads_match_span_of(reading, token) == NULL;
    struct ads_index_split split;

    if (token->text.kind == ADS_TEXT_MIXED
        && !ads_text_is_count(ads_match_token_bytes(token))
        && ads_match_model_guess(reading, token, group))
    {
        reading->query->words[i].state = ADS_MATCH_SPLIT;
        return true;
    }
    reading->corrections += correctable;
    if (correctable && group_correct(reading, i, 1, group)) {
        return true;
    }
    if (ads_match_split(index, ads_match_token_bytes(token), &split)) {
        uint8_t first = ads_match_term_idf(index, split.first);
        uint8_t second = ads_match_term_idf(index, split.second);

        ads_match_alternative_add(group, split.first, split.second,
                                  ADS_MATCH_WHOLE);
        group->idf = first > second ? first : second;
        reading->query->words[i].state = ADS_MATCH_SPLIT;
        return true;
    }
    return correctable && group_correct(reading, i, 2, group);
}


/* The terms that stand for word i; false when there are none. */
static bool
group_read(struct ads_match_reading *reading, uint32_t i,
           struct ads_match_group *group)
{
    const struct ads_index *index = reading->index;
    const struct ads_match_token *token = &reading->tokens[i];
    struct ads_index_split split;
    uint32_t joined;

    memset(group, 0, sizeof(*group));
    group->word = (uint8_t)i;
    if (token->term != ADS_INDEX_NONE) {
        ads_match_alternative_add(group, token->term, ADS_INDEX_NONE,
                                  ADS_MATCH_WHOLE);
        group->idf = ads_match_term_idf(index, token->term);
        if (ads_index_split_find(index, token->word, &split)) {
            ads_match_alternative_add(group, split.first, split.second,
                                      SPLIT_WEIGHT);
        }
    }

    joined = join_find(reading, i);
    if (joined == ADS_INDEX_NONE && i > 0) {
        joined = join_find(reading, i - 1);
    }
    if (joined != ADS_INDEX_NONE) {
        ads_match_alternative_add(group, joined, ADS_INDEX_NONE,
                                  ADS_MATCH_WHOLE);
        if (group->n_alternatives == 1) {
            group->idf = ads_match_term_idf(index, joined);
            reading->query->words[i].state = ADS_MATCH_JOINED;
        }
    }
    return group->n_alternatives > 0 || group_guess(reading, i, group);
}


uint32_t
ads_match_attribute_of(const struct ads_match_reading *reading, uint32_t i)
{
    const struct ads_match_token *token = &reading->tokens[i];
    const struct ads_match_span *span = ads_match_span_of(reading, token);

    if (span == NULL) {
        return ADS_GOODS_NONE;
    }
    if (span->known == ADS_MATCH_DESCRIBES || span->known == ADS_MATCH_REFUSED)
    {
        return span->attribute;
    }
    if (span->known != ADS_MATCH_NAMES || reading->focus->n_kinds == 0) {
        return ADS_GOODS_NONE;
    }
    return ads_goods_attribute_said(reading->focus->goods,
                                    ads_match_token_bytes(token));
}


uint32_t
ads_match_fact_term(const struct ads_match_reading *reading, char mark,
                    struct ads_str id)
{
    return ads_index_word_term(reading->index,
                               ads_index_fact_find(reading->index, mark, id));
}


/* An attribute may be said otherwise, or in another language: products have a
 * term of their own for it. */
static void
attribute_widen(const struct ads_match_reading *reading, uint32_t i,
                struct ads_match_group *group)
{
    struct ads_match_word *word = &reading->query->words[i];
    bool known =
        group->n_alternatives > 0 && word->state != ADS_MATCH_CORRECTED;
    uint32_t attribute = ads_match_attribute_of(reading, i);
    uint32_t term =
        attribute == ADS_GOODS_NONE
            ? ADS_INDEX_NONE
            : ads_match_fact_term(
                reading, ADS_INDEX_ATTRIBUTE,
                ads_goods_attribute_id(reading->focus->goods, attribute));

    if (term == ADS_INDEX_NONE) {
        return;
    }
    ads_match_alternative_add(group, term, ADS_INDEX_NONE, ATTRIBUTE_WEIGHT);
    if (!known) {
        group->idf = ads_match_term_idf(reading->index, term);
        word->state = ADS_MATCH_KNOWN;
    }
}


/* What products must not have is no word to look for. */
static void
refusal_add(const struct ads_match_reading *reading, uint32_t i)
{
    struct ads_match_query *query = reading->query;
    uint32_t term = ads_match_fact_term(
        reading, ADS_INDEX_ATTRIBUTE,
        ads_goods_attribute_id(reading->focus->goods,
                               ads_match_attribute_of(reading, i)));

    query->words[i].state = ADS_MATCH_STOP;
    if (term != ADS_INDEX_NONE && query->n_refused < ADS_MATCH_REFUSALS) {
        query->refused[query->n_refused++] = term;
    }
}


static uint32_t
kind_term(const struct ads_match_reading *reading, uint32_t kind)
{
    return ads_match_fact_term(reading, ADS_INDEX_KIND,
                               ads_goods_id(reading->focus->goods, kind));
}


/* The group of the wanted kinds: any of them, less so a broader one.  What no
 * product is counts as an unknown word. */
static void
kind_group_add(const struct ads_match_reading *reading)
{
    const struct ads_match_focus *focus = reading->focus;
    struct ads_match_query *query = reading->query;
    struct ads_match_group *group = &query->groups[query->n_groups];
    uint32_t n, term;

    query->kind = ADS_MATCH_NO_GROUP;
    if (focus == NULL || focus->n_kinds == 0) {
        return;
    }
    memset(group, 0, sizeof(*group));
    group->word = ADS_MATCH_NO_GROUP;
    group->idf = KIND_IDF;
    for (uint32_t i = 0; i < focus->n_kinds; i++) {
        term = kind_term(reading, focus->kinds[i]);
        if (term != ADS_INDEX_NONE) {
            ads_match_alternative_add(group, term, ADS_INDEX_NONE,
                                      ADS_MATCH_WHOLE);
            if (ads_match_term_idf(reading->index, term) > group->idf) {
                group->idf = ads_match_term_idf(reading->index, term);
            }
        }
    }
    if (query->names != 0) { /* else no word says what is wanted */
        group->idf = (uint8_t)((group->idf * KIND_SHARE + 255) / 256);
    }
    group->idf = (uint8_t)((group->idf * focus->sure + 255) / 256);
    for (uint32_t i = 0; i < focus->n_kinds; i++) {
        const uint32_t *broader =
            ads_goods_ancestors(focus->goods, focus->kinds[i], &n);

        term = n < 2 ? ADS_INDEX_NONE : kind_term(reading, broader[0]);
        if (term != ADS_INDEX_NONE) {
            ads_match_alternative_add(group, term, ADS_INDEX_NONE,
                                      BROADER_WEIGHT);
        }
    }
    if (group->n_alternatives > 0) {
        query->kind = (uint8_t)query->n_groups++;
    } else {
        query->n_unknown++;
        query->idf_total += KIND_IDF;
    }
}


/* Adds a group, or finds it there already, or takes the place of a more
 * frequent one when there are too many. */
static void
group_add(struct ads_match_query *query, const struct ads_match_group *group,
          uint32_t max)
{
    uint32_t at = 0, common = 0;

    for (at = 0; at < query->n_groups; at++) {
        const struct ads_match_group *known = &query->groups[at];

        if (known->alternatives[0].term == group->alternatives[0].term
            && known->alternatives[0].second == group->alternatives[0].second)
        {
            query->words[group->word].group = (uint8_t)at;
            return;
        }
        if (known->idf < query->groups[common].idf) {
            common = at;
        }
    }

    if (at == max) {
        if (group->idf <= query->groups[common].idf) {
            query->words[group->word].state = ADS_MATCH_SURPLUS;
            return;
        }
        for (uint32_t i = 0; i < query->n_words; i++) {
            if (query->words[i].group == common) {
                query->words[i].group = ADS_MATCH_NO_GROUP;
                query->words[i].state = ADS_MATCH_SURPLUS;
            }
        }
        at = common;
    } else {
        query->n_groups++;
    }
    query->groups[at] = *group;
    query->words[group->word].group = (uint8_t)at;
}


/* What stands outside the phrase of the head noun ("for students") tells less
 * about what is looked for; so do the words that name the wanted kind, which is
 * asked for itself. */
static void
context_weigh(const struct ads_match_reading *reading)
{
    struct ads_match_query *query = reading->query;
    bool headed = query->head != ADS_MATCH_NO_GROUP;
    uint32_t phrase =
        headed ? reading->tokens[query->groups[query->head].word].phrase : 0;

    for (uint32_t g = 0; g < query->n_groups; g++) {
        struct ads_match_group *group = &query->groups[g];
        const struct ads_match_token *token = &reading->tokens[group->word];
        uint32_t share = 256;

        if (ads_match_is_known_as(reading, group->word, ADS_MATCH_NAMES)) {
            query->names |= 1u << g;
            share = NAMED_SHARE;
        } else if (headed && token->phrase != phrase) {
            share = CONTEXT_SHARE;
        }
        group->idf = (uint8_t)((group->idf * share + 255) / 256);
    }
}


static uint32_t
unknown_idf(const struct ads_match_reading *reading, uint32_t i)
{
    const struct ads_match_query *query = reading->query;
    const struct ads_match_token *tokens = reading->tokens;

    if (reading->focus != NULL && reading->focus->n_kinds > 0
        && ads_match_is_known_as(reading, i, ADS_MATCH_NAMES))
    {
        return 0; /* another language's word for it */
    }
    if (query->head == ADS_MATCH_NO_GROUP
        || tokens[query->groups[query->head].word].phrase == tokens[i].phrase)
    {
        return UNKNOWN_IDF;
    }
    return UNKNOWN_IDF * CONTEXT_SHARE / 256;
}


/* Looks the words up, one group of terms for each that is asked for. */
static void
groups_read(struct ads_match_reading *reading, uint32_t max)
{
    struct ads_match_query *query = reading->query;

    for (uint32_t i = 0; i < query->n_words; i++) {
        struct ads_match_group group;
        bool found;

        if (query->words[i].state == ADS_MATCH_STOP) {
            continue;
        }
        if (ads_match_is_known_as(reading, i, ADS_MATCH_REFUSED)) {
            refusal_add(reading, i);
            continue;
        }
        found = group_read(reading, i, &group);
        attribute_widen(reading, i, &group);
        ads_match_number_widen(reading, i, &group);
        if (!found && group.n_alternatives > 0) {
            query->words[i].state = ADS_MATCH_KNOWN; /* by another number */
        }
        if (found || group.n_alternatives > 0) {
            group_add(query, &group, max);
        } else {
            query->n_unknown++;
        }
    }
}


void
ads_match_read(const struct ads_index *index, const struct ads_text *text,
               struct ads_str source, const struct ads_match_focus *focus,
               struct ads_match_query *query)
{
    struct ads_match_reading reading;
    /* the wanted kind has its place in any case */
    uint32_t max =
        ADS_MATCH_GROUPS - (focus != NULL && focus->n_kinds > 0 ? 1 : 0);

    memset(query, 0, offsetof(struct ads_match_query, words));
    reading.index = index;
    reading.text = text;
    reading.focus = focus;
    reading.query = query;
    reading.corrections = 0;
    reading.probes = 0;

    tokens_read(&reading, source);
    fillers_drop(&reading);
    groups_read(&reading, max);
    query->head = head_find(&reading);
    context_weigh(&reading);
    ads_match_demands_note(&reading);
    ads_match_against_note(&reading);
    ads_match_longer_note(&reading);
    kind_group_add(&reading);
    for (uint32_t i = 0; i < query->n_groups; i++) {
        query->idf_known += query->groups[i].idf;
    }
    query->idf_total += query->idf_known;
    for (uint32_t i = 0; i < query->n_words; i++) {
        if (query->words[i].state == ADS_MATCH_UNKNOWN) {
            query->idf_total += unknown_idf(&reading, i);
            query->n_nameless +=
                ads_match_is_known_as(&reading, i, ADS_MATCH_NAMES);
            query->n_lost +=
                ((reading.tokens[i].text.kind == ADS_TEXT_MIXED
                  && !ads_match_is_count(&reading.tokens[i])
                  && !ads_match_is_known_as(&reading, i, ADS_MATCH_DESCRIBES))
                 || reading.tokens[i].text.kind == ADS_TEXT_NUMBER)
                && !(query->either != 0
                     && ads_match_is_known_as(&reading, i, ADS_MATCH_EITHER));
        }
    }
}
