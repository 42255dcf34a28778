/*
 * Error codes of core and adsd.  Every function of the two that can fail
 * returns an enum ads_err; the module and the daemon each have one function
 * that maps it to an HTTP status.
 *
 * Values are never stored or sent, so they may be reordered.
 */
#ifndef ADS_ERR_H
#define ADS_ERR_H

#define ADS_MUST __attribute__((warn_unused_result))

enum ads_err {
    ADS_OK = 0,
    ADS_INVALID,     /* malformed, or outside its stated bounds */
    ADS_TOO_LARGE,   /* longer than its limit */
    ADS_FORGED,      /* an authentication tag does not fit */
    ADS_DAMAGED,     /* a checksum, length or offset does not fit */
    ADS_UNSUPPORTED, /* a layout, version or byte order not known here */
    ADS_ABSENT,      /* not there, or another tenant's */
    ADS_DENIED,      /* credential missing, wrong, or of the wrong scope */
    ADS_CONFLICT,    /* the state does not allow it */
    ADS_EXPIRED,     /* was good once */
    ADS_FULL,        /* no room left */
    ADS_BUSY,        /* somebody else has it; try again */
    ADS_UNAVAILABLE, /* a part it needs does not answer */
    ADS_IO,          /* the operating system refused; errno says why */
    ADS_ANSWERED     /* not a failure: the client has been answered */
};

/* A short lower-case text for a log line; never NULL. */
const char *
ads_strerror(enum ads_err err);

#endif
