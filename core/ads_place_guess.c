/*
 * Guesses the place that a user's client names in its own way: parts from the
 * last one back, then a table of cities.
 */
#include "ads_place.h"
#include "ads_place_cities.h"

#define N_CITIES (sizeof(place_cities) / sizeof(place_cities[0]))
#define NAME_MAX 128

/* Three letters of ISO 3166-1 and the two of the same country, sorted. */
static const char thirds[] =
    "ABWAWAFGAFAGOAOAIAAIALAAXALBALANDADAREAEARGARARMAMASMASATAAQ"
    "ATFTFATGAGAUSAUAUTATAZEAZBDIBIBELBEBENBJBESBQBFABFBGDBDBGRBG"
    "BHRBHBHSBSBIHBABLMBLBLRBYBLZBZBMUBMBOLBOBRABRBRBBBBRNBNBTNBT"
    "BVTBVBWABWCAFCFCANCACCKCCCHECHCHLCLCHNCNCIVCICMRCMCODCDCOGCG"
    "COKCKCOLCOCOMKMCPVCVCRICRCUBCUCUWCWCXRCXCYMKYCYPCYCZECZDEUDE"
    "DJIDJDMADMDNKDKDOMDODZADZECUECEGYEGERIERESHEHESPESESTEEETHET"
    "FINFIFJIFJFLKFKFRAFRFROFOFSMFMGABGAGBRGBGEOGEGGYGGGHAGHGIBGI"
    "GINGNGLPGPGMBGMGNBGWGNQGQGRCGRGRDGDGRLGLGTMGTGUFGFGUMGUGUYGY"
    "HKGHKHMDHMHNDHNHRVHRHTIHTHUNHUIDNIDIMNIMINDINIOTIOIRLIEIRNIR"
    "IRQIQISLISISRILITAITJAMJMJEYJEJORJOJPNJPKAZKZKENKEKGZKGKHMKH"
    "KIRKIKNAKNKORKRKWTKWLAOLALBNLBLBRLRLBYLYLCALCLIELILKALKLSOLS"
    "LTULTLUXLULVALVMACMOMAFMFMARMAMCOMCMDAMDMDGMGMDVMVMEXMXMHLMH"
    "MKDMKMLIMLMLTMTMMRMMMNEMEMNGMNMNPMPMOZMZMRTMRMSRMSMTQMQMUSMU"
    "MWIMWMYSMYMYTYTNAMNANCLNCNERNENFKNFNGANGNICNINIUNUNLDNLNORNO"
    "NPLNPNRUNRNZLNZOMNOMPAKPKPANPAPCNPNPERPEPHLPHPLWPWPNGPGPOLPL"
    "PRIPRPRKKPPRTPTPRYPYPSEPSPYFPFQATQAREUREROURORUSRURWARWSAUSA"
    "SDNSDSENSNSGPSGSGSGSSHNSHSJMSJSLBSBSLESLSLVSVSMRSMSOMSOSPMPM"
    "SRBRSSSDSSSTPSTSURSRSVKSKSVNSISWESESWZSZSXMSXSYCSCSYRSYTCATC"
    "TCDTDTGOTGTHATHTJKTJTKLTKTKMTMTLSTLTONTOTTOTTTUNTNTURTRTUVTV"
    "TWNTWTZATZUGAUGUKRUAUMIUMURYUYUSAUSUZBUZVATVAVCTVCVENVEVGBVG"
    "VIRVIVNMVNVUTVUWLFWFWSMWSYEMYEZAFZAZMBZMZWEZW";

/* Languages that are no countries, and languages with countries that are no
 * region of the country of the language's name. */
static const char languages[] = "csdaeleneufahahehijakkkonbnnteukurzhzu";
static const char locales[] = "deatdechdelidelufrbefrcafrchfrlunlbeptbr"
                              "ptaoptmzesmxesusescoespeesveesec";


static char
upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c & ~0x20) : c;
}


static struct ads_str
trim(struct ads_str text)
{
    return ads_str_trim(text, " \t\r\n\v\f");
}


static bool
country_set(struct ads_place *place, const char *code)
{
    return ads_place_read(place, (struct ads_str){code, 2});
}


/* "DEU" */
static bool
third_read(struct ads_place *place, struct ads_str text)
{
    for (size_t i = 0; text.len == 3 && i < sizeof(thirds) - 1; i += 5) {
        if (thirds[i] == upper(text.ptr[0])
            && thirds[i + 1] == upper(text.ptr[1])
            && thirds[i + 2] == upper(text.ptr[2]))
        {
            return country_set(place, thirds + i + 3);
        }
    }
    return false;
}


