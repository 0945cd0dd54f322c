// Tensors as expressions of xtensor, and expressions of xtensor as tensors. Needs xtensor (the
// CMake target onnxcmp::xtensor); no other header includes this one.
//
//   xt::xarray<float> image = xt::random::rand<float>({1, 3, 8, 8});
//   auto feed = onnxcmp::TensorOf(2 * image - 1);
//   auto outputs = evaluator.Run({{"image", *feed}});
//   auto scores = onnxcmp::XtensorOf<float>((*outputs)[0]);  // an error unless they are float
//   xt::argmax(*scores, 1)
#ifndef ONNXCMP_EVALUATOR_TENSOR_XTENSOR_H_
#define ONNXCMP_EVALUATOR_TENSOR_XTENSOR_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

#include <xtensor/xadapt.hpp>
#include <xtensor/xexpression.hpp>
#include <xtensor/xstrided_view.hpp>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/typed_tensor.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// The memory that a view shows a part of.
template <typename T>
using XtensorStorage = xt::xtensor_adaptor<
    xt::xbuffer_adaptor<const T*, xt::smart_ownership, std::shared_ptr<const Buffer>>, 1>;

// A tensor's elements in place, to be read: an expression of the tensor's shape and strides, which
// may be zero (what is broadcast) or negative (what is reversed). A copy shows the same elements.
// It keeps the elements alive, so that the tensor, the evaluator and the model may be gone before
// it.
template <typename T>
using XtensorView =
    xt::xstrided_view<XtensorStorage<T>, xt::dynamic_shape<std::size_t>, xt::layout_type::dynamic>;

// The view of a tensor, or of a value that is one; no element is copied. T is the C++ type of its
// elements as DTypeOf (dtype.h) has it: float, int64_t, bool, Eigen::half, std::complex<float>,
// std::string, ... InvalidArgument, naming both types, if they are of another, if they are packed
// (int4 and whatever else has less than 8 bits has no C++ type), and of a value that is no tensor.
template <typename T>
absl::StatusOr<XtensorView<T>> XtensorOf(const Value& value) {
  absl::StatusOr<Tensor> tensor = TypedTensor<T>(value);
  if (!tensor.ok()) return tensor.status();
  using View = XtensorView<T>;
  typename View::strides_type strides;
  // Where the tensor's elements lie around its first one, which is not the least with a negative
  // stride.
  std::ptrdiff_t before = 0;
  std::ptrdiff_t behind = tensor->num_elements() > 0 ? 1 : 0;
  for (int axis = 0; axis < tensor->rank(); ++axis) {
    // xtensor steps along dimensions of 1 where it broadcasts, as far as their stride is.
    const std::ptrdiff_t stride =
        tensor->dim(axis) == 1 ? 0 : tensor->strides()[static_cast<std::size_t>(axis)];
    strides.push_back(stride);
    if (tensor->num_elements() == 0) continue;
    (stride < 0 ? before : behind) +=
        stride < 0 ? -stride * (tensor->dim(axis) - 1) : stride * (tensor->dim(axis) - 1);
  }
  const std::array<std::size_t, 1> size = {static_cast<std::size_t>(before + behind)};
  typename XtensorStorage<T>::storage_type elements(
      FirstElement<T>(*tensor) - before, size[0], std::shared_ptr<const Buffer>(tensor->buffer()));
  return View(XtensorStorage<T>(std::move(elements), size),
              xt::dynamic_shape<std::size_t>(tensor->shape().begin(), tensor->shape().end()),
              std::move(strides), static_cast<std::size_t>(before), xt::layout_type::dynamic);
}

// A new tensor of an expression's shape and elements, in row-major order. Its element type is that
// of T, to which elements are converted as by static_cast; by default that of the expression (of
// xt::arange(3), int32). InvalidArgument if the expression's parts cannot be broadcast to each
// other, ResourceExhausted if there is no memory.
template <typename T = void, typename E>
absl::StatusOr<Tensor> TensorOf(const xt::xexpression<E>& expression) {
  using From = std::remove_const_t<typename E::value_type>;
  using To = std::conditional_t<std::is_void_v<T>, From, T>;
  const E& source = expression.derived_cast();
  // xtensor throws; nothing passes from here.
  try {
    const auto& extents = source.shape();
    absl::StatusOr<Tensor> tensor =
        Tensor::Allocate(kDTypeOf<To>, Shape(extents.begin(), extents.end()));
    if (!tensor.ok()) return tensor.status();
    std::transform(source.template begin<xt::layout_type::row_major>(),
                   source.template end<xt::layout_type::row_major>(),
                   FirstMutableElement<To>(*tensor),
                   [](const auto& element) { return static_cast<To>(element); });
    return tensor;
  } catch (const std::exception& error) {
    return absl::InvalidArgumentError(absl::StrCat("xtensor: ", error.what()));
  }
}

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_TENSOR_XTENSOR_H_
