/*
 * Ad disclosure: the label that says, in the reader's language, that this is an
 * ad.  Publishers say the language, operators may change the words with
 * ads_disclosure, advertisers never can; it is never empty.
 */


#include "ngx_http_ads_module.h"


static const ngx_str_t *ngx_http_ads_disclosure_search(
    ngx_http_ads_main_conf_t *amcf, const char *lang, size_t len);
static ngx_int_t ngx_http_ads_disclosure_escape(ngx_conf_t *cf,
    ngx_str_t *src, ngx_str_t *dst);


static const ngx_http_ads_label_t  ngx_http_ads_disclosures[] = {
    { ngx_string("en"), ngx_string("Sponsored") },
    { ngx_string("de"), ngx_string("Anzeige") },
    { ngx_string("fr"), ngx_string("Publicité") },
    { ngx_string("es"), ngx_string("Publicidad") },
    { ngx_string("it"), ngx_string("Pubblicità") },
    { ngx_string("nl"), ngx_string("Advertentie") },
    { ngx_string("pt"), ngx_string("Publicidade") },
    { ngx_string("pl"), ngx_string("Reklama") },
    { ngx_string("sv"), ngx_string("Annons") },
    { ngx_string("ja"), ngx_string("広告") },
    { ngx_string("ca"), ngx_string("Publicitat") },
    { ngx_string("cs"), ngx_string("Reklama") },
    { ngx_string("da"), ngx_string("Annonce") },
    { ngx_string("el"), ngx_string("Διαφήμιση") },
    { ngx_string("fi"), ngx_string("Mainos") },
    { ngx_string("hu"), ngx_string("Hirdetés") },
    { ngx_string("ko"), ngx_string("광고") },
    { ngx_string("nb"), ngx_string("Annonse") },
    { ngx_string("nn"), ngx_string("Annonse") },
    { ngx_string("no"), ngx_string("Annonse") },
    { ngx_string("ro"), ngx_string("Publicitate") },
    { ngx_string("ru"), ngx_string("Реклама") },
    { ngx_string("sk"), ngx_string("Reklama") },
    { ngx_string("tr"), ngx_string("Reklam") },
    { ngx_string("uk"), ngx_string("Реклама") },
    { ngx_string("zh"), ngx_string("广告") },
    { ngx_null_string, ngx_null_string }
};


/*
 * The label of a BCP 47 tag, JSON-escaped: of the tag itself or else of what
 * is left of it without its last parts ("pt-BR", "pt"); English when none
 * is known.
 */

const ngx_str_t *
ngx_http_ads_disclosure_find(ngx_http_ads_main_conf_t *amcf,
    struct ads_str language)
{
    size_t            len;
    const ngx_str_t  *label;

    len = language.len;

    while (len > 0) {
        label = ngx_http_ads_disclosure_search(amcf, language.ptr, len);

        if (label != NULL) {
            return label;
        }

        do {
            len--;
        } while (len > 0 && language.ptr[len] != '-');
    }

    return ngx_http_ads_disclosure_search(amcf, "en", 2);
}


static const ngx_str_t *
ngx_http_ads_disclosure_search(ngx_http_ads_main_conf_t *amcf,
    const char *lang, size_t len)
{
    ngx_uint_t                   i;
    ngx_http_ads_label_t        *own;
    const ngx_http_ads_label_t  *label;

    if (amcf->labels != NULL) {
        own = amcf->labels->elts;

        for (i = 0; i < amcf->labels->nelts; i++) {

            if (own[i].lang.len == len
                && ngx_strncasecmp(own[i].lang.data, (u_char *) lang, len)
                   == 0)
            {
                return &own[i].label;
            }
        }
    }

    for (label = ngx_http_ads_disclosures; label->lang.len; label++) {

        if (label->lang.len == len
            && ngx_strncasecmp(label->lang.data, (u_char *) lang, len) == 0)
        {
            return &label->label;
        }
    }

    return NULL;
}


/* ads_disclosure lang "label" */

char *
ngx_http_ads_disclosure(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_ads_main_conf_t *amcf = conf;

    u_char                 c;
    size_t                 i;
    ngx_str_t             *value;
    ngx_http_ads_label_t  *label;

    value = cf->args->elts;

    for (i = 0; i < value[1].len; i++) {
        c = ngx_tolower(value[1].data[i]);

        if (!((c >= 'a' && c <= 'z') || (i > 0 && c == '-')
              || (i > 0 && c >= '0' && c <= '9')))
        {
            break;
        }
    }

    if (i == 0 || i > 35 || i < value[1].len) {
        return "must have a language tag, such as \"de\" or \"pt-BR\"";
    }

    if (amcf->labels == NULL) {
        amcf->labels = ngx_array_create(cf->pool, 4,
                                        sizeof(ngx_http_ads_label_t));
        if (amcf->labels == NULL) {
            return NGX_CONF_ERROR;
        }
    }

    label = ngx_array_push(amcf->labels);
    if (label == NULL) {
        return NGX_CONF_ERROR;
    }

    label->lang = value[1];

    if (ngx_http_ads_disclosure_escape(cf, &value[2], &label->label)
        != NGX_OK)
    {
        return "must have a label of 1 to 64 bytes of readable UTF-8";
    }

    return NGX_CONF_OK;
}


static ngx_int_t
ngx_http_ads_disclosure_escape(ngx_conf_t *cf, ngx_str_t *src, ngx_str_t *dst)
{
    u_char      *p, *last;
    uint32_t     ch;
    ngx_uint_t   seen;

    if (src->len == 0 || src->len > 64) {
        return NGX_ERROR;
    }

    seen = 0;
    p = src->data;
    last = src->data + src->len;

    while (p < last) {

        ch = (*p < 0x80) ? *p++ : ngx_utf8_decode(&p, last - p);

        /* control characters, and marks that change the direction of text */

        if (ch > 0x10ffff || ch < 0x20 || (ch >= 0x7f && ch < 0xa0)
            || (ch >= 0x200e && ch <= 0x200f)
            || (ch >= 0x2028 && ch <= 0x202e)
            || (ch >= 0x2066 && ch <= 0x2069))
        {
            return NGX_ERROR;
        }

        if (ch != ' ' && ch != 0xa0 && ch != 0x200b && ch != 0x3000) {
            seen = 1;
        }
    }

    dst->data = ngx_pnalloc(cf->pool, 2 * src->len);

    if (!seen || dst->data == NULL) {
        return NGX_ERROR;
    }

    last = dst->data;

    for (p = src->data; p < src->data + src->len; p++) {

        if (*p == '"' || *p == '\\') {
            *last++ = '\\';
        }

        *last++ = *p;
    }

    dst->len = last - dst->data;

    return NGX_OK;
}
