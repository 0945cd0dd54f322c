/* An ICU data library without data, of the name of Debian's. What onnxcmp asks ICU for (case,
 * UTF-8) is in its code; the data, 30 MB, is for locales, calendars, collation. script/wheel puts
 * this library into the wheel in the place of Debian's. */
#include <stdint.h>

struct Header {
  uint16_t size;
  uint8_t magic1;
  uint8_t magic2;
  uint16_t info_size;
  uint16_t reserved;
  uint8_t is_big_endian;
  uint8_t charset_family;
  uint8_t size_of_uchar;
  uint8_t reserved2;
  uint8_t format[4];
  uint8_t format_version[4];
  uint8_t data_version[4];
  char padding[8];
  uint32_t count;
  uint32_t reserved3;
};

#ifndef ICU_DATA
#error "ICU_DATA: the name of the symbol, icudt72_dat"
#endif
const struct Header ICU_DATA __attribute__((aligned(16))) = {
    32, 0xda, 0x27, 20, 0, 0, 0, 2, 0, {'T', 'o', 'C', 'P'}, {1, 0, 0, 0}, {0, 0, 0, 0}, {0}, 0, 0};
