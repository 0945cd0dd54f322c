// An excuse for outputs that differ: what satisfies it and is wrong.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "compare/outcome/nearer_outputs.h"
#include "tests/lies/given_models.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::Agrees;
using ::onnxcmp::testing::CompareModels;
using ::onnxcmp::testing::GivenModel;
using ::onnxcmp::testing::RandomFloats;
using ::onnxcmp::testing::WhatWasSaid;

// What is exchanged: the outputs, or the states of a decoder.
struct Exchange {
  const char* name;
  const char* graph;  // with P and Q as names
};
constexpr Exchange kExchanges[] = {
    {"results", "(float[6,6] x) => (float[6,6] y, float[6,6] z) { P = Relu(x) Q = Tanh(x) }"},
    {"signs", "(float[6,6] x) => (float[6,6] y, float[6,6] z) { P = Tanh(x) Q = Neg(P) }"},
    {"states",
     "(float[6,6] x, float[6,6] k, float[6,6] v) => (float[6,6] m, float[12,6] y, float[12,6] z)"
     " { m = MatMul(x, x) P = Concat<axis = 0>(k, x) Q = Concat<axis = 0>(v, x) }"},
    {"numbers_as_large_as_masks",
     "(float[6,6] x) => (float[6,6] y, float[6,6] z) { c = Constant<value_float = 1e34>()"
     " d = Constant<value_float = 2e34>() e = Exp(x) P = Mul(e, c) Q = Mul(e, d) }"},
    {"masks_of_other_signs",
     "(float[6,6] x) => (float[6,6] y, float[6,6] z) { c = Constant<value_float = 1e34>()"
     " n = Constant<value_float = -1e34>() e = Exp(x) P = Mul(e, c) Q = Mul(e, n) }"},
};

class ExchangeTest : public ::testing::TestWithParam<Exchange> {
 protected:
  static GivenModel Made(const char* p, const char* q) {
    return {absl::StrReplaceAll(GetParam().graph, {{"P", p}, {"Q", q}})};
  }
  static Feeds Fed() {
    Feeds feeds = {{"x", RandomFloats({6, 6}, 1)}};
    if (std::string(GetParam().name) != "states") return feeds;
    feeds["k"] = RandomFloats({6, 6}, 2);
    feeds["v"] = RandomFloats({6, 6}, 3);
    return feeds;
  }
};

// Every node is right, and both run in double as they run: rounding explains nothing.
TEST_P(ExchangeTest, IsNoRounding) {
  CompareOptions options;
  options.shadow = true;
  Comparison comparison = CompareModels(Made("y", "z"), Made("z", "y"), Fed(), options);
  EXPECT_FALSE(Agrees(comparison)) << WhatWasSaid(comparison);
  EXPECT_FALSE(AcceptNearerOutputs(comparison, &comparison));
  EXPECT_FALSE(Agrees(comparison)) << WhatWasSaid(comparison);
}

INSTANTIATE_TEST_SUITE_P(All, ExchangeTest, ::testing::ValuesIn(kExchanges),
                         [](const ::testing::TestParamInfo<Exchange>& info) {
                           return std::string(info.param.name);
                         });

TEST(ExchangeWordsTest, ValuesUnderAnotherNameAreSaid) {
  const auto model = [](const char* outputs, const char* nodes) {
    return GivenModel{absl::StrCat("(float[6,6] x) => (", outputs, ") {", nodes, "}")};
  };
  const char* const both = "float[6,6] y, float[6,6] z";
  const Feeds feeds = {{"x", RandomFloats({6, 6}, 1)}};
  const Comparison exchanged = CompareModels(model(both, "y = Relu(x) z = Tanh(x)"),
                                             model(both, "z = Relu(x) y = Tanh(x)"), feeds);
  ASSERT_EQ(exchanged.outputs.pairs.size(), 2u);
  EXPECT_EQ(exchanged.outputs.pairs[0].difference.fault, "the right has these values as `z`");
  EXPECT_EQ(exchanged.outputs.pairs[1].difference.fault, "the right has these values as `y`");
  // Names count, and a program that reads by position gets others.
  const Comparison order =
      CompareModels(model(both, "y = Relu(x) z = Tanh(x)"),
                    model("float[6,6] z, float[6,6] y", "y = Relu(x) z = Tanh(x)"), feeds);
  EXPECT_EQ(order.verdict(), Verdict::kSame);
  EXPECT_THAT(order.notes, ::testing::Contains("outputs are in another order on the right, by "
                                               "their names: `y`, `z`"));
}

