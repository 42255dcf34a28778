/*
 * What is wrong becomes a problem document.
 */
#include "http/body.h"


bool
body_begin(struct form *form, struct request *request)
{
    struct ads_str body = {request->body, request->body_len};
    const char *why;

    if (form_begin(form, request->pool, body, &why)) {
        return true;
    }
    request_answer_problem(request, ADS_PROBLEM_MALFORMED_JSON, why);
    return false;
}


bool
body_end(struct form *form, struct request *request)
{
    if (form_check(form)) {
        return true;
    }
    request_answer_fields(request, form->errors->list, form->errors->n);
    return false;
}
