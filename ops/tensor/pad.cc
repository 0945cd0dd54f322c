#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/tensor/convert.h"
#include "ops/common/movement/movement.h"
#include "ops/common/shapes/axes.h"
#include "ops/common/shapes/views.h"

namespace onnxcmp {
namespace {

enum class PadMode : uint8_t { kConstant, kReflect, kEdge, kWrap };

// Pads of every axis of the data.
struct Pads {
  Shape before;
  Shape after;
};

absl::StatusOr<PadMode> ReadMode(const KernelInit& node) {
  const std::string name = node.String("mode");
  if (name == "constant") return PadMode::kConstant;
  if (name == "reflect") return PadMode::kReflect;
  if (name == "edge") return PadMode::kEdge;
  if (name == "wrap" && node.version() >= 19) return PadMode::kWrap;
  return absl::InvalidArgumentError(
      absl::StrCat("version ", node.version(), " knows no mode \"", name, "\""));
}

// `given` holds what comes before each of the axes, then what comes after each.
absl::StatusOr<Pads> PadsOf(absl::Span<const int64_t> given, absl::Span<const int> axes, int rank) {
  if (given.size() != 2 * axes.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(given.size(), " pads are given for ", axes.size(), " axes"));
  }
  Pads pads = {Shape(static_cast<size_t>(rank), 0), Shape(static_cast<size_t>(rank), 0)};
  for (size_t i = 0; i < axes.size(); ++i) {
    pads.before[static_cast<size_t>(axes[i])] = given[i];
    pads.after[static_cast<size_t>(axes[i])] = given[axes.size() + i];
  }
  return pads;
}

// Negative pads cut from the data, as a view; what is left of `pads` is not negative. Also checks
// that the padded sizes are numbers.
absl::StatusOr<Tensor> Cut(Tensor data, Pads* pads) {
  for (int axis = 0; axis < data.rank(); ++axis) {
    int64_t& before = pads->before[static_cast<size_t>(axis)];
    int64_t& after = pads->after[static_cast<size_t>(axis)];
    const int64_t dim = data.dim(axis);
    const bool too_much = before < -dim || after < -dim ||
                          std::min<int64_t>(after, 0) < -dim - std::min<int64_t>(before, 0);
    int64_t padded = 0;
    if (too_much || __builtin_add_overflow(dim, before, &padded) ||
        __builtin_add_overflow(padded, after, &padded)) {
      return absl::InvalidArgumentError(
          absl::StrCat("cannot pad axis ", axis, " of size ", dim, " by ", before, " and ", after));
    }
    const int64_t first = -std::min<int64_t>(before, 0);
    const int64_t size = dim - first + std::min<int64_t>(after, 0);
    if (size != dim) data = Narrowed(data, axis, first, size);
    before = std::max<int64_t>(before, 0);
    after = std::max<int64_t>(after, 0);
  }
  return data;
}

// True if a contiguous tensor can be filled in with a memset.
bool HoldsZeroBytes(const Tensor& value) {
  return value.dtype() != DType::kString &&
         std::all_of(value.raw_data(), value.raw_data() + value.byte_size(),
                     [](std::byte b) { return b == std::byte{0}; });
}

absl::StatusOr<Tensor> PadWithConstant(const KernelContext& ctx, const Tensor& data,
                                       const Pads& pads, const Tensor& value) {
  Shape shape = data.shape();
  for (size_t i = 0; i < shape.size(); ++i) shape[i] += pads.before[i] + pads.after[i];
  OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(data.dtype(), shape));
  const Shape strides = result.strides();
  if (HoldsZeroBytes(value)) {
    FillWithZeros(&result);
  } else {
    CopyIntoBlock(value.Strided(shape, Shape(shape.size(), 0), value.offset()), strides, 0,
                  ctx.pool(), &result);
  }
  if (data.num_elements() > 0) {
    const int64_t offset =
        std::inner_product(strides.begin(), strides.end(), pads.before.begin(), int64_t{0});
    CopyIntoBlock(data, strides, offset, ctx.pool(), &result);
  }
  return result;
}

// The element of an axis of this size, at least 1, that stands `position` elements after its first
// one; `position` may be outside.
int64_t SourceIndex(PadMode mode, int64_t position, int64_t size) {
  if (mode == PadMode::kEdge || size == 1) return std::clamp<int64_t>(position, 0, size - 1);
  // The mirrored sequence 0 1 2 3 2 1 repeats, as numpy.pad has it.
  const int64_t period = mode == PadMode::kWrap ? size : 2 * (size - 1);
  int64_t index = position % period;
  if (index < 0) index += period;
  return index < size ? index : period - index;
}

