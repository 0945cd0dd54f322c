#include "record/streams/common_form.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/strided_copy.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {
namespace {

bool HasOtherSign(DType dtype) { return WithOtherSign(dtype) != DType::kUndefined; }

// Shifts by half the range of 8 or 16 bits: flips the highest bit, which is in an element's last
// byte.
absl::StatusOr<Value> InOtherSign(const Value& value) {
  if (!value.is_tensor() || !HasOtherSign(value.tensor().dtype())) {
    return absl::InvalidArgumentError(
        absl::StrCat(value.TypeString(), " holds no integers of 8 or 16 bits"));
  }
  OC_ASSIGN_OR_RETURN(const Tensor from, value.tensor().Contiguous());
  OC_ASSIGN_OR_RETURN(Tensor to, Tensor::Allocate(WithOtherSign(from.dtype()), from.shape()));
  const size_t width = static_cast<size_t>(BitWidth(from.dtype())) / 8;
  const size_t count = static_cast<size_t>(from.num_elements()) * width;
  if (count == 0) return Value(std::move(to));
  std::memcpy(to.mutable_raw_data(), from.raw_data(), count);
  constexpr std::byte kHighest{0x80};
  std::byte* const bytes = to.mutable_raw_data();
  for (size_t i = width - 1; i < count; i += width) bytes[i] ^= kHighest;
  return Value(std::move(to));
}

Shape ChannelsFirst(const Shape& shape) {
  Shape made = shape;
  std::rotate(made.begin() + 1, made.end() - 1, made.end());
  return made;
}
Shape ChannelsLast(const Shape& shape) {
  Shape made = shape;
  std::rotate(made.begin() + 1, made.begin() + 2, made.end());
  return made;
}

// Exchanges the channels and the axes between: a transposition of a batch of matrices.
absl::StatusOr<Value> InOtherLayout(const Value& value, bool to_first) {
  if (!value.is_tensor() || value.tensor().shape().size() < 3 ||
      BitWidth(value.tensor().dtype()) % 8 != 0 || value.tensor().dtype() == DType::kString) {
    return absl::InvalidArgumentError(absl::StrCat(value.TypeString(), " has no channels"));
  }
  OC_ASSIGN_OR_RETURN(const Tensor from, value.tensor().Contiguous());
  const Shape& shape = from.shape();
  OC_ASSIGN_OR_RETURN(Tensor to, Tensor::Allocate(from.dtype(), to_first ? ChannelsFirst(shape)
                                                                         : ChannelsLast(shape)));
  const int64_t count = from.num_elements();
  if (count == 0) return Value(std::move(to));
  const int64_t matrix = count / shape[0];
  const int64_t columns = to_first ? shape.back() : matrix / shape[1];
  const int64_t rows = matrix / columns;
  const auto width = static_cast<int64_t>(BitWidth(from.dtype()) / 8);
  const std::byte* const in = from.raw_data();
  std::byte* const out = to.mutable_raw_data();
  for (int64_t at = 0; at < count; at += matrix) {
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t k = 0; k < columns; ++k) {
        std::memcpy(out + (at + k * rows + i) * width, in + (at + i * columns + k) * width,
                    static_cast<size_t>(width));
      }
    }
  }
  return Value(std::move(to));
}

bool HasWholeBytes(DType dtype) { return dtype == DType::kString || BitWidth(dtype) % 8 == 0; }

// The view of the part, which lies within the whole.
Tensor PartIn(const Tensor& whole, const CountedPart& part) {
  int64_t offset = whole.offset();
  for (size_t i = 0; i < part.begin.size(); ++i) offset += part.begin[i] * whole.strides()[i];
  return whole.Strided(part.shape, whole.strides(), offset);
}

