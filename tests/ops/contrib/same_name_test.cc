// Names that ai.onnx and com.microsoft both have: each is run with both meanings in one model.
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tests/support/model_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// y is made by ai.onnx's operator, z by com.microsoft's.
absl::StatusOr<std::vector<Value>> RunBoth(absl::string_view inputs, absl::string_view outputs,
                                           absl::string_view nodes, const Feeds& feeds,
                                           int opset = 27) {
  return RunText(
      absl::StrCat(R"(<ir_version: 10, opset_import: ["": )", opset,
                   R"(, "com.microsoft": 1]> g ()", inputs, ") => (", outputs, ") { ", nodes, " }"),
      feeds);
}

void ExpectBoth(const absl::StatusOr<std::vector<Value>>& got, const Tensor& y, const Tensor& z,
                double rtol = 0) {
  ExpectTensor(TensorAt(got, 0), y, rtol);
  ExpectTensor(TensorAt(got, 1), z, rtol);
}

// Whoever adds a name adds a test.
TEST(SameNameTest, AllAreTested) {
  const std::set<std::string> tested = {
      "Attention",
      "CausalConvWithState",
      "DequantizeLinear",
      "GatherND",
      "Gelu",
      "GridSample",
      "LinearAttention",
      "Pad",
      "Range",
      "QLinearConv",
      "QuantizeLinear",
      "RotaryEmbedding",
      "Trilu",
      "Scale",
      "SwiGLU",
      "Unique",
  };
  for (const OpRegistry::Entry& entry : Registry().Entries()) {
    const bool in_both = entry.domain == kMicrosoftDomain &&
                         Registry().FindSchema(kOnnxDomain, entry.op_type, INT32_MAX) != nullptr;
    EXPECT_TRUE(!in_both || tested.contains(entry.op_type)) << entry.op_type;
  }
}

// Query, key and value in one, an input and the weights that make them in the other. Of one token
// alone the attention is its value.
TEST(SameNameTest, Attention) {
  std::vector<float> weights(12, 0);
  weights[4] = weights[11] = 1;  // the value is the input
  const auto got =
      RunBoth("float[1,1,1,2] q, float[1,1,2] x, float[2,6] w, float[6] b",
              "float[a,b,c,d] y, float[a,b,c] z",
              "y = Attention(q, q, q) z = com.microsoft.Attention<num_heads = 1>(x, w, b)",
              {{"q", Tensor::Of<float>({1, 1, 1, 2}, {1, 2})},
               {"x", Tensor::Of<float>({1, 1, 2}, {3, 4})},
               {"w", Tensor::Of<float>({2, 6}, weights)},
               {"b", Floats({0, 0, 0, 0, 0, 10})}});
  ExpectBoth(got, Tensor::Of<float>({1, 1, 1, 2}, {1, 2}), Tensor::Of<float>({1, 1, 2}, {3, 14}));
}

// Dilation is in one only.
TEST(SameNameTest, CausalConvWithState) {
  ExpectBoth(RunBoth("float[1,1,3] x, float[1,1,2] w", "float[a,b,c] y, float[a,b,c] z",
                     "y, state = CausalConvWithState(x, w) "
                     "z, dilated = com.microsoft.CausalConvWithState<dilation = 2>(x, w)",
                     {{"x", Tensor::Of<float>({1, 1, 3}, {1, 2, 3})},
                      {"w", Tensor::Of<float>({1, 1, 2}, {10, 1})}}),
             Tensor::Of<float>({1, 1, 3}, {1, 12, 23}), Tensor::Of<float>({1, 1, 3}, {1, 2, 13}));
}

// The type may be an attribute in one.
TEST(SameNameTest, QuantizeLinear) {
  ExpectBoth(RunBoth("float[2] x, float s", "int8[2] y, uint8[2] z",
                     "y = QuantizeLinear<output_dtype = 3>(x, s) "
                     "z = com.microsoft.QuantizeLinear(x, s)",
                     {{"x", Floats({-4, 5})}, {"s", Tensor::Scalar<float>(2)}}),
             Tensor::Of<int8_t>({2}, {-2, 2}), Tensor::Of<uint8_t>({2}, {0, 2}));
}

// One takes the halves of one tensor, too, and has a limit unless it is told otherwise.
TEST(SameNameTest, SwiGLU) {
  ONNXCMP_NEEDS_OPSET(28);
  ExpectBoth(RunBoth("float[1] a, float[1] b, float[2] ab", "float[n] y, float[m] z",
                     "y = SwiGLU(a, b) z = com.microsoft.SwiGLU<limit = 10.0>(ab)",
                     {{"a", Floats({40})}, {"b", Floats({3})}, {"ab", Floats({40, 3})}}, 28),
             Floats({120}), Floats({30}), 1e-3);
}

