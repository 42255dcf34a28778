/*
 * Encodes the ad tables: header, section table, sections.
 */
#include "ads_snap.h"

#define HEADER_CRC_AT 60
#define ALIGN8(n) (((n) + 7) & ~UINT64_C(7))


static uint64_t
first_section(const struct ads_snap_file *file)
{
    return ADS_SNAP_HEADER_LEN + (uint64_t)file->n_parts * ADS_SNAP_SECTION_LEN;
}


uint64_t
ads_snap_measure(const struct ads_snap_file *file)
{
    uint64_t len = first_section(file);

    for (uint32_t i = 0; i < file->n_parts; i++) {
        len += ALIGN8(file->parts[i].len);
    }
    return len;
}


static void
section_write(uint8_t *row, const struct ads_snap_part *part, uint64_t offset)
{
    uint32_t crc = ads_crc32c(0, part->bytes, part->len);

    memcpy(row, &part->kind, 4);
    memcpy(row + 4, &crc, 4);
    memcpy(row + 8, &offset, 8);
    memcpy(row + 16, &part->len, 8);
    memcpy(row + 24, &part->rows, 4);
    memcpy(row + 28, &part->row_len, 4);
}


static void
header_write(uint8_t *dst, const struct ads_snap_file *file, uint64_t len)
{
    uint32_t layout = ADS_SNAP_LAYOUT, bom = ADS_SNAP_BOM, crc;

    memset(dst, 0, ADS_SNAP_HEADER_LEN);
    memcpy(dst, file->head ? "ADSH" : "ADSB", 4);
    memcpy(dst + 4, &layout, 4);
    memcpy(dst + 8, &bom, 4);
    memcpy(dst + 12, &file->n_parts, 4);
    memcpy(dst + 16, &len, 8);
    memcpy(dst + 24, &file->id, 8);
    memcpy(dst + 32, &file->made_us, 8);
    memcpy(dst + 40, &file->change, 8);
    memcpy(dst + 48, &file->base_id, 8);
    memcpy(dst + 56, &file->base_checksum, 4);
    memcpy(dst + 64, &file->node, 8);
    memcpy(dst + 72, &file->floor, 4);

    crc = ads_crc32c(0, dst, first_section(file));
    memcpy(dst + HEADER_CRC_AT, &crc, 4);
}


void
ads_snap_write(uint8_t *dst, const struct ads_snap_file *file)
{
    uint64_t offset = first_section(file);

    for (uint32_t i = 0; i < file->n_parts; i++) {
        const struct ads_snap_part *part = &file->parts[i];
        uint64_t padded = ALIGN8(part->len);

        section_write(dst + ADS_SNAP_HEADER_LEN + i * ADS_SNAP_SECTION_LEN,
                      part, offset);
        if (part->len > 0) {
            memcpy(dst + offset, part->bytes, part->len);
        }
        memset(dst + offset + part->len, 0, padded - part->len);
        offset += padded;
    }

    header_write(dst, file, offset);
}
