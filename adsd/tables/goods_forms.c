/*
 * Inflects words: the regular forms in four languages, so that nothing is
 * stemmed while a request waits: the compiler knows all forms beforehand.
 *
 * A form that is another word ("cape" is no German plural of "cap") does no
 * harm: what names have as it stands goes first, and short words are left
 * alone.
 */
#include "tables/goods.h"

#define FORM_MAX 96

struct forms {
    struct ads_str word;
    void (*put)(void *ctx, struct ads_str form);
    void *ctx;
};


static bool
ends_in(struct ads_str word, const char *end)
{
    size_t len = strlen(end);

    return word.len > len + 1
           && memcmp(word.ptr + word.len - len, end, len) == 0;
}


/* The word with `cut` bytes less and `end` behind. */
static void
form_put(const struct forms *forms, size_t cut, const char *end)
{
    char bytes[FORM_MAX];
    size_t len = forms->word.len - cut, more = strlen(end);

    if (len < 2 || len + more > sizeof(bytes)) {
        return;
    }
    memcpy(bytes, forms->word.ptr, len);
    memcpy(bytes + len, end, more);
    forms->put(forms->ctx, (struct ads_str){bytes, len + more});
}


/* The endings in place of the last `cut` bytes. */
static void
ends_put(const struct forms *forms, size_t cut, const char *const *ends)
{
    for (; *ends != NULL; ends++) {
        form_put(forms, cut, *ends);
    }
}


static void
english(const struct forms *forms)
{
    struct ads_str word = forms->word;
    bool hissing = ends_in(word, "s") || ends_in(word, "x")
                   || ends_in(word, "z") || ends_in(word, "ch")
                   || ends_in(word, "sh");

    if (ends_in(word, "ies")) {
        form_put(forms, 3, "y");
    } else if (ends_in(word, "sses") || ends_in(word, "xes")
               || ends_in(word, "ches") || ends_in(word, "shes"))
    {
        form_put(forms, 2, "");
    } else if (ends_in(word, "s") && !ends_in(word, "ss")
               && !ends_in(word, "us") && !ends_in(word, "is"))
    {
        form_put(forms, 1, "");
    }
    if (ends_in(word, "y") && !ends_in(word, "ay") && !ends_in(word, "ey")
        && !ends_in(word, "oy"))
    {
        form_put(forms, 1, "ies");
    }
    form_put(forms, 0, hissing ? "es" : "s");
}


static void
german(const struct forms *forms, bool inflects)
{
    static const char *const adjective[] = {"e", "er", "es", "en", "em", NULL};
    struct ads_str word = forms->word;

    if (ends_in(word, "e")) {
        form_put(forms, 0, "n");
        if (inflects) {
            form_put(forms, 0, "r");
            form_put(forms, 0, "s");
            form_put(forms, 0, "m");
        }
        return;
    }
    if (inflects) {
        ends_put(forms, 0, adjective);
        return;
    }
    form_put(forms, 0, "s");
    if (ends_in(word, "er") || ends_in(word, "el") || ends_in(word, "en")) {
        form_put(forms, 0, "n");
        return;
    }
    if (word.len >= 5) {
        form_put(forms, 0, "e");
        form_put(forms, 0, "en");
        form_put(forms, 0, "es");
    }
}


static void
french(const struct forms *forms, bool inflects)
{
    struct ads_str word = forms->word;

    if (ends_in(word, "s") || ends_in(word, "x")) {
        form_put(forms, 1, "");
        return;
    }
    if (ends_in(word, "eau") || ends_in(word, "eu")) {
        form_put(forms, 0, "x");
        return;
    }
    if (ends_in(word, "al")) {
        form_put(forms, 1, "ux");
    }
    form_put(forms, 0, "s");
    if (inflects && !ends_in(word, "e")) {
        form_put(forms, 0, "e");
        form_put(forms, 0, "es");
    }
}


