#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/load_store.h"
#include "ops/common/functions/vector_math.h"
#include "ops/generator/random.h"

namespace onnxcmp {
namespace {

// Bernoulli (ai.onnx 15, 22): 1 with the probability that the input says, else 0, of the type
// `dtype`, or of the input's.
absl::StatusOr<Kernel> Bernoulli(const KernelInit& node) {
  const RandomSeed seed = RandomSeed::FromNode(node);
  const int64_t number = node.Int("dtype", 0);
  const bool has_dtype = node.Has("dtype");
  const DType wanted =
      number > 0 && number < kNumDTypes ? static_cast<DType>(number) : DType::kUndefined;
  if (has_dtype && (ComputeClassOf(wanted) == ComputeClass::kNone || IsComplex(wanted) ||
                    wanted == DType::kString)) {
    return absl::InvalidArgumentError(absl::StrCat("dtype ", number, " is not a type of numbers"));
  }
  return [=](KernelContext& ctx) -> absl::Status {
    const DType dtype = has_dtype ? wanted : ctx.Input(0).dtype();
    OC_ASSIGN_OR_RETURN(const Tensor p, LoadTensor<double>(ctx, ctx.Input(0)));
    OC_ASSIGN_OR_RETURN(Tensor out, ctx.Allocate(dtype, p.shape()));
    RandomNumbers numbers = seed.Numbers(ctx);
    double strip[vec::kMaxStrip];
    for (int64_t begin = 0; begin < p.num_elements(); begin += vec::kMaxStrip) {
      const int64_t part = std::min(vec::kMaxStrip, p.num_elements() - begin);
      FillUniform(numbers, part, strip);
      std::transform(strip, strip + part, p.data<double>() + begin, strip,
                     [](double drawn, double probability) { return drawn < probability ? 1 : 0; });
      StoreElements(dtype, strip, part, out.mutable_raw_data(), begin);
    }
    return ctx.SetOutput(0, std::move(out));
  };
}

}  // namespace

void RegisterBernoulli(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Bernoulli", {15, 22}, Bernoulli);
}

}  // namespace onnxcmp
