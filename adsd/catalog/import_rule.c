/*
 * Validates a feed's product by the API's rules.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "ads_blank.h"
#include "catalog/import_row.h"

#define WORD_MAX 64

struct import_rule {
    struct form_errors errors;
};

static const struct {
    const char *name;
    enum import_said said;
} optional[] = {
    {"availability", IMPORT_SAID_AVAILABILITY},
    {"attributes", IMPORT_SAID_ATTRIBUTES},
    {"keywords", IMPORT_SAID_KEYWORDS},
    {"language", IMPORT_SAID_LANGUAGE},
    {"sale_price", IMPORT_SAID_SALE},
    {"price_valid_until", IMPORT_SAID_SALE},
};

/* As shops write it, in lower case, without what stands between words. */
static const struct {
    const char *word;
    const char *availability;
} words[] = {
    {"instock", "in_stock"},           {"instoreonly", "in_stock"},
    {"onlineonly", "in_stock"},        {"limitedavailability", "in_stock"},
    {"availablefororder", "in_stock"}, {"madetoorder", "in_stock"},
    {"outofstock", "out_of_stock"},    {"soldout", "out_of_stock"},
    {"discontinued", "out_of_stock"},  {"preorder", "preorder"},
    {"presale", "preorder"},           {"backorder", "backorder"},
};


struct import_rule *
import_rule_new(void)
{
    return xcalloc(1, sizeof(struct import_rule));
}


void
import_rule_free(struct import_rule *rule)
{
    free(rule);
}


/* ---- feeds' ways ---- */

static struct ads_str
constant(const char *text)
{
    return (struct ads_str){text, strlen(text)};
}


/* "In Stock", "in_stock", "https://schema.org/InStock" */
static void
availability_fit(struct doc *member)
{
    struct ads_str text = member->text;
    char word[WORD_MAX];
    size_t len = 0;

    for (size_t i = text.len; i > 0; i--) {
        if (text.ptr[i - 1] == '/') {
            text.ptr += i;
            text.len -= i;
            break;
        }
    }
    for (size_t i = 0; i < text.len && len + 1 < sizeof(word); i++) {
        char c = text.ptr[i];

        if (c != ' ' && c != '_' && c != '-') {
            word[len++] = (char)tolower((unsigned char)c);
        }
    }
    word[len] = '\0';
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(words[i].word, word) == 0) {
            member->text = constant(words[i].availability);
        }
    }
}


/* Bytes of a mark that shows nothing and turns nothing around by itself, which
 * shops' editors leave behind: U+061C, U+200E, U+200F.  0: it is none. */
static size_t
mark_len(struct ads_str text, size_t i)
{
    const unsigned char *b = (const unsigned char *)text.ptr + i;

    if (text.len - i >= 3 && b[0] == 0xe2 && b[1] == 0x80
        && (b[2] == 0x8e || b[2] == 0x8f))
    {
        return 3;
    }
    return text.len - i >= 2 && b[0] == 0xd8 && b[1] == 0x9c ? 2 : 0;
}


/* Without such marks and, unless it has lines, with spaces for its breaks. */
static void
text_fit(struct doc *member, bool lines, struct pool *pool)
{
    struct ads_str text = member->text;
    char *out = NULL;
    size_t len = 0;

    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        size_t mark = c < 0 ? mark_len(text, i) : 0;
        bool brk = !lines && (c == '\n' || c == '\r' || c == '\t');

        if ((mark > 0 || brk) && out == NULL) {
            out = pool_text(pool, text);
        }
        if (mark > 0) {
            i += mark - 1;
        } else if (out != NULL) {
            out[len++] = brk ? ' ' : c;
        } else {
            len++;
        }
    }
    if (out != NULL) {
        member->text = (struct ads_str){out, len};
    }
}


static bool
is_blank(const struct doc *member)
{
    return member->type == ADS_JSON_NULL
           || (member->type == ADS_JSON_STRING && ads_blank_is(member->text)
               && form_is_plain(member->text, true)); /* else to be reported */
}


static void
blanks_drop(struct doc *array, struct pool *pool)
{
    struct doc **link = &array->first;

    while (*link != NULL) {
        if (is_blank(*link)) {
            *link = (*link)->next;
            array->n--;
        } else {
            text_fit(*link, false, pool);
            link = &(*link)->next;
        }
    }
}


static bool
key_is(const struct doc *member, const char *name)
{
    return ads_str_equal(member->key, constant(name));
}


static void
member_fit(struct doc *member, struct pool *pool)
{
    if (member->type == ADS_JSON_ARRAY) {
        blanks_drop(member, pool);

    } else if (member->type != ADS_JSON_STRING) {
        return;

    } else if (key_is(member, "availability")) {
        availability_fit(member);

    } else {
        text_fit(member, key_is(member, "description"), pool);
    }
    if (member->type == ADS_JSON_STRING && is_blank(member)
        && (key_is(member, "category") || key_is(member, "availability")
            || key_is(member, "language")))
    {
        member->type = ADS_JSON_NULL;
    }
}


/* The id is the key of who has no sku. */
static void
key_fit(struct doc *object)
{
    struct doc *sku = doc_find(object, "sku");
    struct doc *id = doc_find(object, "id");

    if (id == NULL || is_blank(id) || (sku != NULL && !is_blank(sku))) {
        return;
    }
    if (sku != NULL) {
        sku->key = ADS_STR("");
    }
    id->key = ADS_STR("sku");
}


static unsigned
said_of(const struct doc *object)
{
    unsigned said = 0;

    for (size_t i = 0; i < sizeof(optional) / sizeof(optional[0]); i++) {
        if (doc_find(object, optional[i].name) != NULL) {
            said |= optional[i].said;
        }
    }
    return said;
}


/* ---- validation ---- */

/* What the object has for a field such as "category/3", if it is a text or a
 * number. */
static struct ads_str
value_find(const struct doc *object, const char *field)
{
    const struct ads_str name = {field, strcspn(field, "/")};

    for (const struct doc *m = object->first; m != NULL; m = m->next) {
        if (ads_str_equal(m->key, name)
            && (m->type == ADS_JSON_STRING || m->type == ADS_JSON_NUMBER))
        {
            return m->text;
        }
    }
    return (struct ads_str){NULL, 0};
}


enum ads_err
import_rule_check(struct import_rule *rule, struct import_row *row,
                  struct import_fault *fault, struct doc *object,
                  struct pool *pool)
{
    struct form form = {
        .pool = pool, .errors = &rule->errors, .object = object};
    const struct ads_field_error *first = &rule->errors.list[0];

    rule->errors.n = 0;
    rule->errors.n_asked = 0;
    row->none = false;
    row->said = said_of(object);
    key_fit(object);
    for (struct doc *member = object->first; member != NULL;
         member = member->next) {
        member_fit(member, pool);
    }
    product_form_read(&row->product, &form, PRODUCT_IMPORT);
    if (rule->errors.n == 0) {
        return ADS_OK;
    }
    fault->field = first->pointer[0] == '/' ? first->pointer + 1 : "";
    fault->why = first->detail;
    fault->value = value_find(object, fault->field);
    return ADS_INVALID;
}
