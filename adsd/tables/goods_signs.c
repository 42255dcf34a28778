/*
 * Names of the signs.
 */
#include "tables/goods_signs.h"


const char *
goods_sign_name(enum goods_sign sign)
{
    static const char *const names[] = {
#define NAME(name) #name,
        GOODS_SIGNS(NAME)
#undef NAME
    };

    return sign < GOODS_SIGN_END ? names[sign] : "NONE";
}
