/* A libcrypto without cryptography, of the name of Debian's. libzip asks for it to decrypt archives
 * with a password; onnxcmp never gives one, so none of this is called, and an encrypted archive is
 * refused before. script/wheel puts this library into the wheel in the place of Debian's, which has
 * 5 MB. What is called all the same says that it failed, or does nothing. */
#include <stddef.h>

#define FAILS(name) \
  int name(void) { return 0; }
#define GIVES_NOTHING(name) \
  void* name(void) { return NULL; }
#define DOES_NOTHING(name) \
  void name(void) {}

int AES_set_encrypt_key(void) { return -1; }
DOES_NOTHING(AES_encrypt)
GIVES_NOTHING(EVP_sha1)
GIVES_NOTHING(HMAC_CTX_new)
DOES_NOTHING(HMAC_CTX_free)
FAILS(HMAC_Init_ex)
FAILS(HMAC_Update)
FAILS(HMAC_Final)
FAILS(PKCS5_PBKDF2_HMAC_SHA1)
FAILS(RAND_bytes)
