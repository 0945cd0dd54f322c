#include <algorithm>

#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "ops/image/codecs.h"

namespace onnxcmp {
namespace {

class Reader {
 public:
  explicit Reader(absl::Span<const uint8_t> bytes) : bytes_(bytes) {}

  // The next decimal number, after blanks and comments; -1 if there is none.
  int64_t Number() {
    SkipBlanks();
    int64_t value = -1;
    while (at_ < bytes_.size() && bytes_[at_] >= '0' && bytes_[at_] <= '9') {
      value = std::max<int64_t>(value, 0) * 10 + (bytes_[at_++] - '0');
      if (value > int64_t{1} << 40) return -1;
    }
    return value;
  }
  // The next digit of a plain bitmap, whose digits need no blanks between them.
  int64_t Digit() {
    SkipBlanks();
    return at_ < bytes_.size() ? bytes_[at_++] - '0' : -1;
  }
  int64_t Byte() { return at_ < bytes_.size() ? bytes_[at_++] : -1; }
  int64_t left() const { return static_cast<int64_t>(bytes_.size() - at_); }

 private:
  void SkipBlanks() {
    for (; at_ < bytes_.size(); ++at_) {
      if (bytes_[at_] == '#') {
        while (at_ < bytes_.size() && bytes_[at_] != '\n' && bytes_[at_] != '\r') ++at_;
        if (at_ == bytes_.size()) return;
      } else if (bytes_[at_] != ' ' && (bytes_[at_] < '\t' || bytes_[at_] > '\r')) {
        return;
      }
    }
  }

  absl::Span<const uint8_t> bytes_;
  size_t at_ = 0;
};

}  // namespace

// Bitmaps, gray maps and pixel maps, plain (P1 to P3) and raw (P4 to P6).
absl::StatusOr<Image> DecodePnm(absl::Span<const uint8_t> bytes, SizeCheck check) {
  const int kind = bytes[1] - '0';
  const bool is_raw = kind > 3;
  const bool is_bitmap = kind % 3 == 1;
  const int64_t channels = kind % 3 == 0 ? 3 : 1;
  Reader reader(bytes.subspan(2));
  const int64_t width = reader.Number();
  const int64_t height = reader.Number();
  const int64_t most = is_bitmap ? 1 : reader.Number();
  if (width < 1 || height < 1 || most < 1 || most > 65535) {
    return absl::InvalidArgumentError(
        absl::StrCat("a map of ", width, "x", height, " values up to ", most));
  }
  if (is_raw) reader.Byte();  // one blank
  // Each value takes a bit, or a byte and more: so that a short file cannot ask for much memory.
  if (width > (reader.left() * 8 + 8) / height + 1) {
    return absl::InvalidArgumentError("fewer bytes than pixels");
  }
  OC_ASSIGN_OR_RETURN(Image image, NewImage(height, width, check));
  int64_t bits = 0;
  for (int64_t row = 0; row < height; ++row) {
    for (int64_t column = 0; column < width; ++column) {
      uint8_t* rgb = image.Pixel(row, column);
      for (int64_t c = 0; c < channels; ++c) {
        int64_t value = 0;
        if (is_bitmap && is_raw) {
          if (column % 8 == 0) bits = reader.Byte();
          value = bits < 0 ? -1 : 1 - (bits >> (7 - column % 8) & 1);
        } else if (is_bitmap) {
          const int64_t digit = reader.Digit();
          value = digit < 0 || digit > 1 ? -1 : 1 - digit;
        } else if (is_raw) {
          value = reader.Byte();
          if (most > 255 && value >= 0) {
            const int64_t low = reader.Byte();
            value = low < 0 ? -1 : value * 256 + low;
          }
        } else {
          value = reader.Number();
        }
        if (value < 0) return absl::InvalidArgumentError("fewer values than pixels");
        rgb[c] = static_cast<uint8_t>((std::min(value, most) * 255 + most / 2) / most);
      }
      if (channels == 1) rgb[1] = rgb[2] = rgb[0];
    }
  }
  return image;
}

}  // namespace onnxcmp
