// What gattscope uses of OpenSSL's libcrypto (Debian: libssl-dev): AES-128 block by block, multiplication on P-256 and
// SHA-256.
//
// Numbers cross as values, so Swift needs no pointer but to the bytes that are hashed. libcrypto is linked statically:
// nothing computed here can be wrong because a library is missing, and a start without cryptography pays 0.2 ms for it.

#ifndef GATTSCOPE_CLIBCRYPTO_SHIM_H
#define GATTSCOPE_CLIBCRYPTO_SHIM_H

#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/// The version that is linked, "3.0.19".
static inline const char *clibcrypto_version(void) { return OpenSSL_version(OPENSSL_VERSION_STRING); }

/// A number of 128 bits.
struct clibcrypto_block {
  uint64_t high, low;
};

static inline void clibcrypto_store(struct clibcrypto_block block, unsigned char *bytes) {
  block.high = __builtin_bswap64(block.high);
  block.low = __builtin_bswap64(block.low);
  memcpy(bytes, &block, 16);
}

static inline struct clibcrypto_block clibcrypto_load(const unsigned char *bytes) {
  struct clibcrypto_block block;
  memcpy(&block, bytes, 16);
  block.high = __builtin_bswap64(block.high);
  block.low = __builtin_bswap64(block.low);
  return block;
}

/// A key of a thread, expanded for one direction.
struct clibcrypto_schedule {
  EVP_CIPHER_CTX *context;
  struct clibcrypto_block key;
};

/// Returns the cipher, made once for each thread. It is a copy, which uses no provider: finding the provider's cipher by
/// name costs as much as tens of thousands of blocks, and expanding a key with it twice as much as with the copy.
static inline const EVP_CIPHER *clibcrypto_cipher(void) {
#if OPENSSL_VERSION_MAJOR < 4
  static __thread EVP_CIPHER *copy;
  if (!copy) copy = EVP_CIPHER_meth_dup(EVP_aes_128_ecb());
  return copy;
#else
  return EVP_aes_128_ecb();
#endif
}

/// Expands a key into a schedule that does not have it yet. This costs more than an encryption.
///
/// libcrypto fails here only if no memory is left, which ends the program, as it does in Swift.
static inline void clibcrypto_expand(struct clibcrypto_schedule *schedule, struct clibcrypto_block key, int encrypts) {
  if (!schedule->context || schedule->key.high != key.high || schedule->key.low != key.low) {
    unsigned char bytes[16];
    int isNew = !schedule->context;
    if (isNew) {
      // Reads no configuration file: results must not depend on one.
      OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, 0);
      schedule->context = EVP_CIPHER_CTX_new();
      if (!schedule->context) abort();
    }
    clibcrypto_store(key, bytes);
    if (!EVP_CipherInit_ex2(schedule->context, isNew ? clibcrypto_cipher() : 0, bytes, 0, encrypts, 0)) abort();
    schedule->key = key;
  }
}

/// Encrypts or decrypts one block. Successive blocks of one key share its schedule, so a caller needs to keep only the key.
static inline struct clibcrypto_block clibcrypto_aes(struct clibcrypto_block key, struct clibcrypto_block block, int encrypts) {
  static __thread struct clibcrypto_schedule schedules[2];
  struct clibcrypto_schedule *schedule = &schedules[encrypts];
  unsigned char bytes[16];
  clibcrypto_expand(schedule, key, encrypts);
  clibcrypto_store(block, bytes);
  // The cipher itself, without padding and buffers.
  if (EVP_Cipher(schedule->context, bytes, bytes, 16) <= 0) abort();
  return clibcrypto_load(bytes);
}

/// Four numbers of 32 bits.
typedef uint32_t clibcrypto_words __attribute__((ext_vector_type(4)));

/// Encrypts four blocks that are zero except for their last 32 bits, and returns the last 32 bits of the results. Meant for
/// many keys in turn: `place` (modulo 64) selects the schedule, so up to 64 keys stay expanded.
static inline clibcrypto_words clibcrypto_aes_words(struct clibcrypto_block key, unsigned place, clibcrypto_words words) {
  static __thread struct clibcrypto_schedule schedules[64];
  struct clibcrypto_schedule *schedule = &schedules[place % 64];
  clibcrypto_words blocks[4] = {0};
  clibcrypto_expand(schedule, key, 1);
  for (int index = 0; index < 4; index++) blocks[index][3] = __builtin_bswap32(words[index]);
  if (EVP_Cipher(schedule->context, (unsigned char *)blocks, (const unsigned char *)blocks, sizeof blocks) <= 0) abort();
  for (int index = 0; index < 4; index++) words[index] = __builtin_bswap32(blocks[index][3]);
  return words;
}

/// Four blocks.
struct clibcrypto_blocks {
  struct clibcrypto_block first, second, third, fourth;
};

/// Returns the context of a key that encrypts many messages in turn with other keys. The key selects one of 64 schedules, so it
/// is expanded once, unless another key that is in use at the same time selects the same one.
static inline EVP_CIPHER_CTX *clibcrypto_kept(struct clibcrypto_block key) {
  static __thread struct clibcrypto_schedule schedules[64];
  struct clibcrypto_schedule *schedule = &schedules[key.low % 64];
  clibcrypto_expand(schedule, key, 1);
  return schedule->context;
}

/// Encrypts one block with a key that stays expanded.
static inline struct clibcrypto_block clibcrypto_aes_kept(struct clibcrypto_block key, struct clibcrypto_block block) {
  unsigned char bytes[16];
  clibcrypto_store(block, bytes);
  if (EVP_Cipher(clibcrypto_kept(key), bytes, bytes, 16) <= 0) abort();
  return clibcrypto_load(bytes);
}

