/*
 * Language tags such as "en" or "pt-BR": BCP 47 as far as its form goes.
 */
#ifndef ADSD_LANGUAGE_H
#define ADSD_LANGUAGE_H

#include "ads_bytes.h"

/* A language of two to eight letters, then parts of one to eight letters and
 * digits, with dashes between; at most 35 bytes. */
bool
language_check(struct ads_str text);

#endif
