/*
 * Any bytes as an operator's file of goods, and as a request: what is refused
 * is reported, what is taken opens, and what is understood of a request lies
 * inside it.  The request is what stands behind the first line "--".
 */
#define _GNU_SOURCE /* memfd_create, memmem */
#include <sys/mman.h>
#include <unistd.h>

#include "ads_focus.h"
#include "adsd/tables/goods.h"
#include "fuzz.h"

#define LEN_MAX 8192
#define MARK "\n--\n"


/* The file as one that can be named; -1: there is no room for it. */
static int
file_of(struct ads_str text, char path[32])
{
    int fd = memfd_create("goods", 0);

    if (fd >= 0) {
        fuzz_must(write(fd, text.ptr, text.len) == (ssize_t)text.len,
                  "memory takes what is written");
        (void)snprintf(path, 32, "/proc/self/fd/%d", fd);
    }
    return fd;
}


static void
mention_must(const struct ads_understood *understood,
             const struct ads_goods *goods,
             const struct ads_wish_mention *mention)
{
    fuzz_must(mention->kind < goods->n_kinds, "a kind that is one");
    fuzz_must(mention->from <= mention->to
                  && mention->to <= understood->scan.n_words,
              "a mention inside the words");
    fuzz_must(mention->role <= ADS_WISH_REFUSED, "a role that is one");
}


static void
understood_must(const struct ads_understood *understood,
                const struct ads_goods *goods, struct ads_str request)
{
    const struct ads_wish *wish = &understood->wish;
    const struct ads_focus *focus = &understood->focus;

    fuzz_must(wish->n_mentions <= ADS_SCAN_MENTIONS + ADS_WISH_HINTS,
              "no more mentions than there is room");
    for (uint32_t i = 0; i < wish->n_mentions; i++) {
        mention_must(understood, goods, &wish->mentions[i]);
    }
    fuzz_must(wish->n_kinds <= ADS_WISH_KINDS, "no more kinds than room");
    for (uint32_t i = 0; i < wish->n_kinds; i++) {
        fuzz_must(wish->kinds[i] < goods->n_kinds, "a wanted kind is one");
    }
    fuzz_must(fuzz_inside(focus->words, request.ptr, request.len)
                  || fuzz_inside(focus->words, focus->room, ADS_FOCUS_ROOM),
              "words of the request, or in the room");
    for (uint32_t i = 0; i < focus->match.n_spans; i++) {
        fuzz_must(focus->match.spans[i].from <= focus->match.spans[i].to
                      && focus->match.spans[i].to <= focus->words.len,
                  "a span inside the words");
    }
}


static void
request_understand(const struct ads_goods *goods, struct ads_str request)
{
    static struct ads_understood understood;
    char *copy = fuzz_copy(request.ptr, request.len);

    request.ptr = copy;
    ads_understand(&understood, goods, NULL, request, ADS_STR(""));
    understood_must(&understood, goods, request);
    free(copy);
}


int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct ads_str all = {(const char *)bytes, len}, file = all, image;
    struct ads_goods goods;
    char path[32], told[256];
    const char *mark;
    FILE *errors;
    enum ads_err err;
    int fd;

    if (len > LEN_MAX) {
        return 0;
    }
    mark = len == 0 ? NULL : memmem(bytes, len, MARK, strlen(MARK));
    if (mark != NULL) {
        file.len = (size_t)(mark - file.ptr) + 1;
    }
    fd = file_of(file, path);
    fuzz_must(fd >= 0, "there is memory for a file");
    memset(told, 0, sizeof(told));
    errors = fmemopen(told, sizeof(told) - 1, "w");
    fuzz_must(errors != NULL, "there is memory for a stream");

    err = goods_load("t/goods", path, &image, errors);
    (void)fclose(errors);
    close(fd);
    fuzz_must((err == ADS_OK) == (image.ptr != NULL), "an image or none");
    fuzz_must(err == ADS_OK || told[0] != '\0', "what is refused is reported");
    if (err == ADS_OK) {
        fuzz_must(ads_goods_open(image.ptr, image.len, &goods) == ADS_OK,
                  "what was compiled opens");
        request_understand(
            &goods, mark == NULL ? all : ads_str_tail(all, file.len + 3));
        free((char *)image.ptr);
    }
    return 0;
}