// A model in a runtime of which a kernel is wrong: the side knows the model as it is meant.
class WrongRuntime : public Side, public NodeRunner {
 public:
  WrongRuntime(std::unique_ptr<ModelSide> meant, std::unique_ptr<ModelSide> wrong)
      : meant_(std::move(meant)), wrong_(std::move(wrong)) {}

  const SideSummary& summary() const override { return wrong_->summary(); }
  const Evaluator* evaluator() const override { return meant_->evaluator(); }
  const Feeds* feeds() const override { return meant_->feeds(); }
  NodeRunner* node_runner() const override { return const_cast<WrongRuntime*>(this); }
  std::unique_ptr<RecordRun> StartRecord(const RecordOptions& options,
                                         RecordVisitor visit) override {
    return wrong_->StartRecord(options, visit);
  }
  absl::Status Revisit(const std::vector<bool>& wanted, Observer* watcher, Visitor visit) override {
    return wrong_->Revisit(wanted, watcher, visit);
  }
  absl::StatusOr<std::vector<Value>> RunNode(int64_t index, absl::Span<const Value> inputs,
                                             const Feeds& captures) override {
    return wrong_->evaluator()->RunNode(index, inputs, captures);
  }
  std::string name() const override { return "wrong"; }

 private:
  std::unique_ptr<ModelSide> meant_, wrong_;
};

// Ids that tie, and numbers that are computed from them and from nothing but x.
GivenModel Scored(const char* shift, const char* slope) {
  return {absl::StrCat(
      "(float[1,4] x) => (int64[1] i, float[1,2] y, float[1,4] z) {"
      " c = Constant<value_floats = [0.0, ",
      shift,
      ", 0.0, 0.0]>() s = Add(x, c) i = ArgMax<axis = 1, keepdims = 0>(s)"
      " t = Constant<value = float[4,2] {-1, -2, -3, -4, -5, -6, -7, -8}>() g = Gather(t, i)"
      " y = LeakyRelu<alpha = ",
      slope, ">(g) n = Neg(x) z = LeakyRelu<alpha = ", slope, ">(n) }")};
}

Comparison ComparedInRuntime(const GivenModel& left, const GivenModel& meant,
                             const GivenModel& wrong) {
  const Feeds feeds = {{"x", Tensor::Of<float>({1, 4}, {1, 1, 0.5f, -2})}};
  const auto left_side = testing::SideOf(testing::Load(left), feeds);
  WrongRuntime right(testing::SideOf(testing::Load(meant), feeds),
                     testing::SideOf(testing::Load(wrong), feeds));
  CompareOptions options;
  options.ties_agree = true;
  options.threads = 1;
  const auto comparison = Compare(*left_side, right, options);
  EXPECT_TRUE(comparison.ok()) << comparison.status();
  return comparison.ok() ? *comparison : Comparison();
}

// Our interpreter runs on the left's ids and makes none of the runtime's mistakes.
TEST(TieLiesTest, ARuntimeAnswersForItsOwnKernels) {
  const GivenModel left = Scored("1e-7", "0.5");
  const GivenModel meant = Scored("-1e-7", "0.5");
  const Comparison honest = ComparedInRuntime(left, meant, meant);
  EXPECT_TRUE(Agrees(honest)) << WhatWasSaid(honest);
  const Comparison wrong = ComparedInRuntime(left, meant, Scored("-1e-7", "0.6"));
  EXPECT_FALSE(Agrees(wrong)) << WhatWasSaid(wrong);
}

// The ids are the same, and lose digits on their way to the output.
TEST(TieLiesTest, EqualIdsTieWithNothing) {
  const auto model = [](const char* type) {
    return GivenModel{
        absl::StrCat("(float[8,700] x) => (int64[8] y) {"
                     " i = ArgMax<axis = 1, keepdims = 0>(x) c = Cast<to = ",
                     type, ">(i) y = Cast<to = 7>(c) }")};
  };
  CompareOptions options;
  options.ties_agree = true;
  const Feeds feeds = {{"x", RandomFloats({8, 700}, 1)}};
  for (const char* type : {"2", "3", "16"}) {
    const Comparison comparison = CompareModels(model("6"), model(type), feeds, options);
    EXPECT_FALSE(Agrees(comparison)) << type << ": " << WhatWasSaid(comparison);
  }
}

}  // namespace
}  // namespace onnxcmp
