/*
 * Guard lists: sensitive words and phrases (data/guard/), compiled into the
 * section of the ad tables that core/ads_guard.h describes.
 *
 * A line is a phrase; a line that begins with '#' is a comment.  Phrases are
 * written as people write them: case, accents and a plural s make no
 * difference.  '*' at the end of a word stands for any ending, '#' for a number
 * from 10 to 17.  The shipped folder has one file a meaning; the operator's
 * file has sections, a meaning in brackets, and where both have a phrase his
 * meaning counts.
 */
#ifndef ADSD_GUARD_LIST_H
#define ADSD_GUARD_LIST_H

#include <stdio.h>

#include "ads_bytes.h"
#include "ads_err.h"

/*
 * Compiles the lists of the folder and, unless its path is empty, the
 * operator's file.  All or nothing: every mistake goes to `errors` as
 * file:line, and *section is empty when there is one.  ADS_INVALID; ADS_IO when
 * a file cannot be read (also told there).  free(section->ptr).
 */
ADS_MUST enum ads_err
guard_list_compile(struct ads_str *section, const char *folder,
                   const char *file, FILE *errors);

#endif
