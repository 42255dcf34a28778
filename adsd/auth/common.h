/*
 * Common passwords: those that attackers try first.  The list is
 * data/passwords.txt, made by tools/password_list, and is part of the program.
 */
#ifndef ADSD_AUTH_COMMON_H
#define ADSD_AUTH_COMMON_H

#include "ads_bytes.h"

#define AUTH_COMMON_LEN_MAX 64

/*
 * True for what is in the list, whatever its case and with up to four digits or
 * signs put behind it, and for a few characters said again and again.
 */
bool
auth_common_check(struct ads_str password);

#endif
