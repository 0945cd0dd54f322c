#include "feed/input_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/convert.h"
#include "feed/type_text.h"
#include "record/differences/tensor_distance.h"

namespace onnxcmp {
namespace {

bool CastJoins(DType left, DType right) {
  return (IsInteger(left) && IsInteger(right)) || (IsFloatingPoint(left) && IsFloatingPoint(right));
}

Fit FitOfShapes(const std::vector<TypeInfo::Dim>& left, const std::vector<TypeInfo::Dim>& right) {
  if (left.size() != right.size()) return Fit::kNone;
  for (size_t axis = 0; axis < left.size(); ++axis) {
    // 0 means an unknown size in old files.
    const int64_t a = left[axis].value.value_or(0);
    const int64_t b = right[axis].value.value_or(0);
    if (a != 0 && b != 0 && a != b) return Fit::kSizes;
  }
  return Fit::kExact;
}

// Finite values that would become infinite become the greatest of the type.
double Clamped(DType dtype, double value) {
  if (!std::isfinite(value)) return value;
  const double rounded = RoundTo(dtype, value, Overflow::kSaturate);
  if (std::isfinite(rounded)) return rounded;
  return std::copysign(GreatestFinite(dtype), value);
}

bool InRange(DType dtype, int64_t value) {
  return value >= 0 ? static_cast<uint64_t>(value) <= IntegerMax(dtype)
                    : value >= IntegerMin(dtype);
}

bool InRange(DType dtype, uint64_t value) { return value <= IntegerMax(dtype); }

// Casts in strips. `adapt` converts an element to one that the type holds, or returns nothing.
template <typename C, typename Adapt>
absl::Status CastElements(const Tensor& from, Tensor& to, Adapt adapt) {
  std::array<C, 256> strip;
  const auto length = static_cast<int64_t>(strip.size());
  for (int64_t first = 0; first < from.num_elements(); first += length) {
    const int64_t size = std::min(length, from.num_elements() - first);
    LoadElements(from.dtype(), from.raw_data(), first, size, strip.data());
    for (int64_t i = 0; i < size; ++i) {
      C& element = strip[static_cast<size_t>(i)];
      const std::optional<C> adapted = adapt(element);
      if (!adapted.has_value()) {
        return absl::InvalidArgumentError(
            absl::StrCat(element, " is out of the range of ", DTypeName(to.dtype())));
      }
      element = *adapted;
    }
    StoreElements<C>(to.dtype(), strip.data(), size, to.mutable_raw_data(), first);
  }
  return absl::OkStatus();
}

template <typename C>
absl::Status CastIntegers(const Tensor& from, Tensor& to) {
  return CastElements<C>(from, to, [&](C element) {
    return InRange(to.dtype(), element) ? std::optional<C>(element) : std::nullopt;
  });
}

absl::StatusOr<Tensor> CastTensor(const Tensor& tensor, DType dtype) {
  OC_ASSIGN_OR_RETURN(const Tensor from, tensor.Contiguous());
  OC_ASSIGN_OR_RETURN(Tensor to, Tensor::Allocate(dtype, from.shape()));
  if (IsFloatingPoint(dtype)) {
    OC_RETURN_IF_ERROR(CastElements<double>(
        from, to, [&](double element) { return std::optional<double>(Clamped(dtype, element)); }));
  } else if (IsUnsignedInteger(from.dtype())) {
    OC_RETURN_IF_ERROR(CastIntegers<uint64_t>(from, to));
  } else {
    OC_RETURN_IF_ERROR(CastIntegers<int64_t>(from, to));
  }
  return to;
}

}  // namespace

Fit FitOf(const TypeInfo& left, const TypeInfo& right) {
  using Kind = TypeInfo::Kind;
  if (left.kind == Kind::kUnknown || right.kind == Kind::kUnknown) return Fit::kExact;
  if (left.kind != right.kind) return Fit::kNone;
  if (left.kind == Kind::kSequence || left.kind == Kind::kOptional) {
    if (left.element == nullptr || right.element == nullptr) return Fit::kExact;
    return FitOf(*left.element, *right.element) == Fit::kExact ? Fit::kExact : Fit::kNone;
  }
  const bool same = left.dtype == right.dtype || left.dtype == DType::kUndefined ||
                    right.dtype == DType::kUndefined;
  if (left.kind != Kind::kTensor) return same ? Fit::kExact : Fit::kNone;
  if (!same && !CastJoins(left.dtype, right.dtype)) return Fit::kNone;
  const Fit shapes = left.shape.has_value() && right.shape.has_value()
                         ? FitOfShapes(*left.shape, *right.shape)
                         : Fit::kExact;
  return shapes != Fit::kExact ? shapes : same ? Fit::kExact : Fit::kCast;
}

TypeInfo TypeOfTensor(const Tensor& tensor) {
  TypeInfo type;
  type.kind = TypeInfo::Kind::kTensor;
  type.dtype = tensor.dtype();
  type.shape.emplace();
  for (const int64_t size : tensor.shape()) type.shape->push_back({size, ""});
  return type;
}

absl::StatusOr<FittedValue> FitValue(const Value& value, const TypeInfo& type) {
  FittedValue fitted = {value, ""};
  if (value.is_tensor() && type.kind == TypeInfo::Kind::kTensor &&
      type.dtype != DType::kUndefined && type.dtype != value.tensor().dtype() &&
      CastJoins(value.tensor().dtype(), type.dtype)) {
    OC_ASSIGN_OR_RETURN(fitted.value, CastTensor(value.tensor(), type.dtype));
    fitted.note =
        absl::StrCat(DTypeName(value.tensor().dtype()), " cast to ", DTypeName(type.dtype));
  }
  if (const std::string conflict = TypeConflict(fitted.value, type); !conflict.empty()) {
    const bool sizes = conflict.rfind("dimension", 0) == 0;
    return absl::InvalidArgumentError(
        absl::StrCat(value.TypeString(), " does not fit ", TypeText(type),
                     sizes ? absl::StrCat(": the sizes differ (", conflict, ")")
                           : absl::StrCat(": another ", conflict)));
  }
  return fitted;
}

bool SameBits(const Tensor& left, const Tensor& right) {
  return left.dtype() == right.dtype() && left.shape() == right.shape() &&
         left.dtype() != DType::kString && left.is_contiguous() && right.is_contiguous() &&
         (left.raw_data() == right.raw_data() || left.byte_size() == 0 ||
          std::memcmp(left.raw_data(), right.raw_data(), static_cast<size_t>(left.byte_size())) ==
              0);
}

bool HoldTheSame(const Tensor& left, const Tensor& right) {
  const absl::StatusOr<FittedValue> as_right = FitValue(left, TypeOfTensor(right));
  const absl::StatusOr<FittedValue> as_left = FitValue(right, TypeOfTensor(left));
  return (as_right.ok() && SameBits(as_right->value.tensor(), right)) ||
         (as_left.ok() && SameBits(as_left->value.tensor(), left));
}

}  // namespace onnxcmp
