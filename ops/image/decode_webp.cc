#include <webp/decode.h>

#include "evaluator/base/status_macros.h"
#include "ops/image/codecs.h"

namespace onnxcmp {

absl::StatusOr<Image> DecodeWebp(absl::Span<const uint8_t> bytes, SizeCheck check) {
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(bytes.data(), bytes.size(), &features) != VP8_STATUS_OK) {
    return absl::InvalidArgumentError("no header of a WebP");
  }
  if (features.has_animation != 0) return absl::UnimplementedError("an animated WebP");
  OC_ASSIGN_OR_RETURN(Image image, NewImage(features.height, features.width, check));
  if (WebPDecodeRGBInto(bytes.data(), bytes.size(), image.rgb.data(), image.rgb.size(),
                        static_cast<int>(image.width * 3)) == nullptr) {
    return absl::InvalidArgumentError("a damaged WebP");
  }
  return image;
}

}  // namespace onnxcmp
