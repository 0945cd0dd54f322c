#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "evaluator/kernels/op_registry.h"
#include "ops/common/elements/number_text.h"
#include "ops/common/elementwise/elementwise.h"

namespace onnxcmp {
namespace {

enum class RoundMode : uint8_t { kUp, kDown, kNearest };

struct CastOptions {
  DType to = DType::kUndefined;
  Overflow overflow = Overflow::kSaturate;  // of float8, float6 and float4; integers always wrap
  RoundMode round_mode = RoundMode::kUp;    // to float8e8m0
};

// The power of two on this side of x. Zero, negative values, infinity and NaN stay.
template <typename T>
T ToPowerOfTwo(T x, RoundMode mode) {
  if (!(x > 0) || std::isinf(x)) {
    return x;
  }
  int exponent = 0;
  const T fraction = std::frexp(x, &exponent);  // in [0.5, 1)
  const bool step_up = mode == RoundMode::kUp && fraction != T{0.5};
  return std::ldexp(T{0.5}, exponent + (step_up ? 1 : 0));
}

template <typename C>
absl::StatusOr<Tensor> CastIn(const KernelContext& ctx, const Tensor& x,
                              const CastOptions& options) {
  const std::array<const Tensor*, 1> inputs = {&x};
  const bool to_float8 = IsNarrowFloat(options.to) && BitWidth(options.to) <= 8;
  const Overflow overflow = to_float8 ? options.overflow : Overflow::kIeee;
  if constexpr (std::is_floating_point_v<C>) {
    if (options.to == DType::kFloat8E8M0 && options.round_mode != RoundMode::kNearest) {
      const RoundMode mode = options.round_mode;
      return ElementwiseIn<C>(
          ctx, inputs, options.to,
          [mode](auto strip) {
            return strip.unaryExpr([mode](C value) { return ToPowerOfTwo(value, mode); });
          },
          overflow);
    }
  }
  return ElementwiseIn<C>(
      ctx, inputs, options.to, [](auto strip) { return strip; }, overflow);
}

absl::StatusOr<Tensor> CastTensor(const KernelContext& ctx, const Tensor& x,
                                  const CastOptions& options) {
  if (x.dtype() == options.to) {
    return x;
  }
  if (x.dtype() == DType::kString) {
    OC_ASSIGN_OR_RETURN(Tensor strings, ctx.Contiguous(x));
    OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(options.to, x.shape()));
    const bool to_float8 = IsNarrowFloat(options.to) && BitWidth(options.to) <= 8;
    OC_RETURN_IF_ERROR(
        ParseElements(strings.string_data(), to_float8 ? options.overflow : Overflow::kIeee, &y));
    return y;
  }
  if (options.to == DType::kString) {
    OC_ASSIGN_OR_RETURN(Tensor numbers, ctx.Contiguous(x));
    OC_ASSIGN_OR_RETURN(Tensor y, ctx.Allocate(DType::kString, x.shape()));
    FormatElements(numbers, y.mutable_string_data());
    return y;
  }
  switch (ComputeClassOf(x.dtype())) {
    case ComputeClass::kFloat:
      return CastIn<float>(ctx, x, options);
    case ComputeClass::kDouble:
      return CastIn<double>(ctx, x, options);
    case ComputeClass::kInt64:
    case ComputeClass::kUint64:
    case ComputeClass::kBool:
      if (options.to == DType::kFloat8E8M0) {  // its round_mode needs a fraction
        return CastIn<double>(ctx, x, options);
      }
      if (BitWidth(x.dtype()) <= 16 && IsFloatingPoint(options.to)) {  // floats hold all of them
        return CastIn<float>(ctx, x, options);
      }
      return IsUnsignedInteger(x.dtype()) ? CastIn<uint64_t>(ctx, x, options)
                                          : CastIn<int64_t>(ctx, x, options);
    default:
      return NoComputeClass(x.dtype());
  }
}

std::optional<RoundMode> RoundModeFromName(absl::string_view name) {
  if (name == "up") {
    return RoundMode::kUp;
  }
  if (name == "down") {
    return RoundMode::kDown;
  }
  if (name == "nearest") {
    return RoundMode::kNearest;
  }
  return std::nullopt;
}

// The attributes that Cast and CastLike share; `to` is left open.
absl::StatusOr<CastOptions> ReadCastOptions(const KernelInit& node) {
  CastOptions options;
  if (node.version() >= 19) {
    options.overflow = node.Flag("saturate") ? Overflow::kSaturate : Overflow::kIeee;
  }
  if (node.version() >= 24) {
    const std::string name = node.String("round_mode");
    const std::optional<RoundMode> mode = RoundModeFromName(name);
    if (!mode.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("round_mode \"", name, "\" is none of up, down and nearest"));
    }
    options.round_mode = *mode;
  }
  return options;
}

// Cast (ai.onnx 1, 6, 9, 13, 19, 21, 23, 24, 25, 28): each element converted to the type `to`.
// Floats round once, to nearest even; integers wrap around; float to integer truncates. What the
// standard leaves open (docs/numerics.md): floats that no integer of the type holds, text of
// numbers, negative values to float8e8m0.
absl::StatusOr<Kernel> Cast(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(CastOptions options, ReadCastOptions(node));
  if (node.version() == 1) {  // a name: "FLOAT16"
    const std::string name = node.String("to");
    options.to = DTypeFromName(absl::AsciiStrToLower(name)).value_or(DType::kUndefined);
  } else {
    const int64_t number = node.Int("to");
    options.to = number > 0 && number < kNumDTypes ? static_cast<DType>(number) : DType::kUndefined;
  }
  if (options.to == DType::kUndefined || IsComplex(options.to)) {
    return absl::InvalidArgumentError("attribute to names no type that Cast produces");
  }
  return [options](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(Tensor y, CastTensor(ctx, ctx.Input(0), options));
    return ctx.SetOutput(0, std::move(y));
  };
}

// CastLike (ai.onnx 15, 19, 21, 23, 24, 25): Cast to the type of input 1.
absl::StatusOr<Kernel> CastLike(const KernelInit& node) {
  OC_ASSIGN_OR_RETURN(const CastOptions attributes, ReadCastOptions(node));
  return [attributes](KernelContext& ctx) -> absl::Status {
    CastOptions options = attributes;
    options.to = ctx.Input(1).dtype();
    OC_ASSIGN_OR_RETURN(Tensor y, CastTensor(ctx, ctx.Input(0), options));
    return ctx.SetOutput(0, std::move(y));
  };
}

}  // namespace

void RegisterCast(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Cast", {1, 6, 9, 13, 19, 21, 23, 24, 25, 28}, Cast);
  registry.Add(kOnnxDomain, "CastLike", {15, 19, 21, 23, 24, 25}, CastLike);
}

}  // namespace onnxcmp
