#include "evaluator/tensor/xtensor.h"

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <xtensor/xarray.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include "tests/support/model_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

using ::testing::ElementsAre;

TEST(XtensorTest, ShowsElementsInPlace) {
  const Tensor tensor = Tensor::Of<float>({2, 3}, {0, 1, 2, 3, 4, 5});
  const absl::StatusOr<XtensorView<float>> view = XtensorOf<float>(tensor);
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_EQ(*view, (xt::xarray<float>{{0, 1, 2}, {3, 4, 5}}));
  EXPECT_EQ(&(*view)(0, 0), tensor.data<float>());
  EXPECT_EQ(&(*view)(1, 2), tensor.data<float>() + 5);
  static_assert(std::is_same_v<decltype((*view)(0, 0)), const float&>);
  EXPECT_EQ(xt::sum(*view)(), 15);
}

// Views as operators give them: transposed, reversed, broadcast, every second element.
TEST(XtensorTest, Strides) {
  const Tensor tensor = Tensor::Of<int64_t>({2, 3}, {0, 1, 2, 3, 4, 5});
  using Expected = xt::xarray<int64_t>;
  EXPECT_EQ(*XtensorOf<int64_t>(tensor.Strided({3, 2}, {1, 3}, 0)),
            (Expected{{0, 3}, {1, 4}, {2, 5}}));
  EXPECT_EQ(*XtensorOf<int64_t>(tensor.Strided({2, 3}, {-3, -1}, 5)),
            (Expected{{5, 4, 3}, {2, 1, 0}}));
  EXPECT_EQ(*XtensorOf<int64_t>(tensor.Strided({2, 2}, {3, -2}, 2)), (Expected{{2, 0}, {5, 3}}));
  EXPECT_EQ(*XtensorOf<int64_t>(tensor.Strided({2, 2, 3}, {0, 3, 1}, 0)),
            (Expected{{{0, 1, 2}, {3, 4, 5}}, {{0, 1, 2}, {3, 4, 5}}}));
  EXPECT_EQ(*XtensorOf<int64_t>(tensor.Strided({2}, {3}, 2)), (Expected{2, 5}));
}

TEST(XtensorTest, TakesPartInExpressions) {
  const auto row = *XtensorOf<float>(Tensor::Of<float>({1, 3}, {10, 20, 30}));
  const auto column = *XtensorOf<float>(Tensor::Of<float>({2, 1}, {1, 2}));
  EXPECT_EQ(row + column, (xt::xarray<float>{{11, 21, 31}, {12, 22, 32}}));
  const auto scalar = *XtensorOf<float>(Tensor::Scalar<float>(2));
  EXPECT_EQ(scalar.dimension(), 0u);
  EXPECT_EQ(scalar(), 2);
  EXPECT_EQ(scalar * row, (xt::xarray<float>{{20, 40, 60}}));
  EXPECT_EQ(xt::view(row, 0, xt::range(1, 3)), (xt::xarray<float>{20, 30}));
}

TEST(XtensorTest, EmptyTensors) {
  const auto none = *XtensorOf<float>(Tensor::Of<float>({0, 3}, {}));
  EXPECT_EQ(none.size(), 0u);
  EXPECT_THAT(none.shape(), ElementsAre(0, 3));
  EXPECT_EQ(xt::sum(none)(), 0);
}

// A view outlives the tensor, and copies of it are views of the same elements.
TEST(XtensorTest, KeepsElementsAlive) {
  std::optional<XtensorView<float>> copy;
  {
    const Tensor tensor = Tensor::Of<float>({2, 2}, {1, 2, 3, 4});
    const auto view = *XtensorOf<float>(tensor.Strided({2, 2}, {1, 2}, 0));
    copy.emplace(view);
    EXPECT_EQ(&(*copy)(0, 0), tensor.data<float>());
    EXPECT_EQ(tensor.buffer().use_count(), 3);
  }
  EXPECT_EQ(*copy, (xt::xarray<float>{{1, 3}, {2, 4}}));
}

template <typename T>
void ExpectBothWays(const xt::xarray<T>& elements) {
  const absl::StatusOr<Tensor> tensor = TensorOf(elements);
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_EQ(tensor->dtype(), kDTypeOf<T>);
  EXPECT_EQ(*XtensorOf<T>(*tensor), elements);
}

