/*
 * Validates language tags in one pass, part by part.
 */
#include "base/language.h"

#define TAG_MAX 35
#define PART_MAX 8


bool
language_check(struct ads_str text)
{
    size_t part = 0, least = 2;

    if (text.len > TAG_MAX) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];

        if (c == '-') {
            if (part < least) {
                return false;
            }
            part = 0;
            least = 1;

        } else if (++part > PART_MAX
                   || !(least == 2 ? ads_char_is_letter(c)
                                   : ads_char_is_alnum(c)))
        {
            return false;
        }
    }
    return part >= least;
}
