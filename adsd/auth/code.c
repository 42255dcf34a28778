/*
 * Makes and verifies one-time codes: 16 bytes of id, 16 of MAC.
 */
#include "auth/code.h"

#define PURPOSE "mailed code"
#define HALF 16


void
auth_code_write(char *dst, struct auth_keys *keys, const struct ads_uuid *id)
{
    uint8_t bytes[2 * HALF], mac[AUTH_KEYS_MAC_LEN];

    auth_keys_mac(keys, PURPOSE,
                  (struct ads_str){(const char *)id->b, sizeof(id->b)}, mac);
    memcpy(bytes, id->b, HALF);
    memcpy(bytes + HALF, mac, HALF);
    (void)ads_base64url_write(dst, bytes, sizeof(bytes));
    explicit_bzero(mac, sizeof(mac));
    explicit_bzero(bytes, sizeof(bytes));
}


bool
auth_code_read(struct ads_uuid *id, struct auth_keys *keys, struct ads_str text)
{
    uint8_t bytes[2 * HALF];

    if (!ads_base64url_read(bytes, sizeof(bytes), text)) {
        return false;
    }
    memcpy(id->b, bytes, HALF);
    return auth_keys_mac_check(keys, PURPOSE,
                               (struct ads_str){(const char *)bytes, HALF},
                               bytes + HALF, HALF);
}


bool
auth_code_field(struct form *form, struct auth_keys *keys, struct ads_uuid *id)
{
    struct ads_str text = form_text(form, "code", FORM_REQUIRED, 1, 200);

    return text.ptr != NULL && auth_code_read(id, keys, text);
}
