/*
 * adsctl: the operator's command line, the same binary as adsd under another
 * name.  One table of verbs (ctl/verbs.c); one file for each noun.
 *
 * Exit codes: 0 done, 1 refused or a difference found, 2 wrong usage, 3 the
 * database or adsd does not answer.  With --json the answer is JSON, one object
 * or one per line; without, tables for people.  Errors go to stderr.
 */
#ifndef ADSD_CTL_H
#define ADSD_CTL_H

#include "ads_key.h"
#include "base/conf.h"
#include "base/log.h"
#include "base/pool.h"
#include "db/db.h"

enum ctl_exit { CTL_OK = 0, CTL_REFUSED = 1, CTL_USAGE = 2, CTL_AWAY = 3 };

struct ctl;

struct ctl_verb {
    const char *name;
    int (*run)(struct ctl *ctl, int argc, char **argv);
    const char *usage; /* lines of text */
};

struct ctl {
    const struct ctl_verb *verbs; /* all of them */
    size_t n_verbs;
    struct conf conf;
    struct log *log;
    struct db *db;     /* not connected before it is needed */
    const char *actor; /* "ctl:" and who runs it, for the audit log */
    struct pool *pool;
    bool json;
    bool json_open;   /* an object is being written; closed at the end */
    int json_members; /* of it */
};

/*
 * A verb's own options: `--name value`, or `--name` alone where flag is set.
 * Found values are borrowed from argv.
 */
struct ctl_option {
    const char *name; /* without the dashes */
    bool required;
    bool *flag;         /* set when given; else */
    const char **value; /* what follows it */
};

/* ---- arguments (ctl/args.c) ---- */

/*
 * Reads a verb's arguments (argv[0] is the first behind the verb).  Positional
 * ones are moved to the front and counted in *n_args, which must come to lie
 * in [least, most].  CTL_OK, or CTL_USAGE with the mistake told on stderr.
 */
int
ctl_options(int argc, char **argv, const struct ctl_option *options,
            size_t n_options, int least, int most, int *n_args);

/* The exit code that stands for an error that was logged. */
int
ctl_exit_of(enum ads_err err);

/* The actions of one noun, such as "create". */
struct ctl_action {
    const char *name;
    int (*run)(struct ctl *ctl, int argc, char **argv);
};

/* Runs the action that argv[0] names with what follows it; CTL_USAGE when
 * there is none. */
int
ctl_act(struct ctl *ctl, int argc, char **argv,
        const struct ctl_action *actions, size_t n_actions);

/* The text of an option that may be absent (NULL: ptr NULL). */
struct ads_str
ctl_text(const char *value);

/* A whole number of at most `max`, digits only; false: it is none. */
bool
ctl_read_number(uint32_t *number, const char *text, uint32_t max);

/* CTL_OK for days in their order, either of which may be NULL; else told. */
int
ctl_days_check(const char *from, const char *to);

/* A comma-separated list into the pool, spaces trimmed, empty items dropped. */
struct ads_str *
ctl_list(struct ctl *ctl, const char *value, size_t *n);

/* CTL_OK when the text is one of the choices (the last is NULL), or tells the
 * mistake: CTL_REFUSED. */
int
ctl_read_choice(const char *what, const char *text,
                const char *const choices[]);

/* Is it a placement's name, as a request may say it? */
bool
ctl_placement_check(struct ads_str name);

/* Tells a mistake of the operator: "adsctl: ...".  Returns CTL_REFUSED. */
int
ctl_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Reads an id or an amount of money, or tells the mistake: CTL_REFUSED. */
int
ctl_read_id(struct ads_uuid *id, const char *what, const char *text);
int
ctl_read_money(int64_t *micros, const char *what, const char *text);

/* CTL_OK for a text of `least` to `most` characters that a line may show, or
 * tells the mistake: CTL_REFUSED. */
int
ctl_text_check(const char *what, const char *text, size_t least, size_t most);

/* Reads a day, "2026-11-20", or a month, "2026-11", as its first day; days
 * since 1970. */
