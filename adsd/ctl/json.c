/*
 * Writes JSON answers of adsctl: objects of scalars, one a line.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "ads_money.h"
#include "ctl/ctl.h"
#include "tables/snap_text.h"


/* Writes what stands before a value: a comma after the first member. */
static void
name_put(struct ctl *ctl, const char *name)
{
    printf("%s\"%s\":", ctl->json_members++ == 0 ? "" : ",", name);
}


void
ctl_json_begin(struct ctl *ctl)
{
    ctl->json_open = true;
    ctl->json_members = 0;
    putchar('{');
}


void
ctl_json_text(struct ctl *ctl, const char *name, struct ads_str value)
{
    struct snap_text escaped = {0};

    name_put(ctl, name);
    if (value.ptr == NULL) {
        fputs("null", stdout);
        return;
    }

    snap_text_put_escaped(&escaped, value);
    putchar('"');
    if (escaped.len > 0) {
        (void)fwrite(escaped.bytes, 1, escaped.len, stdout);
    }
    putchar('"');
    free(escaped.bytes);
}


void
ctl_json_escaped(struct ctl *ctl, const char *name, struct ads_str value)
{
    name_put(ctl, name);
    putchar('"');
    (void)fwrite(value.ptr, 1, value.len, stdout);
    putchar('"');
}


void
ctl_json_id(struct ctl *ctl, const char *name, const struct ads_uuid *id)
{
    char text[ADS_UUID_TEXT_LEN];

    ads_uuid_write(text, id);
    ctl_json_text(ctl, name, (struct ads_str){text, sizeof(text)});
}


void
ctl_made(struct ctl *ctl, const struct ads_uuid *id)
{
    char text[ADS_UUID_TEXT_LEN];

    if (ctl->json) {
        ctl_json_begin(ctl);
        ctl_json_id(ctl, "id", id);
        return;
    }
    ads_uuid_write(text, id);
    printf("%.*s\n", (int)sizeof(text), text);
}


void
ctl_json_int(struct ctl *ctl, const char *name, int64_t value)
{
    name_put(ctl, name);
    printf("%" PRId64, value);
}


void
ctl_json_raw(struct ctl *ctl, const char *name, struct ads_str json)
{
    name_put(ctl, name);
    printf("%.*s", json.ptr == NULL ? 4 : (int)json.len,
           json.ptr == NULL ? "null" : json.ptr);
}


void
ctl_json_bool(struct ctl *ctl, const char *name, bool value)
{
    name_put(ctl, name);
    fputs(value ? "true" : "false", stdout);
}


void
ctl_json_money(struct ctl *ctl, const char *name, int64_t micros)
{
    char text[ADS_MONEY_TEXT_MAX];
    char *end = ads_money_write(text, micros);

    name_put(ctl, name);
    (void)fwrite(text, 1, (size_t)(end - text), stdout);
    printf(",\"%s_micros\":%" PRId64, name, micros);
}


void
ctl_json_end(struct ctl *ctl)
{
    ctl->json_open = false;
    puts("}");
}
