#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/load_store.h"

namespace onnxcmp {
namespace {

// FeatureVectorizer (ai.onnx.ml 1): the rows of all inputs side by side, as floats. inputdimensions
// says how many columns an input takes: more are cut off, missing ones are 0 (as in onnxruntime);
// without it each takes what it has. A vector is one row; dimensions after the second count as
// columns.
absl::StatusOr<Kernel> FeatureVectorizer(const KernelInit& node) {
  const std::vector<int64_t> widths = node.Ints("inputdimensions");
  if (!widths.empty() && std::ssize(widths) != node.num_inputs()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "there are ", widths.size(), " inputdimensions for ", node.num_inputs(), " inputs"));
  }
  if (std::any_of(widths.begin(), widths.end(), [](int64_t w) { return w < 0; })) {
    return absl::InvalidArgumentError("one of inputdimensions is negative");
  }
  return [widths](KernelContext& ctx) -> absl::Status {
    const auto rows_of = [](const Tensor& x) { return x.rank() <= 1 ? 1 : x.dim(0); };
    const int64_t rows = rows_of(ctx.Input(0));
    std::vector<Tensor> inputs;
    std::vector<int64_t> columns;
    int64_t width = 0;
    for (int i = 0; i < ctx.num_inputs(); ++i) {
      const Tensor& x = ctx.Input(i);
      if (rows_of(x) != rows) {
        return absl::InvalidArgumentError(
            absl::StrCat("input ", i, " has ", rows_of(x), " rows, input 0 has ", rows));
      }
      OC_ASSIGN_OR_RETURN(Tensor in, LoadTensor<float>(ctx, x));
      inputs.push_back(std::move(in));
      const absl::Span<const int64_t> dims = x.shape();
      columns.push_back(x.rank() <= 1 ? x.num_elements() : *NumElements(dims.subspan(1)));
      const int64_t wanted = widths.empty() ? columns.back() : widths[static_cast<size_t>(i)];
      if (__builtin_add_overflow(width, wanted, &width)) {
        return absl::InvalidArgumentError("inputdimensions are too many together");
      }
    }
    OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(DType::kFloat, {rows, width}));
    float* out = y.mutable_data<float>();
    std::fill(out, out + y.num_elements(), 0.0f);
    int64_t begin = 0;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const int64_t wanted = widths.empty() ? columns[i] : widths[i];
      const float* from = inputs[i].data<float>();
      for (int64_t r = 0; r < rows; ++r) {
        std::copy_n(from + r * columns[i], std::min(wanted, columns[i]), out + r * width + begin);
      }
      begin += wanted;
    }
    return ctx.SetOutput(0, std::move(y));
  };
}

}  // namespace

void RegisterMlFeatureVectorizer(OpRegistry& registry) {
  registry.Add(kMlDomain, "FeatureVectorizer", {1}, FeatureVectorizer);
}

}  // namespace onnxcmp
