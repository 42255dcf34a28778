/*
 * Any bytes as adsd.conf: what is taken lies inside the bounds of the table of
 * keys, what is not is reported with its line, and written out again the values
 * mean the same.
 */
#include "adsd/base/conf.c"

#include "fuzz.h"

#define LEN_MAX 8192
#define PATH "adsd.conf"


static void
bounds_must(const struct conf *conf)
{
    for (size_t i = 0; i < N_KEYS; i++) {
        const char *at = (const char *)conf + keys[i].offset;
        const char *text;
        int64_t number;

        if (keys[i].type == CONF_NUMBER) {
            memcpy(&number, at, sizeof(number));
            fuzz_must(number >= keys[i].least && number <= keys[i].most,
                      "a number inside its bounds");
        } else if (keys[i].type == CONF_TEXT || keys[i].type == CONF_PATH) {
            memcpy(&text, at, sizeof(text));
            fuzz_must(text != NULL, "a text that is there");
            fuzz_must(text[0] == '\0' || keys[i].type != CONF_PATH
                          || text[0] == '/',
                      "paths are absolute");
        }
    }
}


/* Writes every key with its value, texts where it is not the standard one. */
static void
write_again(FILE *out, const struct conf *conf)
{
    for (size_t i = 0; i < N_KEYS; i++) {
        const char *at = (const char *)conf + keys[i].offset;
        const char *text;
        int64_t number = 0;
        bool truth;

        switch (keys[i].type) {
        case CONF_NUMBER:
            memcpy(&number, at, sizeof(number));
            (void)fprintf(out, "%s = %lld\n", keys[i].name, (long long)number);
            break;
        case CONF_CHOICE:
            memcpy(&truth, at, sizeof(truth));
            if (keys[i].is_bool) {
                number = truth;
            } else {
                memcpy(&number, at, sizeof(number));
            }
            (void)fprintf(out, "%s = %s\n", keys[i].name,
                          keys[i].choices[number]);
            break;
        case CONF_TEXT:
        case CONF_PATH:
            memcpy(&text, at, sizeof(text));
            if (keys[i].standard == NULL || strcmp(text, keys[i].standard) != 0)
            {
                (void)fprintf(out, "%s = %s\n", keys[i].name, text);
            }
            break;
        }
    }
}


static bool
same(const struct conf *a, const struct conf *b)
{
    bool equal = true;

    for (size_t i = 0; i < N_KEYS; i++) {
        const char *left = (const char *)a + keys[i].offset;
        const char *right = (const char *)b + keys[i].offset;
        const char *texts[2];

        if (keys[i].type == CONF_TEXT || keys[i].type == CONF_PATH) {
            memcpy(&texts[0], left, sizeof(texts[0]));
            memcpy(&texts[1], right, sizeof(texts[1]));
            equal = equal && strcmp(texts[0], texts[1]) == 0;
        } else {
            equal = equal
                    && memcmp(left, right,
                              keys[i].is_bool ? sizeof(bool) : sizeof(int64_t))
                           == 0;
        }
    }
    return equal;
}


static void
again(const struct conf *conf)
{
    struct conf twice;
    size_t len = 0;
    char *text = NULL;
    FILE *out = open_memstream(&text, &len);

    write_again(out, conf);
    (void)fclose(out);
    fuzz_must(conf_parse(&twice, (struct ads_str){text, len}, PATH, stderr)
                  == ADS_OK,
              "written out it is taken again");
    fuzz_must(same(conf, &twice), "and means the same");
    conf_free(&twice);
    free(text);
}


int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    char *text, *told = NULL;
    size_t told_len = 0;
    struct conf conf;
    enum ads_err err;
    FILE *errors;

    if (len > LEN_MAX) {
        return 0;
    }
    text = fuzz_copy(bytes, len);
    errors = open_memstream(&told, &told_len);
    err = conf_parse(&conf, (struct ads_str){text, len}, PATH, errors);
    (void)fclose(errors);

    fuzz_must((err == ADS_OK) == (told_len == 0), "a mistake is reported");
    if (err == ADS_OK) {
        bounds_must(&conf);
        again(&conf);
    } else {
        fuzz_must(strncmp(told, PATH ":", sizeof(PATH)) == 0,
                  "with the file's name");
        fuzz_must(told[told_len - 1] == '\n', "on lines of its own");
    }
    conf_free(&conf);
    free(told);
    free(text);
    return 0;
}
