/*
 * Mail queue and SMTP: nothing else sends mails.
 *
 * A mail is a row that the work which needs it puts into ads.mails in its own
 * transaction (ads.mail_put and what calls it); so no request waits for a mail
 * server, and no mail is lost or sent for work that was rolled back.  This
 * thread takes the rows one by one and sends them to mail_url, or writes them
 * as .eml files into the folder mail_dir.  What fails waits longer each time,
 * and is given up after three days, or at once when the server says "never".
 * After a crash a mail may come twice, the same both times.
 *
 * Without mail_url and mail_dir the rows stay until they are too old.
 */
#ifndef ADSD_MAIL_H
#define ADSD_MAIL_H

#include "daemon/adsd.h"

/* The thread's whole life; returns once adsd stops. */
void
mail_run(struct adsd *adsd);

#endif
