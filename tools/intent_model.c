/*
 * Encoding a model.
 */
#include "intent_model.h"
#include "linear.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define VERSION 3
#define BYTE_ORDER_MARK 0x01020304u
#define CRC_POS 28
#define CRC_END 32
#define MODEL_MAX \
    (ADS_INTENT_HEADER_LEN + ((size_t)ADS_INTENT_SUMS << ADS_INTENT_BITS_MAX))

/* Where the numbers of a side stand. */
static const size_t sum_pos[ADS_INTENT_SUMS] = {16, 32};


static void
put_u32(uint8_t *at, uint32_t value)
{
    memcpy(at, &value, sizeof(value));
}


void
intent_model_init(struct intent_model *model, unsigned bits)
{
    const uint16_t numbers[] = {VERSION, (uint16_t)bits};

    model->len = ADS_INTENT_HEADER_LEN + ((size_t)ADS_INTENT_SUMS << bits);
    model->bytes = linear_allocate(model->len, 1);
    model->weights = (void *)(model->bytes + ADS_INTENT_HEADER_LEN);
    memcpy(model->bytes, "ADSINTNT", 8);
    put_u32(model->bytes + 8, BYTE_ORDER_MARK);
    memcpy(model->bytes + 12, numbers, sizeof(numbers));
    for (unsigned side = 0; side < ADS_INTENT_SUMS; side++) {
        model->sums[side] =
            (struct ads_intent_sum){.step = 1, .threshold = INT32_MAX};
    }
}


void
intent_model_read(struct intent_model *model, const char *path)
{
    FILE *file = fopen(path, "rb");
    struct ads_intent intent;
    enum ads_err err = ADS_IO;

    model->bytes = linear_allocate(MODEL_MAX + 1, 1);
    if (file != NULL) {
        model->len = fread(model->bytes, 1, MODEL_MAX + 1, file);
        (void)fclose(file);
        err = ads_intent_open(model->bytes, model->len, &intent);
    }
    if (err != ADS_OK) {
        fprintf(stderr, "%s: %s\n", path, ads_strerror(err));
        exit(1);
    }
    model->weights = (void *)(model->bytes + ADS_INTENT_HEADER_LEN);
    memcpy(model->sums, intent.sums, sizeof(model->sums));
}


void
intent_model_seal(struct intent_model *model, struct ads_intent *intent)
{
    uint32_t crc;

    for (unsigned side = 0; side < ADS_INTENT_SUMS; side++) {
        const struct ads_intent_sum *sum = &model->sums[side];

        put_u32(model->bytes + sum_pos[side], (uint32_t)sum->bias);
        put_u32(model->bytes + sum_pos[side] + 4, (uint32_t)sum->step);
        put_u32(model->bytes + sum_pos[side] + 8, (uint32_t)sum->threshold);
    }
    crc = ads_crc32c(0, model->bytes, CRC_POS);
    crc = ads_crc32c(crc, model->bytes + CRC_END, model->len - CRC_END);
    put_u32(model->bytes + CRC_POS, crc);
    if (ads_intent_open(model->bytes, model->len, intent) != ADS_OK) {
        fputs("the model made does not open\n", stderr);
        exit(1);
    }
}


void
intent_model_write(const struct intent_model *model, const char *path)
{
    FILE *file = fopen(path, "wb");

    if (file == NULL || fwrite(model->bytes, 1, model->len, file) != model->len
        || fclose(file) != 0)
    {
        fprintf(stderr, "%s: cannot be written: %s\n", path, strerror(errno));
        exit(1);
    }
    printf("%s: %zu bytes\n", path, model->len);
}