/// Encrypts four blocks with a key that stays expanded, which costs little more than one.
static inline struct clibcrypto_blocks clibcrypto_aes_four(struct clibcrypto_block key, struct clibcrypto_blocks blocks) {
  unsigned char bytes[64];
  clibcrypto_store(blocks.first, bytes);
  clibcrypto_store(blocks.second, bytes + 16);
  clibcrypto_store(blocks.third, bytes + 32);
  clibcrypto_store(blocks.fourth, bytes + 48);
  if (EVP_Cipher(clibcrypto_kept(key), bytes, bytes, 64) <= 0) abort();
  struct clibcrypto_blocks result = {clibcrypto_load(bytes), clibcrypto_load(bytes + 16), clibcrypto_load(bytes + 32),
                                     clibcrypto_load(bytes + 48)};
  return result;
}

/// A number of 256 bits.
struct clibcrypto_number {
  struct clibcrypto_block high, low;
};

/// A point of P-256, or none.
struct clibcrypto_point {
  struct clibcrypto_number x, y;
  int exists;
};

static inline BIGNUM *clibcrypto_bignum(struct clibcrypto_number number) {
  unsigned char bytes[32];
  clibcrypto_store(number.high, bytes);
  clibcrypto_store(number.low, bytes + 16);
  return BN_bin2bn(bytes, 32, 0);
}

static inline struct clibcrypto_number clibcrypto_from_bignum(const BIGNUM *number) {
  unsigned char bytes[32] = {0};
  BN_bn2binpad(number, bytes, 32);
  struct clibcrypto_number result = {clibcrypto_load(bytes), clibcrypto_load(bytes + 16)};
  return result;
}

/// Returns the curve. It is made once for each thread, since that costs as much as checking many keys.
static inline const EC_GROUP *clibcrypto_p256(void) {
  static __thread EC_GROUP *group;
  if (!group) {
    OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, 0);
    group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
    if (!group) abort();
  }
  return group;
}

/// Sets a point's coordinates, and returns whether it is on the curve.
static inline int clibcrypto_set(EC_POINT *result, struct clibcrypto_point point) {
  BIGNUM *x = clibcrypto_bignum(point.x), *y = clibcrypto_bignum(point.y);
  if (!result || !x || !y) abort();
  int isOnCurve = EC_POINT_set_affine_coordinates(clibcrypto_p256(), result, x, y, 0);
  BN_free(y);
  BN_free(x);
  return isOnCurve;
}

static inline int clibcrypto_is_on_curve(struct clibcrypto_point point) {
  EC_POINT *set = EC_POINT_new(clibcrypto_p256());
  int isOnCurve = clibcrypto_set(set, point);
  EC_POINT_free(set);
  return isOnCurve;
}

/// Multiplies a point, or the base point if it does not exist, by a private key. There is no result if the point is not on the
/// curve, or if the number is zero or not less than the curve's order, and so no private key.
static inline struct clibcrypto_point clibcrypto_multiply(struct clibcrypto_number key, struct clibcrypto_point point) {
  struct clibcrypto_point result = {{{0, 0}, {0, 0}}, {{0, 0}, {0, 0}}, 0};
  const EC_GROUP *group = clibcrypto_p256();
  EC_POINT *factor = EC_POINT_new(group), *product = EC_POINT_new(group);
  BIGNUM *scalar = clibcrypto_bignum(key), *x = BN_new(), *y = BN_new();
  if (!factor || !product || !scalar || !x || !y) abort();
  int isOnCurve = !point.exists || clibcrypto_set(factor, point);
  int isKey = !BN_is_zero(scalar) && BN_cmp(scalar, EC_GROUP_get0_order(group)) < 0;
  if (isOnCurve && isKey) {
    int isDone = point.exists ? EC_POINT_mul(group, product, 0, factor, scalar, 0)
                              : EC_POINT_mul(group, product, scalar, 0, 0, 0);
    if (isDone && EC_POINT_get_affine_coordinates(group, product, x, y, 0)) {
      result.x = clibcrypto_from_bignum(x);
      result.y = clibcrypto_from_bignum(y);
      result.exists = 1;
    }
  }
  BN_free(y);
  BN_free(x);
  BN_free(scalar);
  EC_POINT_free(product);
  EC_POINT_free(factor);
  return result;
}

/// Begins a SHA-256 digest. As above, libcrypto fails only if no memory is left.
static inline EVP_MD_CTX *clibcrypto_sha256_begin(void) {
  OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, 0);
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  if (!context || !EVP_DigestInit_ex(context, EVP_sha256(), 0)) abort();
  return context;
}

static inline void clibcrypto_sha256_add(EVP_MD_CTX *context, const void *bytes, size_t count) {
  if (!EVP_DigestUpdate(context, bytes, count)) abort();
}

/// Ends a digest and frees its context.
static inline struct clibcrypto_number clibcrypto_sha256_end(EVP_MD_CTX *context) {
  unsigned char bytes[32];
  if (!EVP_DigestFinal_ex(context, bytes, 0)) abort();
  EVP_MD_CTX_free(context);
  struct clibcrypto_number result = {clibcrypto_load(bytes), clibcrypto_load(bytes + 16)};
  return result;
}

/// Writes a digest in base64, 44 characters and a zero byte.
static inline void clibcrypto_sha256_base64(struct clibcrypto_number digest, unsigned char text[45]) {
  unsigned char bytes[32];
  clibcrypto_store(digest.high, bytes);
  clibcrypto_store(digest.low, bytes + 16);
  EVP_EncodeBlock(text, bytes, sizeof bytes);
}

#endif
