/*
 * The names of columns.
 */
#include "catalog/import_columns.h"

#include <string.h>
#include <strings.h>

#include "catalog/import_row.h"
#include "catalog/import_value.h"

#define NAME_MAX_LEN 64
#define CALLED_MAX 20

/*
 * A row a column: its name in the API, what naming it says about a whole feed,
 * and what shops call it, in name_plain()'s spelling.
 */
static const struct {
    const char *name;
    unsigned says;
    const char *called[CALLED_MAX];
} known[COLUMNS] = {
    [COLUMN_IGNORED] = {.name = ""},
    [COLUMN_SKU] = {"sku",
                    0,
                    {"sku", "variant sku", "artikelnummer", "artikel nr",
                     "artikel nr.", "art. nr.", "art.nr.", "bestellnummer",
                     "référence", "reference", "référence produit", "réf.",
                     "referencia", "código", "codigo", "offer id"}},
    [COLUMN_ID] = {"sku",
                   0,
                   {"id", "itemid", "item id", "product id", "produkt id",
                    "identifiant", "identificador"}},
    [COLUMN_TITLE] = {"title",
                      0,
                      {"title", "name", "product name", "titel", "bezeichnung",
                       "produktname", "artikelbezeichnung", "artikelname",
                       "titre", "nom", "nom du produit", "libellé", "título",
                       "titulo", "nombre", "nombre del producto"}},
    [COLUMN_DESCRIPTION] = {"description",
                            0,
                            {"description", "body (html)", "beschreibung",
                             "produktbeschreibung", "descripción",
                             "descripcion"}},
    [COLUMN_SHORT_DESCRIPTION] = {"short_description",
                                  0,
                                  {"short description", "kurzbeschreibung",
                                   "description courte", "descripción corta"}},
    [COLUMN_HIGHLIGHT] = {"product_highlight", 0, {"product highlight"}},
    [COLUMN_URL] = {"url",
                    0,
                    {"url", "link", "product url", "permalink", "produkt url",
                     "produktlink", "deeplink", "external url", "lien",
                     "url du produit", "enlace", "url del producto"}},
    [COLUMN_LINK_TEMPLATE] = {"link_template", 0, {"link template"}},
    [COLUMN_STORE] = {"store_code", 0, {"store code"}},
    [COLUMN_IMAGE] = {"image_url",
                      0,
                      {"image url", "image link", "image src", "image",
                       "images", "bild", "bild url", "bildlink", "image1",
                       "lien image", "url de l'image", "url image", "imagen",
                       "url de imagen", "enlace imagen"}},
    [COLUMN_PRICE] = {"price",
                      0,
                      {"price", "variant price", "preis", "verkaufspreis",
                       "bruttopreis", "prix", "prix ttc", "precio",
                       "precio con iva"}},
    [COLUMN_REGULAR_PRICE] = {"regular_price", 0, {"regular price"}},
    [COLUMN_COMPARE_PRICE] = {"compare_at_price",
                              IMPORT_SAID_SALE,
                              {"variant compare at price"}},
    [COLUMN_SALE_PRICE] = {"sale_price",
                           IMPORT_SAID_SALE,
                           {"sale price", "angebotspreis", "sonderpreis",
                            "aktionspreis", "prix promo", "prix promotionnel",
                            "prix soldé", "precio de oferta", "precio oferta",
                            "precio rebajado"}},
    [COLUMN_SALE_DATES] = {"sale_price_effective_date",
                           0,
                           {"sale price effective date"}},
    [COLUMN_VALID_UNTIL] = {"price_valid_until",
                            0,
                            {"price valid until", "pricevaliduntil",
                             "date sale price ends"}},
    [COLUMN_CURRENCY] = {"currency",
                         0,
                         {"currency", "währung", "waehrung", "devise",
                          "monnaie", "moneda", "divisa"}},
    [COLUMN_BRAND] = {"brand",
                      0,
                      {"brand", "vendor", "manufacturer", "marke", "hersteller",
                       "marque", "fabricant", "marca", "fabricante"}},
    [COLUMN_GTIN] = {"gtin",
                     0,
                     {"gtin", "ean", "upc", "ean13", "barcode",
                      "variant barcode", "gtin, upc, ean, or isbn"}},
    [COLUMN_CATEGORY] = {"category",
                         0,
                         {"category", "categories", "product type",
                          "google product category", "product category",
                          "kategorie", "warengruppe", "catégorie", "categorie",
                          "catégories", "categoría", "categoria",
                          "categorías"}},
    [COLUMN_TYPE] = {"type", 0, {"type"}},
    [COLUMN_AVAILABILITY] = {"availability",
                             IMPORT_SAID_AVAILABILITY,
                             {"availability", "verfügbarkeit", "verfuegbarkeit",
                              "disponibilité", "disponibilite",
                              "disponibilidad", "stock status"}},
    [COLUMN_IN_STOCK] = {"in_stock", IMPORT_SAID_AVAILABILITY, {"in stock?"}},
    [COLUMN_STOCK] = {"stock",
                      IMPORT_SAID_AVAILABILITY,
                      {"stock", "quantity", "qty", "inventory",
                       "variant inventory qty", "stock quantity", "bestand",
                       "lagerbestand", "quantité", "quantite", "existencias",
                       "cantidad"}},
    [COLUMN_TRACKER] = {"tracker", 0, {"variant inventory tracker"}},
    [COLUMN_OVERSELL] = {"oversell",
                         0,
                         {"variant inventory policy", "backorders allowed?"}},
    [COLUMN_KEYWORDS] = {"keywords",
                         IMPORT_SAID_KEYWORDS,
                         {"keywords", "schlagwörter", "mots clés",
                          "palabras clave"}},
    [COLUMN_TAGS] = {"tags", IMPORT_SAID_KEYWORDS, {"tags"}},
    [COLUMN_LANGUAGE] = {"language",
                         IMPORT_SAID_LANGUAGE,
                         {"language", "content language", "sprache", "langue",
                          "idioma"}},
    [COLUMN_ATTRIBUTE] = {.name = "attributes", .says = IMPORT_SAID_ATTRIBUTES},
    [COLUMN_GROUP] = {"item_group_id", 0, {"item group id"}},
    [COLUMN_HANDLE] = {"handle", 0, {"handle"}},
    [COLUMN_OPTION_NAME] = {"option_name",
                            0,
                            {"option1 name", "option2 name", "option3 name",
                             "attribute 1 name", "attribute 2 name",
                             "attribute 3 name"}},
    [COLUMN_OPTION] = {"option",
                       0,
                       {"option1 value", "option2 value", "option3 value",
                        "attribute 1 value(s)", "attribute 2 value(s)",
                        "attribute 3 value(s)"}},
    [COLUMN_PARENT] = {"parent", 0, {"parent"}},
    [COLUMN_PUBLISHED] = {"published", 0, {"published"}},
    [COLUMN_STATUS] = {"status", 0, {"status"}},
};

