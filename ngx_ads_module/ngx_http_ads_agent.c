/*
 * User-Agent check: does a client say that it is a program and not a browser?
 * It keeps honest programs out of the bill: crawlers, link previews, monitors,
 * libraries.
 *
 * A browser calls itself "Mozilla/" or "Opera/" and names the engine that
 * draws its pages; whatever does not is a program.  Of what does, those that
 * carry one of the words below, or say "compatible" as crawlers do, are
 * programs that render pages and admit it.  A word is only in the list when no
 * browser's or phone's own text holds: in-app browsers of social apps are
 * people.
 *
 * Two forms need no list.  Browsers close the bracket behind "like Gecko", so
 * a name in there is a program's; and on a desktop they end with a version, so
 * a bare word behind that of the browser is a program's signature.
 *
 * A table of the words' first three letters, made once with the configuration,
 * finds all of them in one pass at a few instructions a letter.
 */


#include "ngx_http_ads_module.h"


#define NGX_HTTP_ADS_AGENT_MAX    1024
#define NGX_HTTP_ADS_AGENT_SLOTS  4096    /* 12 bits */

/* where in the table of words those end that name engines */

#define NGX_HTTP_ADS_AGENT_ENGINES  8

/* what a word says, as bits of what was seen */

#define NGX_HTTP_ADS_AGENT_ROBOT       1
#define NGX_HTTP_ADS_AGENT_ENGINE      2
#define NGX_HTTP_ADS_AGENT_COMPATIBLE  4
#define NGX_HTTP_ADS_AGENT_EXPLORER    8


struct ngx_http_ads_agent_s {
    uint8_t                    first[NGX_HTTP_ADS_AGENT_SLOTS];
    uint8_t                    next[256];
};


static ngx_inline ngx_uint_t ngx_http_ads_agent_slot(const u_char *p);
static ngx_uint_t ngx_http_ads_agent_begins(const ngx_str_t *agent);
static ngx_uint_t ngx_http_ads_agent_is_signed(const ngx_str_t *agent);
static ngx_uint_t ngx_http_ads_agent_seen(const ngx_http_ads_agent_t *table,
    const ngx_str_t *agent);
static ngx_inline ngx_uint_t ngx_http_ads_agent_at(
    const ngx_http_ads_agent_t *table, ngx_uint_t slot, const u_char *text,
    u_char *p, const u_char *last);
static ngx_uint_t ngx_http_ads_agent_matches(const ngx_str_t *word,
    const u_char *text, u_char *p, const u_char *last);
static ngx_uint_t ngx_http_ads_agent_says(ngx_uint_t word);


/* in lower case, at least three letters, at most 254 words */

