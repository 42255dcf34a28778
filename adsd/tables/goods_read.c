/*
 * Parses the text of the ontology: blocks of a head line and fields.
 */
#include "tables/goods.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "ads_cue.h"
#include "ads_utf8.h"

#define FILE_MAX ((size_t)16 << 20)
#define LINE_MAX_LEN 8192
#define FILES_MAX 256
#define SPACES " \t\r"

static const struct key {
    const char *name;
    enum goods_key key;
} keys[GOODS_KEYS] = {
    {"en", GOODS_EN},
    {"de", GOODS_DE},
    {"fr", GOODS_FR},
    {"es", GOODS_ES},
    {"shop", GOODS_SHOP},
    {"line", GOODS_LINE},
    {"not", GOODS_NOT},
    {"near", GOODS_NEAR},
    {"need", GOODS_NEED},
    {"hint", GOODS_HINT},
    {"accessory", GOODS_ACCESSORY},
    {"part", GOODS_PART},
    {"consumable", GOODS_CONSUMABLE},
    {"service", GOODS_SERVICE},
    {"attr", GOODS_ATTR},
    {"google", GOODS_GOOGLE},
    {"against", GOODS_AGAINST},
};

static const struct family {
    const char *name;
    enum ads_goods_family family;
} families[] = {
    {"feature", ADS_GOODS_FEATURE},   {"colour", ADS_GOODS_COLOUR},
    {"material", ADS_GOODS_MATERIAL}, {"audience", ADS_GOODS_AUDIENCE},
    {"size", ADS_GOODS_SIZE},         {"state", ADS_GOODS_STATE},
};

struct reading {
    struct goods_text *text;
    struct goods_block *block; /* open, or NULL */
    const char *path;
    unsigned line;
    FILE *errors;
};


static enum ads_err
refuse(const struct reading *reading, const char *what, struct ads_str value)
{
    (void)fprintf(reading->errors, "%s:%u: %s: \"%.*s\"\n", reading->path,
                  reading->line, what, (int)value.len, value.ptr);
    return ADS_INVALID;
}


static bool
id_is_good(struct ads_str id)
{
    for (size_t i = 0; i < id.len; i++) {
        if (!ads_char_is_lower(id.ptr[i]) && !ads_char_is_digit(id.ptr[i])
            && id.ptr[i] != '-')
        {
            return false;
        }
    }
    return id.len > 0 && id.len <= ADS_GOODS_ID_MAX;
}


/* What a head line says behind the id: a family, a cue, or broader kinds. */
static enum ads_err
block_settle(const struct reading *reading, struct goods_block *block)
{
    for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++) {
        if (ads_str_is(block->head, families[i].name)) {
            block->says = ADS_GOODS_ATTRIBUTE;
            block->family = (uint8_t)families[i].family;
            return ADS_OK;
        }
    }
    if (!ads_str_is(block->head, "cue")) {
        block->says = ADS_GOODS_KIND;
        return ADS_OK;
    }
    block->says = ADS_GOODS_CUE;
    block->cue = ads_cue_find(block->id);
    return block->cue == ADS_CUE_END ? refuse(reading, "no such cue", block->id)
                                     : ADS_OK;
}


static enum ads_err
head_read(struct reading *reading, struct ads_str line)
{
    struct goods_text *text = reading->text;
    const char *close = memchr(line.ptr, ']', line.len);
    struct goods_block *block;
    struct ads_str id;

    if (close == NULL) {
        return refuse(reading, "a head line needs [id]", line);
    }
    id = (struct ads_str){line.ptr + 1, (size_t)(close - line.ptr - 1)};
    if (!id_is_good(id)) {
        return refuse(reading,
                      "an id is 1 to 40 lower-case letters, digits and -", id);
    }
    if (text->n == text->room) {
        text->room = 2 * text->room + 1024;
        text->blocks =
            xrealloc(text->blocks, text->room * sizeof(*text->blocks));
    }
    block = &text->blocks[text->n++];
    *block = (struct goods_block){
        .id = id,
        .head = ads_str_trim(ads_str_tail(line, (size_t)(close - line.ptr) + 1),
                             SPACES),
        .path = reading->path,
        .line = reading->line,
    };
    reading->block = block;
    return block_settle(reading, block);
}


