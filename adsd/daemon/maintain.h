/*
 * Maintenance thread.
 *
 * At start it waits for the database and looks whether the schema is the one
 * this program was made for; until then no thread uses it and the API answers
 * 503.  Then it writes down what adsd.conf says about the installation.  Each
 * second it beats the heart in `live`, attributes conversions that came before
 * their click and takes what happened into the reports; every few minutes it
 * has PostgreSQL make the partitions that come next and drop the old ones.
 */
#ifndef ADSD_MAINTAIN_H
#define ADSD_MAINTAIN_H

#include "daemon/adsd.h"

/* The thread's whole life; returns once adsd stops. */
void
maintain_run(struct adsd *adsd);

#endif
