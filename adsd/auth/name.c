/*
 * Reads names that strangers will read.
 */
#include "auth/name.h"

static const struct db_stmt STMT_PUBLIC = {
    .name = "name_public",
    .sql = "select ads.name_public($1)",
    .n_params = 1,
};


enum ads_err
auth_name_field(struct request *request, struct form *form, const char *name,
                unsigned flags, struct ads_str *text)
{
    struct db_args args;
    struct db_rows *rows;
    enum ads_err err;

    *text = form_text(form, name, flags, 1, AUTH_NAME_MAX);
    if (text->ptr == NULL) {
        return ADS_OK;
    }
    db_args_init(&args, request->pool);
    db_arg_text(&args, *text);
    err = request->tx != NULL
              ? db_run(request->tx, &STMT_PUBLIC, &args, &rows)
              : db_run_alone(request->db, &STMT_PUBLIC, &args, &rows);
    if (err == ADS_OK && !db_bool(rows, 0, DB_ONLY)) {
        form_error(form, name, "pii_not_allowed",
                   "is shown to strangers, so it may hold no e-mail address");
        text->ptr = NULL;
    }
    return err;
}
