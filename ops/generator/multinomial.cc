#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/functions/vector_math.h"
#include "ops/common/reduction/lanes.h"
#include "ops/generator/random.h"

namespace onnxcmp {
namespace {

// Multinomial (ai.onnx 7, 22): `sample_size` draws for each row of unnormalized log-probabilities;
// class c comes with the probability exp(x[c]) / sum(exp(x)).
absl::StatusOr<Kernel> Multinomial(const KernelInit& node) {
  const RandomSeed seed = RandomSeed::FromNode(node);
  const int64_t samples = node.Int("sample_size");
  const int64_t dtype_number = node.Int("dtype");
  if (dtype_number != static_cast<int64_t>(DType::kInt32) &&
      dtype_number != static_cast<int64_t>(DType::kInt64)) {
    return absl::InvalidArgumentError(
        absl::StrCat("dtype must be int32 or int64, not the type ", dtype_number));
  }
  return [=, dtype = static_cast<DType>(dtype_number)](KernelContext& ctx) -> absl::Status {
    if (ctx.Input(0).rank() != 2) {
      return absl::InvalidArgumentError(
          absl::StrCat("the input must have batches and classes, but "
                       "is ",
                       ctx.Input(0).TypeString()));
    }
    OC_ASSIGN_OR_RETURN(const Tensor x, LoadTensor<double>(ctx, ctx.Input(0)));
    const int64_t classes = x.dim(1);
    OC_ASSIGN_OR_RETURN(Tensor out, ctx.Allocate(dtype, {x.dim(0), samples}));
    if (out.num_elements() > 0 && classes == 0) {
      return absl::InvalidArgumentError("there are no classes to draw from");
    }
    RandomNumbers numbers = seed.Numbers(ctx);
    std::vector<double> sums(static_cast<size_t>(classes));
    std::vector<int64_t> drawn(out.num_elements() > 0 ? static_cast<size_t>(samples) : 0);
    for (int64_t row = 0; row < x.dim(0) && !drawn.empty(); ++row) {
      const double* from = x.data<double>() + row * classes;
      const double greatest = LaneMax(from, classes);
      std::transform(from, from + classes, sums.begin(), [=](double v) { return v - greatest; });
      vec::Exp(sums.data(), classes, sums.data());
      for (size_t c = 1; c < sums.size(); ++c) {
        sums[c] += sums[c - 1];
      }
      if (!(sums.back() > 0)) {
        return absl::InvalidArgumentError(
            absl::StrCat("row ", row, " has no probabilities to draw from"));
      }
      for (int64_t& sample : drawn) {
        // The first class whose sum is greater: never one of probability 0.
        const auto at =
            std::upper_bound(sums.begin(), sums.end() - 1, numbers.Uniform() * sums.back());
        sample = at - sums.begin();
      }
      StoreElements(dtype, drawn.data(), samples, out.mutable_raw_data(), row * samples);
    }
    return ctx.SetOutput(0, std::move(out));
  };
}

}  // namespace

void RegisterMultinomial(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Multinomial", {7, 22}, Multinomial);
}

}  // namespace onnxcmp
