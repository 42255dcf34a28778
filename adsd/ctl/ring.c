/*
 * adsctl click-key: the ring of click keys, a file shared with nginx.
 *
 * Rotation: `add` on one node writes a new key that opens; copy the file to
 * every node, reload nginx and adsd there; `promote` it, copy again; `retire`
 * the old key once its links have expired, after 30 days.  Every change is a
 * new file renamed over the old one.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ads_ring.h"
#include "ctl/admin.h"
#include "ctl/file.h"
#include "ctl/journal.h"
#include "ctl/ring.h"
#include "ctl/verbs.h"

#define KID_MAX 255

/* One key as it is in the file. */
struct line {
    unsigned kid;
    bool seal;
    char hex[2 * ADS_RING_KEY_LEN + 1];
};

struct ring_file {
    size_t n;
    struct line lines[ADS_RING_MAX];
};


/* Reads the file; what adsd and nginx would refuse is refused here. */
static int
ring_read(struct ring_file *ring, const char *path)
{
    char text[CTL_FILE_MAX];
    struct ads_ring check;
    const char *why;
    char *line, *rest;
    uint32_t at;
    int rc;

    rc = ctl_file_read(text, path);
    if (rc != CTL_OK) {
        return rc;
    }
    if (ads_ring_read(&check, ctl_text(text), &at, &why) != ADS_OK) {
        explicit_bzero(text, sizeof(text));
        return ctl_refuse("%s:%u: %s", path, at, why);
    }
    explicit_bzero(&check, sizeof(check));

    ring->n = 0;
    for (line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest))
    {
        struct line *key = &ring->lines[ring->n];
        char use[8];

        if (sscanf(line, "%u %7s %64s", &key->kid, use, key->hex) == 3) {
            key->seal = strcmp(use, "seal") == 0;
            ring->n++;
        }
    }
    explicit_bzero(text, sizeof(text));
    return CTL_OK;
}


static int
ring_write(const struct ring_file *ring, const char *path)
{
    char text[ADS_RING_MAX * (2 * ADS_RING_KEY_LEN + 16) + 1];
    size_t len = 0;
    int rc;

    text[0] = '\0';
    for (size_t i = 0; i < ring->n; i++) {
        len += (size_t)snprintf(
            text + len, sizeof(text) - len, "%u %s %s\n", ring->lines[i].kid,
            ring->lines[i].seal ? "seal" : "open", ring->lines[i].hex);
    }
    rc = ctl_file_replace(path, text, 0600);
    explicit_bzero(text, sizeof(text));
    return rc;
}


static struct line *
kid_find(struct ring_file *ring, unsigned kid)
{
    for (size_t i = 0; i < ring->n; i++) {
        if (ring->lines[i].kid == kid) {
            return &ring->lines[i];
        }
    }
    return NULL;
}


static struct line *
line_find(struct ring_file *ring, const char *text)
{
    uint32_t kid;

    return ctl_read_number(&kid, text, KID_MAX) ? kid_find(ring, kid) : NULL;
}


static int
key_draw(struct line *line, unsigned kid, bool seal)
{
    uint8_t secret[ADS_RING_KEY_LEN];

    if (getentropy(secret, sizeof(secret)) != 0) {
        return ctl_refuse("no random bytes: %s", strerror(errno));
    }
    *ads_hex_write(line->hex, secret, sizeof(secret)) = '\0';
    explicit_bzero(secret, sizeof(secret));
    line->kid = kid;
    line->seal = seal;
    return CTL_OK;
}


int
ctl_ring_make(const char *path)
{
    struct ring_file ring = {.n = 1};
    int rc;

    rc = key_draw(&ring.lines[0], 1, true);
    if (rc == CTL_OK) {
        rc = ring_write(&ring, path);
    }
    explicit_bzero(&ring, sizeof(ring));
    return rc;
}


/* Writes the changed ring, lets the adsd that runs here read it, and tells what
 * is left to do. */
static int
ring_change(struct ctl *ctl, const struct ring_file *ring, unsigned kid,
            const char *next)
{
    struct ctl_admin_answer answer;
    int rc = ring_write(ring, ctl->conf.token_key_file);

    if (rc != CTL_OK) {
        return rc;
    }
    /* one that does not run reads the file when it starts */
    rc = ctl_admin_ask(ctl, "reload", false, &answer);
    if (rc == CTL_REFUSED) {
        return rc;
    }
    if (ctl->json) {
        ctl_json_begin(ctl);
        ctl_json_int(ctl, "kid", kid);
        ctl_json_end(ctl);

    } else {
        printf("key %u %s\n", kid, next);
    }
    return CTL_OK;
}


