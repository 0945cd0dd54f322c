#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Two steps of one head of keys (2 elements) and values (1), which two heads of queries share.
// Expected values are those of a NumPy transcription of the schema's text.
OpTest Linear(const char* rule, DType dtype = DType::kFloat) {
  OpTest test("LinearAttention", 27);
  test.Outputs(2).Attr("update_rule", rule).Attr("scale", 2.0f);
  test.Attr("q_num_heads", 2).Attr("kv_num_heads", 1);
  test.Input(Convert(Tensor::Of<float>({1, 2, 4}, {1, 0, 0, 2, 1, 1, -1, 1}), dtype));
  test.Input(Convert(Tensor::Of<float>({1, 2, 2}, {1, 2, 0.5f, -1}), dtype));
  test.Input(Convert(Tensor::Of<float>({1, 2, 1}, {3, -2}), dtype));
  test.Input(Tensor::Of<float>({1, 1, 2, 1}, {1, -1}));
  test.Input(Convert(Tensor::Of<float>({1, 2, 2}, {-0.5f, -1, -2, 0}), dtype));
  return test.Input(Convert(Tensor::Of<float>({1, 2, 1}, {0.5f, 0.25f}), dtype));
}

Tensor Output(const std::vector<float>& values) { return Tensor::Of<float>({1, 2, 2}, values); }
Tensor State(const std::vector<float>& values) { return Tensor::Of<float>({1, 1, 2, 1}, values); }

TEST(LinearAttentionTest, EveryRule) {
  ExpectOutputs(Linear("linear"), {Output({8, 20, 20, 8}), State({3, 7})}, 1e-6);
  ExpectOutputs(Linear("gated"),
                {Output({7.213061319f, 22.528482315f, 14.240422814f, 16.288059421f}),
                 State({-0.511909152f, 7.632120559f})},
                1e-6);
  ExpectOutputs(Linear("delta"), {Output({6, 12, 12.125f, 0.375f}), State({2.9375f, 3.125f})},
                1e-6);
  ExpectOutputs(Linear("gated_delta"),
                {Output({4.342289542f, 11.045395125f, 5.956754414f, 4.474208176f}),
                 State({0.370636559f, 2.607740648f})},
                1e-6);
}

TEST(LinearAttentionTest, KeepsTheStatesType) {
  ExpectOutputs(Linear("linear", DType::kFloat16),
                {Convert(Output({8, 20, 20, 8}), DType::kFloat16), State({3, 7})});
}

TEST(LinearAttentionTest, DecaysByHeadFromNothing) {
  OpTest test("LinearAttention", 27);
  test.Outputs(2).Attr("update_rule", "gated").Attr("q_num_heads", 1).Attr("kv_num_heads", 1);
  test.Input(Tensor::Of<float>({1, 2, 4}, {1, 0, 0, 0, 1, 0, 0, 0}));
  test.Input(Tensor::Of<float>({1, 2, 4}, {1, 0, 0, 0, 1, 0, 0, 0}));
  test.Input(Tensor::Of<float>({1, 2, 1}, {2, 1})).NoInput();
  test.Input(Tensor::Of<float>({1, 2, 1}, {-5, 0}));
  // scale is 1 / sqrt(4).
  ExpectOutputs(test, {Tensor::Of<float>({1, 2, 1}, {1, 1.5f}),
                       Tensor::Of<float>({1, 1, 4, 1}, {3, 0, 0, 0})});
}

TEST(LinearAttentionTest, RefusesWhatDoesNotFit) {
  ExpectError(Linear("cubic").Run().status(), kInvalid, "is none of linear");
  ExpectError(Linear("linear").Attr("kv_num_heads", 0).Run().status(), kInvalid, "cannot share");
  OpTest decay("LinearAttention", 27);
  decay.Outputs(2).Attr("update_rule", "gated").Attr("q_num_heads", 1).Attr("kv_num_heads", 1);
  decay.Input(Iota({1, 1, 1})).Input(Iota({1, 1, 1})).Input(Iota({1, 1, 1}));
  ExpectError(decay.Run().status(), kInvalid, "needs the input decay");
  OpTest key("LinearAttention", 27);
  key.Outputs(2).Attr("update_rule", "linear").Attr("q_num_heads", 1).Attr("kv_num_heads", 1);
  key.Input(Iota({1, 1, 2})).Input(Iota({1, 1, 1})).Input(Iota({1, 1, 1}));
  ExpectError(key.Run().status(), kInvalid, "key has shape [1x1x1]");
}

}  // namespace
}  // namespace onnxcmp::testing
