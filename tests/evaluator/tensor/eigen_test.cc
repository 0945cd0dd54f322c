#include "evaluator/tensor/eigen.h"

#include <complex>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(EigenTest, ShowsMatricesInPlace) {
  const Tensor tensor = Iota({2, 3});
  const absl::StatusOr<EigenMatrix<float>> matrix = EigenMatrixOf<float>(tensor);
  ASSERT_TRUE(matrix.ok()) << matrix.status();
  EXPECT_EQ(matrix->rows(), 2);
  EXPECT_EQ(matrix->cols(), 3);
  EXPECT_EQ((*matrix)(1, 0), 3);
  EXPECT_EQ(&matrix->coeffRef(1, 2), tensor.data<float>() + 5);
  static_assert(std::is_same_v<decltype(matrix->data()), const float*>);
  const Eigen::Vector3f ones = Eigen::Vector3f::Ones();
  EXPECT_EQ(*matrix * ones, Eigen::Vector2f(3, 12));
}

TEST(EigenTest, Strides) {
  const Tensor tensor = Iota({2, 3});
  const auto expect = [&](const Tensor& view, const Eigen::MatrixXf& want) {
    EXPECT_EQ(*EigenMatrixOf<float>(view), want) << view.strides()[0] << " " << view.strides()[1];
  };
  expect(tensor.Strided({3, 2}, {1, 3}, 0), Eigen::MatrixXf{{0, 3}, {1, 4}, {2, 5}});
  expect(tensor.Strided({2, 3}, {-3, -1}, 5), Eigen::MatrixXf{{5, 4, 3}, {2, 1, 0}});
  expect(tensor.Strided({2, 3}, {0, 1}, 3), Eigen::MatrixXf{{3, 4, 5}, {3, 4, 5}});
  expect(tensor.Strided({2, 1}, {3, 1}, 1), Eigen::MatrixXf{{1}, {4}});
  const Tensor column = tensor.Strided({2}, {3}, 2);
  EXPECT_EQ(*EigenVectorOf<float>(column), Eigen::Vector2f(2, 5));
  const Tensor reversed = tensor.Strided({3}, {-1}, 2);
  EXPECT_EQ(*EigenVectorOf<float>(reversed), Eigen::Vector3f(2, 1, 0));
}

TEST(EigenTest, EmptyTensors) {
  const Tensor none = Tensor::Of<float>({0, 3}, {});
  EXPECT_EQ(EigenMatrixOf<float>(none)->cols(), 3);
  EXPECT_EQ(EigenMatrixOf<float>(none)->sum(), 0);
  const Tensor empty = Floats({});
  EXPECT_EQ(EigenVectorOf<float>(empty)->size(), 0);
}

TEST(EigenTest, OtherElementTypes) {
  const Tensor halves = Tensor::Of<Eigen::half>({2}, {Eigen::half(1.5f), Eigen::half(2)});
  EXPECT_EQ(float(EigenVectorOf<Eigen::half>(halves)->sum()), 3.5f);
  const Tensor complex = Tensor::Of<std::complex<float>>({1}, {{1, 2}});
  EXPECT_EQ((*EigenVectorOf<std::complex<float>>(complex))[0], std::complex<float>(1, 2));
  const Tensor bools = Tensor::Of<bool>({2}, {true, false});
  EXPECT_EQ(EigenVectorOf<bool>(bools)->count(), 1);
}

TEST(EigenTest, WrongTypesAndRanksAreErrors) {
  const Tensor tensor = Iota({2, 3});
  ExpectError(EigenMatrixOf<double>(tensor).status(), kInvalid,
              "the value is float[2,3], not a tensor of double");
  ExpectError(EigenVectorOf<float>(tensor).status(), kInvalid, "float[2,3] is no vector");
  const Tensor scalar = Tensor::Scalar<float>(1);
  ExpectError(EigenMatrixOf<float>(scalar).status(), kInvalid, "float[] is no matrix");
  ExpectError(EigenVectorOf<float>(scalar).status(), kInvalid, "float[] is no vector");
  const Tensor undefined;
  ExpectError(EigenVectorOf<float>(undefined).status(), kInvalid, "not a tensor of float");
}

TEST(EigenTest, TensorsOfExpressions) {
  const Eigen::MatrixXf columns = Eigen::MatrixXf{{1, 2}, {3, 4}};  // column by column
  ExpectTensor(TensorOf(columns), Tensor::Of<float>({2, 2}, {1, 2, 3, 4}));
  ExpectTensor(TensorOf(2 * columns.transpose()), Tensor::Of<float>({2, 2}, {2, 6, 4, 8}));
  ExpectTensor(TensorOf(columns.array() + 1), Tensor::Of<float>({2, 2}, {2, 3, 4, 5}));
  ExpectTensor(TensorOf(columns * columns), Tensor::Of<float>({2, 2}, {7, 10, 15, 22}));
  ExpectTensor(TensorOf(columns.row(1)), Floats({3, 4}));
  ExpectTensor(TensorOf(Eigen::Vector2d(1, 2)), Tensor::Of<double>({2}, {1, 2}));
  ExpectTensor(TensorOf(columns.cast<int64_t>()), Tensor::Of<int64_t>({2, 2}, {1, 2, 3, 4}));
  ExpectTensor(TensorOf(Eigen::MatrixXf(0, 3)), Tensor::Of<float>({0, 3}, {}));
  ExpectTensor(TensorOf(Eigen::MatrixXf(2, 1).setOnes()), Tensor::Of<float>({2, 1}, {1, 1}));
}

// A tensor that nobody holds has no view.
template <typename T>
concept ViewsAMatrix = requires(T tensor) {
  EigenMatrixOf<float>(std::forward<T>(tensor));
};
static_assert(ViewsAMatrix<const Tensor&> && !ViewsAMatrix<Tensor>);

}  // namespace
}  // namespace onnxcmp::testing
