#include <cstdint>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Expected values are onnxruntime 1.31's.
absl::StatusOr<Tensor> Normalize(const char* norm, const Tensor& x) {
  OpTest test("Normalizer", 1, "ai.onnx.ml");
  return test.Attr("norm", norm).Input(x).Run();
}

const Tensor& Rows() {
  static const auto& x =
      *new Tensor(Tensor::Of<float>({4, 3}, {-1, 2, -4, 0, 0, 0, kNaN, 1, 2, kInf, 1, 2}));
  return x;
}

TEST(NormalizerTest, MaxIsTheGreatestElement) {
  ExpectTensor(Normalize("MAX", Rows()),
               Tensor::Of<float>({4, 3}, {-0.5f, 1, -2, 0, 0, 0, kNaN, 0.5f, 1, kNaN, 0, 0}));
}

TEST(NormalizerTest, L1IsTheSumOfAbsoluteValues) {
  ExpectTensor(Normalize("L1", Rows()),
               Tensor::Of<float>({4, 3}, {-0.14285715f, 0.2857143f, -0.5714286f, 0, 0, 0, kNaN,
                                          kNaN, kNaN, kNaN, 0, 0}),
               1e-6);
}

TEST(NormalizerTest, L2IsTheLength) {
  ExpectTensor(Normalize("L2", Rows()),
               Tensor::Of<float>({4, 3}, {-0.2182179f, 0.4364358f, -0.8728716f, 0, 0, 0, kNaN, kNaN,
                                          kNaN, kNaN, 0, 0}),
               1e-6);
}

TEST(NormalizerTest, VectorsAndOtherTypes) {
  for (const DType dtype : {DType::kFloat, DType::kDouble, DType::kInt32, DType::kInt64}) {
    ExpectTensor(Normalize("MAX", Convert(Floats({-1, -3}), dtype)), Floats({1, 3}));
  }
  ExpectTensor(Normalize("L2", Tensor::Of<int64_t>({0, 2}, {})), Tensor::Of<float>({0, 2}, {}));
}

TEST(NormalizerTest, Errors) {
  ExpectError(Normalize("L3", Rows()).status(), kInvalid, "norm 'L3' is unknown");
  ExpectError(Normalize("L1", Iota({1, 1, 1})).status(), kInvalid, "rank 3");
}

}  // namespace
}  // namespace onnxcmp::testing
