// The activations with a formula of one line; expected values are written out from the formulas.
#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using testing::Convert;
using testing::ExpectError;
using testing::ExpectTensor;
using testing::kInvalid;
using testing::OpTest;

const std::vector<float> kX = {-2, -0.5f, 0, 1, NAN};

Tensor X() { return Tensor::Of<float>({5}, kX); }
Tensor Y(const std::vector<float>& values) { return Tensor::Of<float>({5}, values); }

TEST(LeakyReluTest, Values) {
  ExpectTensor(OpTest("LeakyRelu", 1).Input(X()).Run(), Y({-0.02f, -0.005f, 0, 1, NAN}), 1e-6);
  ExpectTensor(OpTest("LeakyRelu", 16)
                   .Attr("alpha", -2.0f)
                   .Input(Tensor::Of<double>({2}, {-INFINITY, 3}))
                   .Run(),
               Tensor::Of<double>({2}, {INFINITY, 3}));
}

TEST(EluTest, Values) {
  ExpectTensor(OpTest("Elu", 6).Attr("alpha", 2.0f).Input(X()).Run(),
               Y({-1.7293295f, -0.7869387f, 0, 1, NAN}), 1e-6);
}

// The digits of the defaults grew with version 6.
TEST(SeluTest, DefaultsOfTheVersions) {
  ExpectTensor(
      OpTest("Selu", 1).Input(X()).Run(),
      Y({-1.0507f * 1.6732f * 0.8646647f, -1.0507f * 1.6732f * 0.3934693f, 0, 1.0507f, NAN}), 1e-6);
  ExpectTensor(OpTest("Selu", 22).Input(X()).Run(),
               Y({-1.5201664f, -0.6917582f, 0, 1.0507010f, NAN}), 1e-6);
}

TEST(CeluTest, Values) {
  ExpectTensor(OpTest("Celu", 12).Attr("alpha", 2.0f).Input(X()).Run(),
               Y({-1.2642411f, -0.4423984f, 0, 1, NAN}), 1e-6);
}

TEST(CeluTest, OtherFloats) {
  ONNXCMP_NEEDS_OPSET(28);
  for (const DType dtype : {DType::kDouble, DType::kFloat16, DType::kBfloat16}) {
    ExpectTensor(OpTest("Celu", 28).Attr("alpha", 2.0f).Input(Convert(X(), dtype)).Run(),
                 Convert(Y({-1.2642411f, -0.4423984f, 0, 1, NAN}), dtype), 1e-6);
  }
}

TEST(ThresholdedReluTest, Values) {
  ExpectTensor(OpTest("ThresholdedRelu", 10).Attr("alpha", -1.0f).Input(X()).Run(),
               Y({0, -0.5f, 0, 1, 0}));
}

TEST(SwishTest, Values) {
  ExpectTensor(OpTest("Swish", 24).Attr("alpha", 2.0f).Input(X()).Run(),
               Y({-0.0359724f, -0.1344707f, 0, 0.8807971f, NAN}), 1e-5);
}

TEST(GeluTest, ExactAndWithTanh) {
  ExpectTensor(OpTest("Gelu", 20).Input(X()).Run(),
               Y({-0.0455003f, -0.1542688f, 0, 0.8413447f, NAN}), 1e-5);
  ExpectTensor(OpTest("Gelu", 20).Attr("approximate", "tanh").Input(X()).Run(),
               Y({-0.0454023f, -0.1542860f, 0, 0.8411920f, NAN}), 1e-5);
  ExpectError(OpTest("Gelu", 20).Attr("approximate", "erf").Input(X()).Run().status(), kInvalid,
              "approximate must be none or tanh, not erf");
}

TEST(SoftplusTest, DoesNotOverflow) {
  ExpectTensor(
      OpTest("Softplus", 1).Input(Tensor::Of<float>({5}, {0, 1, 1000, -INFINITY, NAN})).Run(),
      Tensor::Of<float>({5}, {0.6931472f, 1.3132617f, 1000, 0, NAN}), 1e-6);
}

TEST(SoftsignTest, Values) {
  ExpectTensor(OpTest("Softsign", 22).Input(X()).Run(), Y({-2.0f / 3, -1.0f / 3, 0, 0.5f, NAN}),
               1e-6);
}

TEST(MishTest, Values) {
  ExpectTensor(OpTest("Mish", 18).Input(X()).Run(),
               Y({-0.2525015f, -0.2207439f, 0, 0.8650984f, NAN}), 1e-5);
}

TEST(ShrinkTest, Floats) {
  ExpectTensor(OpTest("Shrink", 9).Attr("bias", 0.25f).Attr("lambd", 0.75f).Input(X()).Run(),
               Y({-1.75f, 0, 0, 0.75f, 0}));
}

TEST(ShrinkTest, IntegersAreExactOrTruncated) {
  const int64_t big = (int64_t{1} << 53) + 1;
  ExpectTensor(OpTest("Shrink", 9)
                   .Attr("bias", 1.0f)
                   .Attr("lambd", 1.5f)
                   .Input(Tensor::Of<int64_t>({4}, {-2, 1, 2, big}))
                   .Run(),
               Tensor::Of<int64_t>({4}, {-1, 0, 1, big - 1}));
  ExpectTensor(OpTest("Shrink", 9)
                   .Attr("bias", 1.5f)
                   .Attr("lambd", 1.5f)
                   .Input(Tensor::Of<int8_t>({3}, {-4, 1, 4}))
                   .Run(),
               Tensor::Of<int8_t>({3}, {-2, 0, 2}));
}

TEST(PReluTest, SlopeBroadcastsToX) {
  ExpectTensor(OpTest("PRelu", 16)
                   .Input(Tensor::Of<float>({2, 2}, {-1, 2, -3, -4}))
                   .Input(Tensor::Of<float>({2}, {2, 3}))
                   .Run(),
               Tensor::Of<float>({2, 2}, {-2, 2, -6, -12}));
  ExpectTensor(OpTest("PRelu", 9)
                   .Input(Tensor::Of<int64_t>({2}, {INT64_MIN, 5}))
                   .Input(Tensor::Of<int64_t>({}, {3}))
                   .Run(),
               Tensor::Of<int64_t>({2}, {INT64_MIN, 5}));
  ExpectError(OpTest("PRelu", 16)
                  .Input(Tensor::Of<float>({1}, {-1}))
                  .Input(Tensor::Of<float>({2}, {2, 3}))
                  .Run()
                  .status(),
              kInvalid, "");
}

TEST(PReluTest, SlopeOfChannelsBeforeOpset7) {
  const Tensor x = Tensor::Of<float>({1, 2, 2}, {-1, -2, -3, 4});
  ExpectTensor(OpTest("PRelu", 6).Input(x).Input(Tensor::Of<float>({2}, {2, 10})).Run(),
               Tensor::Of<float>({1, 2, 2}, {-2, -4, -30, 4}));
  ExpectTensor(OpTest("PRelu", 1).Input(x).Input(Tensor::Of<float>({1}, {2})).Run(),
               Tensor::Of<float>({1, 2, 2}, {-2, -4, -6, 4}));
  ExpectError(OpTest("PRelu", 6).Input(x).Input(Tensor::Of<float>({3}, {1, 2, 3})).Run().status(),
              kInvalid, "one for each channel");
}

}  // namespace
}  // namespace onnxcmp
