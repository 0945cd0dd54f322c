// Decoders of image files, for ImageDecoder.
#ifndef ONNXCMP_OPS_IMAGE_CODECS_H_
#define ONNXCMP_OPS_IMAGE_CODECS_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace onnxcmp {

// Red, green and blue of each pixel, rows from the top. Transparency is dropped.
struct Image {
  int64_t height = 0;
  int64_t width = 0;
  std::vector<uint8_t> rgb;

  uint8_t* Pixel(int64_t row, int64_t column) { return rgb.data() + (row * width + column) * 3; }
};

// An error if an image of this size may not be held. Decoders ask before they allocate.
using SizeCheck = absl::FunctionRef<absl::Status(int64_t height, int64_t width)>;

// An image of black pixels; an error if it is empty or too large.
absl::StatusOr<Image> NewImage(int64_t height, int64_t width, SizeCheck check);

// InvalidArgument for what is damaged, Unimplemented for what the format allows but we do not read.
absl::StatusOr<Image> DecodeBmp(absl::Span<const uint8_t> bytes, SizeCheck check);
absl::StatusOr<Image> DecodeJpeg(absl::Span<const uint8_t> bytes, SizeCheck check);
absl::StatusOr<Image> DecodeJpeg2000(absl::Span<const uint8_t> bytes, SizeCheck check);
absl::StatusOr<Image> DecodePng(absl::Span<const uint8_t> bytes, SizeCheck check);
absl::StatusOr<Image> DecodePnm(absl::Span<const uint8_t> bytes, SizeCheck check);
absl::StatusOr<Image> DecodeTiff(absl::Span<const uint8_t> bytes, SizeCheck check);
absl::StatusOr<Image> DecodeWebp(absl::Span<const uint8_t> bytes, SizeCheck check);

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_IMAGE_CODECS_H_
