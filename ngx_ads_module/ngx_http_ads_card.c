/*
 * Writes the ads of a JSON answer as HTML cards.
 *
 *     <div class="ads" role="group" aria-label="Sponsored">
 *       <ul class="ads-list" role="list">
 *         <li class="ads-card" data-ads-seen="IMPRESSION_URL">
 *           <img class="ads-image" src="..." alt="" ...>
 *           <p class="ads-label">Sponsored</p>
 *           <p class="ads-title"><a href="CLICK_URL" rel="...">...</a></p>
 *           <p class="ads-price">32.95 USD</p>
 *           <p class="ads-from">the advertiser</p>
 *
 * No style and no script is in it, so a page's policy needs no nonce.  Texts
 * are an advertiser's: each is escaped, and held together by <bdi>, so that
 * its direction does not change what stands around it.
 */


#include "ngx_http_ads_module.h"

#include "ads_json.h"


#define ngx_http_ads_card_put(p, text)                                        \
    ngx_cpymem(p, text, sizeof(text) - 1)

/* the markup of a card without its texts, and that around the cards */

#define NGX_HTTP_ADS_CARD_LEN  640


typedef enum {
    NGX_HTTP_ADS_CARD_TITLE,
    NGX_HTTP_ADS_CARD_PRICE,
    NGX_HTTP_ADS_CARD_CURRENCY,
    NGX_HTTP_ADS_CARD_IMAGE,
    NGX_HTTP_ADS_CARD_ADVERTISER,
    NGX_HTTP_ADS_CARD_DISCLOSURE,
    NGX_HTTP_ADS_CARD_CLICK,
    NGX_HTTP_ADS_CARD_SEEN,
    NGX_HTTP_ADS_CARD_TEXTS
} ngx_http_ads_card_text_e;


typedef struct {
    ngx_str_t                  texts[NGX_HTTP_ADS_CARD_TEXTS];
} ngx_http_ads_card_t;


static ngx_int_t ngx_http_ads_card_read(struct ads_json *json,
    ngx_http_ads_card_t *cards, ngx_uint_t *n);
static ngx_int_t ngx_http_ads_card_read_one(struct ads_json *json,
    ngx_http_ads_card_t *card);
static ngx_uint_t ngx_http_ads_card_is_url(ngx_str_t *text);
static size_t ngx_http_ads_card_measure(ngx_http_ads_card_t *cards,
    ngx_uint_t n);
static u_char *ngx_http_ads_card_one(u_char *p, ngx_http_ads_card_t *card);
static u_char *ngx_http_ads_card_price(u_char *p, ngx_str_t *price);
static u_char *ngx_http_ads_card_text(u_char *p, ngx_http_ads_card_t *card,
    ngx_uint_t i);


/* members of an ad, in the order of the enum */

static const ngx_str_t  ngx_http_ads_card_members[] = {
    ngx_string("title"),
    ngx_string("price"),
    ngx_string("currency"),
    ngx_string("image_url"),
    ngx_string("advertiser"),
    ngx_string("disclosure"),
    ngx_string("click_url"),
    ngx_string("impression_url")
};


/*
 * `json`, an answer with ads, is unescaped in place and no JSON afterwards.
 * NGX_ERROR: there is no memory, or an ad lacks what every ad must have.
 */

ngx_int_t
ngx_http_ads_card_write(ngx_pool_t *pool, ngx_str_t *json, ngx_str_t *html)
{
    u_char               *p;
    ngx_uint_t            i, n;
    struct ads_json      *scan;
    ngx_http_ads_card_t  *cards;

    scan = ngx_palloc(pool, sizeof(struct ads_json));
    cards = ngx_pcalloc(pool, ADS_DECIDE_MAX * sizeof(ngx_http_ads_card_t));

    if (scan == NULL || cards == NULL) {
        return NGX_ERROR;
    }

    n = 0;
    ads_json_init(scan, (char *) json->data, json->len);

    if (ngx_http_ads_card_read(scan, cards, &n) != NGX_OK || n == 0) {
        return NGX_ERROR;
    }

    p = ngx_pnalloc(pool, ngx_http_ads_card_measure(cards, n));
    if (p == NULL) {
        return NGX_ERROR;
    }

    html->data = p;

    p = ngx_http_ads_card_put(p, "<div class=\"ads\" role=\"group\" "
                                 "aria-label=\"");
    p = ngx_http_ads_card_text(p, &cards[0], NGX_HTTP_ADS_CARD_DISCLOSURE);
    p = ngx_http_ads_card_put(p, "\">\n<ul class=\"ads-list\" "
                                 "role=\"list\">\n");

    for (i = 0; i < n; i++) {
        p = ngx_http_ads_card_one(p, &cards[i]);
    }

    p = ngx_http_ads_card_put(p, "</ul>\n</div>\n");

    html->len = p - html->data;

    return NGX_OK;
}


static ngx_int_t
ngx_http_ads_card_read(struct ads_json *json, ngx_http_ads_card_t *cards,
    ngx_uint_t *n)
{
    struct ads_str         key;
    struct ads_json_value  value;

    ads_json_read(json, &value);

    if (value.type != ADS_JSON_OBJECT) {
        return NGX_ERROR;
    }

    while (ads_json_member(json, &key)) {
        ads_json_read(json, &value);

        if (value.type == ADS_JSON_ARRAY && key.len == sizeof("ads") - 1
            && ngx_memcmp(key.ptr, "ads", key.len) == 0)
        {
            while (ads_json_element(json)) {

                if (*n == ADS_DECIDE_MAX
                    || ngx_http_ads_card_read_one(json, &cards[*n]) != NGX_OK)
                {
                    return NGX_ERROR;
                }

                (*n)++;
            }
        }

        ads_json_skip(json, &value);
    }

    return ads_json_end(json) == ADS_OK ? NGX_OK : NGX_ERROR;
}


