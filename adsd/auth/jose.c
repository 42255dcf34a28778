/*
 * Verifies signatures with OpenSSL. Of each key of a set its texts are read
 * first and then made into one of OpenSSL's; what OpenSSL refuses is left out
 * like a key of another kind.
 */
#include "auth/jose.h"

#include <stdlib.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include "base/foreign.h"

#define RSA_BITS_MIN 2048
#define RSA_BITS_MAX 8192
#define RSA_E_LEN_MAX 8
#define COORDINATE_LEN 32 /* of P-256 */
#define ES256_LEN (2 * COORDINATE_LEN)
#define DER_LEN_MAX 80 /* of an ES256 signature */

struct jose_key {
    const char *alg;
    struct ads_str kid; /* ptr NULL: none */
    struct ads_str issuer;
    EVP_PKEY *key;
};

struct jose_keys {
    size_t n;
    struct jose_key keys[JOSE_KEYS_MAX];
};

/* the members of one key, as text; ptr NULL: absent */
struct jwk {
    struct ads_str kty, kid, alg, use, crv, n, e, x, y, issuer;
    bool usable; /* no member of the wrong type, "verify" among key_ops */
};


static void
free_key(void *key)
{
    EVP_PKEY_free(key);
}


/* ---- reading ---- */

/* "key_ops": a list of texts with "verify" in it. */
static bool
may_verify(const struct json_t *list)
{
    const struct json_t *op;

    for (size_t i = 0; (op = foreign_at(list, i)) != NULL; i++) {
        if (ads_str_is(foreign_text(op), "verify")) {
            return true;
        }
    }
    return false;
}


static void
jwk_read(struct jwk *jwk, const struct json_t *key)
{
    const struct {
        const char *name;
        struct ads_str *to;
    } members[] = {
        {"kty", &jwk->kty},       {"kid", &jwk->kid}, {"alg", &jwk->alg},
        {"use", &jwk->use},       {"crv", &jwk->crv}, {"n", &jwk->n},
        {"e", &jwk->e},           {"x", &jwk->x},     {"y", &jwk->y},
        {"issuer", &jwk->issuer},
    };
    const struct json_t *key_ops = foreign_find(key, "key_ops");

    *jwk = (struct jwk){.usable = key_ops == NULL || may_verify(key_ops)};
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        jwk->usable = foreign_text_find(members[i].to, key, members[i].name)
                      && jwk->usable;
    }
}


static bool
says(struct ads_str text, const char *wanted)
{
    return text.ptr == NULL || ads_str_is(text, wanted);
}


/* The number that a Base64urlUInt stands for; NULL when it is none, or of
 * more than len_max bytes.  Ends with BN_free(). */
static BIGNUM *
number_read(struct pool *pool, struct ads_str text, size_t len_max)
{
    size_t len;
    uint8_t *bytes = text.len == 0 ? NULL : jws_base64url(&len, pool, text);

    if (bytes == NULL || len > len_max) {
        return NULL;
    }
    return BN_bin2bn(bytes, (int)len, NULL);
}


/* A public key of OpenSSL's out of parameters; NULL when OpenSSL refuses it. */
static EVP_PKEY *
key_make(const char *type, OSSL_PARAM_BLD *builder)
{
    OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(builder);
    EVP_PKEY_CTX *make = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
    EVP_PKEY *key = NULL;

    if (params == NULL || make == NULL || EVP_PKEY_fromdata_init(make) != 1
        || EVP_PKEY_fromdata(make, &key, EVP_PKEY_PUBLIC_KEY, params) != 1)
    {
        EVP_PKEY_free(key);
        key = NULL;
    }
    EVP_PKEY_CTX_free(make);
    OSSL_PARAM_free(params);
    return key;
}


/* Is it a point of the curve, and not the one at infinity? */
static bool
point_check(EVP_PKEY *key)
{
    EVP_PKEY_CTX *check = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    bool ok = check != NULL && EVP_PKEY_public_check(check) == 1;

    EVP_PKEY_CTX_free(check);
    return ok;
}


static EVP_PKEY *
rsa_read(struct pool *pool, const struct jwk *jwk)
{
    BIGNUM *n = number_read(pool, jwk->n, RSA_BITS_MAX / 8);
    BIGNUM *e = number_read(pool, jwk->e, RSA_E_LEN_MAX);
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    EVP_PKEY *key = NULL;

    if (n != NULL && e != NULL && builder != NULL
        && BN_num_bits(n) >= RSA_BITS_MIN && BN_is_odd(n) && BN_is_odd(e)
        && BN_num_bits(e) > 1
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n) == 1
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e) == 1)
    {
        key = key_make("RSA", builder);
    }
    OSSL_PARAM_BLD_free(builder);
    BN_free(e);
    BN_free(n);
    return key;
}


static EVP_PKEY *
ec_read(struct pool *pool, const struct jwk *jwk)
{
    uint8_t point[1 + 2 * COORDINATE_LEN] = {4}; /* uncompressed */
    OSSL_PARAM_BLD *builder;
    EVP_PKEY *key = NULL;

    (void)pool; /* coordinates have one length */
    if (!ads_str_is(jwk->crv, "P-256")
        || !ads_base64url_read(point + 1, COORDINATE_LEN, jwk->x)
        || !ads_base64url_read(point + 1 + COORDINATE_LEN, COORDINATE_LEN,
                               jwk->y))
    {
        return NULL;
    }
    builder = OSSL_PARAM_BLD_new();
    if (builder != NULL
        && OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME,
                                           "prime256v1", 0)
               == 1
        && OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY,
                                            point, sizeof(point))
               == 1)
    {
        key = key_make("EC", builder);
    }
    if (key != NULL && !point_check(key)) {
        EVP_PKEY_free(key);
        key = NULL;
    }
    OSSL_PARAM_BLD_free(builder);
    return key;
}


