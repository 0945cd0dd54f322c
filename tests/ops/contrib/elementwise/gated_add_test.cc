// Cases that the golden ones (onnxruntime's results) leave open, errors above all.
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// 2049 is no float16: each step is rounded.
TEST(GatedAdd, RoundsTheProduct) {
  ExpectTensor(Contrib("GatedAdd")
                   .Input(Halves({1, 1}, {1}))
                   .Input(Halves({1, 1}, {683}))
                   .Input(Halves({1, 1}, {3}))
                   .Run(),
               Halves({1, 1}, {2048}));  // 2049 -> 2048, + 1 -> 2048
}

// gate * gate_weight = 2, its sigmoid 0.8807..., 0.87890625 as bfloat16; 140 times that is 123,
// 140 times the sigmoid itself would be 123.5.
TEST(GatedAdd, ProjectsTheGate) {
  const auto bfloat = [](const Shape& shape, const std::vector<float>& values) {
    return Convert(Tensor::Of<float>(shape, values), DType::kBfloat16);
  };
  const auto add = [&](const Tensor& x, const Tensor& gate, const Tensor& weight) {
    return Contrib("GatedAdd").Input(x).Input(bfloat({1, 2}, {140, -1})).Input(gate).Input(weight);
  };
  const Tensor x = bfloat({1, 2}, {0, 100});
  ExpectTensor(add(x, bfloat({1, 3}, {1, 2, 3}), bfloat({3, 1}, {2, 1.5f, -1})).Run(),
               bfloat({1, 2}, {123, 99}));
  ExpectError(add(x, bfloat({1, 3}, {1, 2, 3}), bfloat({2, 1}, {2, 1})).Run().status(), kInvalid,
              "gate_weight has shape [2x1], not [3x1]");
  OpTest in_float = Contrib("GatedAdd").Input(Iota({1, 2})).Input(Iota({1, 2}));
  ExpectError(in_float.Input(Iota({1, 3})).Input(Iota({3, 1})).Run().status(), kUnimplemented,
              "defined for bfloat16 alone, not for float");
}

TEST(GatedAdd, BadShapes) {
  for (const Shape& gate : {Shape{3, 1}, Shape{2, 3, 4}, Shape{2, 3}}) {
    ExpectError(Contrib("GatedAdd")
                    .Input(Iota({2, 3, 4}))
                    .Input(Iota({2, 3, 4}))
                    .Input(Iota(gate))
                    .Run()
                    .status(),
                kInvalid, "do not fit");
  }
}

}  // namespace
}  // namespace onnxcmp::testing