static const ngx_str_t  ngx_http_ads_agent_words[] = {

    /* old Internet Explorers, the only browsers that say "compatible" */

    ngx_string("compatible"), ngx_string("msie "),

    /* what shows pages to people */

    ngx_string("applewebkit/"), ngx_string("gecko"), ngx_string("firefox/"),
    ngx_string("trident/"), ngx_string("presto/"), ngx_string("goanna/"),

    /* what programs are called */

    ngx_string("bot"), ngx_string("crawl"), ngx_string("spider"),
    ngx_string("slurp"), ngx_string("scrap"), ngx_string("scan/"),
    ngx_string("scanner"), ngx_string("hubscan"), ngx_string("monitor"),
    ngx_string("preview"), ngx_string("synthetic"), ngx_string("verify"),
    ngx_string("verification"), ngx_string("inspect"), ngx_string("agent)"),
    ngx_string("headless"), ngx_string("screenshot"), ngx_string("archiv"),
    ngx_string("validat"), ngx_string("checker"), ngx_string("check/"),
    ngx_string("indexer"), ngx_string("fetch"), ngx_string("harvest"),
    ngx_string("generator"), ngx_string("resolver"), ngx_string("retriev"),
    ngx_string("analyz"), ngx_string("analys"), ngx_string("audit"),
    ngx_string("uptime"), ngx_string("probe"), ngx_string("survey"),
    ngx_string("metadata"), ngx_string("sitemap"), ngx_string("webmaster"),
    ngx_string("prerender"), ngx_string("snapshot"), ngx_string("observer"),
    ngx_string("research"), ngx_string("discovery"), ngx_string("copier"),
    ngx_string("offline"), ngx_string("testing"), ngx_string("pinger"),
    ngx_string("-user/"), ngx_string("thumbnail"), ngx_string("favicon"),
    ngx_string("rss/"), ngx_string("feedly"), ngx_string("feedfetch"),
    ngx_string("feeder"), ngx_string("-agent"), ngx_string("scan)"),
    ngx_string("httpagent"),
    ngx_string("like gecko,"), ngx_string("like gecko;"),

    /* who runs it, which no browser tells */

    ngx_string("http:"), ngx_string("https:"), ngx_string("www."),
    ngx_string(".com"), ngx_string(".org"), ngx_string(".fr"),
    ngx_string(".io/"), ngx_string(".ai/"), ngx_string("mailto:"),

    /* browsers that are driven by programs */

    ngx_string("lighthouse"), ngx_string("page speed"),
    ngx_string("pagespeed"), ngx_string("speed insights"),
    ngx_string("phantomjs"), ngx_string("slimerjs"), ngx_string("puppeteer"),
    ngx_string("playwright"), ngx_string("selenium"), ngx_string("cypress"),
    ngx_string("htmlunit"), ngx_string("splash"), ngx_string("wkhtmlto"),

    /* services that read pages */

    ngx_string("google web"), ngx_string("google-"),
    ngx_string("googleweblight"), ngx_string("mediapartners"),
    ngx_string("duplexweb"), ngx_string("bingpreview"),
    ngx_string("microsoftpreview"),
    ngx_string("facebookexternal"), ngx_string("meta-external"),
    ngx_string("chatgpt"), ngx_string("perplexity"), ngx_string("claude-"),
    ngx_string("anthropic"), ngx_string("newsai"), ngx_string("newsnow"),
    ngx_string("manus-"),
    ngx_string("datadog"), ngx_string("newrelic"), ngx_string("dynatrace"),
    ngx_string("ruxit"), ngx_string("appinsights"), ngx_string("rigor)"),
    ngx_string("ptst/"), ngx_string("pingdom"), ngx_string("gtmetrix"),
    ngx_string("dareboost"), ngx_string("catchpoint"),
    ngx_string("thousandeyes"), ngx_string("statuscake"),
    ngx_string("site24x7"), ngx_string("silktide"), ngx_string("siteimprove"),
    ngx_string("hotjar"), ngx_string("sindup"), ngx_string("turingos"),
    ngx_string("dlc/"), ngx_string("marketgoo"), ngx_string("ylt chrome"),
    ngx_string("watchtowr"), ngx_string("securityheaders"),
    ngx_string("sucuri"), ngx_string("qualys"), ngx_string("netcraft"),
    ngx_string("criticalcss"), ngx_string("cookiehub"),
    ngx_string("cookiebot"), ngx_string("onetrust"), ngx_string("quantcast"),
    ngx_string("adbeat"), ngx_string("adsbot"), ngx_string("outbrain"),
    ngx_string("pixalate"), ngx_string("brandverity"), ngx_string("moatbot"),
    ngx_string("semrush"), ngx_string("ahrefs"), ngx_string("sistrix"),
    ngx_string("screaming"), ngx_string("contentking"),
    ngx_string("deepcrawl"), ngx_string("seobility"), ngx_string("w3c"),
    ngx_string("nutch"), ngx_string("heritrix"), ngx_string("ia_arch"),
    ngx_string("httrack"), ngx_string("zgrab"), ngx_string("wordpress"),
    ngx_string("datanyze"), ngx_string("fluid/"), ngx_string("readable/"),
    ngx_string("testlocally"), ngx_string(" code/"), ngx_string("trae/"),
    ngx_string("embedly"), ngx_string("iframely"), ngx_string("fediverse"),
    ngx_string("curl/"), ngx_string("wget/"), ngx_string("python"),
    ngx_string("java/"), ngx_string("(java"), ngx_string("httpclient"),
    ngx_string("http client"), ngx_string("libwww"), ngx_string("okhttp"),
    ngx_null_string
};


/* The table of the words' beginnings; NULL when memory lacks. */

ngx_http_ads_agent_t *
ngx_http_ads_agent_new(ngx_pool_t *pool)
{
    u_char                 four[4];
    ngx_uint_t             i, slot;
    ngx_http_ads_agent_t  *table;

    table = ngx_pcalloc(pool, sizeof(ngx_http_ads_agent_t));
    if (table == NULL) {
        return NULL;
    }

    ngx_memzero(four, 4);

    for (i = 0; ngx_http_ads_agent_words[i].len; i++) {
        ngx_memcpy(four, ngx_http_ads_agent_words[i].data, 3);

        slot = ngx_http_ads_agent_slot(four);

        table->next[i + 1] = table->first[slot];
        table->first[slot] = i + 1;
    }

    return table;
}


/* Classifies a user agent that is not empty. */

ngx_uint_t
ngx_http_ads_agent_is_robot(const ngx_http_ads_agent_t *table,
    const ngx_str_t *agent)
{
    ngx_uint_t  seen;

    if (!ngx_http_ads_agent_begins(agent)
        || ngx_http_ads_agent_is_signed(agent))
    {
        return 1;
    }

    seen = ngx_http_ads_agent_seen(table, agent);

    return (seen & NGX_HTTP_ADS_AGENT_ROBOT)
           || !(seen & (NGX_HTTP_ADS_AGENT_ENGINE
                        |NGX_HTTP_ADS_AGENT_EXPLORER))
           || ((seen & NGX_HTTP_ADS_AGENT_COMPATIBLE)
               && !(seen & NGX_HTTP_ADS_AGENT_EXPLORER));
}