/* the kinds of keys there are here */
static const struct {
    const char *kty;
    const char *alg;
    EVP_PKEY *(*read)(struct pool *pool, const struct jwk *jwk);
} kinds[] = {
    {"RSA", "RS256", rsa_read},
    {"EC", "ES256", ec_read},
};

#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))


/* Adds the key if it is one that can verify. */
static void
key_add(struct jose_keys *keys, struct pool *pool, const struct jwk *jwk)
{
    EVP_PKEY *key = NULL;

    if (!jwk->usable || !says(jwk->use, "sig") || jwk->kid.len > JWS_KID_MAX) {
        return;
    }
    for (size_t i = 0; i < N_KINDS; i++) {
        if (ads_str_is(jwk->kty, kinds[i].kty) && says(jwk->alg, kinds[i].alg))
        {
            key = kinds[i].read(pool, jwk);
            keys->keys[keys->n].alg = kinds[i].alg;
        }
    }
    ERR_clear_error();
    if (key != NULL) {
        pool_defer(pool, free_key, key);
        keys->keys[keys->n].kid = jwk->kid;
        keys->keys[keys->n].issuer = jwk->issuer;
        keys->keys[keys->n].key = key;
        keys->n++;
    }
}


enum ads_err
jose_keys_read(struct jose_keys **keys, struct pool *pool, const char *text,
               size_t len)
{
    const struct json_t *list, *key;
    struct jwk jwk;

    *keys = pool_alloc(pool, sizeof(**keys));
    list = foreign_find(foreign_read(pool, text, len), "keys");
    if (!foreign_is_array(list)) {
        return ADS_INVALID;
    }
    if (foreign_at(list, JOSE_KEYS_MAX) != NULL) {
        return ADS_TOO_LARGE;
    }
    for (size_t i = 0; (key = foreign_at(list, i)) != NULL; i++) {
        jwk_read(&jwk, key);
        key_add(*keys, pool, &jwk);
    }
    return (*keys)->n > 0 ? ADS_OK : ADS_ABSENT;
}


/* ---- verifying ---- */

/* r and s, 32 bytes each, as the DER that OpenSSL wants; 0 when they are not
 * that. */
static size_t
es256_der(uint8_t der[DER_LEN_MAX], const uint8_t *signature, size_t len)
{
    ECDSA_SIG *pair = ECDSA_SIG_new();
    BIGNUM *r = NULL, *s = NULL;
    uint8_t *end = der;
    int n = 0;

    if (pair != NULL && len == ES256_LEN) {
        r = BN_bin2bn(signature, COORDINATE_LEN, NULL);
        s = BN_bin2bn(signature + COORDINATE_LEN, COORDINATE_LEN, NULL);
    }
    if (r != NULL && s != NULL && ECDSA_SIG_set0(pair, r, s) == 1) {
        r = s = NULL; /* the pair's now */
        n = i2d_ECDSA_SIG(pair, NULL);
        n = n > 0 && n <= DER_LEN_MAX ? i2d_ECDSA_SIG(pair, &end) : 0;
    }
    BN_free(s);
    BN_free(r);
    ECDSA_SIG_free(pair);
    return n > 0 ? (size_t)n : 0;
}


static bool
fits(const struct jose_key *key, const struct jws *jws)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    const uint8_t *signature = jws->signature;
    size_t len = jws->signature_len;
    uint8_t der[DER_LEN_MAX];
    bool ok = context != NULL;

    if (strcmp(key->alg, "ES256") == 0) {
        len = es256_der(der, signature, len);
        signature = der;
        ok = ok && len > 0;
    }
    ok = ok
         && EVP_DigestVerifyInit(context, NULL, EVP_sha256(), NULL, key->key)
                == 1
         && EVP_DigestVerify(context, signature, len,
                             (const unsigned char *)jws->signed_part.ptr,
                             jws->signed_part.len)
                == 1;
    EVP_MD_CTX_free(context);
    ERR_clear_error();
    return ok;
}


enum ads_err
jose_verify(const struct jose_keys *keys, const struct jws *jws,
            struct ads_str *issuer)
{
    size_t n_alg = 0, n_tried = 0;
    bool known = false;

    *issuer = (struct ads_str){NULL, 0};
    for (size_t i = 0; i < N_KINDS; i++) {
        known = known || ads_str_is(jws->alg, kinds[i].alg);
    }
    if (!known) {
        return ADS_UNSUPPORTED;
    }

    for (size_t i = 0; i < keys->n; i++) {
        n_alg += ads_str_is(jws->alg, keys->keys[i].alg);
    }
    for (size_t i = 0; i < keys->n; i++) {
        const struct jose_key *key = &keys->keys[i];

        if (!ads_str_is(jws->alg, key->alg)
            || !(jws_same(jws->kid, key->kid)
                 || (jws->kid.ptr == NULL && n_alg == 1)))
        {
            continue;
        }
        n_tried++;
        if (fits(key, jws)) {
            *issuer = key->issuer;
            return ADS_OK;
        }
    }
    return n_tried == 0 ? ADS_ABSENT : ADS_FORGED;
}


void
jose_sha256(uint8_t hash[JOSE_SHA256_LEN], const struct ads_str *texts,
            size_t n)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool ok =
        context != NULL && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1;

    for (size_t i = 0; i < n; i++) {
        ok = ok && EVP_DigestUpdate(context, texts[i].ptr, texts[i].len) == 1;
    }
    ok = ok && EVP_DigestFinal_ex(context, hash, NULL) == 1;
    EVP_MD_CTX_free(context);
    if (!ok) {
        abort(); /* out of memory, or an OpenSSL without SHA-256 */
    }
}