TEST(XtensorTest, EveryElementTypeThatCppHas) {
  ExpectBothWays<float>({{1, -2}, {3, 4}});
  ExpectBothWays<double>({1e300});
  ExpectBothWays<int8_t>({-128, 127});
  ExpectBothWays<uint8_t>({0, 255});
  ExpectBothWays<int16_t>({-1});
  ExpectBothWays<uint16_t>({65535});
  ExpectBothWays<int32_t>({-1});
  ExpectBothWays<uint32_t>({1});
  ExpectBothWays<int64_t>({INT64_MIN});
  ExpectBothWays<uint64_t>({UINT64_MAX});
  ExpectBothWays<bool>({true, false});
  ExpectBothWays<std::string>({"a", "bc"});
  ExpectBothWays<Eigen::half>({Eigen::half(0.5f), Eigen::half(65504.0f)});
  ExpectBothWays<Eigen::bfloat16>({Eigen::bfloat16(0.5f)});
  ExpectBothWays<std::complex<float>>({std::complex<float>(1, 2)});
  ExpectBothWays<std::complex<double>>({std::complex<double>(1, 2)});
}

TEST(XtensorTest, WrongTypesAreErrors) {
  ExpectError(XtensorOf<double>(Tensor::Of<float>({2}, {1, 2})).status(), kInvalid,
              "the value is float[2], not a tensor of double");
  const absl::StatusOr<Tensor> packed = Tensor::Allocate(DType::kInt4, {2});
  ExpectError(XtensorOf<int8_t>(*packed).status(), kInvalid, "is int4[2], not a tensor of int8");
  ExpectError(XtensorOf<float>(Value()).status(), kInvalid, "the value is absent");
  ExpectError(XtensorOf<float>(Tensor()).status(), kInvalid, "not a tensor of float");
  ExpectError(XtensorOf<float>(Sequence{DType::kFloat, {}}).status(), kInvalid, "seq(float)[0]");
}

TEST(XtensorTest, TensorsOfExpressions) {
  const xt::xarray<float> x = {{1, 2}, {3, 4}};
  ExpectTensor(TensorOf(xt::transpose(x) * 2.0f), Tensor::Of<float>({2, 2}, {2, 6, 4, 8}));
  ExpectTensor(TensorOf(x + xt::xarray<float>{10, 20}),
               Tensor::Of<float>({2, 2}, {11, 22, 13, 24}));
  ExpectTensor(TensorOf(xt::arange<int64_t>(3)), Ints({0, 1, 2}));
  ExpectTensor(TensorOf<float>(xt::arange(3)), Floats({0, 1, 2}));
  ExpectTensor(TensorOf<bool>(xt::xarray<int>{0, 2}), Bools({2}, {0, 1}));
  ExpectTensor(TensorOf(xt::xarray<float>(2.5f)), Tensor::Scalar<float>(2.5f));
  ExpectTensor(TensorOf(xt::zeros<float>({2, 0})), Tensor::Of<float>({2, 0}, {}));
  // A container in another layout is the same matrix.
  const xt::xarray<float, xt::layout_type::column_major> columns = x;
  ExpectTensor(TensorOf(columns), Tensor::Of<float>({2, 2}, {1, 2, 3, 4}));
  // And a view of a tensor is one more.
  ExpectTensor(TensorOf(*XtensorOf<float>(Iota({2, 3}).Strided({3, 2}, {1, 3}, 0))),
               Tensor::Of<float>({3, 2}, {0, 3, 1, 4, 2, 5}));
}

TEST(XtensorTest, WhatCannotBeATensorIsAnError) {
  ExpectError(TensorOf(xt::xarray<float>{1, 2, 3} + xt::xarray<float>{1, 2}).status(), kInvalid,
              "xtensor: ");
  ExpectError(TensorOf(xt::broadcast(1.0f, {1 << 20, 1 << 20, 1 << 20})).status(),
              absl::StatusCode::kResourceExhausted, "");
}

TEST(XtensorTest, FeedsAndOutputsOfAModel) {
  const absl::StatusOr<std::vector<Value>> outputs =
      RunText(R"(<ir_version: 9, opset_import: ["": 18]>
                 g (float[2, 3] x) => (float[3, 2] y) { y = Transpose(x) })",
              {{"x", *TensorOf(xt::xarray<float>{{1, 2, 3}, {4, 5, 6}})}});
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  EXPECT_TRUE(
      xt::allclose(*XtensorOf<float>((*outputs)[0]), xt::xarray<float>{{1, 4}, {2, 5}, {3, 6}}));
}

}  // namespace
}  // namespace onnxcmp::testing
