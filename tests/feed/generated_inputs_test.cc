#include "feed/generated_inputs.h"

#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluator/tensor/convert.h"
#include "feed/generated_targets.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::ExpectError;
using ::onnxcmp::testing::ExpectSameBits;
using ::testing::ElementsAre;

Graph OneInput(DType dtype, std::vector<TypeInfo::Dim> shape) {
  Graph graph;
  ValueInfo& input = graph.inputs.emplace_back();
  input.name = "x";
  input.type.kind = TypeInfo::Kind::kTensor;
  input.type.dtype = dtype;
  input.type.shape = std::move(shape);
  return graph;
}

absl::StatusOr<Tensor> Generate(const Graph& graph, GeneratedInputs options = {}) {
  options.ramp = true;
  const auto values = GenerateInputs(graph, options);
  if (!values.ok()) {
    return values.status();
  }
  return (*values)[0].value.tensor();
}

// Six elements of a type, as numbers.
std::vector<double> Six(DType dtype) {
  const auto tensor = Generate(OneInput(dtype, {{6, ""}}));
  EXPECT_TRUE(tensor.ok()) << tensor.status();
  std::vector<double> numbers(6);
  LoadElements<double>(dtype, tensor->raw_data(), 0, 6, numbers.data());
  return numbers;
}

TEST(GenerateInputsTest, Shapes) {
  EXPECT_EQ(Generate(OneInput(DType::kFloat, {}))->shape(), (Shape{}));
  EXPECT_EQ(Generate(OneInput(DType::kFloat, {{3, ""}, {4, ""}}))->shape(), (Shape{3, 4}));
  const Graph free = OneInput(DType::kFloat, {{std::nullopt, "n"}, {std::nullopt, "s"}, {0, ""}});
  EXPECT_EQ(Generate(free)->shape(), (Shape{1, 16, 16}));
  GeneratedInputs options;
  options.dims = {{"s", 5}, {"n", 0}};
  EXPECT_EQ(Generate(free, options)->shape(), (Shape{0, 5, 16}));
  EXPECT_THAT(FreeDimensions(free), ElementsAre("n", "s"));
}

// NumPy: (numpy.arange(6).astype(t) / numpy.float64(6)).astype(t)
TEST(GenerateInputsTest, CountsUp) {
  EXPECT_THAT(Six(DType::kInt64), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(Six(DType::kInt32), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(Six(DType::kBool), ElementsAre(0, 1, 0, 1, 0, 1));
  EXPECT_THAT(Six(DType::kDouble), ElementsAre(0, 1 / 6.0, 2 / 6.0, 3 / 6.0, 4 / 6.0, 5 / 6.0));
  EXPECT_THAT(Six(DType::kFloat), ElementsAre(0, 1 / 6.0f, 2 / 6.0f, 0.5f, 4 / 6.0f, 5 / 6.0f));
  EXPECT_THAT(Six(DType::kFloat16),
              ElementsAre(0, 0.1666259765625, 0.333251953125, 0.5, 0.66650390625, 0.83349609375));
  EXPECT_THAT(Six(DType::kBfloat16),
              ElementsAre(0, 0.1669921875, 0.333984375, 0.5, 0.66796875, 0.83203125));
  EXPECT_THAT(Six(DType::kUint2), ElementsAre(0, 1, 2, 3, 0, 1));
  EXPECT_THAT(Six(DType::kInt2), ElementsAre(0, 1, 0, 1, 0, 1));
  ExpectSameBits(Generate(OneInput(DType::kString, {{3, ""}})),
                 Tensor::Of<std::string>({3}, {"0", "1", "2"}));
  ExpectSameBits(Generate(OneInput(DType::kComplex64, {{2, ""}})),
                 Tensor::Of<std::complex<float>>({2}, {0, 0.5f}));
}

TEST(GenerateInputsTest, SmallIntegersStartAgain) {
  const auto bytes = Generate(OneInput(DType::kInt8, {{130, ""}}));
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(bytes->AsSpan<int8_t>()[127], 127);
  EXPECT_EQ(bytes->AsSpan<int8_t>()[128], 0);
}

TEST(GenerateInputsTest, IdsStayInTheirTable) {
  Graph graph = OneInput(DType::kInt64, {{5, ""}});
  graph.initializers.push_back({"table", Tensor::Of<float>({3, 1}, {1, 2, 3})});
  Node gather;
  gather.op_type = "Gather";
  gather.inputs = {"table", "x"};
  gather.outputs = {"y"};
  graph.nodes.push_back(gather);
  ExpectSameBits(Generate(graph), Tensor::Of<int64_t>({5}, {0, 1, 2, 0, 1}));
  GeneratedInputs options;
  options.seed = 1;
  const auto random = Generate(graph, options);
  ASSERT_TRUE(random.ok());
  for (const int64_t id : random->AsSpan<int64_t>()) {
    EXPECT_GE(id, 0);
    EXPECT_LT(id, 3);
  }
}

TEST(GenerateInputsTest, SeedsDecide) {
  GeneratedInputs one;
  one.seed = 1;
  GeneratedInputs two;
  two.seed = 2;
  const Graph graph = OneInput(DType::kFloat, {{10000, ""}});
  const auto a = Generate(graph, one);
  ASSERT_TRUE(a.ok());
  ExpectSameBits(Generate(graph, one), *a);
  const auto b = Generate(graph, two);
  EXPECT_NE(a->AsSpan<float>()[0], b->AsSpan<float>()[0]);
  double sum = 0;
  double squares = 0;
  for (const float x : a->AsSpan<float>()) {
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / 10000, 0, 0.05);  // five standard deviations of the mean
  EXPECT_NEAR(squares / 10000, 1, 0.07);
}

TEST(GenerateInputsTest, WhatCannotBeMadeUp) {
  Graph graph = OneInput(DType::kFloat, {});
  graph.inputs[0].type.shape.reset();
  ExpectError(Generate(graph).status(), absl::StatusCode::kInvalidArgument, "give --inputs");
  graph.inputs[0].type.kind = TypeInfo::Kind::kSequence;
  ExpectError(Generate(graph).status(), absl::StatusCode::kInvalidArgument, "give --inputs");
  constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
  ExpectError(Generate(OneInput(DType::kFloat, {{kHuge, ""}, {kHuge, ""}})).status(),
              absl::StatusCode::kInvalidArgument, "impossible");
  ExpectError(Generate(OneInput(DType::kFloat, {{-1, ""}})).status(),
              absl::StatusCode::kInvalidArgument, "impossible");
  ExpectError(Generate(OneInput(DType::kFloat, {{int64_t{1} << 50, ""}})).status(),
              absl::StatusCode::kResourceExhausted, "limit");
}

}  // namespace
}  // namespace onnxcmp
