/*
 * Waits until a change by adsctl is served.
 */
#include "ctl/ctl.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "tables/served.h"

#define SERVED_WAIT_MS 10000
#define SERVED_STEP_MS 10

static const struct db_stmt STMT_CHANGE = {
    .name = "ctl_change",
    .sql = "select c.n from ads.change c",
    .n_params = 0,
};


static void
pause_ms(long ms)
{
    struct timespec pause = {.tv_nsec = ms * 1000000};

    nanosleep(&pause, NULL);
}


/* Waits until `change` is served.  CTL_AWAY, told, when it is not in time. */
static int
served_wait(struct ctl *ctl, struct served_state *state, uint64_t change)
{
    for (int waited = 0; waited < SERVED_WAIT_MS; waited += SERVED_STEP_MS) {
        served_look(state, &ctl->conf, ctl->log);
        if (!state->running) {
            fputs("committed; adsd does not run here, it will be served when"
                  " it starts\n",
                  stderr);
            return CTL_OK;
        }
        if (state->served_change >= change) {
            return CTL_OK;
        }
        pause_ms(SERVED_STEP_MS);
    }

    ctl_refuse("committed, but adsd has not published it within %d s;"
               " see its log",
               SERVED_WAIT_MS / 1000);
    return CTL_AWAY;
}


int
ctl_served(struct ctl *ctl)
{
    struct served_state state = {0};
    struct db_args args;
    struct db_rows *rows;
    uint64_t change;
    bool served;
    int rc;

    db_args_init(&args, ctl->pool);
    rc = ctl_ask(ctl, &STMT_CHANGE, &args, &rows);
    if (rc == CTL_OK) {
        change = (uint64_t)db_int(rows, 0, DB_ONLY);
        rc = served_wait(ctl, &state, change);
    }
    served = rc == CTL_OK && state.running;

    if (ctl->json) {
        if (!ctl->json_open) {
            ctl_json_begin(ctl);
        }
        ctl_json_bool(ctl, "served", served);
        if (served) {
            ctl_json_int(ctl, "generation", (int64_t)state.generation);
        }
        ctl_json_end(ctl);

    } else if (served) {
        fprintf(stderr, "served: generation %" PRIu64 "\n", state.generation);
    }
    return rc;
}


int
ctl_set_state(struct ctl *ctl, int argc, char **argv,
              const struct ctl_state *state)
{
    struct db_args args;
    struct db_rows *rows;
    struct ads_uuid id;
    int rc = ctl_only_id(&id, state->noun, argc, argv);

    if (rc != CTL_OK) {
        return rc;
    }
    db_args_init(&args, ctl->pool);
    db_arg_uuid(&args, &id);
    if (state->name != NULL) {
        db_arg_text(&args, ctl_text(state->name));
    }
    rc = ctl_ask_one(ctl, state->stmt, &args, &rows, state->noun);
    return rc == CTL_OK ? ctl_served(ctl) : rc;
}
