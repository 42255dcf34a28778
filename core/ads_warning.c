/*
 * Texts of the warnings, and their JSON.
 */
#include "ads_warning.h"

#include "ads_bytes.h"

#define TEXT(name, pointer, code, detail)                       \
    [ADS_WARNING_##name] =                                      \
        ADS_STR("{\"pointer\":\"" pointer "\",\"code\":\"" code \
                "\",\"detail\":\"" detail "\"}"),

static const struct ads_str texts[ADS_WARNING_END] = {ADS_WARNINGS(TEXT)};


static char *
put(char *dst, struct ads_str text)
{
    memcpy(dst, text.ptr, text.len);
    return dst + text.len;
}


size_t
ads_warning_write(char *dst, uint32_t warnings)
{
    char *at = put(dst, ADS_STR("\"warnings\":"));
    char before = '[';

    for (uint32_t i = 0; i < ADS_WARNING_END; i++) {
        if ((warnings >> i & 1) != 0) {
            *at++ = before;
            at = put(at, texts[i]);
            before = ',';
        }
    }
    *at++ = ']';
    return (size_t)(at - dst);
}
