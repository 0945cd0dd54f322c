// Most results are tested by golden cases, from onnxruntime.
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// One direction, 2 inputs, a hidden size of 1: all weights 1.
OpTest DynamicQuantizeLstm(const Tensor& w_scale) {
  OpTest test = Contrib("DynamicQuantizeLSTM");
  test.Outputs(3).Attr("hidden_size", 1);
  test.Attr("activations", std::vector<std::string>{"Affine", "Affine", "Affine"});
  test.Attr("activation_alpha", std::vector<float>{1, 1, 1});
  test.Attr("activation_beta", std::vector<float>{0, 0, 0});
  const Tensor zero = Tensor::Of<int8_t>({1}, {0});
  test.Input(Tensor::Of<float>({1, 1, 2}, {1, 0}));
  test.Input(Tensor::Of<int8_t>({1, 2, 4}, {1, 2, 3, 4, 1, 1, 1, 1}));
  test.Input(Tensor::Of<int8_t>({1, 1, 4}, {1, 1, 1, 1}));
  for (int i = 0; i < 5; ++i) test.NoInput();
  return test.Input(w_scale)
      .Input(w_scale.rank() == 2 ? Tensor::Of<int8_t>({1, 4}, {0, 0, 0, 0}) : zero)
      .Input(Floats({1}))
      .Input(zero);
}

TEST(DynamicQuantizeLSTMTest, ScalesOfColumns) {
  // i = 1, o = 2, f = 3, c = 4 of scale 1: C = i * c, H = o * C.
  ExpectTensor(DynamicQuantizeLstm(Floats({1})).Run(2), Tensor::Of<float>({1, 1, 1}, {4}), 1e-6);
  ExpectTensor(DynamicQuantizeLstm(Floats({1})).Run(0), Tensor::Of<float>({1, 1, 1, 1}, {8}), 1e-6);
  // o of scale 3.
  ExpectTensor(DynamicQuantizeLstm(Tensor::Of<float>({1, 4}, {1, 3, 1, 1})).Run(1),
               Tensor::Of<float>({1, 1, 1}, {24}), 1e-6);
}

TEST(DynamicQuantizeLSTMTest, BadInputs) {
  ExpectError(DynamicQuantizeLstm(Floats({1, 2})).Run().status(), kInvalid,
              "input 8 is float[2], neither [1] nor [1, 4]");
  ExpectError(DynamicQuantizeLstm(Floats({1})).Attr("direction", "bidirectional").Run().status(),
              kInvalid, "3 activations given, 6 needed");
  ExpectError(DynamicQuantizeLstm(Floats({1})).Attr("hidden_size", 2).Run().status(), kInvalid,
              "hidden_size is 2");
}

}  // namespace
}  // namespace onnxcmp::testing
