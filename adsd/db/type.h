/*
 * PostgreSQL's numbers for the types we send and read, and its two epochs.
 * Fixed for ever in its catalogue (pg_type.dat).
 */
#ifndef ADSD_DB_TYPE_H
#define ADSD_DB_TYPE_H

#define DB_EPOCH_US 946684800000000LL /* 2000-01-01 in unix time */
#define DB_EPOCH_DAYS 10957

enum db_type {
    DB_TYPE_BOOL = 16,
    DB_TYPE_BYTEA = 17,
    DB_TYPE_NAME = 19,
    DB_TYPE_INT8 = 20,
    DB_TYPE_INT2 = 21,
    DB_TYPE_INT4 = 23,
    DB_TYPE_TEXT = 25,
    DB_TYPE_JSON = 114,
    DB_TYPE_BYTEAS = 1001,
    DB_TYPE_INT4S = 1007,
    DB_TYPE_TEXTS = 1009,
    DB_TYPE_INT8S = 1016,
    DB_TYPE_BPCHAR = 1042,
    DB_TYPE_VARCHAR = 1043,
    DB_TYPE_DATE = 1082,
    DB_TYPE_TIME = 1184, /* timestamptz */
    DB_TYPE_TIMES = 1185,
    DB_TYPE_UUID = 2950,
    DB_TYPE_UUIDS = 2951,
    DB_TYPE_JSONB = 3802
};

#endif
