#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// 2 x 3: 0, 2, 0; -1, 0, 3. The last value is given first.
SparseTensor Matrix(const Tensor& values) {
  return {values, Tensor::Of<int64_t>({3, 2}, {1, 2, 0, 1, 1, 0}), {2, 3}};
}

OpTest Product(SparseTensor a, const Tensor& b) {
  OpTest test("SparseToDenseMatMul", 1, "com.microsoft");
  return test.Input(Value(std::move(a))).Input(b);
}

TEST(SparseToDenseMatMul, MultipliesWhatIsThere) {
  // NaN meets no value.
  ExpectTensor(Product(Matrix(Floats({3, 2, -1})), Tensor::Of<float>({3, 2}, {1, 2, 3, 4, kInf, 6}))
                   .Attr("alpha", 0.5f)
                   .Run(),
               Tensor::Of<float>({2, 2}, {3, 4, kInf, 8}));
  SparseTensor linear = Matrix(Floats({2, -1}));
  linear.indices = Ints({1, 3});
  ExpectTensor(Product(linear, Tensor::Of<float>({3, 1}, {1, 2, kNaN})).Run(),
               Tensor::Of<float>({2, 1}, {4, -1}));
}

TEST(SparseToDenseMatMul, Transposes) {
  const Tensor b = AsStridedView(Tensor::Of<float>({1, 2}, {1, 10}));
  ExpectTensor(Product(Matrix(Floats({3, 2, -1})), b).Attr("transA", 1).Attr("transB", 1).Run(),
               Tensor::Of<float>({3, 1}, {-10, 2, 30}));
}

TEST(SparseToDenseMatMul, IntegersWrap) {
  const int64_t big = int64_t{1} << 62;
  ExpectTensor(Product(Matrix(Ints({2, 1, 4})), Tensor::Of<int64_t>({3, 1}, {0, 7, big})).Run(),
               Tensor::Of<int64_t>({2, 1}, {7, INT64_MIN}));
  const auto ints = [](const Tensor& x) { return Convert(x, DType::kInt32); };
  ExpectTensor(Product(Matrix(ints(Floats({3, 2, -1}))), ints(Iota({3, 1}))).Run(),
               ints(Tensor::Of<float>({2, 1}, {2, 6})));
}

TEST(SparseToDenseMatMul, EmptyMatricesGiveZeros) {
  SparseTensor none = {Floats({}), Ints({}), {2, 3}};
  ExpectTensor(Product(none, Iota({3, 2})).Run(), Tensor::Of<float>({2, 2}, {0, 0, 0, 0}));
}

TEST(SparseToDenseMatMul, RefusesWhatDoesNotFit) {
  const auto status = [](SparseTensor a, const Tensor& b) {
    return Product(std::move(a), b).Run().status();
  };
  const SparseTensor a = Matrix(Floats({3, 2, -1}));
  ExpectError(status(a, Iota({2, 2})), kInvalid, "A has 3 columns");
  ExpectError(status(a, Iota({3})), kInvalid, "is no matrix");
  SparseTensor outside = a;
  outside.dims = {2, 2};
  ExpectError(status(outside, Iota({2, 2})), kInvalid, "not in a dimension of 2");
  SparseTensor cube = a;
  cube.dims = {2, 3, 1};
  ExpectError(status(cube, Iota({3, 2})), kInvalid, "not a matrix");
  ExpectError(Product(Matrix(Ints({1, 2, 3})), Convert(Iota({3, 1}), DType::kInt64))
                  .Attr("alpha", 2.0f)
                  .Run()
                  .status(),
              kUnimplemented, "alpha is 2");
}

}  // namespace
}  // namespace onnxcmp::testing
