/*
 * Parses the arguments of verbs, and reports those that are wrong.
 */
#include "ctl/ctl.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ads_blank.h"
#include "ads_money.h"
#include "ads_snap.h"
#include "ads_time.h"
#include "ads_utf8.h"
#include "base/form.h"


int
ctl_refuse(const char *format, ...)
{
    va_list args;

    fputs("adsctl: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    return CTL_REFUSED;
}


int
ctl_exit_of(enum ads_err err)
{
    switch (err) {
    case ADS_OK:
        return CTL_OK;
    case ADS_UNAVAILABLE:
    case ADS_BUSY:
        return CTL_AWAY;
    default:
        return CTL_REFUSED;
    }
}


int
ctl_act(struct ctl *ctl, int argc, char **argv,
        const struct ctl_action *actions, size_t n_actions)
{
    for (size_t i = 0; argc > 0 && i < n_actions; i++) {
        if (strcmp(actions[i].name, argv[0]) == 0) {
            return actions[i].run(ctl, argc - 1, argv + 1);
        }
    }
    return CTL_USAGE;
}


struct ads_str
ctl_text(const char *value)
{
    return (struct ads_str){value, value == NULL ? 0 : strlen(value)};
}


struct ads_str *
ctl_list(struct ctl *ctl, const char *value, size_t *n)
{
    struct ads_str *items =
        pool_array(ctl->pool, strlen(value) / 2 + 1, sizeof(*items));

    *n = 0;
    while (*value != '\0') {
        size_t len = strcspn(value, ",");
        struct ads_str item = ads_str_trim((struct ads_str){value, len}, " ");

        if (item.len > 0) {
            items[(*n)++] = item;
        }
        value += len + (value[len] == ',');
    }
    return items;
}


int
ctl_read_id(struct ads_uuid *id, const char *what, const char *text)
{
    if (ads_uuid_read(id, (struct ads_str){text, strlen(text)})) {
        return CTL_OK;
    }
    return ctl_refuse("%s: not an id: %s", what, text);
}


int
ctl_only_id(struct ads_uuid *id, const char *noun, int argc, char **argv)
{
    int n;
    int rc = ctl_options(argc, argv, NULL, 0, 1, 1, &n);

    return rc == CTL_OK ? ctl_read_id(id, noun, argv[0]) : rc;
}


int
ctl_read_money(int64_t *micros, const char *what, const char *text)
{
    if (ads_money_read(micros, (struct ads_str){text, strlen(text)},
                       ADS_MONEY_UNSIGNED)
        == ADS_OK)
    {
        return CTL_OK;
    }
    return ctl_refuse("%s: not an amount such as 12.50: %s", what, text);
}


int
ctl_text_check(const char *what, const char *text, size_t least, size_t most)
{
    struct ads_str value = ctl_text(text);
    size_t n;

    if (!ads_utf8_check(value)) {
        return ctl_refuse("%s: not UTF-8", what);
    }
    if (!form_is_plain(value, false)) {
        return ctl_refuse("%s: holds characters that are not allowed", what);
    }
    n = ads_utf8_count(value);
    if (n < least || n > most) {
        return ctl_refuse("%s: %zu to %zu characters", what, least, most);
    }
    return least > 0 && ads_blank_is(value)
               ? ctl_refuse("%s: shows nothing", what)
               : CTL_OK;
}


/* A text that `rest` completes to a time, as its day since 1970. */
static bool
day_read(int32_t *day, const char *text, const char *rest)
{
    char whole[] = "0000-00-00T00:00:00Z";
    size_t len = strlen(text);
    int64_t ms;

    if (len + strlen(rest) != strlen(whole)) {
        return false;
    }
    memcpy(whole, text, len);
    memcpy(whole + len, rest, strlen(rest));
    if (!ads_time_read(&ms, ctl_text(whole))) {
        return false;
    }
    *day = (int32_t)(ms / 86400000);
    return true;
}


int
ctl_read_day(int32_t *day, const char *what, const char *text)
{
    return day_read(day, text, "T00:00:00Z")
               ? CTL_OK
               : ctl_refuse("%s: not a day such as 2026-01-31: %s", what, text);
}


int
ctl_days_check(const char *from, const char *to)
{
    int32_t first = INT32_MIN, last = INT32_MAX;
    int rc = from == NULL ? CTL_OK : ctl_read_day(&first, "--from", from);

    if (rc == CTL_OK && to != NULL) {
        rc = ctl_read_day(&last, "--to", to);
    }
    return rc == CTL_OK && first > last
               ? ctl_refuse("--from %s is after --to %s", from, to)
               : rc;
}


int
ctl_read_month(int32_t *day, const char *what, const char *text)
{
    return day_read(day, text, "-01T00:00:00Z")
               ? CTL_OK
               : ctl_refuse("%s: not a month such as 2026-11: %s", what, text);
}


bool
ctl_read_number(uint32_t *number, const char *text, uint32_t max)
{
    uint64_t value = 0;

    if (*text == '\0') {
        return false;
    }
    for (; *text != '\0'; text++) {
        if (!ads_char_is_digit(*text)) {
            return false;
        }
        value = value * 10 + (uint64_t)(*text - '0');
        if (value > max) {
            return false;
        }
    }
    *number = (uint32_t)value;
    return true;
}


int
ctl_read_choice(const char *what, const char *text, const char *const choices[])
{
    for (size_t i = 0; choices[i] != NULL; i++) {
        if (strcmp(choices[i], text) == 0) {
            return CTL_OK;
        }
    }

    fprintf(stderr, "adsctl: %s: not one of", what);
    for (size_t i = 0; choices[i] != NULL; i++) {
        fprintf(stderr, " %s", choices[i]);
    }
    fprintf(stderr, ": %s\n", text);
    return CTL_REFUSED;
}


bool
ctl_placement_check(struct ads_str name)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789_.-";

    return name.len >= 1 && name.len <= 64
           && strspn(name.ptr, allowed) >= name.len;
}