static enum ads_err
field_read(struct reading *reading, struct ads_str line)
{
    const char *colon = memchr(line.ptr, ':', line.len);
    struct goods_block *block = reading->block;
    struct ads_str name, value;

    if (colon == NULL || block == NULL) {
        return refuse(reading, "expected [id] or key: value", line);
    }
    name = (struct ads_str){line.ptr, (size_t)(colon - line.ptr)};
    value = ads_str_trim(ads_str_tail(line, name.len + 1), SPACES);
    for (size_t i = 0; i < GOODS_KEYS; i++) {
        if (!ads_str_is(name, keys[i].name)) {
            continue;
        }
        if (block->n_fields == block->room) {
            block->room = 2 * block->room + 8;
            block->fields =
                xrealloc(block->fields, block->room * sizeof(*block->fields));
        }
        block->fields[block->n_fields++] =
            (struct goods_field){keys[i].key, value, reading->line};
        return ADS_OK;
    }
    return refuse(reading, "no such key", name);
}


static enum ads_err
line_read(struct reading *reading, struct ads_str line)
{
    line = ads_str_trim(line, SPACES);
    if (line.len == 0 || line.ptr[0] == '#') {
        return ADS_OK;
    }
    if (line.len > LINE_MAX_LEN) {
        return refuse(reading, "a line has at most 8192 bytes",
                      (struct ads_str){line.ptr, 40});
    }
    return line.ptr[0] == '[' ? head_read(reading, line)
                              : field_read(reading, line);
}


/* The whole file, in the pool. */
static enum ads_err
bytes_read(struct ads_str *bytes, const char *path, struct pool *pool,
           FILE *errors)
{
    FILE *file = fopen(path, "re");
    size_t room = 1 << 16, len = 0, n;
    char *at = xmalloc(room);

    if (file == NULL) {
        (void)fprintf(errors, "%s: cannot be opened\n", path);
        free(at);
        return ADS_ABSENT;
    }
    while ((n = fread(at + len, 1, room - len, file)) > 0 && len <= FILE_MAX) {
        len += n;
        if (len == room) {
            room *= 2;
            at = xrealloc(at, room);
        }
    }
    (void)fclose(file);
    *bytes = (struct ads_str){pool_text(pool, (struct ads_str){at, len}), len};
    free(at);
    if (len > FILE_MAX || !ads_utf8_check(*bytes)) {
        (void)fprintf(errors, "%s: %s\n", path,
                      len > FILE_MAX ? "more than 16 MiB" : "not UTF-8");
        return ADS_INVALID;
    }
    return ADS_OK;
}


enum ads_err
goods_read(struct goods_text *text, const char *path, struct pool *pool,
           FILE *errors)
{
    struct reading reading = {
        .text = text,
        .path = pool_text(pool, (struct ads_str){path, strlen(path)}),
        .errors = errors};
    struct ads_str bytes = {"", 0};
    enum ads_err err = bytes_read(&bytes, path, pool, errors), bad;

    while (bytes.len > 0) {
        const char *end = memchr(bytes.ptr, '\n', bytes.len);
        size_t len = end == NULL ? bytes.len : (size_t)(end - bytes.ptr);

        reading.line++;
        bad = line_read(&reading, (struct ads_str){bytes.ptr, len});
        err = err == ADS_OK ? bad : err;
        bytes = ads_str_tail(bytes, len + (end != NULL));
    }
    return err;
}


static int
is_text(const struct dirent *entry)
{
    size_t len = strlen(entry->d_name);

    return len > 4 && strcmp(entry->d_name + len - 4, ".txt") == 0;
}


static void
text_free(struct goods_text *text)
{
    for (size_t i = 0; i < text->n; i++) {
        free(text->blocks[i].fields);
    }
    free(text->blocks);
}


enum ads_err
goods_load(const char *folder, const char *more, struct ads_str *image,
           FILE *errors)
{
    struct goods_image made = {0};
    struct dirent **entries = NULL;
    int n = scandir(folder, &entries, is_text, alphasort);
    struct pool *pool = pool_new();
    struct goods_text text = {0};
    enum ads_err err = ADS_OK, bad;

    *image = (struct ads_str){NULL, 0};
    if (n <= 0 || n > FILES_MAX) {
        (void)fprintf(errors, "%s: has no ontology (*.txt)\n", folder);
        err = ADS_ABSENT;
    }
    for (int i = 0; i < n; i++) {
        bad = goods_read(
            &text, pool_format(pool, NULL, "%s/%s", folder, entries[i]->d_name),
            pool, errors);
        err = err == ADS_OK ? bad : err;
        free(entries[i]);
    }
    free(entries);
    if (more != NULL && more[0] != '\0') {
        bad = goods_read(&text, more, pool, errors);
        err = err == ADS_OK ? bad : err;
    }
    if (err == ADS_OK) {
        err = goods_compile(&text, &made, errors);
    }
    if (err == ADS_OK) {
        *image = (struct ads_str){made.bytes, made.len};
    } else {
        free(made.bytes);
    }
    text_free(&text);
    pool_free(pool);
    return err;
}
