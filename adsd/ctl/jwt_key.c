/*
 * adsctl jwt-key: the keys that sign access tokens, a file that only adsd
 * reads (auth_keys.h), and again whenever it changes.
 *
 * Rotation: `add` writes a key that verifies; copy the file to every node;
 * `promote` it, copy again; `retire` the old one when what it made has
 * expired: an hour, or three days where mails with links are out.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "ctl/file.h"
#include "ctl/verbs.h"
#include "daemon/auth_keys.h"

#define SEED_LEN 32

/* One key as it is in the file. */
struct line {
    char kid[AUTH_KID_MAX + 1];
    char hex[2 * SEED_LEN + 1];
    bool sign;
};

struct key_file {
    size_t n;
    struct line lines[AUTH_KEYS_MAX];
};


/* Reads the file; what adsd would refuse is refused here. */
static int
file_read(struct key_file *file, const char *path)
{
    char text[CTL_FILE_MAX];
    struct auth_keys *check;
    char *line, *rest;
    int rc;

    rc = ctl_file_read(text, path);
    if (rc != CTL_OK) {
        return rc;
    }
    if (auth_keys_parse(&check, ctl_text(text)) != ADS_OK) {
        explicit_bzero(text, sizeof(text));
        return ctl_refuse("%s: no set of keys: adsd -t says why", path);
    }
    auth_keys_free(check);

    file->n = 0;
    for (line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest))
    {
        struct line *key = &file->lines[file->n];
        char use[8];

        line[strcspn(line, "#")] = '\0';
        if (sscanf(line, "%32s %64s %7s", key->kid, key->hex, use) == 3) {
            key->sign = strcmp(use, "sign") == 0;
            file->n++;
        }
    }
    explicit_bzero(text, sizeof(text));
    return CTL_OK;
}


/* Writes the changed file and tells what is left to do. */
static int
file_write(struct ctl *ctl, const struct key_file *file, const char *kid,
           const char *next)
{
    char text[128 + AUTH_KEYS_MAX * (sizeof(struct line) + 16)];
    size_t len;
    int rc;

    len = (size_t)snprintf(
        text, sizeof(text),
        "# keys of access tokens: kid, seed, sign or verify\n");
    for (size_t i = 0; i < file->n; i++) {
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s %s %s\n",
                                file->lines[i].kid, file->lines[i].hex,
                                file->lines[i].sign ? "sign" : "verify");
    }
    rc = ctl_file_replace(ctl->conf.jwt_key_file, text, 0600);
    explicit_bzero(text, sizeof(text));
    if (rc != CTL_OK) {
        return rc;
    }

    if (ctl->json) {
        ctl_json_begin(ctl);
        ctl_json_text(ctl, "kid", ctl_text(kid));

    } else {
        printf("key %s %s\n", kid, next);
    }
    return CTL_OK;
}


static struct line *
kid_find(struct key_file *file, const char *kid)
{
    for (size_t i = 0; i < file->n; i++) {
        if (strcmp(file->lines[i].kid, kid) == 0) {
            return &file->lines[i];
        }
    }
    return NULL;
}


static int
list(struct ctl *ctl, struct key_file *file, const char *arg)
{
    (void)arg;
    for (size_t i = 0; i < file->n; i++) {
        if (ctl->json) {
            ctl_json_begin(ctl);
            ctl_json_text(ctl, "kid", ctl_text(file->lines[i].kid));
            ctl_json_bool(ctl, "sign", file->lines[i].sign);
            ctl_json_end(ctl);

        } else {
            printf("%s %s\n", file->lines[i].kid,
                   file->lines[i].sign ? "sign" : "verify");
        }
    }
    return CTL_OK;
}


static int
add(struct ctl *ctl, struct key_file *file, const char *arg)
{
    struct line *key = &file->lines[file->n];
    uint8_t seed[SEED_LEN];
    char kid[AUTH_KID_MAX + 1];
    long long number = clock_realtime_us() / 1000000;

    (void)arg;
    if (file->n == AUTH_KEYS_MAX) {
        return ctl_refuse("the file holds %d keys already: retire one",
                          AUTH_KEYS_MAX);
    }
    do {
        snprintf(kid, sizeof(kid), "k%lld", number++);
    } while (kid_find(file, kid) != NULL);

    if (getentropy(seed, sizeof(seed)) != 0) {
        return ctl_refuse("no random bytes: %s", strerror(errno));
    }
    *ads_hex_write(key->hex, seed, sizeof(seed)) = '\0';
    explicit_bzero(seed, sizeof(seed));
    memcpy(key->kid, kid, sizeof(key->kid));
    key->sign = false;
    file->n++;
    return file_write(ctl, file, kid,
                      "verifies; copy the file to every node, then promote it");
}


static int
promote(struct ctl *ctl, struct key_file *file, const char *arg)
{
    const struct line *key = kid_find(file, arg);

    if (key == NULL) {
        return ctl_refuse("no key has this id: %s", arg);
    }
    for (size_t i = 0; i < file->n; i++) {
        file->lines[i].sign = &file->lines[i] == key;
    }
    return file_write(ctl, file, arg, "signs; copy the file to every node");
}


static int
retire(struct ctl *ctl, struct key_file *file, const char *arg)
{
    struct line *key = kid_find(file, arg);

    if (key == NULL) {
        return ctl_refuse("no key has this id: %s", arg);
    }
    if (key->sign) {
        return ctl_refuse("key %s signs: promote another one first", arg);
    }
    *key = file->lines[--file->n];
    return file_write(ctl, file, arg, "is gone; copy the file to every node");
}


int
ctl_jwt_key(struct ctl *ctl, int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(struct ctl *ctl, struct key_file *file, const char *arg);
        int n_args;
    } actions[] = {
        {"list", list, 0},
        {"add", add, 0},
        {"promote", promote, 1},
        {"retire", retire, 1},
    };
    struct key_file file = {0};
    int rc;

    for (size_t i = 0; argc > 0 && i < 4; i++) {
        if (strcmp(actions[i].name, argv[0]) == 0
            && argc == 1 + actions[i].n_args) {
            rc = file_read(&file, ctl->conf.jwt_key_file);
            if (rc == CTL_OK) {
                rc = actions[i].run(ctl, &file, argc > 1 ? argv[1] : NULL);
            }
            explicit_bzero(&file, sizeof(file));
            return rc;
        }
    }
    return CTL_USAGE;
}
