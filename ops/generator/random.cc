#include "ops/generator/random.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/tensor/convert.h"
#include "ops/common/functions/vector_math.h"

namespace onnxcmp {
namespace {

// The optional attribute `dtype`, a floating-point type; kUndefined if there is none.
absl::StatusOr<DType> FloatTypeAttribute(const KernelInit& node) {
  const int64_t number = node.Int("dtype", 0);
  if (number == 0 && !node.Has("dtype")) {
    return DType::kUndefined;
  }
  const DType dtype =
      number > 0 && number < kNumDTypes ? static_cast<DType>(number) : DType::kUndefined;
  if (dtype != DType::kFloat && dtype != DType::kDouble && dtype != DType::kFloat16 &&
      dtype != DType::kBfloat16) {
    return absl::InvalidArgumentError(
        absl::StrCat("dtype ", number, " is not a type of floating-point numbers"));
  }
  return dtype;
}

}  // namespace

RandomSeed RandomSeed::FromNode(const KernelInit& node) {
  RandomSeed seed;
  if (node.Has("seed")) {
    seed.seed = node.Float("seed");
  }
  return seed;
}

RandomNumbers RandomSeed::Numbers(const KernelContext& ctx) const {
  return RandomNumbers(seed.has_value() ? std::bit_cast<uint32_t>(*seed) : ctx.random_seed());
}

void FillUniform(RandomNumbers& numbers, int64_t count, double* out) {
  std::generate_n(out, count, [&] { return numbers.Uniform(); });
}

// Box and Muller: sqrt(-2 log(u)) * cos(2 pi v), u in (0, 1].
void FillNormal(RandomNumbers& numbers, int64_t count, double* out) {
  constexpr double kTwoPi = 6.283185307179586;
  double radius[vec::kMaxStrip];
  for (int64_t begin = 0; begin < count; begin += vec::kMaxStrip) {
    const int64_t part = std::min(vec::kMaxStrip, count - begin);
    double* angle = out + begin;
    for (int64_t i = 0; i < part; ++i) {
      radius[i] = 1 - numbers.Uniform();
      angle[i] = kTwoPi * numbers.Uniform();
    }
    vec::Log(radius, part, radius);
    for (int64_t i = 0; i < part; ++i) {
      radius[i] *= -2;
    }
    vec::Sqrt(radius, part, radius);
    vec::Cos(angle, part, angle);
    for (int64_t i = 0; i < part; ++i) {
      angle[i] *= radius[i];
    }
  }
}

absl::StatusOr<Kernel> RandomKernel(const KernelInit& node, bool like, double shift, double scale,
                                    void (*fill)(RandomNumbers&, int64_t, double*)) {
  const RandomSeed seed = RandomSeed::FromNode(node);
  DType dtype_attribute = DType::kFloat;
  if (node.Has("dtype") || like) {
    OC_ASSIGN_OR_RETURN(dtype_attribute, FloatTypeAttribute(node));
  }
  const std::vector<int64_t> shape_attribute = like ? std::vector<int64_t>() : node.Ints("shape");
  return [=](KernelContext& ctx) -> absl::Status {
    DType dtype = dtype_attribute;
    if (dtype == DType::kUndefined) {
      dtype = ctx.Input(0).dtype();
      if (!IsFloatingPoint(dtype)) {
        return absl::InvalidArgumentError(
            absl::StrCat("random numbers of type ", DTypeName(dtype), " need the attribute dtype"));
      }
    }
    const Shape shape =
        like ? ctx.Input(0).shape() : Shape(shape_attribute.begin(), shape_attribute.end());
    OC_ASSIGN_OR_RETURN(Tensor out, ctx.Allocate(dtype, shape));
    RandomNumbers numbers = seed.Numbers(ctx);
    double strip[vec::kMaxStrip];
    const int64_t count = out.num_elements();
    for (int64_t begin = 0; begin < count; begin += vec::kMaxStrip) {
      const int64_t part = std::min(vec::kMaxStrip, count - begin);
      fill(numbers, part, strip);
      for (int64_t i = 0; i < part; ++i) {
        strip[i] = shift + scale * strip[i];
      }
      StoreElements(dtype, strip, part, out.mutable_raw_data(), begin);
    }
    return ctx.SetOutput(0, std::move(out));
  };
}

}  // namespace onnxcmp
