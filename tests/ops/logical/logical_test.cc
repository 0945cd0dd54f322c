// Or, Xor, Not, the comparisons, IsNaN and IsInf.
#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using testing::Convert;
using testing::ExpectTensor;
using testing::OpTest;

Tensor TruthValues(absl::Span<const int64_t> shape, const std::vector<float>& bits) {
  return Convert(Tensor::Of<float>(shape, bits), DType::kBool);
}

TEST(OrTest, TruthTableBroadcast) {
  const Tensor a = TruthValues({2, 1}, {0, 1});
  const Tensor b = TruthValues({2}, {0, 1});
  ExpectTensor(OpTest("Or", 7).Input(a).Input(b).Run(), TruthValues({2, 2}, {0, 1, 1, 1}));
  ExpectTensor(OpTest("Xor", 7).Input(a).Input(b).Run(), TruthValues({2, 2}, {0, 1, 1, 0}));
  ExpectTensor(OpTest("Not", 1).Input(a).Run(), TruthValues({2, 1}, {1, 0}));
}

TEST(OrTest, AxisBeforeOpset7) {
  ExpectTensor(OpTest("Or", 1)
                   .Attr("broadcast", 1)
                   .Attr("axis", 0)
                   .Input(TruthValues({2, 2}, {0, 1, 0, 0}))
                   .Input(TruthValues({2}, {0, 1}))
                   .Run(),
               TruthValues({2, 2}, {0, 1, 1, 1}));
}

TEST(LessTest, NaNIsLessThanNothing) {
  const Tensor a = Tensor::Of<float>({4}, {1, 2, NAN, -INFINITY});
  const Tensor b = Tensor::Of<float>({4}, {2, 2, 1, NAN});
  ExpectTensor(OpTest("Less", 13).Input(a).Input(b).Run(), TruthValues({4}, {1, 0, 0, 0}));
  ExpectTensor(OpTest("LessOrEqual", 16).Input(a).Input(b).Run(), TruthValues({4}, {1, 1, 0, 0}));
  ExpectTensor(OpTest("GreaterOrEqual", 12).Input(a).Input(b).Run(),
               TruthValues({4}, {0, 1, 0, 0}));
}

TEST(LessTest, IntegersAreComparedExactly) {
  const int64_t big = int64_t{1} << 53;
  ExpectTensor(OpTest("Less", 9)
                   .Input(Tensor::Of<int64_t>({2}, {big, -1}))
                   .Input(Tensor::Of<int64_t>({2}, {big + 1, 0}))
                   .Run(),
               TruthValues({2}, {1, 1}));
  ExpectTensor(OpTest("LessOrEqual", 12)
                   .Input(Tensor::Of<uint64_t>({1}, {UINT64_MAX}))
                   .Input(Tensor::Of<uint64_t>({1}, {0}))
                   .Run(),
               TruthValues({1}, {0}));
}

TEST(IsInfTest, SignsThatCount) {
  const Tensor x = Tensor::Of<float>({4}, {INFINITY, -INFINITY, NAN, 3e38f});
  ExpectTensor(OpTest("IsInf", 10).Input(x).Run(), TruthValues({4}, {1, 1, 0, 0}));
  ExpectTensor(OpTest("IsInf", 20).Attr("detect_negative", 0).Input(x).Run(),
               TruthValues({4}, {1, 0, 0, 0}));
  ExpectTensor(OpTest("IsInf", 20).Attr("detect_positive", 0).Input(x).Run(),
               TruthValues({4}, {0, 1, 0, 0}));
}

TEST(IsNaNTest, AlsoInFloat8) {
  const Tensor x = Tensor::Of<float>({3}, {NAN, INFINITY, 1});
  ExpectTensor(OpTest("IsNaN", 9).Input(x).Run(), TruthValues({3}, {1, 0, 0}));
  ExpectTensor(OpTest("IsNaN", 20).Input(Convert(x, DType::kFloat8E5M2)).Run(),
               TruthValues({3}, {1, 0, 0}));
}

}  // namespace
}  // namespace onnxcmp