// Blocks of a scale are in one only.
TEST(SameNameTest, DequantizeLinear) {
  ExpectBoth(RunBoth("uint8[1,2] x, float[1,1] s, float[2] t", "float[a,b] y, float[a,b] z",
                     "y = DequantizeLinear<block_size = 2>(x, s) "
                     "z = com.microsoft.DequantizeLinear(x, t)",
                     {{"x", Tensor::Of<uint8_t>({1, 2}, {1, 2})},
                      {"s", Tensor::Of<float>({1, 1}, {10})},
                      {"t", Floats({3, 5})}}),
             Tensor::Of<float>({1, 2}, {10, 20}), Tensor::Of<float>({1, 2}, {3, 10}));
}

// Channels may be last in one.
TEST(SameNameTest, QLinearConv) {
  const auto got =
      RunBoth("uint8[1,1,1,2] x, uint8[1,1,1,1] w, uint8[1,2,1,1] v, float one, uint8 zero",
              "uint8[a,b,c,d] y, uint8[a,b,c,d] z",
              "y = QLinearConv(x, one, zero, w, one, zero, one, zero) z = com.microsoft.QLinearConv"
              "<channels_last = 1>(x, one, zero, v, one, zero, one, zero)",
              {{"x", Tensor::Of<uint8_t>({1, 1, 1, 2}, {1, 2})},
               {"w", Tensor::Of<uint8_t>({1, 1, 1, 1}, {3})},
               {"v", Tensor::Of<uint8_t>({1, 2, 1, 1}, {5, 7})},
               {"one", Tensor::Scalar<float>(1)},
               {"zero", Tensor::Scalar<uint8_t>(0)}});
  ExpectBoth(got, Tensor::Of<uint8_t>({1, 1, 1, 2}, {3, 6}),
             Tensor::Of<uint8_t>({1, 1, 1, 1}, {19}));
}

// The positions are the last input in one, the second in the other.
TEST(SameNameTest, RotaryEmbedding) {
  const Tensor x = Tensor::Of<float>({1, 1, 1, 2}, {1, 2});
  const Tensor turned = Tensor::Of<float>({1, 1, 1, 2}, {-2, 1});
  ExpectBoth(
      RunBoth("float[1,1,1,2] x, int64[1,1] p, float[1,1] c, float[1,1] s",
              "float[a,b,c,d] y, float[a,b,c,d] z",
              "y = RotaryEmbedding(x, c, s, p) z = com.microsoft.RotaryEmbedding(x, p, c, s)",
              {{"x", x},
               {"p", Tensor::Of<int64_t>({1, 1}, {0})},
               {"c", Tensor::Of<float>({1, 1}, {0})},
               {"s", Tensor::Of<float>({1, 1}, {1})}}),
      turned, turned);
}

// Several heads may share a query in one.
TEST(SameNameTest, LinearAttention) {
  const auto got = RunBoth(
      "float[1,1,2] a, float[1,1,1] b, float[1,1,1] c", "float[a,b,c] y, float[a,b,c] z",
      "y, s = LinearAttention<q_num_heads = 2, kv_num_heads = 1, scale = 1.0, update_rule = "
      "\"linear\">(a, b, c) z, t = com.microsoft.LinearAttention<q_num_heads = 1, kv_num_heads = "
      "2, "
      "scale = 1.0, update_rule = \"linear\">(b, a, a)",
      {{"a", Tensor::Of<float>({1, 1, 2}, {1, 2})},
       {"b", Tensor::Of<float>({1, 1, 1}, {3})},
       {"c", Tensor::Of<float>({1, 1, 1}, {5})}});
  ExpectBoth(got, Tensor::Of<float>({1, 1, 2}, {15, 30}), Tensor::Of<float>({1, 1, 2}, {3, 12}));
}

// The factor is an attribute of one, which ONNX has given up, and an input of the other.
TEST(SameNameTest, Scale) {
  ExpectBoth(RunText(R"(<ir_version: 10, opset_import: ["": 9, "com.microsoft": 1]>
                        g (float[2] x, float s) => (float[2] y, float[2] z)
                        { y = Scale<scale = 3.0>(x) z = com.microsoft.Scale<scale_down = 1>(x, s) })",
                     {{"x", Floats({1, 2})}, {"s", Tensor::Scalar<float>(4)}}),
             Floats({3, 6}), Floats({0.25f, 0.5f}));
}

