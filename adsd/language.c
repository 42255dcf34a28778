/*
 * One pass over the tag, part by part.
 */
#include "language.h"

#define TAG_MAX 35
#define PART_MAX 8


static bool
is_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}


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
                   || (!is_letter(c) && (least == 2 || c < '0' || c > '9')))
        {
            return false;
        }
    }
    return part >= least;
}
