#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "ops/image/codecs.h"

namespace onnxcmp {
namespace {

// Little-endian numbers; 0 beyond the end.
class Reader {
 public:
  explicit Reader(absl::Span<const uint8_t> bytes) : bytes_(bytes) {}
  uint32_t Byte(int64_t at) const {
    return at >= 0 && at < static_cast<int64_t>(bytes_.size()) ? bytes_[static_cast<size_t>(at)]
                                                               : 0;
  }
  int64_t size() const { return static_cast<int64_t>(bytes_.size()); }
  uint32_t U16(int64_t at) const { return Byte(at) | Byte(at + 1) << 8; }
  uint32_t U32(int64_t at) const { return U16(at) | U16(at + 2) << 16; }

 private:
  absl::Span<const uint8_t> bytes_;
};

// The bits of a color in a pixel, scaled to 8 bits.
uint8_t Channel(uint32_t pixel, uint32_t mask) {
  if (mask == 0) return 0;
  const uint32_t most = mask >> std::countr_zero(mask);
  const uint64_t value = (pixel & mask) >> std::countr_zero(mask);
  return static_cast<uint8_t>((value * 255 + most / 2) / most);
}

// Runs of palette indices of 4 or 8 bits from `at` on, as one byte a pixel, rows as in the file.
// Where the file says nothing the index is 0.
std::vector<uint8_t> ExpandRuns(const Reader& reader, int64_t at, int64_t bits, int64_t width,
                                int64_t height) {
  std::vector<uint8_t> indices(static_cast<size_t>(width * height));
  int64_t row = 0;
  int64_t column = 0;
  const auto put = [&](uint32_t index) {
    if (column < width)
      indices[static_cast<size_t>(row * width + column)] = static_cast<uint8_t>(index);
    ++column;
  };
  const auto half = [](uint32_t byte, int64_t i) { return i % 2 == 0 ? byte >> 4 : byte & 15; };
  while (row < height && at < reader.size()) {
    const int64_t count = reader.Byte(at);
    const uint32_t second = reader.Byte(at + 1);
    at += 2;
    if (count > 0) {
      for (int64_t i = 0; i < count; ++i) put(bits == 8 ? second : half(second, i));
    } else if (second == 0) {  // end of the row
      column = 0;
      ++row;
    } else if (second == 1) {  // end of the image
      break;
    } else if (second == 2) {  // a step to the right and up
      column += reader.Byte(at);
      row += reader.Byte(at + 1);
      at += 2;
    } else {  // as many pixels as they are, padded to 16 bits
      for (int64_t i = 0; i < second; ++i) {
        put(bits == 8 ? reader.Byte(at + i) : half(reader.Byte(at + i / 2), i));
      }
      at += (int64_t{second} * bits + 15) / 16 * 2;
    }
  }
  return indices;
}

constexpr int64_t kFileHeader = 14;  // bytes

using Masks = std::array<uint32_t, 3>;

// Where red, green and blue are in a pixel of 16 or 32 bits.
absl::StatusOr<Masks> ReadMasks(const Reader& reader, int64_t bits, bool has_masks) {
  if (!has_masks) {
    return bits == 16 ? Masks{0x7c00, 0x03e0, 0x001f} : Masks{0x00ff0000, 0x0000ff00, 0x000000ff};
  }
  Masks masks;
  for (size_t i = 0; i < masks.size(); ++i) {
    masks[i] = reader.U32(kFileHeader + 40 + 4 * static_cast<int64_t>(i));
    const uint32_t shifted = masks[i] == 0 ? 0 : masks[i] >> std::countr_zero(masks[i]);
    if ((shifted & (shifted + 1)) != 0) {
      return absl::InvalidArgumentError("a mask that is not contiguous");
    }
  }
  return masks;
}

}  // namespace

// 1, 4 and 8 bits with a palette, 16, 24 and 32 bits; 4 and 8 bits also as runs.
absl::StatusOr<Image> DecodeBmp(absl::Span<const uint8_t> bytes, SizeCheck check) {
  const Reader reader(bytes);
  const int64_t pixels = reader.U32(10);
  const int64_t header = reader.U32(14);
  const bool is_core = header == 12;  // of OS/2, with narrower numbers
  if (!is_core && header < 40) {
    return absl::InvalidArgumentError(absl::StrCat("a header of ", header, " bytes"));
  }
  const auto signed_number = [&](int64_t at) {
    return int64_t{static_cast<int32_t>(reader.U32(at))};
  };
  const int64_t width = is_core ? int64_t{reader.U16(18)} : signed_number(18);
  int64_t height = is_core ? int64_t{reader.U16(20)} : signed_number(22);
  const bool is_top_down = height < 0;
  height = std::abs(height);
  const int64_t bits = is_core ? reader.U16(24) : reader.U16(28);
  const uint32_t compression = is_core ? 0 : reader.U32(30);
  constexpr uint32_t kBitFields = 3;
  constexpr uint32_t kAlphaBitFields = 6;
  const bool has_masks = compression == kBitFields || compression == kAlphaBitFields;
  constexpr uint32_t kRunsOf8 = 1;
  constexpr uint32_t kRunsOf4 = 2;
  const bool has_runs =
      (compression == kRunsOf8 && bits == 8) || (compression == kRunsOf4 && bits == 4);
  if (compression != 0 && !has_masks && !has_runs) {
    return absl::UnimplementedError(absl::StrCat("BMP with compression ", compression));
  }
  OC_ASSIGN_OR_RETURN(const Masks masks, ReadMasks(reader, bits, has_masks));
  const bool has_palette = bits == 1 || bits == 4 || bits == 8;
  if (!has_palette && bits != 16 && bits != 24 && bits != 32) {
    return absl::InvalidArgumentError(absl::StrCat(bits, " bits for a pixel"));
  }
  const int64_t pitch = has_runs ? width : (width * bits + 31) / 32 * 4;
  // Two bytes are a run of up to 255 pixels.
  const int64_t pixels_a_byte = has_runs ? 128 : 1;
  if (width < 1 || height < 1 || pitch > (reader.size() - pixels) * pixels_a_byte / height) {
    return absl::InvalidArgumentError("fewer bytes than pixels");
  }
  OC_ASSIGN_OR_RETURN(Image image, NewImage(height, width, check));
  const std::vector<uint8_t> indices =
      has_runs ? ExpandRuns(reader, pixels, bits, width, height) : std::vector<uint8_t>();
  const int64_t entry = is_core ? 3 : 4;
  for (int64_t row = 0; row < height; ++row) {
    const int64_t line = (has_runs ? 0 : pixels) + (is_top_down ? row : height - 1 - row) * pitch;
    for (int64_t column = 0; column < width; ++column) {
      uint8_t* rgb = image.Pixel(row, column);
      if (has_palette) {
        const int64_t bit = column * bits;
        const uint32_t index = has_runs ? indices[static_cast<size_t>(line + column)]
                                        : reader.Byte(line + bit / 8) >> (8 - bits - bit % 8) &
                                              ((uint32_t{1} << bits) - 1);
        const int64_t color = kFileHeader + header + index * entry;
        for (int64_t c = 0; c < 3 && color + entry <= pixels; ++c) {
          rgb[c] = static_cast<uint8_t>(reader.Byte(color + 2 - c));
        }
      } else if (bits == 24) {
        for (int64_t c = 0; c < 3; ++c) {
          rgb[c] = static_cast<uint8_t>(reader.Byte(line + column * 3 + 2 - c));
        }
      } else {
        const uint32_t pixel =
            bits == 16 ? reader.U16(line + column * 2) : reader.U32(line + column * 4);
        for (size_t c = 0; c < masks.size(); ++c) rgb[c] = Channel(pixel, masks[c]);
      }
    }
  }
  return image;
}

}  // namespace onnxcmp