static ngx_int_t
ngx_http_ads_card_read_one(struct ads_json *json, ngx_http_ads_card_t *card)
{
    ngx_uint_t             i;
    struct ads_str         key;
    struct ads_json_value  value;

    ads_json_read(json, &value);

    if (value.type != ADS_JSON_OBJECT) {
        return NGX_ERROR;
    }

    while (ads_json_member(json, &key)) {
        ads_json_read(json, &value);

        for (i = 0; i < NGX_HTTP_ADS_CARD_TEXTS; i++) {

            if (key.len == ngx_http_ads_card_members[i].len
                && ngx_memcmp(key.ptr, ngx_http_ads_card_members[i].data,
                              key.len)
                   == 0)
            {
                card->texts[i].data = (u_char *) value.text.ptr;
                card->texts[i].len = value.text.len;
            }
        }

        ads_json_skip(json, &value);
    }

    if (!ngx_http_ads_card_is_url(&card->texts[NGX_HTTP_ADS_CARD_IMAGE])) {
        ngx_str_null(&card->texts[NGX_HTTP_ADS_CARD_IMAGE]);
    }

    for (i = 0; i < NGX_HTTP_ADS_CARD_TEXTS; i++) {

        if (card->texts[i].len == 0 && i != NGX_HTTP_ADS_CARD_IMAGE) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


static ngx_uint_t
ngx_http_ads_card_is_url(ngx_str_t *text)
{
    return (text->len > 8 && ngx_strncmp(text->data, "https://", 8) == 0)
           || (text->len > 7 && ngx_strncmp(text->data, "http://", 7) == 0);
}


/* At least as long as the HTML will be. */

static size_t
ngx_http_ads_card_measure(ngx_http_ads_card_t *cards, ngx_uint_t n)
{
    size_t       len;
    ngx_str_t   *text;
    ngx_uint_t   i, k;

    len = NGX_HTTP_ADS_CARD_LEN;

    for (i = 0; i < n; i++) {
        len += NGX_HTTP_ADS_CARD_LEN;

        /* a label stands on its card, and the first around all */

        for (k = 0; k < NGX_HTTP_ADS_CARD_TEXTS; k++) {
            text = &cards[i].texts[k];

            len += 2 * (text->len
                        + ngx_escape_html(NULL, text->data, text->len));
        }
    }

    return len;
}


static u_char *
ngx_http_ads_card_one(u_char *p, ngx_http_ads_card_t *card)
{
    p = ngx_http_ads_card_put(p, "<li class=\"ads-card\" data-ads-seen=\"");
    p = ngx_http_ads_card_text(p, card, NGX_HTTP_ADS_CARD_SEEN);
    p = ngx_http_ads_card_put(p, "\">\n");

    /* the title names what the picture shows, so its alt is empty */

    if (card->texts[NGX_HTTP_ADS_CARD_IMAGE].len > 0) {
        p = ngx_http_ads_card_put(p, "<img class=\"ads-image\" src=\"");
        p = ngx_http_ads_card_text(p, card, NGX_HTTP_ADS_CARD_IMAGE);
        p = ngx_http_ads_card_put(p, "\" alt=\"\" width=\"96\" height=\"96\" "
                                     "loading=\"lazy\" decoding=\"async\" "
                                     "referrerpolicy=\"no-referrer\">\n");
    }

    p = ngx_http_ads_card_put(p, "<p class=\"ads-label\">");
    p = ngx_http_ads_card_text(p, card, NGX_HTTP_ADS_CARD_DISCLOSURE);
    p = ngx_http_ads_card_put(p, "</p>\n<p class=\"ads-title\"><a href=\"");
    p = ngx_http_ads_card_text(p, card, NGX_HTTP_ADS_CARD_CLICK);
    p = ngx_http_ads_card_put(p, "\" rel=\"sponsored nofollow noopener\">"
                                 "<bdi>");
    p = ngx_http_ads_card_text(p, card, NGX_HTTP_ADS_CARD_TITLE);
    p = ngx_http_ads_card_put(p, "</bdi></a></p>\n<p class=\"ads-price\">");
    p = ngx_http_ads_card_price(p, &card->texts[NGX_HTTP_ADS_CARD_PRICE]);
    *p++ = ' ';
    p = ngx_http_ads_card_text(p, card, NGX_HTTP_ADS_CARD_CURRENCY);
    p = ngx_http_ads_card_put(p, "</p>\n<p class=\"ads-from\"><bdi>");
    p = ngx_http_ads_card_text(p, card, NGX_HTTP_ADS_CARD_ADVERTISER);

    return ngx_http_ads_card_put(p, "</bdi></p>\n</li>\n");
}


/* A number as JSON has it, but 12.5 as 12.50. */

static u_char *
ngx_http_ads_card_price(u_char *p, ngx_str_t *price)
{
    p = ngx_cpymem(p, price->data, price->len);

    if (price->len > 2 && price->data[price->len - 2] == '.') {
        *p++ = '0';
    }

    return p;
}


/* Escapes < > & and ": no attribute here is within other marks. */

static u_char *
ngx_http_ads_card_text(u_char *p, ngx_http_ads_card_t *card, ngx_uint_t i)
{
    /* NOLINTNEXTLINE(performance-no-int-to-ptr) */
    return (u_char *) ngx_escape_html(p, card->texts[i].data,
                                      card->texts[i].len);
}
