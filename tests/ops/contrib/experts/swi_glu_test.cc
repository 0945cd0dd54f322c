// SwiGLU and RouterGateUpProj of com.microsoft. Expected values are NumPy's, in double; their
// standard operators are in testdata/fusions.
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

Tensor Half(const std::vector<float>& values) { return Convert(Floats(values), DType::kFloat16); }

TEST(SwiGlu, ClampsScalesAndShifts) {
  OpTest test = Contrib("SwiGLU");
  test.Attr("activation_alpha", 2.0f).Attr("activation_beta", 0.5f).Attr("limit", 1.0f);
  test.Input(Floats({1.5f, -2, 1, kNaN})).Input(Floats({-1, 0.75f, 3, 1}));
  ExpectTensor(test.Run(), Floats({-0.440398539f, -0.0449655249f, 0.8807970780f * 1.5f, kNaN}),
               1e-6);
}

TEST(SwiGlu, HalvesOfOneTensorAndNoLimit) {
  const Tensor both = Tensor::Of<float>({2, 4}, {20, 0, -30, 2, 0, 1, 5, 4});
  ExpectTensor(Contrib("SwiGLU").Attr("limit", -1.0f).Input(both).Run(),
               Tensor::Of<float>({2, 2}, {-600, 0, 0, 2.92423431f}), 1e-6);
  ExpectTensor(Contrib("SwiGLU").Input(Iota({0, 4})).Run(), Iota({0, 2}));
}

TEST(SwiGlu, KeepsNegativeZeroAndSmallTails) {
  ExpectSameBits(Contrib("SwiGLU").Input(Floats({100})).Input(Floats({-0.0f})).Run(),
                 Floats({-0.0f}));
  // -95 * sigmoid(-95) is no ordinary float, the product with 3e8 is.
  ExpectTensor(Contrib("SwiGLU").Input(Floats({-95})).Input(Floats({3e8f})).Run(),
               Floats({-1.57350845e-31f}), 1e-6);
}

TEST(SwiGlu, RoundsTheActivationIfAsked) {
  const auto run = [](int rounds) {
    OpTest test = Contrib("SwiGLU").Attr("round_activation", rounds);
    return test.Input(Half({1.400390625f})).Input(Half({3})).Run();
  };
  ExpectTensor(run(0), Half({3.37109375f}));
  ExpectTensor(run(1), Half({3.369140625f}));
}

TEST(SwiGlu, RefusesWhatDoesNotFit) {
  const absl::Status odd = Contrib("SwiGLU").Input(Iota({2, 3})).Run().status();
  ExpectError(odd, kInvalid, "gate is float[2,3], which has no two halves");
  ExpectError(odd, kInvalid, "com.microsoft.SwiGLU");
  ExpectError(Contrib("SwiGLU").Input(Iota({2})).Input(Iota({3})).Run().status(), kInvalid,
              "gate is float[2], but up float[3]");
}

OpTest Router(const Shape& x, const Shape& w, int router_size) {
  OpTest test = Contrib("RouterGateUpProj").Outputs(2).Attr("router_size", router_size);
  return test.Input(Convert(Iota(x), DType::kBfloat16)).Input(Convert(Iota(w), DType::kBfloat16));
}

TEST(RouterGateUpProj, CutsTheProduct) {
  OpTest test = Contrib("RouterGateUpProj").Outputs(2).Attr("router_size", 1);
  test.Input(Half({2}).Reshaped({1, 1})).Input(Half({3, 0.5f, 4}).Reshaped({1, 3}));
  ExpectOutputs(test, {Half({6}).Reshaped({1, 1}), Half({5.84765625f}).Reshaped({1, 1})});
  ExpectOutputs(Router({0, 2}, {2, 7}, 3),
                {Convert(Iota({0, 3}), DType::kBfloat16), Convert(Iota({0, 2}), DType::kBfloat16)});
}

TEST(RouterGateUpProj, RefusesWhatDoesNotFit) {
  ExpectError(Router({1, 2}, {2, 6}, 3).RunAll().status(), kInvalid,
              "X, bfloat16[1,2], and W, bfloat16[2,6], are not");
  ExpectError(Router({1, 2}, {3, 7}, 3).RunAll().status(), kInvalid, "with router_size 3");
  ExpectError(Router({1, 2}, {2, 7}, -1).RunAll().status(), kInvalid, "router_size is -1");
  ExpectError(Router({1, 2}, {2, 7}, 3).Attr("activation", "geglu").RunAll().status(), kInvalid,
              "\"geglu\"");
}

}  // namespace
}  // namespace onnxcmp::testing
