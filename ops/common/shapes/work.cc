#include "ops/common/shapes/work.h"

#include <cstdint>

#include "absl/strings/str_format.h"

namespace onnxcmp {

absl::Status CheckWork(const KernelContext& ctx, double operations) {
  const double bytes = operations / kWorkPerByte;
  if (bytes < 1) return absl::OkStatus();
  // Beyond 2^62 no limit would allow it, and the number might not fit.
  const int64_t needed = bytes < 0x1p62 ? static_cast<int64_t>(bytes) : int64_t{1} << 62;
  if (ctx.CheckSize(DType::kUint8, {needed}).ok()) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrFormat(
      "this takes about %.2g operations, more than %g for each byte that a tensor may have",
      operations, kWorkPerByte));
}

}  // namespace onnxcmp
