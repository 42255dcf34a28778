/*
 * Warnings of a recommendation: what of the request was not taken as it stood.
 * Such a request is served, and the answer says what was done.
 *
 * A new one is a row here and a line of docs/errors.md.
 */
#ifndef ADS_WARNING_H
#define ADS_WARNING_H

#include <stddef.h>
#include <stdint.h>

/* Its name here, the field as a JSON pointer, its stable code, and a sentence
 * of what was done. */
#define ADS_WARNINGS(ROW)                                                  \
    ROW(LOCATION, "/context/location", "unrecognised_location",            \
        "the place is not known, so no ad that is aimed at places can be " \
        "shown")                                                           \
    ROW(CURRENCY, "/context/currency", "folded",                           \
        "was read as a code of three capital letters; send it as USD")     \
    ROW(PLACEMENT, "/placement", "folded",                                 \
        "was read in lower case, with _ for each space; send it as "       \
        "chat_inline")                                                     \
    ROW(RESULTS, "/max_results", "clamped",                                \
        "was read as 20, which is the "                                    \
        "most that one answer has")

#define ADS_WARNING_ENUM(name, pointer, code, detail) ADS_WARNING_##name,

enum ads_warning { ADS_WARNINGS(ADS_WARNING_ENUM) ADS_WARNING_END };

#define ADS_WARNING_BIT(name) (UINT32_C(1) << ADS_WARNING_##name)

#define ADS_WARNING_LEN_MAX 768 /* of all of them */

/* Writes the member `"warnings":[...]` of those whose bits are set, at least
 * one, without what separates it from others.  Returns its length, at most
 * ADS_WARNING_LEN_MAX. */
size_t
ads_warning_write(char *dst, uint32_t warnings);

#endif
