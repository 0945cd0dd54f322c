#include "ops/image/codecs.h"

#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"

namespace onnxcmp {

absl::StatusOr<Image> NewImage(int64_t height, int64_t width, SizeCheck check) {
  if (height < 1 || width < 1) {
    return absl::InvalidArgumentError(absl::StrCat("an image of ", width, "x", height));
  }
  OC_RETURN_IF_ERROR(check(height, width));
  Image image;
  image.height = height;
  image.width = width;
  image.rgb.resize(static_cast<size_t>(height * width * 3));
  return image;
}

}  // namespace onnxcmp
