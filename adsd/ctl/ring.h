/*
 * First ring of click keys, for adsctl init.
 */
#ifndef ADSD_CTL_RING_H
#define ADSD_CTL_RING_H

/* Writes a ring of one new key that seals, over nothing that exists: the caller
 * looked.  CTL_OK, or CTL_REFUSED with the reason told. */
int
ctl_ring_make(const char *path);

#endif
