/*
 * A provider's side, for tests: keys made here, the JWK of each, and tokens
 * signed with them.
 */
#ifndef T_SIGNER_H
#define T_SIGNER_H

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <stdlib.h>
#include <string.h>

#include "ads_bytes.h"
#include "base/pool.h"

struct t_signer {
    EVP_PKEY *key;
    bool rsa;
    const char *kid;
};


static inline struct t_signer
t_signer_rsa(unsigned bits, const char *kid)
{
    return (struct t_signer){EVP_RSA_gen(bits), true, kid};
}


static inline struct t_signer
t_signer_ec(const char *kid)
{
    return (struct t_signer){EVP_EC_gen("P-256"), false, kid};
}


static inline void
t_signer_free(struct t_signer *signer)
{
    EVP_PKEY_free(signer->key);
}


static inline char *
t_base64url(struct pool *pool, const void *bytes, size_t len)
{
    char *text = pool_alloc(pool, ADS_BASE64URL_LEN(len) + 1);

    *ads_base64url_write(text, bytes, len) = '\0';
    return text;
}


/* A number of the key, `len` bytes of it; 0: as many as it has. */
static inline char *
t_number(const struct t_signer *signer, struct pool *pool, const char *name,
         int len)
{
    uint8_t bytes[1024];
    BIGNUM *number = NULL;

    if (EVP_PKEY_get_bn_param(signer->key, name, &number) != 1) {
        abort();
    }
    len = len > 0 ? len : BN_num_bytes(number);
    BN_bn2binpad(number, bytes, len);
    BN_free(number);
    return t_base64url(pool, bytes, (size_t)len);
}


/* The public key, `more` put behind its members. */
static inline char *
t_jwk(const struct t_signer *signer, struct pool *pool, const char *more)
{
    if (signer->rsa) {
        return pool_format(
            pool, NULL,
            "{\"kty\":\"RSA\",\"kid\":\"%s\",\"n\":\"%s\",\"e\":\"%s\"%s}",
            signer->kid, t_number(signer, pool, OSSL_PKEY_PARAM_RSA_N, 0),
            t_number(signer, pool, OSSL_PKEY_PARAM_RSA_E, 0), more);
    }
    return pool_format(
        pool, NULL,
        "{\"kty\":\"EC\",\"crv\":\"P-256\",\"kid\":\"%s\",\"x\":\"%s\","
        "\"y\":\"%s\"%s}",
        signer->kid, t_number(signer, pool, OSSL_PKEY_PARAM_EC_PUB_X, 32),
        t_number(signer, pool, OSSL_PKEY_PARAM_EC_PUB_Y, 32), more);
}


/* DER to r and s of 32 bytes each. */
static inline void
t_flat(uint8_t flat[64], const uint8_t *der, size_t len)
{
    ECDSA_SIG *pair = d2i_ECDSA_SIG(NULL, &der, (long)len);

    if (pair == NULL) {
        abort();
    }
    BN_bn2binpad(ECDSA_SIG_get0_r(pair), flat, 32);
    BN_bn2binpad(ECDSA_SIG_get0_s(pair), flat + 32, 32);
    ECDSA_SIG_free(pair);
}


/* A compact JWS with this header, whatever it claims, signed by the key. */
static inline char *
t_sign(const struct t_signer *signer, struct pool *pool, const char *header,
       const char *payload)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    uint8_t signature[1024], flat[64];
    size_t len = sizeof(signature), n;
    char *text = pool_format(pool, &n, "%s.%s",
                             t_base64url(pool, header, strlen(header)),
                             t_base64url(pool, payload, strlen(payload)));

    if (EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, signer->key) != 1
        || EVP_DigestSign(context, signature, &len, (const unsigned char *)text,
                          n)
               != 1)
    {
        abort();
    }
    EVP_MD_CTX_free(context);
    if (!signer->rsa) {
        t_flat(flat, signature, len);
        memcpy(signature, flat, sizeof(flat));
        len = sizeof(flat);
    }
    return pool_format(pool, NULL, "%s.%s", text,
                       t_base64url(pool, signature, len));
}

#endif
