/*
 * POST /v1/campaigns/{id}/preview: what would be shown for these queries, were
 * the campaign active, in its time and funded; by the code that serves, on the
 * tables that are served, without a trace or a cent.
 *
 * Each query is decided twice: with this campaign alone, which tells what
 * stands against it, and among all that is on offer now, which tells its
 * place.
 */
#ifndef ADSD_API_PREVIEW_H
#define ADSD_API_PREVIEW_H

#include "http/request.h"

ADS_MUST enum ads_err
api_preview_post(struct request *request);

#endif