/* Attributes by the name that they get, and what shops call them. */
static const struct {
    const char *name;
    const char *called[CALLED_MAX];
} attributes[] = {
    {"color", {"color", "colour", "farbe", "couleur"}},
    {"size", {"size", "größe", "groesse", "grösse", "taille", "talla"}},
    {"material", {"material", "matière", "matériau"}},
    {"pattern", {"pattern", "muster", "motif", "estampado"}},
    {"gender", {"gender", "geschlecht", "genre", "género", "sexe", "sexo"}},
    {"age_group", {"age group", "altersgruppe", "tranche d'âge"}},
    {"condition",
     {"condition", "zustand", "état", "etat", "estado", "condición"}},
    {"mpn", {"mpn"}},
};

#define ATTRIBUTES (sizeof(attributes) / sizeof(attributes[0]))


const char *
import_column_name(enum import_column column)
{
    return known[column].name;
}


unsigned
import_column_says(enum import_column column)
{
    return known[column].says;
}


/* Lower case, spaces, without a prefix; false: too long to be a known one. */
static bool
name_plain(char *plain, struct ads_str name)
{
    static const char *const prefixes[] = {"Google Shopping / ", "g:"};
    size_t len = 0;

    name = import_value_trim(name);
    for (size_t i = 0; i < 2; i++) {
        size_t n = strlen(prefixes[i]);

        if (name.len > n && strncasecmp(name.ptr, prefixes[i], n) == 0) {
            name.ptr += n;
            name.len -= n;
        }
    }
    if (name.len >= NAME_MAX_LEN) {
        return false;
    }
    for (; len < name.len; len++) {
        const uint8_t c = (uint8_t)name.ptr[len];
        /* the capital letters of Latin-1 are c3 80 to c3 9e in UTF-8 */
        const bool capital = (c >= 'A' && c <= 'Z')
                             || (len > 0 && (uint8_t)name.ptr[len - 1] == 0xc3
                                 && c >= 0x80 && c <= 0x9e && c != 0x97);

        plain[len] =
            (char)(c == '_' || c == '-' ? ' ' : c + (capital ? 0x20 : 0));
    }
    plain[len] = '\0';
    return true;
}