// Two formulas in one. Values: NumPy.
TEST(SameNameTest, Gelu) {
  ExpectBoth(RunBoth("float[1] x", "float[1] y, float[1] z",
                     R"(y = Gelu<approximate = "tanh">(x) z = com.microsoft.Gelu(x))",
                     {{"x", Floats({1})}}),
             Floats({0.8411919906f}), Floats({0.8413447461f}), 1e-6);
}

// Three inputs of one, an attribute and a square of another size in the other.
TEST(SameNameTest, Trilu) {
  const Tensor x = Tensor::Of<float>({2, 2}, {1, 2, 3, 4});
  ExpectBoth(RunBoth("float[2,2] x, int64 k", "float[2,2] y, float[2,2] z",
                     "y = Trilu<upper = 0>(x, k) z = com.microsoft.Trilu(x, k)",
                     {{"x", x}, {"k", Tensor::Scalar<int64_t>(0)}}),
             Tensor::Of<float>({2, 2}, {1, 0, 3, 4}), Tensor::Of<float>({2, 2}, {1, 2, 0, 4}));
}

// Sorted in one; two outputs more in the other's place.
TEST(SameNameTest, Unique) {
  const auto got = RunBoth("float[3] x", "float[n] y, float[n] z, int64[m] i, int64[m] j",
                           "y, first, i = Unique(x) z, j, count = com.microsoft.Unique(x)",
                           {{"x", Floats({2, 1, 2})}});
  ExpectBoth(got, Floats({1, 2}), Floats({2, 1}));
  ExpectTensor(TensorAt(got, 2), Ints({1, 0, 1}));
  ExpectTensor(TensorAt(got, 3), Ints({0, 1, 0}));
}

// The step may be left out in one.
TEST(SameNameTest, Range) {
  ExpectBoth(RunBoth("int64 a, int64 b, int64 c", "int64[n] y, int64[m] z",
                     "y = Range(a, b, c) z = com.microsoft.Range(a, b)",
                     {{"a", Tensor::Scalar<int64_t>(0)},
                      {"b", Tensor::Scalar<int64_t>(3)},
                      {"c", Tensor::Scalar<int64_t>(2)}}),
             Ints({0, 2}), Ints({0, 1, 2}));
}

// "wrap" and axes are in one only.
TEST(SameNameTest, Pad) {
  ExpectBoth(RunBoth("float[2] x, int64[2] p", "float[n] y, float[n] z",
                     R"(y = Pad<mode = "wrap">(x, p) z = com.microsoft.Pad<mode = "edge">(x, p))",
                     {{"x", Floats({1, 2})}, {"p", Ints({1, 0})}}),
             Floats({2, 1, 2}), Floats({1, 1, 2}));
}

// batch_dims are in one only.
TEST(SameNameTest, GatherND) {
  ExpectBoth(RunBoth("float[2,2] x, int64[2,1] i", "float[n] y, float[n,m] z",
                     "y = GatherND<batch_dims = 1>(x, i) z = com.microsoft.GatherND(x, i)",
                     {{"x", Iota({2, 2})}, {"i", Tensor::Of<int64_t>({2, 1}, {1, 0})}}),
             Floats({1, 2}), Tensor::Of<float>({2, 2}, {2, 3, 0, 1}));
}

// "linear" in one is "bilinear" in the other.
TEST(SameNameTest, GridSample) {
  const auto run = [](absl::string_view mode, absl::string_view contrib_mode) {
    return RunBoth(
        "float[1,1,1,2] x, float[1,1,1,2] g", "float[a,b,c,d] y, float[a,b,c,d] z",
        absl::StrCat("y = GridSample<mode = \"", mode,
                     "\">(x, g) z = com.microsoft.GridSample<mode = \"", contrib_mode, "\">(x, g)"),
        {{"x", Tensor::Of<float>({1, 1, 1, 2}, {1, 3})},
         {"g", Tensor::Of<float>({1, 1, 1, 2}, {0, 0})}});
  };
  const Tensor middle = Tensor::Of<float>({1, 1, 1, 1}, {2});
  ExpectBoth(run("linear", "bilinear"), middle, middle);
  ExpectError(run("linear", "linear").status(), kInvalid, "mode");
  ExpectError(run("bilinear", "bilinear").status(), kInvalid, "mode");
}

}  // namespace
}  // namespace onnxcmp::testing