int
ctl_read_day(int32_t *day, const char *what, const char *text);
int
ctl_read_month(int32_t *day, const char *what, const char *text);

/* The arguments of a verb that takes an id and nothing else. */
int
ctl_only_id(struct ads_uuid *id, const char *noun, int argc, char **argv);

/* ---- the database (ctl/db.c) ---- */

/* The exit code of a statement that failed; tells PostgreSQL's reason where
 * the log (db.h) has not. */
int
ctl_failed(struct ctl *ctl, enum ads_err err);

/* An option that is an id as the next parameter; null where it was not given.
 */
int
ctl_arg_id(struct db_args *args, const char *what, const char *text);

/* The same for a day and for a month. */
int
ctl_arg_day(struct db_args *args, const char *what, const char *text);
int
ctl_arg_month(struct db_args *args, const char *what, const char *text);

/* What follows books money: it is asked in the role ads_pay, which adsd's login
 * has not.  Before the verb's first statement only. */
void
ctl_pay(struct ctl *ctl);

/* One statement in a transaction of its own.  CTL_OK, or its failure, told. */
int
ctl_ask(struct ctl *ctl, const struct db_stmt *stmt, struct db_args *args,
        struct db_rows **rows);

/*
 * The same about one thing: where no row comes back, "no <noun> has this id" is
 * printed: CTL_REFUSED.
 */
int
ctl_ask_one(struct ctl *ctl, const struct db_stmt *stmt, struct db_args *args,
            struct db_rows **rows, const char *noun);
int
ctl_ask_id(struct ctl *ctl, const struct db_stmt *stmt,
           const struct ads_uuid *id, struct db_rows **rows, const char *noun);

/* Prints what the statement returns, row by row. */
int
ctl_rows(struct ctl *ctl, const struct db_stmt *stmt, struct db_args *args,
         void (*print)(struct ctl *ctl, const struct db_rows *rows, int i));

/* CTL_OK for a zone that days may begin in, or NULL; else the error is printed.
 */
int
ctl_timezone_check(struct ctl *ctl, const char *text);

/* CTL_OK when an option that may be absent names an account; else told. */
int
ctl_account_check(struct ctl *ctl, const char *text);

/* What kind of account it is. */
int
ctl_account_type(struct ctl *ctl, const struct ads_uuid *account,
                 enum ads_key_type *type);

/* ---- the answer (ctl/change.c, ctl/json.c) ---- */

/*
 * A committed write: waits (at most 10 s) until the adsd that runs on this
 * node serves the last change of the database, and prints the generation; as
 * JSON `served` and `generation`, in the object that is open or a new one.
 * Where none runs it says that the change will be served when it starts.
 */
int
ctl_served(struct ctl *ctl);

/*
 * An action such as "pause ID": the statement takes the id and, where the state
 * has a name, that; it returns the row that has it.  What was served changes.
 */
struct ctl_state {
    const struct db_stmt *stmt;
    const char *noun;
    const char *name;
};

int
ctl_set_state(struct ctl *ctl, int argc, char **argv,
              const struct ctl_state *state);

/* What was made: its id on a line, or an object begun with it. */
void
ctl_made(struct ctl *ctl, const struct ads_uuid *id);

/* One object as JSON on a line of its own; members are printed in turn. */
void
ctl_json_begin(struct ctl *ctl);
void
ctl_json_text(struct ctl *ctl, const char *name,
              struct ads_str value); /* ptr NULL: null */
void
ctl_json_escaped(struct ctl *ctl, const char *name,
                 struct ads_str value); /* the inside of a JSON string */
void
ctl_json_id(struct ctl *ctl, const char *name, const struct ads_uuid *id);
void
ctl_json_int(struct ctl *ctl, const char *name, int64_t value);
void
ctl_json_raw(struct ctl *ctl, const char *name,
             struct ads_str json); /* ptr NULL: null */
void
ctl_json_bool(struct ctl *ctl, const char *name, bool value);
void
ctl_json_money(struct ctl *ctl, const char *name,
               int64_t micros); /* and name_micros */
void
ctl_json_end(struct ctl *ctl);

#endif
