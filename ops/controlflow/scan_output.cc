#include "ops/controlflow/scan_output.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evaluator/tensor/packed_bits.h"
#include "ops/common/shapes/axes.h"

namespace onnxcmp {
namespace {}  // namespace

absl::StatusOr<Shape> ScanOutput::StackShape(int64_t count) const {
  Shape shape = {count};
  shape.insert(shape.end(), shape_.begin(), shape_.end());
  if (!NumElements(shape)) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the stacked output ", declared_->name, " would have too many elements"));
  }
  return shape;
}

absl::Status ScanOutput::Grow(int64_t count) {
  if (count <= capacity_ - count_) return absl::OkStatus();
  const int64_t needed = count_ + count;
  // Not beyond `most_`, so that a loop that runs to its end wastes nothing.
  const int64_t doubled = capacity_ > most_ / 2 ? most_ : 2 * capacity_;
  const int64_t capacity = std::max(doubled, needed);
  OC_ASSIGN_OR_RETURN(const Shape shape, StackShape(capacity));
  OC_ASSIGN_OR_RETURN(Tensor grown,
                      context_->Allocate(IsSubByte(dtype_) ? DType::kUint8 : dtype_, shape));
  if (count_ > 0 && dtype_ == DType::kString) {
    std::move(memory_.mutable_string_data(), memory_.mutable_string_data() + count_ * size_,
              grown.mutable_string_data());
  } else if (count_ > 0 && size_ > 0) {
    const int64_t bytes = count_ * size_ * (BitWidth(grown.dtype()) / 8);
    std::memcpy(grown.mutable_raw_data(), memory_.raw_data(), static_cast<size_t>(bytes));
  }
  memory_ = std::move(grown);
  capacity_ = capacity;
  return absl::OkStatus();
}

absl::Status ScanOutput::Append(const Value& value) {
  if (!value.is_tensor()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the subgraph's output ", declared_->name,
                     " is to be stacked but is no tensor: ", value.TypeString()));
  }
  const Tensor& tensor = value.tensor();
  if (!known_) {
    known_ = true;
    dtype_ = tensor.dtype();
    shape_ = tensor.shape();
    size_ = tensor.num_elements();
    OC_RETURN_IF_ERROR(AppendZeros(std::exchange(pending_zeros_, 0)));
  } else if (tensor.dtype() != dtype_ || tensor.shape() != shape_) {
    return absl::InvalidArgumentError(
        absl::StrCat("the subgraph's output ", declared_->name, " was ", DTypeName(dtype_), "[",
                     ShapeToString(shape_), "] and is ", DTypeName(tensor.dtype()), "[",
                     ShapeToString(tensor.shape()), "] in a later iteration"));
  }
  OC_ASSIGN_OR_RETURN(const Tensor element, context_->Contiguous(tensor));
  OC_RETURN_IF_ERROR(Grow(1));
  const int64_t first = count_ * size_;
  if (dtype_ == DType::kString) {
    std::copy_n(element.string_data(), size_, memory_.mutable_string_data() + first);
  } else if (IsSubByte(dtype_)) {
    const auto* packed = element.data<uint8_t>();
    auto* bytes = memory_.mutable_data<uint8_t>() + first;
    for (int64_t i = 0; i < size_; ++i) bytes[i] = PackedElement(packed, i, BitWidth(dtype_));
  } else if (size_ > 0) {
    const int64_t bytes = BitWidth(dtype_) / 8;
    std::memcpy(memory_.mutable_raw_data() + first * bytes, element.raw_data(),
                static_cast<size_t>(size_ * bytes));
  }
  ++count_;
  return absl::OkStatus();
}

absl::Status ScanOutput::AppendZeros(int64_t count) {
  if (!known_) {
    pending_zeros_ += count;
    return absl::OkStatus();
  }
  OC_RETURN_IF_ERROR(Grow(count));
  // Strings are empty already.
  if (dtype_ != DType::kString && size_ > 0 && count > 0) {
    const int64_t bytes = BitWidth(memory_.dtype()) / 8;
    std::memset(memory_.mutable_raw_data() + count_ * size_ * bytes, 0,
                static_cast<size_t>(count * size_ * bytes));
  }
  count_ += count;
  return absl::OkStatus();
}

