/*
 * Verbs of adsctl.
 */
#ifndef ADSD_CTL_VERBS_H
#define ADSD_CTL_VERBS_H

#include "ctl/ctl.h"

/* The whole of adsctl.  Returns the exit code. */
int
ctl_main(int argc, char **argv);

/* The verbs; argv[0] is the first argument behind the noun. */
int
ctl_init(struct ctl *ctl, int argc, char **argv);
int
ctl_migrate(struct ctl *ctl, int argc, char **argv);
int
ctl_tenant(struct ctl *ctl, int argc, char **argv);
int
ctl_user(struct ctl *ctl, int argc, char **argv);
int
ctl_member(struct ctl *ctl, int argc, char **argv);
int
ctl_session(struct ctl *ctl, int argc, char **argv);
int
ctl_doctor(struct ctl *ctl, int argc, char **argv);
int
ctl_key(struct ctl *ctl, int argc, char **argv);
int
ctl_campaign(struct ctl *ctl, int argc, char **argv);
int
ctl_balance(struct ctl *ctl, int argc, char **argv);
int
ctl_topup(struct ctl *ctl, int argc, char **argv);
int
ctl_report(struct ctl *ctl, int argc, char **argv);
int
ctl_statement(struct ctl *ctl, int argc, char **argv);
int
ctl_import(struct ctl *ctl, int argc, char **argv);
int
ctl_export(struct ctl *ctl, int argc, char **argv);
int
ctl_status(struct ctl *ctl, int argc, char **argv);
int
ctl_reload(struct ctl *ctl, int argc, char **argv);
int
ctl_log_level(struct ctl *ctl, int argc, char **argv);
int
ctl_explain(struct ctl *ctl, int argc, char **argv);
int
ctl_intent(struct ctl *ctl, int argc, char **argv);
int
ctl_kinds(struct ctl *ctl, int argc, char **argv);
int
ctl_reconcile(struct ctl *ctl, int argc, char **argv);
int
ctl_journal(struct ctl *ctl, int argc, char **argv);
int
ctl_node(struct ctl *ctl, int argc, char **argv);
int
ctl_click_key(struct ctl *ctl, int argc, char **argv);
int
ctl_jwt_key(struct ctl *ctl, int argc, char **argv);
int
ctl_audit(struct ctl *ctl, int argc, char **argv);
int
ctl_routes(struct ctl *ctl, int argc, char **argv);
int
ctl_completion(struct ctl *ctl, int argc, char **argv);

#endif