static int
list(struct ctl *ctl, struct ring_file *ring, const char *arg)
{
    (void)arg;
    for (size_t i = 0; i < ring->n; i++) {
        if (ctl->json) {
            ctl_json_begin(ctl);
            ctl_json_int(ctl, "kid", ring->lines[i].kid);
            ctl_json_bool(ctl, "seal", ring->lines[i].seal);
            ctl_json_end(ctl);

        } else {
            printf("%u %s\n", ring->lines[i].kid,
                   ring->lines[i].seal ? "seal" : "open");
        }
    }
    return CTL_OK;
}


static int
add(struct ctl *ctl, struct ring_file *ring, const char *arg)
{
    unsigned kid = 0;
    int rc;

    (void)arg;
    if (ring->n == ADS_RING_MAX) {
        return ctl_refuse("the ring holds %d keys already: retire one",
                          ADS_RING_MAX);
    }

    /* upwards from the highest, so that ids of retired keys rest a while */
    for (size_t i = 0; i < ring->n; i++) {
        kid = ring->lines[i].kid > kid ? ring->lines[i].kid : kid;
    }
    do {
        kid = kid % KID_MAX + 1;
    } while (kid_find(ring, kid) != NULL);

    rc = key_draw(&ring->lines[ring->n++], kid, false);
    if (rc == CTL_OK) {
        rc = ring_change(ctl, ring, kid,
                         "opens; reload nginx, and adsd on other nodes, then"
                         " promote it");
    }
    return rc;
}


static int
promote(struct ctl *ctl, struct ring_file *ring, const char *arg)
{
    struct line *line = line_find(ring, arg);

    if (line == NULL) {
        return ctl_refuse("no key has this id: %s", arg);
    }
    for (size_t i = 0; i < ring->n; i++) {
        ring->lines[i].seal = &ring->lines[i] == line;
    }
    return ring_change(ctl, ring, line->kid,
                       "seals; reload nginx, and adsd on other nodes");
}


static bool
is_signed(const struct segment *segment, const void *kid)
{
    return segment->header.kid == *(const unsigned *)kid;
}


/*
 * A key that is gone makes what it signed unreadable: clicks that
 * wait for the database would never be billed.
 */
static int
journal_check(struct ctl *ctl, unsigned kid)
{
    struct ctl_files files;
    enum ads_err err;
    uint32_t n = 0;
    int rc = CTL_REFUSED;

    err = ctl_files_open(&files, ctl);
    if (err == ADS_OK) {
        err = ctl_files_wait(&files, ctl, is_signed, &kid, &n);
        rc = ctl_exit_of(err);
    }
    ctl_files_close(&files);
    if (rc == CTL_OK && n > 0) {
        return ctl_refuse("key %u signed %u segments that are not committed"
                          " yet (adsctl journal status): reload nginx, and wait"
                          " for its old workers, adsd and the database",
                          kid, (unsigned)n);
    }
    return rc;
}


static int
retire(struct ctl *ctl, struct ring_file *ring, const char *arg)
{
    struct line *line = line_find(ring, arg);
    unsigned kid;
    int rc;

    if (line == NULL) {
        return ctl_refuse("no key has this id: %s", arg);
    }
    if (line->seal) {
        return ctl_refuse("key %s seals: promote another one first", arg);
    }
    kid = line->kid;
    rc = journal_check(ctl, kid);
    if (rc != CTL_OK) {
        return rc;
    }
    *line = ring->lines[--ring->n];
    return ring_change(ctl, ring, kid,
                       "is gone; reload nginx, and adsd on other nodes");
}


int
ctl_click_key(struct ctl *ctl, int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(struct ctl *ctl, struct ring_file *ring, const char *arg);
        int n_args;
    } actions[] = {
        {"list", list, 0},
        {"add", add, 0},
        {"promote", promote, 1},
        {"retire", retire, 1},
    };
    struct ring_file ring = {0};
    int rc;

    for (size_t i = 0; argc > 0 && i < 4; i++) {
        if (strcmp(actions[i].name, argv[0]) == 0
            && argc == 1 + actions[i].n_args) {
            rc = ring_read(&ring, ctl->conf.token_key_file);
            if (rc == CTL_OK) {
                rc = actions[i].run(ctl, &ring, argc > 1 ? argv[1] : NULL);
            }
            explicit_bzero(&ring, sizeof(ring));
            return rc;
        }
    }
    return CTL_USAGE;
}
