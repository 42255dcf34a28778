/*
 * adsctl node: the nodes that share this database, and giving one up.
 *
 * Events that wait for what another node's journal may hold wait for every
 * node in this list.  One that is gone for good is retired, so that they do not
 * wait for ever.
 */
#include <inttypes.h>
#include <stdio.h>

#include "ads_bytes.h"
#include "ctl/verbs.h"

/* An adsd gives a sign of life twice a second. */
#define SILENT "1 minute"

#define HEX_LEN 16

static const struct db_stmt STMT_LIST = {
    .name = "ctl_nodes",
    .sql = "select n.id, greatest(0, n.silent_s), greatest(0, n.behind_s),"
           "    n.retired_at is not null "
           "from (select n.*,"
           "        extract(epoch from now() - heartbeat_at)::bigint silent_s,"
           "        extract(epoch from now()"
           "            - nullif(drained_to, '-infinity'))::bigint behind_s"
           "    from ads.nodes n) n "
           "order by n.started_at, n.id",
    .n_params = 0,
};

enum node_column { NODE_ID, NODE_SILENT_S, NODE_BEHIND_S, NODE_RETIRED };

static const struct db_stmt STMT_RETIRE = {
    .name = "ctl_node_retire",
    .sql = "select ads.node_retire($1, '" SILENT "')",
    .n_params = 1,
};


static void
id_write(char text[HEX_LEN], int64_t node)
{
    uint8_t bytes[8];

    for (int i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)((uint64_t)node >> (56 - 8 * i));
    }
    ads_hex_write(text, bytes, sizeof(bytes));
}


static bool
id_read(int64_t *node, const char *text)
{
    struct ads_str hex = ctl_text(text);
    uint64_t value = 0;
    uint8_t bytes[8];

    if (hex.len != HEX_LEN || !ads_hex_read(bytes, sizeof(bytes), hex)) {
        return false;
    }
    for (int i = 0; i < 8; i++) {
        value = value << 8 | bytes[i];
    }
    *node = (int64_t)value;
    return true;
}


static void
row_print(struct ctl *ctl, const struct db_rows *rows, int i)
{
    int64_t silent_s = db_int(rows, i, NODE_SILENT_S);
    bool drained = !db_is_null(rows, i, NODE_BEHIND_S),
         retired = db_bool(rows, i, NODE_RETIRED);
    char id[HEX_LEN];

    id_write(id, db_int(rows, i, NODE_ID));
    if (ctl->json) {
        ctl_json_begin(ctl);
        ctl_json_text(ctl, "node", (struct ads_str){id, HEX_LEN});
        ctl_json_int(ctl, "silent_s", silent_s);
        if (drained) {
            ctl_json_int(ctl, "behind_s", db_int(rows, i, NODE_BEHIND_S));
        } else {
            ctl_json_text(ctl, "behind_s", ctl_text(NULL));
        }
        ctl_json_bool(ctl, "retired", retired);
        ctl_json_end(ctl);
        return;
    }
    printf("%.*s  silent for %" PRId64 " s, ", HEX_LEN, id, silent_s);
    if (drained) {
        printf("committed up to %" PRId64 " s ago%s\n",
               db_int(rows, i, NODE_BEHIND_S), retired ? ", retired" : "");
    } else {
        printf("nothing committed yet%s\n", retired ? ", retired" : "");
    }
}


static int
list(struct ctl *ctl, int argc, char **argv)
{
    struct db_args args;
    int n;
    int rc = ctl_options(argc, argv, NULL, 0, 0, 0, &n);

    if (rc != CTL_OK) {
        return rc;
    }
    db_args_init(&args, ctl->pool);
    return ctl_rows(ctl, &STMT_LIST, &args, row_print);
}


static int
retire(struct ctl *ctl, int argc, char **argv)
{
    struct db_args args;
    struct db_rows *rows;
    struct ads_str said;
    int64_t node;
    int n, rc;

    rc = ctl_options(argc, argv, NULL, 0, 1, 1, &n);
    if (rc != CTL_OK) {
        return rc;
    }
    if (!id_read(&node, argv[0])) {
        return ctl_refuse("a node's id has 16 hex digits: %s", argv[0]);
    }

    db_args_init(&args, ctl->pool);
    db_arg_int8(&args, node);
    rc = ctl_ask(ctl, &STMT_RETIRE, &args, &rows);
    if (rc != CTL_OK) {
        return rc;
    }

    said = db_text(rows, 0, DB_ONLY);
    if (ads_str_is(said, "alive")) {
        return ctl_refuse("node %s was alive within the last " SILENT
                          ": stop adsd there first",
                          argv[0]);
    }
    if (!ads_str_is(said, "retired")) {
        return ctl_refuse("no node %s", argv[0]);
    }
    if (ctl->json) {
        ctl_json_begin(ctl);
        ctl_json_text(ctl, "node", ctl_text(argv[0]));
        ctl_json_bool(ctl, "retired", true);
        ctl_json_end(ctl);
    } else {
        printf("node %s is retired\n", argv[0]);
    }
    return CTL_OK;
}


int
ctl_node(struct ctl *ctl, int argc, char **argv)
{
    static const struct ctl_action actions[] = {
        {"list", list},
        {"retire", retire},
    };

    return ctl_act(ctl, argc, argv, actions, 2);
}
