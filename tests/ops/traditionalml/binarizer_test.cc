#include <cstdint>
#include <limits>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

absl::StatusOr<Tensor> Binarize(const Tensor& x, float threshold) {
  OpTest test("Binarizer", 1, "ai.onnx.ml");
  return test.Attr("threshold", threshold).Input(x).Run();
}

TEST(BinarizerTest, OneAboveTheThreshold) {
  ExpectTensor(Binarize(Floats({0.5f, 0.75f, kNaN, kInf, -kInf}), 0.5f), Floats({0, 1, 0, 1, 0}));
  // 0.1 as float is greater than as double.
  ExpectTensor(Binarize(Tensor::Of<double>({2}, {0.1, 0.11}), 0.1f),
               Tensor::Of<double>({2}, {0, 1}));
  ExpectTensor(Binarize(Tensor::Of<int32_t>({3}, {-1, 0, 1}), -0.5f),
               Tensor::Of<int32_t>({3}, {0, 1, 1}));
}

TEST(BinarizerTest, IntegersCompareExactly) {
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  const Tensor x = Ints({(int64_t{1} << 53) + 1, int64_t{1} << 53, kMin, kMax});
  ExpectTensor(Binarize(x, 0x1p53f), Ints({1, 0, 0, 1}));
  ExpectTensor(Binarize(x, 0x1p63f), Ints({0, 0, 0, 0}));
  ExpectTensor(Binarize(x, -0x1p63f), Ints({1, 1, 0, 1}));
  ExpectTensor(Binarize(x, -kInf), Ints({1, 1, 1, 1}));
  ExpectTensor(Binarize(x, kNaN), Ints({0, 0, 0, 0}));
}

}  // namespace
}  // namespace onnxcmp::testing
