/*
 * Reads a file of evaluation data from $ADS_SHARED/vectors (../shared when not
 * set) for a test that needs it.  Where there is none the test says so and has
 * nothing to check: cmocka reports skip() as a failure to readers of TAP.
 */
#ifndef T_VECTORS_H
#define T_VECTORS_H

#include <jansson.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The document, to be freed with json_decref(); NULL, which jansson takes for
 * an empty one, where there is none. */
static inline json_t *
vectors_load(const char *name)
{
    const char *shared = getenv("ADS_SHARED");
    char path[512];
    json_error_t error;
    json_t *document;
    FILE *file;

    snprintf(path, sizeof(path), "%s/vectors/%s",
             shared != NULL ? shared : "../shared", name);
    file = fopen(path, "rb");
    if (file == NULL) {
        print_message("# skipped: %s is not there\n", path);
        return NULL;
    }
    document = json_loadf(file, JSON_ALLOW_NUL, &error);
    fclose(file);
    if (document == NULL) {
        fail_msg("%s: %s", path, error.text);
    }
    return document;
}


/* Decodes the member of that name into memory to be freed; NULL when there is
 * none. */
static inline char *
vectors_base64(const json_t *item, const char *name, size_t *len)
{
    const char *text = json_string_value(json_object_get(item, name));
    size_t max = text == NULL ? 0 : strlen(text);
    char *bytes = NULL;

    if (text != NULL) {
        bytes = malloc(max + 1);
        assert_int_equal(sodium_base642bin((unsigned char *)bytes, max + 1,
                                           text, max, NULL, len, NULL,
                                           sodium_base64_VARIANT_ORIGINAL),
                         0);
    }
    return bytes;
}

#endif