/* "en-US", "pt_BR" */
static bool
locale_read(struct ads_place *place, struct ads_str text)
{
    char both[4];

    if (text.len != 5 || (text.ptr[2] != '-' && text.ptr[2] != '_')) {
        return false;
    }
    both[0] = ads_char_lower(text.ptr[0]);
    both[1] = ads_char_lower(text.ptr[1]);
    both[2] = ads_char_lower(text.ptr[3]);
    both[3] = ads_char_lower(text.ptr[4]);
    for (size_t i = 0; i < sizeof(locales) - 1; i += 4) {
        if (memcmp(locales + i, both, 4) == 0) {
            return country_set(place, both + 2);
        }
    }
    for (size_t i = 0; i < sizeof(languages) - 1; i += 2) {
        if (memcmp(languages + i, both, 2) == 0) {
            return country_set(place, both + 2);
        }
    }
    return false;
}


static int
city_compare(const struct place_city *city, struct ads_str name)
{
    size_t len = city->len < name.len ? city->len : name.len;
    int side = memcmp(city->name, name.ptr, len);

    if (side != 0) {
        return side;
    }
    return city->len < name.len ? -1 : city->len > name.len;
}


static bool
city_read(struct ads_place *place, struct ads_str text)
{
    char buffer[NAME_MAX];
    struct ads_str name = {buffer, text.len};
    size_t low = 0, high = N_CITIES;

    if (text.len == 0 || text.len > sizeof(buffer)) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        buffer[i] = ads_char_lower(text.ptr[i]);
    }
    while (low < high) {
        size_t middle = (low + high) / 2;

        if (city_compare(&place_cities[middle], name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == N_CITIES || city_compare(&place_cities[low], name) != 0) {
        return false;
    }
    memcpy(place->country, place_cities[low].country, 2);
    memcpy(place->region, place_cities[low].region, 3);
    return true;
}


/* A text without commas. */
static bool
part_read(struct ads_place *place, struct ads_str text)
{
    return locale_read(place, text) || ads_place_read(place, text)
           || third_read(place, text) || city_read(place, text);
}


/* "NY", "ON": a state or province of a country where they are written so. */
static bool
state_read(struct ads_place *place, struct ads_str text)
{
    static const char *const ends[] = {", US", ", CA"};
    char name[6];

    for (size_t i = 0; text.len == 2 && i < 2; i++) {
        memcpy(name, text.ptr, 2);
        memcpy(name + 2, ends[i], 4);
        if (ads_place_read(place, (struct ads_str){name, sizeof(name)})) {
            return true;
        }
    }
    return false;
}


/* What the last part says of the first: the first where it lies within the
 * last, as San Francisco in CA; else the last, unless it can be a state as well
 * as a country and nothing tells which. */
static bool
pair_read(struct ads_place *place, struct ads_str first, struct ads_str last)
{
    struct ads_place city, country, state;
    bool has_city, has_country, has_state;

    has_city = part_read(&city, first);
    has_country = part_read(&country, last);
    has_state = state_read(&state, last);
    if (has_city
        && ((has_country && ads_place_covers(&country, &city))
            || (has_state && ads_place_covers(&state, &city))))
    {
        *place = city;
        return true;
    }
    if (has_country && has_state) {
        return false;
    }
    if (has_country || has_state) {
        *place = has_country ? country : state;
        return true;
    }
    return false;
}


bool
ads_place_guess(struct ads_place *place, struct ads_str text)
{
    struct ads_str first, last;
    const char *comma;

    memset(place, 0, sizeof(*place));
    text = trim(text);
    if (text.len > NAME_MAX) {
        return false;
    }
    if (locale_read(place, text) || ads_place_read(place, text)) {
        return true;
    }
    comma = memchr(text.ptr, ',', text.len);
    if (comma == NULL) {
        return part_read(place, text);
    }
    first = trim((struct ads_str){text.ptr, (size_t)(comma - text.ptr)});
    while (text.len > 0) {
        size_t at = text.len;

        while (at > 0 && text.ptr[at - 1] != ',') {
            at--;
        }
        last = trim(ads_str_tail(text, at));
        if (at == 0 ? part_read(place, last) : pair_read(place, first, last)) {
            return true;
        }
        text.len = at > 0 ? at - 1 : 0;
    }
    memset(place, 0, sizeof(*place));
    return false;
}
