/*
 * Socket <run>/events.sock: datagrams of records that workers have written to
 * the journal.  Without it everything works, a little later.
 */
#ifndef ADSD_INGEST_SOCKET_H
#define ADSD_INGEST_SOCKET_H

#include "daemon/adsd.h"

/* The bound socket, the caller's; -1: it could not be, which is logged. */
int
ingest_socket_bind(const struct adsd *adsd);

/* Closes it and removes its name; nothing for -1. */
void
ingest_socket_remove(const struct adsd *adsd, int fd);

#endif