absl::StatusOr<Value> PartOf(const Value& value, const CountedPart& part) {
  const size_t rank = part.begin.size();
  bool fits = value.is_tensor() && value.tensor().shape().size() == rank &&
              part.shape.size() == rank && HasWholeBytes(value.tensor().dtype());
  for (size_t i = 0; fits && i < rank; ++i) {
    fits = part.begin[i] + part.shape[i] <= value.tensor().shape()[i];
  }
  if (!fits) {
    return absl::InvalidArgumentError(absl::StrCat(value.TypeString(), " has no such part"));
  }
  OC_ASSIGN_OR_RETURN(Tensor made, PartIn(value.tensor(), part).Contiguous());
  return Value(std::move(made));
}

// The whole with this part, and the rest as it was.
absl::StatusOr<Value> WholeAround(const Value& value, const CountedPart& part) {
  if (!part.whole.has_value() || !value.is_tensor() || value.tensor().shape() != part.shape ||
      value.tensor().dtype() != part.whole->dtype() || part.whole->dtype() == DType::kString) {
    return absl::InvalidArgumentError(absl::StrCat(value.TypeString(), " is no part of a whole"));
  }
  OC_ASSIGN_OR_RETURN(const Tensor from, value.tensor().Contiguous());
  OC_ASSIGN_OR_RETURN(const Tensor rest, part.whole->Contiguous());
  OC_ASSIGN_OR_RETURN(Tensor made, Tensor::Allocate(rest.dtype(), rest.shape()));
  std::byte* const out = made.mutable_raw_data();
  std::copy_n(rest.raw_data(), rest.byte_size(), out);
  const int width = BitWidth(rest.dtype()) / 8;
  const int64_t offset = PartIn(made, part).offset();
  CopyRegion(width, part.shape, from.raw_data(), from.strides(), out + offset * width,
             made.strides());
  return Value(std::move(made));
}

}  // namespace

DType WithOtherSign(DType dtype) {
  switch (dtype) {
    case DType::kInt8:
      return DType::kUint8;
    case DType::kUint8:
      return DType::kInt8;
    case DType::kInt16:
      return DType::kUint16;
    case DType::kUint16:
      return DType::kInt16;
    default:
      return DType::kUndefined;
  }
}

absl::StatusOr<Value> InForm(const Value& value, const CommonForm& form) {
  Value made = value;
  if (form.other_sign) {
    OC_ASSIGN_OR_RETURN(made, InOtherSign(made));
  }
  if (form.channels_first) {
    OC_ASSIGN_OR_RETURN(made, InOtherLayout(made, /*to_first=*/true));
  }
  if (form.part != nullptr) {
    OC_ASSIGN_OR_RETURN(made, PartOf(made, *form.part));
  }
  return made;
}

absl::StatusOr<Value> FromForm(const Value& value, const CommonForm& form) {
  Value made = value;
  if (form.part != nullptr) {
    OC_ASSIGN_OR_RETURN(made, WholeAround(made, *form.part));
  }
  if (form.other_sign) {
    OC_ASSIGN_OR_RETURN(made, InOtherSign(made));
  }
  if (form.channels_first) {
    OC_ASSIGN_OR_RETURN(made, InOtherLayout(made, /*to_first=*/false));
  }
  return made;
}

bool HasForms(const ResultStream& stream) {
  return std::any_of(stream.results.begin(), stream.results.end(),
                     [](const StreamResult& result) { return result.form.any(); });
}

bool IsBlocked(const StreamResult& result, const ResultStream& stream) {
  return DomainOf(result, stream) == kNchwcDomain && OpTypeOf(result, stream) != "ReorderOutput";
}

ResultStream InCommonForm(const ResultStream& stream) {
  ResultStream made = stream;
  made.in_form = true;
  for (StreamResult& result : made.results) {
    if (result.form.other_sign) result.dtype = WithOtherSign(result.dtype);
    if (result.form.channels_first) result.shape = ChannelsFirst(*result.shape);
    if (result.form.part != nullptr) result.shape = result.form.part->shape;
  }
  return made;
}

}  // namespace onnxcmp