static bool
is_called(const char *const *called, const char *plain)
{
    for (int i = 0; i < CALLED_MAX && called[i] != NULL; i++) {
        if (strcmp(called[i], plain) == 0) {
            return true;
        }
    }
    return false;
}


static int
attribute_find(const char *plain)
{
    for (size_t i = 0; i < ATTRIBUTES; i++) {
        if (is_called(attributes[i].called, plain)) {
            return (int)i;
        }
    }
    return -1;
}


/* ---- the caller's map ---- */

/* The next "name:field" of a map. */
static bool
pair_take(struct ads_str *map, struct ads_str *name, struct ads_str *field)
{
    const char *comma;
    size_t len;

    if (map->len == 0) {
        return false;
    }
    comma = memchr(map->ptr, ',', map->len);
    len = comma == NULL ? map->len : (size_t)(comma - map->ptr);
    *name = *field = (struct ads_str){map->ptr, len};
    for (size_t i = len; i > 0; i--) {
        if (map->ptr[i - 1] == ':') {
            name->len = i - 1;
            field->ptr += i;
            field->len = len - i;
            break;
        }
    }
    map->ptr += comma == NULL ? len : len + 1;
    map->len -= comma == NULL ? len : len + 1;
    *name = import_value_trim(*name);
    *field = import_value_trim(*field);
    return true;
}


/* The field that the map has for a column; ptr NULL: none. */
static struct ads_str
map_find(struct ads_str map, struct ads_str column)
{
    struct ads_str name, field;

    column = import_value_trim(column);
    while (pair_take(&map, &name, &field)) {
        if (name.len == column.len
            && strncasecmp(name.ptr, column.ptr, name.len) == 0) {
            return field;
        }
    }
    return (struct ads_str){NULL, 0};
}


/* "ignore", an attribute, or a field by its name in the API. */
static bool
field_find(struct ads_str field, enum import_column *column)
{
    *column = COLUMN_IGNORED;
    if (ads_str_is(field, "ignore")) {
        return true;
    }
    for (size_t i = 0; i < ATTRIBUTES; i++) {
        if (ads_str_is(field, attributes[i].name)) {
            *column = COLUMN_ATTRIBUTE;
            return true;
        }
    }
    for (int i = COLUMN_IGNORED + 1; i < COLUMNS; i++) {
        if (i != COLUMN_ATTRIBUTE && ads_str_is(field, known[i].name)) {
            *column = (enum import_column)i;
            return true;
        }
    }
    return false;
}


enum ads_err
import_map_check(struct ads_str map, const char **why)
{
    struct ads_str name, field;
    enum import_column column;

    *why = "must be column:field, with commas between, such as"
           " Preis:price,Farbe:color,Notiz:ignore";
    if (map.len == 0 || map.len > IMPORT_MAP_MAX) {
        return ADS_INVALID;
    }
    while (pair_take(&map, &name, &field)) {
        if (name.len == 0 || name.ptr == field.ptr
            || !field_find(field, &column)) {
            return ADS_INVALID;
        }
    }
    return ADS_OK;
}


/* ---- names ---- */

enum import_column
import_column_of(struct ads_str map, struct ads_str name)
{
    const struct ads_str mapped = map_find(map, name);
    enum import_column column;
    char plain[NAME_MAX_LEN];

    if (mapped.ptr != NULL && field_find(mapped, &column)) {
        return column;
    }
    if (!name_plain(plain, name)) {
        return COLUMN_IGNORED;
    }
    for (int i = 0; i < COLUMNS; i++) {
        if (is_called(known[i].called, plain)) {
            return (enum import_column)i;
        }
    }
    return attribute_find(plain) >= 0 ? COLUMN_ATTRIBUTE : COLUMN_IGNORED;
}


struct ads_str
import_attribute_of(struct ads_str map, struct ads_str name)
{
    const struct ads_str mapped = map_find(map, name);
    char plain[NAME_MAX_LEN];
    int i;

    if (mapped.ptr != NULL) {
        return mapped;
    }
    i = name_plain(plain, name) ? attribute_find(plain) : -1;
    return i < 0 ? (struct ads_str){NULL, 0}
                 : (struct ads_str){attributes[i].name,
                                    strlen(attributes[i].name)};
}
