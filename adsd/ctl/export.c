/*
 * adsctl export: the products of a campaign or an account, as lines that adsctl
 * import takes again.  PostgreSQL writes the lines; they are passed on one by
 * one, so memory does not grow with the catalogue.
 */
#include <stdio.h>

#include "base/csv.h"
#include "ctl/verbs.h"

#define FROM                                                               \
    " from ads.products p where p.account_id = $1 and p.status = 'active'" \
    " and ($2::uuid is null or exists (select from ads.ads x"              \
    "  where x.account_id = $1 and x.campaign_id = $2"                     \
    "  and x.product_id = p.id and x.status = 'active'))"                  \
    " order by p.created_at, p.id"

static const struct db_stmt STMT_ACCOUNT = {
    .name = "ctl_export_account",
    .sql = "select c.account_id from ads.campaigns c where c.id = $1",
    .n_params = 1,
};

static const struct db_stmt STMT_JSONL = {
    .name = "ctl_export_jsonl",
    .sql = "select jsonb_strip_nulls(jsonb_build_object('sku', p.sku,"
           " 'title', p.title, 'url', p.url,"
           " 'price', trim_scale(p.price_micros::numeric / 1000000),"
           " 'currency', p.currency,"
           " 'description', nullif(p.description, ''),"
           " 'brand', nullif(p.brand, ''), 'gtin', nullif(p.gtin, ''),"
           " 'category', nullif(to_jsonb(p.category), '[]'),"
           " 'keywords', nullif(to_jsonb(p.keywords), '[]'),"
           " 'image_url', p.image_url, 'availability', p.availability,"
           " 'sale_price',"
           " trim_scale(p.sale_price_micros::numeric / 1000000),"
           " 'price_valid_until', to_char(p.price_valid_until"
           "  at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'),"
           " 'language', p.language,"
           " 'attributes', nullif(p.attributes, '{}')))::text" FROM,
    .n_params = 2,
};

/* A cell has no tab and no line break. */
static const struct db_stmt STMT_TSV = {
    .name = "ctl_export_tsv",
    .sql = "select array_to_string(array(select"
           " translate(coalesce(v, ''), e'\\t\\r\\n', '   ')"
           " from unnest(array[p.sku, p.title, p.description, p.url,"
           "  p.image_url,"
           "  trim_scale(p.price_micros::numeric / 1000000)"
           "   || ' ' || p.currency, p.brand, p.gtin,"
           "  array_to_string(p.category, ' > '),"
           "  array_to_string(p.keywords, ','), p.availability, p.language])"
           " with ordinality u (v, o) order by o), e'\\t')" FROM,
    .n_params = 2,
};

static const char tsv_head[] =
    "id\ttitle\tdescription\tlink\timage_link\tprice\tbrand\tgtin\t"
    "product_type\tkeywords\tavailability\tcontent_language\n";


static enum ads_err
line_print(void *arg, const struct db_rows *rows)
{
    struct ads_str line = db_text(rows, 0, DB_ONLY);

    (void)arg;
    return fwrite(line.ptr, 1, line.len, stdout) == line.len
                   && putchar('\n') == '\n'
               ? ADS_OK
               : ADS_IO;
}


/* A table may be opened in a spreadsheet: no cell is a formula. */
static enum ads_err
cells_print(void *arg, const struct db_rows *rows)
{
    struct ads_str line = db_text(rows, 0, DB_ONLY);
    const char *last = line.ptr + line.len, *end;

    (void)arg;
    for (const char *cell = line.ptr; cell <= last; cell = end + 1) {
        size_t len = (size_t)(last - cell);

        end = len > 0 ? memchr(cell, '\t', len) : NULL;
        if (end == NULL) {
            end = last;
        }
        len = (size_t)(end - cell);
        if (csv_needs_guard((struct ads_str){cell, len})) {
            (void)putchar('\'');
        }
        (void)fwrite(cell, 1, len, stdout);
        (void)putchar(end < last ? '\t' : '\n');
    }
    return ferror(stdout) == 0 ? ADS_OK : ADS_IO;
}


static int
lines_print(struct ctl *ctl, const struct db_stmt *stmt, struct db_args *args,
            enum ads_err (*print)(void *arg, const struct db_rows *rows))
{
    struct db_tx *tx;
    enum ads_err err = db_begin(ctl->db, &tx);

    if (err == ADS_OK) {
        err = db_run_each(tx, stmt, args, print, NULL);
    }
    db_end(tx);
    if (err == ADS_OK && fflush(stdout) == 0) {
        return CTL_OK;
    }
    return err == ADS_OK || err == ADS_IO
               ? ctl_refuse("could not write all lines")
               : ctl_failed(ctl, err);
}


int
ctl_export(struct ctl *ctl, int argc, char **argv)
{
    static const char *const formats[] = {"jsonl", "tsv", NULL};
    const char *account = NULL, *campaign = NULL, *format = "jsonl";
    const struct ctl_option options[] = {
        {"account", false, NULL, &account},
        {"campaign", false, NULL, &campaign},
        {"format", false, NULL, &format},
    };
    struct ads_uuid account_id, campaign_id;
    struct db_args args;
    struct db_rows *rows;
    int n, rc;

    rc = ctl_options(argc, argv, options, 3, 0, 0, &n);
    if (rc == CTL_OK) {
        rc = ctl_read_choice("--format", format, formats);
    }
    if (rc == CTL_OK && (account == NULL) == (campaign == NULL)) {
        ctl_refuse("give either --account or --campaign");
        return CTL_USAGE;
    }
    if (rc == CTL_OK && account != NULL) {
        rc = ctl_account_check(ctl, account);
        if (rc == CTL_OK) {
            rc = ctl_read_id(&account_id, "--account", account);
        }
    } else if (rc == CTL_OK) {
        rc = ctl_read_id(&campaign_id, "--campaign", campaign);
        if (rc == CTL_OK) {
            rc =
                ctl_ask_id(ctl, &STMT_ACCOUNT, &campaign_id, &rows, "campaign");
        }
        if (rc == CTL_OK) {
            account_id = db_uuid(rows, 0, DB_ONLY);
        }
    }
    if (rc != CTL_OK) {
        return rc;
    }
    db_args_init(&args, ctl->pool);
    db_arg_uuid(&args, &account_id);
    db_arg_uuid(&args, campaign != NULL ? &campaign_id : NULL);
    if (format[0] == 't') {
        (void)fputs(tsv_head, stdout);
        return lines_print(ctl, &STMT_TSV, &args, cells_print);
    }
    return lines_print(ctl, &STMT_JSONL, &args, line_print);
}
