/*
 * Import thread: imports that came over HTTP, one after the other, out of
 * ads.imports, whichever node received them.  One import at a time on a node
 * bounds what imports cost the rest; what died halfway is started again by the
 * next node that polls (sql/code/76_imports.sql).
 */
#ifndef ADSD_IMPORT_WORK_H
#define ADSD_IMPORT_WORK_H

#include "daemon/adsd.h"

/* The thread's whole life; returns once adsd stops. */
void
import_work_run(struct adsd *adsd);

#endif
