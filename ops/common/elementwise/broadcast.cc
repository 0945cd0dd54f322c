#include "ops/common/elementwise/broadcast.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace onnxcmp {
namespace {

absl::Status Misfit(absl::Span<const int64_t> a, absl::Span<const int64_t> b) {
  return absl::InvalidArgumentError(absl::StrCat("shapes [", ShapeToString(a), "] and [",
                                                 ShapeToString(b), "] do not broadcast"));
}

}  // namespace

absl::StatusOr<Shape> BroadcastShapes(absl::Span<const int64_t> a, absl::Span<const int64_t> b) {
  if (a.size() < b.size()) {
    return BroadcastShapes(b, a);
  }
  Shape shape(a.begin(), a.end());
  const size_t missing = a.size() - b.size();
  for (size_t i = 0; i < b.size(); ++i) {
    int64_t& dim = shape[missing + i];
    if (dim == 1) {
      dim = b[i];
    } else if (b[i] != 1 && b[i] != dim) {
      return Misfit(a, b);
    }
  }
  return shape;
}

absl::StatusOr<Shape> BroadcastShapes(absl::Span<const Tensor* const> tensors) {
  Shape shape;
  for (const Tensor* tensor : tensors) {
    OC_ASSIGN_OR_RETURN(shape, BroadcastShapes(shape, tensor->shape()));
  }
  return shape;
}

absl::Status CheckBroadcastsTo(absl::Span<const int64_t> from, absl::Span<const int64_t> to) {
  bool fits = from.size() <= to.size();
  for (size_t i = 0; fits && i < from.size(); ++i) {
    const int64_t dim = from[from.size() - 1 - i];
    fits = dim == 1 || dim == to[to.size() - 1 - i];
  }
  if (!fits) {
    return absl::InvalidArgumentError(absl::StrCat(
        "shape [", ShapeToString(from), "] does not broadcast to [", ShapeToString(to), "]"));
  }
  return absl::OkStatus();
}

Shape BroadcastStrides(const Tensor& tensor, absl::Span<const int64_t> shape) {
  Shape strides(shape.size(), 0);
  const size_t missing = shape.size() - tensor.shape().size();
  for (size_t i = missing; i < shape.size(); ++i) {
    strides[i] = tensor.shape()[i - missing] == 1 ? 0 : tensor.strides()[i - missing];
  }
  return strides;
}

LegacyBroadcast LegacyBroadcast::FromNode(const KernelInit& node) {
  LegacyBroadcast legacy;
  legacy.broadcast = node.Flag("broadcast");
  legacy.has_axis = node.Has("axis");
  legacy.axis = node.Int("axis", 0);
  return legacy;
}

absl::StatusOr<Tensor> LegacyBroadcast::Align(const Tensor& a, const Tensor& b) const {
  if (a.shape() == b.shape()) {
    return b;
  }
  if (!broadcast) {
    return absl::InvalidArgumentError(absl::StrCat("inputs of shapes [", ShapeToString(a.shape()),
                                                   "] and [", ShapeToString(b.shape()),
                                                   "] need the attribute broadcast = 1"));
  }
  if (b.num_elements() == 1 && b.rank() <= a.rank()) {
    return b;
  }
  const int64_t last_start = int64_t{a.rank()} - b.rank();
  // Caffe2, where this comes from, counts a negative axis from the end.
  int64_t start = has_axis ? axis : last_start;
  start += start < 0 && start >= -a.rank() && has_axis ? a.rank() : 0;
  if (start < 0 || start > last_start) {
    return absl::InvalidArgumentError(absl::StrCat("axis ", axis, " does not place a shape [",
                                                   ShapeToString(b.shape()), "] inside [",
                                                   ShapeToString(a.shape()), "]"));
  }
  Shape shape = b.shape();
  Shape strides = b.strides();
  shape.resize(static_cast<size_t>(a.rank() - start), 1);
  strides.resize(shape.size(), 0);
  OC_RETURN_IF_ERROR(CheckBroadcastsTo(shape, a.shape()));
  return b.Strided(shape, strides, b.offset());
}

StridedRuns::StridedRuns(absl::Span<const int64_t> shape, absl::Span<const int64_t> strides) {
  // A dimension joins the one before it if a step there is all steps here.
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) {
      continue;
    }
    if (!dims_.empty() && strides_.back() == strides[i] * shape[i]) {
      dims_.back() *= shape[i];
      strides_.back() = strides[i];
    } else {
      dims_.push_back(shape[i]);
      strides_.push_back(strides[i]);
    }
  }
  if (dims_.empty()) {
    dims_.push_back(1);
    strides_.push_back(1);
  }
  index_.resize(dims_.size(), 0);
}

void StridedRuns::Seek(int64_t element) {
  offset_ = 0;
  for (size_t i = dims_.size(); i-- > 0;) {
    index_[i] = element % dims_[i];
    element /= dims_[i];
    offset_ += index_[i] * strides_[i];
  }
}

StridedRuns::Run StridedRuns::Next(int64_t limit) {
  size_t axis = dims_.size() - 1;
  const int64_t count = std::min(limit, dims_[axis] - index_[axis]);
  const Run run = {offset_, strides_[axis], count};
  index_[axis] += count;
  offset_ += count * strides_[axis];
  while (index_[axis] == dims_[axis] && axis > 0) {
    offset_ -= dims_[axis] * strides_[axis];
    index_[axis] = 0;
    --axis;
    ++index_[axis];
    offset_ += strides_[axis];
  }
  return run;
}

}  // namespace onnxcmp