static const struct ctl_option *
option_find(const struct ctl_option *options, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(options[i].name, name) == 0) {
            return &options[i];
        }
    }
    return NULL;
}


/* Takes the option at argv[*i] and what belongs to it. */
static int
option_take(int argc, char **argv, int *i, const struct ctl_option *options,
            size_t n_options, uint32_t *given)
{
    const char *name = argv[*i] + 2;
    const struct ctl_option *option = option_find(options, n_options, name);
    uint32_t bit;

    if (option == NULL && strcmp(name, "json") == 0) {
        ctl_refuse("--json stands before the verb");
        return CTL_USAGE;
    }
    if (option == NULL) {
        ctl_refuse("unknown option --%s", name);
        return CTL_USAGE;
    }

    bit = UINT32_C(1) << (option - options);
    if ((*given & bit) != 0) {
        ctl_refuse("--%s is given twice", name);
        return CTL_USAGE;
    }
    *given |= bit;

    if (option->flag != NULL) {
        *option->flag = true;

    } else if (++*i < argc) {
        *option->value = argv[*i];

    } else {
        ctl_refuse("--%s needs a value", name);
        return CTL_USAGE;
    }
    return CTL_OK;
}


int
ctl_options(int argc, char **argv, const struct ctl_option *options,
            size_t n_options, int least, int most, int *n_args)
{
    bool only_args = false;
    uint32_t given = 0;

    *n_args = 0;
    for (int i = 0; i < argc; i++) {
        if (only_args || strncmp(argv[i], "--", 2) != 0) {
            argv[(*n_args)++] = argv[i];
            continue;
        }
        if (argv[i][2] == '\0') {
            only_args = true;

        } else if (option_take(argc, argv, &i, options, n_options, &given)
                   != CTL_OK) {
            return CTL_USAGE;
        }
    }

    for (size_t i = 0; i < n_options; i++) {
        if (options[i].required && (given & UINT32_C(1) << i) == 0) {
            ctl_refuse("--%s is missing", options[i].name);
            return CTL_USAGE;
        }
    }
    if (*n_args < least || *n_args > most) {
        ctl_refuse("%s", *n_args < least ? "an argument is missing"
                                         : "too many arguments");
        return CTL_USAGE;
    }
    return CTL_OK;
}
