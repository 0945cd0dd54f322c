#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest Average(int opset, const Tensor& x, Int64s kernel, Int64s strides, Int64s pads) {
  OpTest test("AveragePool", opset);
  test.Attr("kernel_shape", std::move(kernel)).Attr("strides", std::move(strides));
  test.Attr("pads", std::move(pads)).Input(x);
  return test;
}

TEST(AveragePool, PaddingCountsIfAsked) {
  const Tensor x = Tensor::Of<float>({1, 1, 2, 3}, {1, 2, 3, 4, 5, 6});
  OpTest test = Average(22, AsStridedView(x), {2, 2}, {2, 1}, {1, 0, 1, 1});
  ExpectTensor(test.Run(), Tensor::Of<float>({1, 1, 2, 3}, {1.5f, 2.5f, 3, 4.5f, 5.5f, 6}));
  test.Attr("count_include_pad", 1);
  ExpectTensor(test.Run(),
               Tensor::Of<float>({1, 1, 2, 3}, {0.75f, 1.25f, 0.75f, 2.25f, 2.75f, 1.5f}));
  ExpectTensor(Average(1, x, {1, 2}, {1, 2}, {0, 1, 0, 0}).Run(),
               Tensor::Of<float>({1, 1, 2, 2}, {1, 2.5f, 4, 5.5f}));
}

// As onnxruntime: the window that ceil_mode adds covers one element of padding and one beyond it.
TEST(AveragePool, WhatLiesBeyondThePaddingNeverCounts) {
  const Tensor x = Tensor::Of<float>({1, 1, 4}, {1, 2, 3, 4});
  for (int opset : {10, 11, 19, 22}) {
    OpTest test = Average(opset, x, {3}, {2}, {1, 1});
    test.Attr("count_include_pad", 1).Attr("ceil_mode", 1);
    ExpectTensor(test.Run(), Tensor::Of<float>({1, 1, 3}, {1, 3, 2}));
  }
}

TEST(AveragePool, DilationsAndAutoPad) {
  const Tensor x = Tensor::Of<float>({1, 1, 5}, {1, 2, 3, 4, 5});
  OpTest dilated = Average(19, x, {2}, {1}, {2, 0});
  dilated.Attr("dilations", Int64s{2});
  ExpectTensor(dilated.Run(), Tensor::Of<float>({1, 1, 5}, {1, 2, 2, 3, 4}));
  // onnxruntime.
  OpTest same("AveragePool", 7);
  same.Attr("kernel_shape", Int64s{4}).Attr("strides", Int64s{2}).Attr("auto_pad", "SAME_LOWER");
  same.Attr("count_include_pad", 1).Input(x);
  ExpectTensor(same.Run(), Tensor::Of<float>({1, 1, 3}, {0.75f, 2.5f, 3}));
}

TEST(AveragePool, SpecialValuesStayInTheirWindows) {
  const Tensor x = Tensor::Of<float>({1, 1, 6}, {1, NAN, 3, 5, INFINITY, 7});
  ExpectTensor(Average(22, x, {2}, {2}, {0, 0}).Run(),
               Tensor::Of<float>({1, 1, 3}, {NAN, 4, INFINITY}));
  // The mean of padding alone.
  ExpectTensor(Average(22, x, {1}, {7}, {1, 1}).Run(), Tensor::Of<float>({1, 1, 2}, {NAN, NAN}));
}

TEST(AveragePool, HugePaddingCostsNothing) {
  const int64_t huge = int64_t{1} << 39;
  ExpectTensor(Average(22, Tensor::Of<float>({1, 1, 2}, {1, 2}), {2}, {huge}, {huge, huge}).Run(),
               Tensor::Of<float>({1, 1, 3}, {NAN, 1.5f, NAN}));
}

TEST(AveragePool, OtherTypesAndThreads) {
  const Tensor x = Tensor::Of<float>({2, 1, 2}, {1, 2, -3, 5});
  const Tensor y = Tensor::Of<float>({2, 1, 1}, {1.5f, 1});
  for (DType dtype : {DType::kDouble, DType::kFloat16, DType::kBfloat16}) {
    ExpectTensor(Average(22, Convert(x, dtype), {2}, {1}, {0, 0}).Run(), Convert(y, dtype));
  }
  // The sum of 2048 halves of 40 exceeds what they hold.
  ExpectTensor(Average(22,
                       Convert(Tensor::Of<float>({1, 1, 2048}, std::vector<float>(2048, 40)),
                               DType::kFloat16),
                       {2048}, {1}, {0, 0})
                   .Run(),
               Convert(Tensor::Of<float>({1, 1, 1}, {40}), DType::kFloat16));
  ExpectTensor(Average(22, Tensor::Of<float>({0, 1, 3}, {}), {2}, {1}, {0, 0}).Run(),
               Tensor::Of<float>({0, 1, 2}, {}));
  OpTest test = Average(22, RandomFloats({3, 50, 17, 19}, 1), {3, 2}, {2, 1}, {1, 0, 1, 1});
  const auto one = test.Threads(1).Run();
  ASSERT_TRUE(one.ok());
  ExpectSameBits(test.Threads(2).Run(), *one);
  ExpectError(Average(22, Tensor::Of<float>({1, 1}, {0}), {}, {}, {}).Run().status(), kInvalid,
              "rank of at least 3");
}

}  // namespace
}  // namespace onnxcmp::testing
