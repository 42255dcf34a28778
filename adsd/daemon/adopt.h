/*
 * Roles and owners that a restored database lacks.
 */
#ifndef ADSD_ADOPT_H
#define ADSD_ADOPT_H

#include "base/conf.h"
#include "base/log.h"

/*
 * Makes the roles of duties.sql when one is missing, and gives the schema back
 * to ads_owner when a restore left it to someone else or without rights; the
 * next migrate_run() then replays functions, policies and rights.  Only for a
 * superuser: for any other login it changes nothing and answers ADS_OK.
 * ADS_ABSENT: duties.sql cannot be read.  Mistakes are logged.
 */
ADS_MUST enum ads_err
adopt_run(const struct conf *conf, struct log *log);

#endif
