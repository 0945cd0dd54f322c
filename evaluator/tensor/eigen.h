// Tensors as matrices and vectors of Eigen, and the other way round. No other header includes this
// one.
//
//   Eigen::MatrixXf points(100, 3);
//   auto outputs = evaluator.Run({{"points", *onnxcmp::TensorOf(points)}});
//   auto scores = onnxcmp::EigenMatrixOf<float>((*outputs)[0].tensor());  // an error unless float
//   scores->rowwise().maxCoeff()
#ifndef ONNXCMP_EVALUATOR_TENSOR_EIGEN_H_
#define ONNXCMP_EVALUATOR_TENSOR_EIGEN_H_

#include <cstdint>
#include <string>
#include <type_traits>

#include <Eigen/Core>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/typed_tensor.h"

namespace onnxcmp {

// A tensor's elements in place, to be read: element [i, j] is (i, j). It does not keep them alive:
// a tensor that shares the buffer (the tensor, a copy of it, a view) must be there as long.
template <typename T>
using EigenMatrix =
    Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>,
               Eigen::Unaligned, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>>;
template <typename T>
using EigenVector = Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, 1>, Eigen::Unaligned,
                               Eigen::InnerStride<Eigen::Dynamic>>;

// True for element types that Eigen computes with: numbers, bool, Eigen::half, Eigen::bfloat16 and
// complex numbers.
template <typename T>
inline constexpr bool kEigenHas =
    std::is_arithmetic_v<T> || Eigen::NumTraits<T>::IsComplex || std::is_same_v<T, Eigen::half> ||
    std::is_same_v<T, Eigen::bfloat16>;

// A tensor of rank 2, or of rank 1, whatever its strides; no element is copied. T is the C++ type
// of its elements as DTypeOf (dtype.h) has it. InvalidArgument, naming both types, if they are of
// another or packed (int4 and whatever else has less than 8 bits), or for another rank.
template <typename T>
absl::StatusOr<EigenMatrix<T>> EigenMatrixOf(const Tensor& tensor) {
  static_assert(kEigenHas<T>, "Eigen does not compute with this type");
  const absl::StatusOr<Tensor> typed = TypedTensor<T>(tensor);
  if (!typed.ok()) return typed.status();
  if (tensor.rank() != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat(tensor.TypeString(), " is no matrix: it has not two dimensions"));
  }
  return EigenMatrix<T>(tensor.data<T>(), tensor.dim(0), tensor.dim(1),
                        {tensor.strides()[0], tensor.strides()[1]});
}
template <typename T>
absl::StatusOr<EigenVector<T>> EigenVectorOf(const Tensor& tensor) {
  static_assert(kEigenHas<T>, "Eigen does not compute with this type");
  const absl::StatusOr<Tensor> typed = TypedTensor<T>(tensor);
  if (!typed.ok()) return typed.status();
  if (tensor.rank() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(tensor.TypeString(), " is no vector: it has not one dimension"));
  }
  return EigenVector<T>(tensor.data<T>(), tensor.dim(0),
                        Eigen::InnerStride<Eigen::Dynamic>(tensor.strides()[0]));
}
// Deleted: views of a temporary tensor would show memory that is gone.
template <typename T>
absl::StatusOr<EigenMatrix<T>> EigenMatrixOf(Tensor&& tensor) = delete;
template <typename T>
absl::StatusOr<EigenVector<T>> EigenVectorOf(Tensor&& tensor) = delete;

// A new tensor with the elements of a matrix or array of Eigen, or of an expression of such: of
// rank 1 if its type says that it has one column or one row, else of rank 2. Its element type is
// that of the expression. ResourceExhausted if there is no memory.
template <typename Derived>
absl::StatusOr<Tensor> TensorOf(const Eigen::DenseBase<Derived>& expression) {
  using T = typename Derived::Scalar;
  constexpr bool kIsVector = Derived::IsVectorAtCompileTime;
  const Eigen::Index rows = expression.rows();
  const Eigen::Index columns = expression.cols();
  absl::StatusOr<Tensor> tensor =
      Tensor::Allocate(kDTypeOf<T>, kIsVector ? Shape{rows * columns} : Shape{rows, columns});
  if (!tensor.ok()) return tensor.status();
  using Elements = Eigen::Array<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<Elements> elements(tensor->mutable_data<T>(), rows, columns);
  if constexpr (std::is_base_of_v<Eigen::ArrayBase<Derived>, Derived>) {
    elements = expression.derived();
  } else {
    elements = expression.derived().array();
  }
  return tensor;
}

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_TENSOR_EIGEN_H_
