/*
 * Directive ads_fragment: a recommendation as HTML, for a page that includes it
 * by SSI or loads it.  The key is the configuration's, so no page and no
 * visitor ever has it.
 *
 *     variables --> the JSON of a request --> as POST /v1/ads/recommend
 *                                                 |
 *                          HTML <-- the JSON of its answer
 *
 * What goes into a page must not break it: whatever is wrong, the fragment is
 * empty, and the log says why.
 */


#include "ngx_http_ads_module.h"


#define NGX_HTTP_ADS_FRAGMENT_KEY_MAX  1024


typedef struct {
    ngx_str_t                  name;         /* in the directive */
    ngx_str_t                  member;       /* in the request */
    unsigned                   context:1;    /* a member of context */
    unsigned                   number:1;
    unsigned                   decoded:1;    /* from a query string */
} ngx_http_ads_fragment_field_t;


static ngx_int_t ngx_http_ads_fragment_serve(ngx_http_request_t *r,
    ngx_http_ads_ctx_t *ctx);
static ngx_int_t ngx_http_ads_fragment_values(ngx_http_request_t *r,
    ngx_str_t *values);
static ngx_int_t ngx_http_ads_fragment_decode(ngx_pool_t *pool,
    ngx_str_t *value);
static ngx_int_t ngx_http_ads_fragment_compose(ngx_pool_t *pool,
    ngx_str_t *values, ngx_str_t *text);
static u_char *ngx_http_ads_fragment_member(u_char *p, ngx_uint_t i,
    ngx_str_t *value);
static ngx_int_t ngx_http_ads_fragment_refuse(ngx_http_request_t *r,
    ngx_http_ads_ctx_t *ctx, const struct ads_body_errors *errors);
static ngx_int_t ngx_http_ads_fragment_show(ngx_http_request_t *r,
    ngx_http_ads_ctx_t *ctx, ngx_str_t *answer, struct ads_str language,
    struct ads_show *show, struct ads_decision *decision);
static ngx_int_t ngx_http_ads_fragment_no_ad(ngx_http_request_t *r,
    ngx_http_ads_ctx_t *ctx, ngx_str_t *answer, enum ads_reason reason);
static ngx_int_t ngx_http_ads_fragment_send(ngx_http_request_t *r,
    ngx_http_ads_ctx_t *ctx, ngx_uint_t status, const ngx_str_t *answer);
static ngx_int_t ngx_http_ads_fragment_empty(ngx_http_request_t *r);
static ngx_uint_t ngx_http_ads_fragment_field(ngx_str_t *text);


/* the first is the query, the last are members of context */

static const ngx_http_ads_fragment_field_t  ngx_http_ads_fragment_fields[] = {
    { ngx_string("query"), ngx_string("query"), 0, 0, 1 },
    { ngx_string("placement"), ngx_string("placement"), 0, 0, 0 },
    { ngx_string("max"), ngx_string("max_results"), 0, 1, 0 },
    { ngx_string("session"), ngx_string("session_id"), 1, 0, 0 },
    { ngx_string("language"), ngx_string("language"), 1, 0, 0 },
    { ngx_string("currency"), ngx_string("currency"), 1, 0, 0 },
    { ngx_string("location"), ngx_string("location"), 1, 0, 1 }
};

#define NGX_HTTP_ADS_FRAGMENT_FIELDS                                          \
    (sizeof(ngx_http_ads_fragment_fields)                                     \
     / sizeof(ngx_http_ads_fragment_fields[0]))


static const ngx_http_ads_form_t  ngx_http_ads_fragment_form = {
    ngx_http_ads_fragment_show,
    ngx_http_ads_fragment_no_ad,
    ngx_http_ads_fragment_send,
    0
};


