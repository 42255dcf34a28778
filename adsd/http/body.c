/*
 * Parses request bodies; errors become a problem document.
 */
#include "http/body.h"


enum ads_err
body_begin(struct form *form, struct request *request)
{
    struct ads_str body = {request->body, request->body_len};
    const char *why;

    return form_begin(form, request->pool, body, &why)
               ? ADS_OK
               : request_answer_problem(request, ADS_PROBLEM_MALFORMED_JSON,
                                        why);
}


enum ads_err
body_end(struct form *form, struct request *request)
{
    return form_check(form) ? ADS_OK
                            : request_answer_fields(request, form->errors->list,
                                                    form->errors->n);
}