// Every element that is added is one of the data's: axis after axis, so that corners come out too.
absl::StatusOr<Tensor> PadWithElements(const KernelContext& ctx, Tensor data, const Pads& pads,
                                       PadMode mode) {
  for (int axis = 0; axis < data.rank(); ++axis) {
    const auto i = static_cast<size_t>(axis);
    if (pads.before[i] == 0 && pads.after[i] == 0) continue;
    const int64_t dim = data.dim(axis);
    if (dim == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("axis ", axis, " has no element to pad it with"));
    }
    Shape shape = data.shape();
    shape[i] += pads.before[i] + pads.after[i];
    OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(data.dtype(), shape));
    if (result.num_elements() == 0) {  // another axis is empty
      data = std::move(result);
      continue;
    }
    OC_ASSIGN_OR_RETURN(data, ctx.Contiguous(data));
    const absl::Span<const int64_t> dims = data.shape();
    const int64_t block = *NumElements(dims.subspan(i + 1));
    std::vector<int64_t> offsets(static_cast<size_t>(shape[i]));
    for (size_t k = 0; k < offsets.size(); ++k) {
      offsets[k] = block * SourceIndex(mode, static_cast<int64_t>(k) - pads.before[i], dim);
    }
    GatherBlocks(data, *NumElements(dims.first(i)), dim * block, offsets, block, ctx.pool(),
                 &result);
    data = std::move(result);
  }
  return data;
}

// The value as a tensor of one element, of the data's type.
absl::StatusOr<Tensor> ValueToPadWith(const KernelContext& ctx, float attribute) {
  if (ctx.HasInput(2)) {
    if (ctx.Input(2).num_elements() != 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("constant_value must hold one element, not ", ctx.Input(2).TypeString()));
    }
    return ctx.ContiguousInput(2);
  }
  OC_ASSIGN_OR_RETURN(Tensor value, ctx.Allocate(ctx.Input(0).dtype(), {}));
  FillWithZeros(&value);
  if (attribute != 0) {
    StoreElements(value.dtype(), &attribute, 1, value.mutable_raw_data(), 0);
  }
  return value;
}

// Pad (ai.onnx 1, 2, 11, 13, 18, 19, 21, 23, 24, 25; com.microsoft 1): `pads` elements before and
// after each axis: a constant, the nearest element (edge), the mirrored ones (reflect, without the
// edge itself, there and back as often as needed) or those of the other end (wrap, from 19 on).
// Negative pads cut elements off first. Pads are an attribute before version 11, for the axes of
// input 3 from 18 on. com.microsoft 1 has the inputs and modes of version 11.
absl::StatusOr<Kernel> Pad(const KernelInit& node) {
  const int version = node.node().domain == kMicrosoftDomain ? 11 : node.version();
  std::vector<int64_t> attribute;
  float value_attribute = 0;
  if (version < 11) {
    attribute = node.Ints(version == 1 ? "paddings" : "pads");
    value_attribute = node.Float("value");
  }
  OC_ASSIGN_OR_RETURN(const PadMode mode, ReadMode(node));
  return [=](KernelContext& ctx) -> absl::Status {
    Tensor data = ctx.Input(0);
    Axes axes(static_cast<size_t>(data.rank()));
    std::iota(axes.begin(), axes.end(), 0);
    if (ctx.HasInput(3)) {
      OC_ASSIGN_OR_RETURN(const std::vector<int64_t> given, ctx.IntsInput(3));
      OC_ASSIGN_OR_RETURN(axes, NormalizeAxes(given, data.rank()));
    }
    std::vector<int64_t> given = attribute;
    if (version >= 11) {
      OC_ASSIGN_OR_RETURN(given, ctx.IntsInput(1));
    }
    OC_ASSIGN_OR_RETURN(Pads pads, PadsOf(given, axes, data.rank()));
    const DType dtype = data.dtype();
    if (IsSubByte(dtype)) {
      OC_ASSIGN_OR_RETURN(data, UnpackToBytes(ctx, data));
    }
    OC_ASSIGN_OR_RETURN(data, Cut(std::move(data), &pads));
    OC_ASSIGN_OR_RETURN(Tensor value, ValueToPadWith(ctx, value_attribute));
    if (mode == PadMode::kConstant) {
      if (IsSubByte(dtype)) {
        OC_ASSIGN_OR_RETURN(value, UnpackToBytes(ctx, value));
      }
      OC_ASSIGN_OR_RETURN(data, PadWithConstant(ctx, data, pads, value));
    } else {
      OC_ASSIGN_OR_RETURN(data, PadWithElements(ctx, std::move(data), pads, mode));
    }
    if (IsSubByte(dtype)) {
      OC_ASSIGN_OR_RETURN(data, ctx.Contiguous(data));
      OC_ASSIGN_OR_RETURN(data, PackFromBytes(ctx, data, dtype));
    }
    return ctx.SetOutput(0, std::move(data));
  };
}

}  // namespace

void RegisterPad(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "Pad", {1, 2, 11, 13, 18, 19, 21, 23, 24, 25}, Pad);
  registry.Add(kMicrosoftDomain, "Pad", {1}, Pad);
}

}  // namespace onnxcmp