absl::StatusOr<Tensor> ScanOutput::Finish(int64_t axis, bool backwards) {
  bool rank_known = true;
  if (!known_) {
    const TypeInfo& type = declared_->type;
    if (type.dtype == DType::kUndefined) {
      return absl::InvalidArgumentError(
          absl::StrCat("there was no iteration, and the subgraph does not declare the type of its "
                       "output ",
                       declared_->name));
    }
    dtype_ = type.dtype;
    rank_known = type.shape.has_value();
    size_ = 1;
    if (rank_known) {
      for (const TypeInfo::Dim& dim : *type.shape) {
        shape_.push_back(std::max<int64_t>(dim.value.value_or(0), 0));
        size_ = 0;  // nothing will be copied
      }
    }
    known_ = true;
    if (const int64_t zeros = std::exchange(pending_zeros_, 0); zeros > 0) {
      const std::optional<int64_t> size = NumElements(shape_);
      if (!size) return StackShape(1).status();
      size_ = *size;
      OC_RETURN_IF_ERROR(AppendZeros(zeros));
    }
  }
  OC_ASSIGN_OR_RETURN(const Shape stacked, StackShape(count_));
  // Where the rank is not known, neither is what the axis means.
  int place = 0;
  if (rank_known) {
    OC_ASSIGN_OR_RETURN(place, NormalizeAxis(axis, static_cast<int>(stacked.size())));
  }
  if (!memory_.defined()) {
    OC_ASSIGN_OR_RETURN(memory_,
                        context_->Allocate(IsSubByte(dtype_) ? DType::kUint8 : dtype_, stacked));
  }

  // Elements lie one after the other; the dimension that counts them moves to its place.
  Shape shape = stacked;
  Shape strides = RowMajorStrides(stacked);
  const int64_t first = backwards && count_ > 0 ? (count_ - 1) * strides[0] : 0;
  if (backwards) strides[0] = -strides[0];
  std::rotate(shape.begin(), shape.begin() + 1, shape.begin() + 1 + place);
  std::rotate(strides.begin(), strides.begin() + 1, strides.begin() + 1 + place);
  Tensor view = memory_.Strided(shape, strides, first);
  if (!IsSubByte(dtype_)) return view;

  OC_ASSIGN_OR_RETURN(const Tensor ordered, context_->Contiguous(view));
  OC_ASSIGN_OR_RETURN(Tensor packed, context_->Allocate(dtype_, shape));
  const int64_t count = packed.num_elements();
  const auto* bytes = ordered.data<uint8_t>();
  auto* to = packed.mutable_data<uint8_t>();
  // The bits of the last byte beyond the end are kept, and must not be garbage.
  if (count > 0) to[packed.byte_size() - 1] = 0;
  for (int64_t i = 0; i < count; ++i) SetPackedElement(to, i, BitWidth(dtype_), bytes[i]);
  return packed;
}

absl::StatusOr<Tensor> SubTensor(const KernelContext& context, const Tensor& tensor, int axis,
                                 int64_t index) {
  Shape shape = tensor.shape();
  shape.erase(shape.begin() + axis);
  if (!IsSubByte(tensor.dtype())) {
    Shape strides = tensor.strides();
    const int64_t offset = tensor.offset() + index * strides[static_cast<size_t>(axis)];
    strides.erase(strides.begin() + axis);
    return tensor.Strided(shape, strides, offset);
  }
  OC_ASSIGN_OR_RETURN(Tensor copy, context.Allocate(tensor.dtype(), shape));
  const int width = BitWidth(tensor.dtype());
  const int64_t inner =
      NumElements(absl::MakeSpan(shape).subspan(static_cast<size_t>(axis))).value();
  const int64_t outer = inner == 0 ? 0 : copy.num_elements() / inner;
  const auto* from = tensor.data<uint8_t>();
  auto* to = copy.mutable_data<uint8_t>();
  if (outer > 0) to[copy.byte_size() - 1] = 0;
  for (int64_t o = 0; o < outer; ++o) {
    const int64_t first = (o * tensor.dim(axis) + index) * inner;
    for (int64_t i = 0; i < inner; ++i) {
      SetPackedElement(to, o * inner + i, width, PackedElement(from, first + i, width));
    }
  }
  return copy;
}

}  // namespace onnxcmp