static ngx_uint_t
ngx_http_ads_agent_begins(const ngx_str_t *agent)
{
    return (agent->len >= 8
            && (ngx_memcmp(agent->data, "Mozilla/", 8) == 0
                || ngx_strncasecmp(agent->data, (u_char *) "mozilla/", 8)
                   == 0))
           || (agent->len >= 6
               && ngx_strncasecmp(agent->data, (u_char *) "opera/", 6) == 0);
}


/* Does it end in a bare word behind the browser's version, on a desktop? */

static ngx_uint_t
ngx_http_ads_agent_is_signed(const ngx_str_t *agent)
{
    u_char      *p, *q, *last;
    size_t       begin;
    ngx_uint_t   i;

    static const ngx_str_t  desktops[] = {
        ngx_string("Mozilla/5.0 (X11"),
        ngx_string("Mozilla/5.0 (Windows"),
        ngx_string("Mozilla/5.0 (Macintosh")
    };

    for (i = 0; i < sizeof(desktops) / sizeof(desktops[0]); i++) {
        begin = desktops[i].len;

        if (agent->len > begin
            && ngx_memcmp(agent->data, desktops[i].data, begin) == 0)
        {
            break;
        }
    }

    if (i == sizeof(desktops) / sizeof(desktops[0])) {
        return 0;
    }

    last = agent->data + agent->len;

    for (p = last; p > agent->data; p--) {
        if (!((p[-1] >= 'a' && p[-1] <= 'z') || (p[-1] >= 'A' && p[-1] <= 'Z')
              || p[-1] == '-'))
        {
            break;
        }
    }

    if (p == last || p[-1] != ' ') {
        return 0;
    }

    /* the word before it; the text of each desktop holds a space */

    for (q = p - 1; q[-1] != ' '; q--) { /* void */ }

    return ngx_strncasecmp(q, (u_char *) "safari/", 7) == 0
           || ngx_strncasecmp(q, (u_char *) "firefox/", 8) == 0;
}


/* What the words in it say together. */

static ngx_uint_t
ngx_http_ads_agent_seen(const ngx_http_ads_agent_t *table,
    const ngx_str_t *agent)
{
    u_char      *p, *last, end[4];
    ngx_uint_t   seen;

    last = agent->data + ngx_min(agent->len, NGX_HTTP_ADS_AGENT_MAX);
    seen = 0;

    for (p = agent->data; last - p >= 4; p++) {
        seen |= ngx_http_ads_agent_at(table, ngx_http_ads_agent_slot(p),
                                      agent->data, p, last);
    }

    if (last - p == 3) {
        ngx_memzero(end, 4);
        ngx_memcpy(end, p, 3);
        seen |= ngx_http_ads_agent_at(table, ngx_http_ads_agent_slot(end),
                                      agent->data, p, last);
    }

    return seen;
}


/*
 * The slot of the three letters there, every one taken as a small one; four
 * are read.  It spreads them over the table.
 */

static ngx_inline ngx_uint_t
ngx_http_ads_agent_slot(const u_char *p)
{
    uint32_t  four;

    ngx_memcpy(&four, p, 4);

    return ((four | 0x20202020) << 8) * 0x9e3779b1 >> 20;
}


/* What the words say that begin at p with the letters of a slot. */

static ngx_inline ngx_uint_t
ngx_http_ads_agent_at(const ngx_http_ads_agent_t *table, ngx_uint_t slot,
    const u_char *text, u_char *p, const u_char *last)
{
    ngx_uint_t  i, seen;

    seen = 0;

    for (i = table->first[slot]; i > 0; i = table->next[i]) {

        if (ngx_http_ads_agent_matches(&ngx_http_ads_agent_words[i - 1], text,
                                       p, last))
        {
            seen |= ngx_http_ads_agent_says(i - 1);
        }
    }

    return seen;
}


/* CUBOT makes phones. */

static ngx_uint_t
ngx_http_ads_agent_matches(const ngx_str_t *word, const u_char *text,
    u_char *p, const u_char *last)
{
    if ((size_t) (last - p) < word->len
        || ngx_strncasecmp(p, word->data, word->len) != 0)
    {
        return 0;
    }

    return !(word->len == 3 && p - text >= 2
             && ngx_strncasecmp(p - 2, (u_char *) "cubot", 5) == 0);
}


static ngx_uint_t
ngx_http_ads_agent_says(ngx_uint_t word)
{
    switch (word) {

    case 0:
        return NGX_HTTP_ADS_AGENT_COMPATIBLE;

    case 1:
        return NGX_HTTP_ADS_AGENT_EXPLORER;

    default:
        return word < NGX_HTTP_ADS_AGENT_ENGINES ? NGX_HTTP_ADS_AGENT_ENGINE
                                                 : NGX_HTTP_ADS_AGENT_ROBOT;
    }
}