static void
spanish(const struct forms *forms, bool inflects)
{
    struct ads_str word = forms->word;
    bool vowel = ends_in(word, "a") || ends_in(word, "e") || ends_in(word, "i")
                 || ends_in(word, "o") || ends_in(word, "u");

    if (ends_in(word, "es")) {
        form_put(forms, 2, "");
        form_put(forms, 1, "");
    } else if (ends_in(word, "s")) {
        form_put(forms, 1, "");
    } else if (ends_in(word, "z")) {
        form_put(forms, 1, "ces");
    } else {
        form_put(forms, 0, vowel ? "s" : "es");
    }
    if (inflects && ends_in(word, "o")) {
        form_put(forms, 1, "a");
        form_put(forms, 1, "as");
        form_put(forms, 0, "s");
    }
}


void
goods_forms(struct ads_str word, enum goods_key language, bool inflects,
            void (*put)(void *ctx, struct ads_str form), void *ctx)
{
    const struct forms forms = {word, put, ctx};

    if (word.len < 3) {
        return;
    }
    if (language == GOODS_DE) {
        german(&forms, inflects);
    } else if (language == GOODS_FR) {
        french(&forms, inflects);
    } else if (language == GOODS_ES) {
        spanish(&forms, inflects);
    } else if (!inflects) {
        english(&forms);
    }
}


static bool
is_vowel(char c)
{
    return memchr("aeiouy", c, 6) != NULL;
}


static void
english_verb(const struct forms *forms)
{
    static const char *const ends[] = {"ing", "ed", NULL};
    const struct ads_str word = forms->word;
    char last = word.ptr[word.len - 1];

    if (last == 'e') {
        ends_put(forms, 1, ends);
        return;
    }
    if (last == 'y' && !is_vowel(word.ptr[word.len - 2])) {
        form_put(forms, 0, "ing");
        form_put(forms, 1, "ied");
        return;
    }
    ends_put(forms, 0, ends);
    if (ads_char_is_lower(last) && !is_vowel(last)
        && memchr("wx", last, 2) == NULL && is_vowel(word.ptr[word.len - 2])
        && !is_vowel(word.ptr[word.len - 3]))
    {
        const char twice[] = {last, 'i', 'n', 'g', '\0', last, 'e', 'd', '\0'};

        form_put(forms, 0, twice);
        form_put(forms, 0, twice + 5);
    }
}


void
goods_verb_forms(struct ads_str word, enum goods_key language,
                 void (*put)(void *ctx, struct ads_str form), void *ctx)
{
    static const struct {
        enum goods_key language;
        const char *end;
        const char *ends[8];
    } regular[] = {
        {GOODS_DE, "en", {"t", "e", "st", "te", "ten", "end", NULL}},
        {GOODS_DE, "ern", {"ert", "ere", "erte", NULL}},
        {GOODS_DE, "eln", {"elt", "ele", "elte", NULL}},
        {GOODS_FR, "er", {"e", "es", "ent", "ez", "ait", "ant", "ee", NULL}},
        {GOODS_FR, "ir", {"is", "it", "issent", "issant", "i", NULL}},
        {GOODS_FR, "re", {"s", "t", "", "ent", "ant", "u", NULL}},
        {GOODS_ES, "ar", {"o", "a", "as", "an", "e", "ando", "ado", NULL}},
        {GOODS_ES, "er", {"o", "e", "es", "en", "iendo", "ido", NULL}},
        {GOODS_ES, "ir", {"o", "e", "es", "en", "iendo", "ido", NULL}},
    };
    const struct forms forms = {word, put, ctx};

    if (word.len < 4) {
        return;
    }
    if (language == GOODS_EN) {
        english_verb(&forms);
        return;
    }
    for (size_t i = 0; i < sizeof(regular) / sizeof(*regular); i++) {
        if (regular[i].language == language && ends_in(word, regular[i].end)) {
            ends_put(&forms, strlen(regular[i].end), regular[i].ends);
        }
    }
}
