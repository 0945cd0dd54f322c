// Runs in double: what is widened, what casts do, what stays.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "evaluator/run/evaluator.h"
#include "tests/support/model_test.h"

namespace onnxcmp {
namespace {

using testing::EvaluatorFromText;
using testing::TensorAt;

EvaluatorOptions InDouble() { return {.threads = 1, .in_double = true}; }

// The first output of "g GRAPH" at opset 21.
Tensor InDouble(const std::string& graph, const Feeds& feeds) {
  const auto evaluator =
      EvaluatorFromText("<ir_version: 10, opset_import: [\"\": 21]>\ng " + graph, InDouble());
  EXPECT_TRUE(evaluator.ok()) << evaluator.status();
  if (!evaluator.ok()) return Tensor();
  const auto output = TensorAt(evaluator->Run(feeds), 0);
  EXPECT_TRUE(output.ok()) << output.status();
  return output.ok() ? *output : Tensor();
}

TEST(InDoubleTest, ArithmeticIsOfDoubles) {
  const Tensor y = InDouble("(float[2] x) => (float[2] y) <float c = {3}> { y = Div(x, c) }",
                            {{"x", Tensor::Of<float>({2}, {1, 2})}});
  ASSERT_EQ(y.dtype(), DType::kDouble);
  EXPECT_EQ(y.AsSpan<double>()[0], 1.0 / 3);
}

TEST(InDoubleTest, CastsBetweenFloatsDoNotRound) {
  const Tensor y = InDouble(R"((float[1] x) => (float[1] y) {
    t = Exp(x) h = Cast<to = 10>(t) b = Cast<to = 16>(h) e = Cast<to = 17>(b) y = Cast<to = 1>(e)
  })",
                            {{"x", Tensor::Of<float>({1}, {1})}});
  ASSERT_EQ(y.dtype(), DType::kDouble);
  EXPECT_EQ(y.AsSpan<double>()[0], std::exp(1.0));
}

TEST(InDoubleTest, IntegersStay) {
  const Tensor y = InDouble("(float[2] x) => (int64[2] y) { y = Cast<to = 7>(x) }",
                            {{"x", Tensor::Of<float>({2}, {1.5f, -2})}});
  ASSERT_EQ(y.dtype(), DType::kInt64);
  EXPECT_EQ(y.AsSpan<int64_t>()[0], 1);
}

TEST(InDoubleTest, ConstantsRandomNumbersAndSequencesBecomeDouble) {
  const Tensor constant =
      InDouble("() => (float[1] y) { c = Constant<value = float[1] {2}>() y = Sqrt(c) }", {});
  ASSERT_EQ(constant.dtype(), DType::kDouble);
  EXPECT_EQ(constant.AsSpan<double>()[0], std::sqrt(2.0));
  const Tensor random =
      InDouble("() => (float16[4] y) { y = RandomNormal<shape = [4], dtype = 10>() }", {});
  EXPECT_EQ(random.dtype(), DType::kDouble);
  const Tensor sequence = InDouble(
      "(float16[1] x) => (float16[1] y) <int64 i = {0}> { e = SequenceEmpty<dtype = 10>() "
      "s = SequenceInsert(e, x) y = SequenceAt(s, i) }",
      {{"x", Tensor::Of<Eigen::half>({1}, {Eigen::half(2.0f)})}});
  EXPECT_EQ(sequence.dtype(), DType::kDouble);
}

TEST(InDoubleTest, TypesThatSchemasDoNotAllowInDouble) {
  // QuantizeLinear takes no double, and stash_type of LayerNormalization cannot say double.
  const Tensor quantized = InDouble(
      "(float[2] x) => (uint8[2] y) <float s = {0.5}, uint8 z = {3}> { y = QuantizeLinear(x, s, z) "
      "}",
      {{"x", Tensor::Of<float>({2}, {1, 2})}});
  ASSERT_EQ(quantized.dtype(), DType::kUint8);
  EXPECT_EQ(quantized.AsSpan<uint8_t>()[1], 7);
  const auto halves = [](float a, float b) {
    return Tensor::Of<Eigen::half>({2}, {Eigen::half(a), Eigen::half(b)});
  };
  const Tensor normal = InDouble(
      "(float16[2] x, float16[2] s) => (float16[2] y) { "
      "y = LayerNormalization<epsilon = 0.0>(x, s) }",
      {{"x", halves(1, 2)}, {"s", halves(1, 1)}});
  ASSERT_EQ(normal.dtype(), DType::kDouble);
  EXPECT_NEAR(normal.AsSpan<double>()[0], -1, 1e-15);
}

TEST(InDoubleTest, OfAnEvaluatorInOtherTypes) {
  const auto evaluator = EvaluatorFromText(
      "<ir_version: 10, opset_import: [\"\": 21]>\n"
      "g (float[1] x) => (float[1] y) { y = Exp(x) }");
  ASSERT_TRUE(evaluator.ok()) << evaluator.status();
  const auto in_double = evaluator->InDouble();
  ASSERT_TRUE(in_double.ok()) << in_double.status();
  const Feeds feeds = {{"x", Tensor::Of<float>({1}, {1})}};
  const auto own = TensorAt(evaluator->Run(feeds), 0);
  const auto wide = TensorAt(in_double->Run(feeds), 0);
  ASSERT_TRUE(own.ok() && wide.ok()) << own.status() << wide.status();
  EXPECT_EQ(own->dtype(), DType::kFloat);
  EXPECT_EQ(wide->AsSpan<double>()[0], std::exp(1.0));
  const auto alone = in_double->RunNode(0, {Value(Tensor::Of<float>({1}, {1}))});
  ASSERT_TRUE(alone.ok()) << alone.status();
  EXPECT_EQ((*alone)[0].tensor().dtype(), DType::kDouble);
}

}  // namespace
}  // namespace onnxcmp
