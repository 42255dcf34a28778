/*
 * Any bytes as a place: what is recognised has codes of the right form, is
 * recognised in any case and by its codes, and is inside its country.
 */
#include "ads_place.h"

#include "fuzz.h"

#define LEN_MAX 512


static bool
upper_is(char c)
{
    return c >= 'A' && c <= 'Z';
}


static size_t
region_len(const struct ads_place *place)
{
    size_t len = 0;

    while (len < sizeof(place->region) && place->region[len] != '\0') {
        fuzz_must(
            upper_is(place->region[len])
                || (place->region[len] >= '0' && place->region[len] <= '9'),
            "a region is upper-case letters and digits");
        len++;
    }
    for (size_t i = len; i < sizeof(place->region); i++) {
        fuzz_must(place->region[i] == '\0', "a region is zero padded");
    }
    return len;
}


static void
place_must(const struct ads_place *place)
{
    struct ads_place country = *place, again;
    char code[6];
    size_t len = region_len(place);

    fuzz_must(upper_is(place->country[0]) && upper_is(place->country[1]),
              "a country is two letters");
    memcpy(code, place->country, 2);
    code[2] = '-';
    memcpy(code + 3, place->region, len);
    fuzz_must(
        ads_place_read(&again, (struct ads_str){code, len == 0 ? 2 : 3 + len})
            && memcmp(place, &again, sizeof(again)) == 0,
        "a place is known by its codes");

    memset(country.region, 0, sizeof(country.region));
    fuzz_must(ads_place_covers(place, place)
                  && ads_place_covers(&country, place)
                  && ads_place_covers(place, &country) == (len == 0),
              "a country covers its regions");
}


int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static const struct ads_place nowhere;
    struct ads_place place, other;
    char *text, *spaced;
    bool known;

    if (len > LEN_MAX) {
        return 0;
    }
    text = fuzz_copy(bytes, len);
    known = ads_place_read(&place, (struct ads_str){text, len});
    if (known) {
        place_must(&place);
    } else {
        fuzz_must(memcmp(&place, &nowhere, sizeof(place)) == 0,
                  "an unknown place is zeros");
    }

    spaced = malloc(len + 2);
    spaced[0] = ' ';
    spaced[len + 1] = '\n';
    for (size_t i = 0; i < len; i++) {
        char c = text[i];

        spaced[i + 1] = c >= 'a' && c <= 'z' ? (char)(c & ~0x20) : c;
    }
    fuzz_must(ads_place_read(&other, (struct ads_str){spaced, len + 2}) == known
                  && memcmp(&place, &other, sizeof(other)) == 0,
              "case and the space around do not matter");
    free(spaced);
    known = ads_place_guess(&other, (struct ads_str){text, len});
    fuzz_must(known == (memcmp(&other, &nowhere, sizeof(other)) != 0),
              "an unknown place is zeros, also as a guess");
    if (known) {
        place_must(&other);
    }
    free(text);
    return 0;
}
