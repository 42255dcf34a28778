/*
 * GET /v1/click/{token}, for what a worker could not answer: the token opened
 * there, but the ad is in none of its tables.  The worker has recorded the
 * click; here the visitor only gets a destination, or learns that there is
 * none any more.
 */
#ifndef ADSD_API_CLICK_H
#define ADSD_API_CLICK_H

#include "http/request.h"

/* 302 with Location; 404 when the token does not open; 410 when the link is
 * older than 30 days, or the ad gone for as long; 503 without the database. */
ADS_MUST enum ads_err
api_click_get(struct request *request);

#endif
