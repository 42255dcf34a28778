/*
 * nginx's configuration as adsctl doctor reads it: directives that must say
 * the same as adsd.conf, and some that are easily forgotten.  One file is
 * read, what it includes is not, so what is missing is a hint and no mistake.
 */
#include "ctl/doctor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_DEFAULT "/etc/nginx/nginx.conf"
#define LINE_MAX_LEN 4096
#define ADVICE_MAX 256

struct seen {
    const char *name;
    const char *wanted; /* what it has to say; NULL: anything */
    const char *why;    /* it should be there, where anything will do */
    bool there;
    char value[LINE_MAX_LEN]; /* of the first that says otherwise */
};


/* The value of `name value;` on the line, or NULL. */
static const char *
value_find(char *line, const char *name)
{
    size_t len = strlen(name);
    char *value = line + strspn(line, " \t");

    if (strncmp(value, name, len) != 0
        || (value[len] != ' ' && value[len] != '\t' && value[len] != ';'))
    {
        return NULL;
    }
    value += len;
    value += strspn(value, " \t");
    value[strcspn(value, ";\r\n")] = '\0';
    return value;
}


static void
line_look(struct seen *seen, size_t n, const char *line)
{
    char copy[LINE_MAX_LEN];

    for (size_t i = 0; i < n; i++) {
        const char *value;

        snprintf(copy, sizeof(copy), "%s", line);
        copy[strcspn(copy, "#")] = '\0';
        value = value_find(copy, seen[i].name);
        if (value == NULL) {
            continue;
        }
        seen[i].there = true;
        if (seen[i].wanted != NULL && strcmp(value, seen[i].wanted) != 0) {
            snprintf(seen[i].value, sizeof(seen[i].value), "%s", value);
        }
    }
}


static void
seen_tell(struct ctl_doctor *doctor, const struct seen *seen)
{
    char advice[ADVICE_MAX];

    if (seen->value[0] != '\0') {
        snprintf(advice, sizeof(advice), "both must say %.200s", seen->wanted);
        ctl_doctor_tell(doctor, CTL_DOCTOR_BAD, advice, "%s %s", seen->name,
                        seen->value);
    } else if (!seen->there) {
        ctl_doctor_tell(doctor, CTL_DOCTOR_WARN,
                        seen->why != NULL
                            ? seen->why
                            : "compare with nginx.conf.example; files that it"
                              " includes are not read",
                        "no %s in it", seen->name);
    }
}


static int
file_look(FILE *file, struct seen *seen, size_t n)
{
    char line[LINE_MAX_LEN];

    while (fgets(line, sizeof(line), file) != NULL) {
        line_look(seen, n, line);
    }
    return ferror(file) != 0 ? -1 : 0;
}


void
ctl_doctor_nginx(struct ctl_doctor *doctor)
{
    const struct conf *conf = &doctor->ctl->conf;
    const char *path = doctor->nginx != NULL ? doctor->nginx : PATH_DEFAULT;
    struct seen seen[] = {
        {.name = "ads_state_path", .wanted = conf->state_path},
        {.name = "ads_run_path", .wanted = conf->run_path},
        {.name = "ads_token_key_file", .wanted = conf->token_key_file},
        {.name = "ads_base_url", .wanted = conf->base_url},
        {.name = "ads_recommend"},
        {.name = "ads_click"},
        {.name = "scgi_pass"},
        {.name = "worker_shutdown_timeout",
         .why = "without it a reload waits for the last open connection"},
        {.name = "limit_req",
         .why = "without it one client can take all there is"},
        {.name = "error_page",
         .why = "without it nginx's own refusals are HTML"},
    };
    const size_t n = sizeof(seen) / sizeof(seen[0]);
    FILE *file = fopen(path, "re");

    if (file == NULL) {
        ctl_doctor_tell(
            doctor, doctor->nginx == NULL ? CTL_DOCTOR_WARN : CTL_DOCTOR_BAD,
            "name its configuration: doctor --nginx FILE", "%s: %s", path,
            strerror(errno));
        return;
    }
    if (file_look(file, seen, n) != 0) {
        ctl_doctor_tell(doctor, CTL_DOCTOR_BAD, NULL, "%s: could not be read",
                        path);
    } else {
        ctl_doctor_tell(doctor, CTL_DOCTOR_OK, NULL, "%s", path);
        for (size_t i = 0; i < n; i++) {
            seen_tell(doctor, &seen[i]);
        }
    }
    (void)fclose(file);
}
