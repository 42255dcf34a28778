/*
 * Texts of the error codes, for log messages.
 */
#include "ads_err.h"


const char *
ads_strerror(enum ads_err err)
{
    switch (err) {
    case ADS_OK:
        return "ok";
    case ADS_INVALID:
        return "invalid";
    case ADS_TOO_LARGE:
        return "too large";
    case ADS_FORGED:
        return "not authentic";
    case ADS_DAMAGED:
        return "damaged";
    case ADS_UNSUPPORTED:
        return "unsupported layout";
    case ADS_ABSENT:
        return "absent";
    case ADS_DENIED:
        return "denied";
    case ADS_CONFLICT:
        return "conflict";
    case ADS_EXPIRED:
        return "expired";
    case ADS_FULL:
        return "full";
    case ADS_BUSY:
        return "busy";
    case ADS_UNAVAILABLE:
        return "unavailable";
    case ADS_IO:
        return "input or output error";
    case ADS_ANSWERED:
        return "answered";
    }
    return "unknown error";
}