ngx_int_t
ngx_http_ads_fragment_handler(ngx_http_request_t *r)
{
    ngx_int_t            rc;
    ngx_http_ads_ctx_t  *ctx;

    static const ngx_str_t  allow = ngx_string("GET, HEAD");

    ctx = ngx_http_ads_request_part(r);
    if (ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (!(r->method & (NGX_HTTP_GET|NGX_HTTP_HEAD))) {
        return ngx_http_ads_reply_method(r, &allow);
    }

    rc = ngx_http_discard_request_body(r);

    if (rc != NGX_OK) {
        return rc;
    }

    /* nothing is chosen for a HEAD, so nothing is said of it */

    if (r->method == NGX_HTTP_HEAD) {
        return ngx_http_ads_fragment_empty(r);
    }

    rc = ngx_http_ads_fragment_serve(r, ctx);

    if (rc == NGX_DONE) {
        r->main->count++;
        return NGX_DONE;
    }

    if (rc >= NGX_HTTP_SPECIAL_RESPONSE && r != r->main) {
        return ngx_http_ads_fragment_empty(r);
    }

    return rc;
}


/* NGX_DONE: the answer waits for the journal. */

static ngx_int_t
ngx_http_ads_fragment_serve(ngx_http_request_t *r, ngx_http_ads_ctx_t *ctx)
{
    ngx_str_t                  text, values[NGX_HTTP_ADS_FRAGMENT_FIELDS];
    struct ads_body_errors     errors;
    ngx_http_ads_loc_conf_t   *alcf;
    struct ads_recommend_body  body;

    if (ngx_http_ads_fragment_values(r, values) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (values[0].len == 0) {
        return ngx_http_ads_fragment_empty(r);
    }

    alcf = ngx_http_get_module_loc_conf(r, ngx_http_ads_module);

    if (ngx_http_ads_key_use(ctx, alcf->fragment_key) != NGX_OK) {
        return ngx_http_ads_fragment_refuse(r, ctx, NULL);
    }

    if (ngx_http_ads_fragment_compose(r->pool, values, &text) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (ads_body_recommend_read(&body, &errors, (char *) text.data, text.len)
        != ADS_OK)
    {
        return ngx_http_ads_fragment_refuse(r, ctx, &errors);
    }

    ctx->form = &ngx_http_ads_fragment_form;

    return ngx_http_ads_recommend_serve(r, ctx, &body);
}


/* The fields' values for this request; one that is not given has len 0. */

static ngx_int_t
ngx_http_ads_fragment_values(ngx_http_request_t *r, ngx_str_t *values)
{
    ngx_int_t                            n;
    ngx_uint_t                           i;
    ngx_http_ads_loc_conf_t             *alcf;
    const ngx_http_ads_fragment_field_t *field;

    alcf = ngx_http_get_module_loc_conf(r, ngx_http_ads_module);

    for (i = 0; i < NGX_HTTP_ADS_FRAGMENT_FIELDS; i++) {
        field = &ngx_http_ads_fragment_fields[i];
        ngx_str_null(&values[i]);

        if (alcf->fragment[i] == NULL) {
            continue;
        }

        if (ngx_http_complex_value(r, alcf->fragment[i], &values[i])
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        if (field->decoded
            && ngx_http_ads_fragment_decode(r->pool, &values[i]) != NGX_OK)
        {
            return NGX_ERROR;
        }

        if (field->number) {
            n = ngx_atoi(values[i].data, values[i].len);

            if (n == NGX_ERROR || n == 0) {
                values[i].len = 0;

            } else if (n > ADS_BODY_RESULTS_MAX) {
                ngx_str_set(&values[i], "20");
            }
        }
    }

    return NGX_OK;
}


/* As a form sends it: "+" is a space, %2B a plus. */

static ngx_int_t
ngx_http_ads_fragment_decode(ngx_pool_t *pool, ngx_str_t *value)
{
    size_t   i;
    u_char  *src, *dst, *copy;

    if (value->len == 0) {
        return NGX_OK;
    }

    copy = ngx_pnalloc(pool, value->len);
    if (copy == NULL) {
        return NGX_ERROR;
    }

    for (i = 0; i < value->len; i++) {
        copy[i] = (value->data[i] == '+') ? ' ' : value->data[i];
    }

    src = copy;
    dst = copy;

    ngx_unescape_uri(&dst, &src, value->len, 0);

    value->data = copy;
    value->len = dst - copy;

    return NGX_OK;
}


static ngx_int_t
ngx_http_ads_fragment_compose(ngx_pool_t *pool, ngx_str_t *values,
    ngx_str_t *text)
{
    u_char      *p;
    size_t       len;
    ngx_uint_t   i, context;

    len = sizeof("{,\"context\":{}}") - 1;

    for (i = 0; i < NGX_HTTP_ADS_FRAGMENT_FIELDS; i++) {
        len += sizeof(",\"\":\"\"") - 1
               + ngx_http_ads_fragment_fields[i].member.len + values[i].len
               + ngx_escape_json(NULL, values[i].data, values[i].len);
    }

    p = ngx_pnalloc(pool, len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    text->data = p;
    context = 0;
    *p++ = '{';

    for (i = 0; i < NGX_HTTP_ADS_FRAGMENT_FIELDS; i++) {

        if (values[i].len == 0) {
            continue;
        }

        if (i > 0) {
            *p++ = ',';
        }

        if (ngx_http_ads_fragment_fields[i].context && !context) {
            p = ngx_cpymem(p, "\"context\":{", sizeof("\"context\":{") - 1);
            context = 1;
        }

        p = ngx_http_ads_fragment_member(p, i, &values[i]);
    }

    if (context) {
        *p++ = '}';
    }

    *p++ = '}';
    text->len = p - text->data;

    return NGX_OK;
}


static u_char *
ngx_http_ads_fragment_member(u_char *p, ngx_uint_t i, ngx_str_t *value)
{
    const ngx_http_ads_fragment_field_t *field;

    field = &ngx_http_ads_fragment_fields[i];

    *p++ = '"';
    p = ngx_cpymem(p, field->member.data, field->member.len);
    *p++ = '"';
    *p++ = ':';

    if (field->number) {
        return ngx_cpymem(p, value->data, value->len);
    }

    *p++ = '"';
    /* NOLINTNEXTLINE(performance-no-int-to-ptr) */
    p = (u_char *) ngx_escape_json(p, value->data, value->len);
    *p++ = '"';

    return p;
}


/* Of a request's values, or, when `errors` is NULL, of the key. */

static ngx_int_t
ngx_http_ads_fragment_refuse(ngx_http_request_t *r, ngx_http_ads_ctx_t *ctx,
    const struct ads_body_errors *errors)
{
    ngx_http_ads_live_count(&ctx->worker->live, ADS_COUNT_REFUSED, 1);

    if (errors == NULL) {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "ads fragment: the key of ads_fragment_key_file is "
                      "refused: %s%s%s", ads_problem_find(ctx->problem)->code,
                      ctx->detail ? ", " : "",
                      ctx->detail ? ctx->detail : "");

    } else if (errors->malformed != NULL) {
        ngx_log_error(NGX_LOG_INFO, r->connection->log, 0,
                      "ads fragment: a value is refused: %s",
                      errors->malformed);

    } else {
        ngx_log_error(NGX_LOG_INFO, r->connection->log, 0,
                      "ads fragment: %s is refused: %s",
                      errors->list[0].pointer, errors->list[0].code);
    }

    return ngx_http_ads_fragment_empty(r);
}


static ngx_int_t
ngx_http_ads_fragment_show(ngx_http_request_t *r, ngx_http_ads_ctx_t *ctx,
    ngx_str_t *answer, struct ads_str language, struct ads_show *show,
    struct ads_decision *decision)
{
    ngx_str_t  json;

    if (ngx_http_ads_answer_show(r, ctx, &json, language, show, decision)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_ads_card_write(r->pool, &json, answer);
}


static ngx_int_t
ngx_http_ads_fragment_no_ad(ngx_http_request_t *r, ngx_http_ads_ctx_t *ctx,
    ngx_str_t *answer, enum ads_reason reason)
{
    ngx_str_null(answer);

    return NGX_OK;
}


static ngx_int_t
ngx_http_ads_fragment_send(ngx_http_request_t *r, ngx_http_ads_ctx_t *ctx,
    ngx_uint_t status, const ngx_str_t *answer)
{
    static const ngx_str_t  type = ngx_string("text/html; charset=utf-8");

    if (answer->len == 0) {
        return ngx_http_ads_fragment_empty(r);
    }

    return ngx_http_ads_reply_send(r, status, &type, answer);
}


static ngx_int_t
ngx_http_ads_fragment_empty(ngx_http_request_t *r)
{
    static const ngx_str_t  none = ngx_null_string;

    return ngx_http_ads_reply_send(r, NGX_HTTP_NO_CONTENT, NULL, &none);
}


/* ads_fragment $query [name=value] ...; */

char *
ngx_http_ads_fragment_conf(ngx_conf_t *cf, ngx_http_ads_loc_conf_t *alcf)
{
    ngx_str_t                         *value, text;
    ngx_uint_t                         i, n;
    ngx_http_compile_complex_value_t   ccv;

    alcf->fragment = ngx_pcalloc(cf->pool,
                                 NGX_HTTP_ADS_FRAGMENT_FIELDS
                                 * sizeof(ngx_http_complex_value_t *));
    if (alcf->fragment == NULL) {
        return NGX_CONF_ERROR;
    }

    value = cf->args->elts;

    for (n = 1; n < cf->args->nelts; n++) {
        text = value[n];
        i = (n == 1) ? 0 : ngx_http_ads_fragment_field(&text);

        if (i == NGX_HTTP_ADS_FRAGMENT_FIELDS || alcf->fragment[i] != NULL) {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                               "invalid parameter \"%V\" of \"ads_fragment\"",
                               &value[n]);
            return NGX_CONF_ERROR;
        }

        alcf->fragment[i] = ngx_palloc(cf->pool,
                                       sizeof(ngx_http_complex_value_t));
        if (alcf->fragment[i] == NULL) {
            return NGX_CONF_ERROR;
        }

        ngx_memzero(&ccv, sizeof(ngx_http_compile_complex_value_t));

        ccv.cf = cf;
        ccv.value = &text;
        ccv.complex_value = alcf->fragment[i];

        if (ngx_http_compile_complex_value(&ccv) != NGX_OK) {
            return NGX_CONF_ERROR;
        }
    }

    return NGX_CONF_OK;
}


/* The field of name=value, which becomes the value; else one too many. */

static ngx_uint_t
ngx_http_ads_fragment_field(ngx_str_t *text)
{
    ngx_uint_t        i;
    const ngx_str_t  *name;

    for (i = 1; i < NGX_HTTP_ADS_FRAGMENT_FIELDS; i++) {
        name = &ngx_http_ads_fragment_fields[i].name;

        if (text->len > name->len && text->data[name->len] == '='
            && ngx_strncmp(text->data, name->data, name->len) == 0)
        {
            text->data += name->len + 1;
            text->len -= name->len + 1;
            break;
        }
    }

    return i;
}


/*
 * ads_fragment_key_file: a publisher's key.  Only its hash is kept, so that no
 * worker has it either.
 */

char *
ngx_http_ads_fragment_key_file(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_ads_loc_conf_t *alcf = conf;

    ngx_int_t        rc;
    ngx_str_t       *value, text;
    struct ads_key  *key;

    if (alcf->fragment_key != NULL) {
        return "is duplicate";
    }

    value = cf->args->elts;

    key = ngx_palloc(cf->pool, sizeof(struct ads_key));
    if (key == NULL) {
        return NGX_CONF_ERROR;
    }

    if (ngx_http_ads_secret_read(cf, &value[1], NGX_HTTP_ADS_FRAGMENT_KEY_MAX,
                                 &text)
        != NGX_OK)
    {
        return NGX_CONF_ERROR;
    }

    while (text.len > 0 && text.data[text.len - 1] <= ' ') {
        text.len--;
    }

    rc = NGX_OK;

    if (ads_key_read(key, NULL,
                     (struct ads_str) { (char *) text.data, text.len })
        != ADS_OK
        || key->type != ADS_KEY_PUBLISHER)
    {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"%V\" must hold the API key of a publisher",
                           &value[1]);
        rc = NGX_ERROR;
    }

    sodium_memzero(text.data, NGX_HTTP_ADS_FRAGMENT_KEY_MAX);

    if (rc != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    alcf->fragment_key = key;

    return NGX_CONF_OK;
}
