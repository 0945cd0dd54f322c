#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/movement/movement.h"

namespace onnxcmp {
namespace {

// Trilu (ai.onnx 14, com.microsoft 1): of every matrix (the last two axes) the elements on and
// above diagonal k, or with upper = 0 those on and below it; the others are 0 (false, "").
Kernel Trilu(const KernelInit& node) {
  const bool upper = node.Flag("upper");
  return [upper](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Tensor x, ctx.ContiguousInput(0));
    if (x.rank() < 2) {
      return absl::InvalidArgumentError(
          absl::StrCat("the input has rank ", x.rank(), ", which is less than 2"));
    }
    int64_t k = 0;
    if (ctx.HasInput(1)) {
      OC_ASSIGN_OR_RETURN(k, ctx.ScalarInput<int64_t>(1));
    }
    OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(x.dtype(), x.shape()));
    if (x.num_elements() == 0) return ctx.SetOutput(0, std::move(result));
    FillWithZeros(&result);
    const int64_t rows = x.dim(x.rank() - 2);
    const int64_t columns = x.dim(x.rank() - 1);
    k = std::clamp(k, -rows, columns);  // beyond these nothing changes
    const std::string* strings = nullptr;
    std::string* result_strings = nullptr;
    const std::byte* bytes = nullptr;
    std::byte* result_bytes = nullptr;
    if (x.dtype() == DType::kString) {
      strings = x.string_data();
      result_strings = result.mutable_string_data();
    } else {
      bytes = x.raw_data();
      result_bytes = result.mutable_raw_data();
    }
    const int64_t size = BitWidth(x.dtype()) / 8;
    const auto copy = [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        const int64_t diagonal = r % rows + k;
        const int64_t from = upper ? std::clamp<int64_t>(diagonal, 0, columns) : 0;
        const int64_t to = upper ? columns : std::clamp<int64_t>(diagonal + 1, 0, columns);
        const int64_t first = r * columns + from;
        if (strings != nullptr) {
          std::copy_n(strings + first, to - from, result_strings + first);
        } else {
          std::memcpy(result_bytes + first * size, bytes + first * size,
                      static_cast<size_t>((to - from) * size));
        }
      }
    };
    ctx.pool().ParallelRanges(x.num_elements() / columns, 1 + 16384 / columns, copy);
    return ctx.SetOutput(0, std::move(result));
  };
}

}  // namespace

void RegisterTrilu(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Trilu", {14}, Trilu);
  registry.Add(kMicrosoftDomain, "Trilu", {1}, Trilu);
}

}  // namespace onnxcmp
