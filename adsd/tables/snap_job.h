/*
 * Background job that makes a new base while heads go on being published: from
 * the base and the head of a moment (a merge), or from all rows of PostgreSQL
 * (a rebuild), which is then compared with what base and head hold together.
 *
 * One thread for one base.  What it was given stays the publisher's, who keeps
 * the old base until the job is done.
 */
#ifndef ADSD_SNAP_JOB_H
#define ADSD_SNAP_JOB_H

#include "daemon/adsd.h"
#include "tables/snap_build.h"
#include "tables/snap_file.h"

/* A base in use. */
struct snap_base {
    struct snap_map map; /* bytes NULL: none */
    struct snap_source source;
};

/* Maps and opens the base of that id.  ADS_ABSENT, ADS_DAMAGED,
 * ADS_UNSUPPORTED, logged; then *base is as it was. */
ADS_MUST enum ads_err
snap_base_map(struct snap_base *base, uint64_t id, bool verify,
              struct adsd *adsd);
void
snap_base_unmap(struct snap_base *base);

struct snap_job;

struct snap_job_input {
    const struct snap_source *base; /* borrowed; NULL: none */
    const struct snap_image *head;  /* copied; of that base */
    bool rebuild;                   /* from rows */
    struct ads_str intent_model;    /* borrowed, as is the guard */
    struct ads_str guard;
    struct ads_str goods; /* of a rebuild: a merge keeps that of its base */
};

/* Were the base's products taken for what they are by this ontology? */
bool
snap_goods_same(const struct ads_base *base, const struct ads_str *goods);

/* Begins one; NULL, logged, when there can be no thread. */
struct snap_job *
snap_job_begin(struct adsd *adsd, const struct snap_job_input *input);

bool
snap_job_done(const struct snap_job *job);

/* Waits for it and frees it.  When it made a base *made is that, and the
 * caller's to unmap. */
ADS_MUST enum ads_err
snap_job_end(struct snap_job *job, struct snap_base *made);

/* Makes the base that a pair becomes, writes and maps it, all at once. */
ADS_MUST enum ads_err
snap_job_merge(struct snap_base *made, struct adsd *adsd,
               const struct snap_job_input *input);

#endif
