#include "evaluator/run/evaluator.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "evaluator/load/load_model.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "onnx/defs/schema.h"
#include "ops/operators.h"
#include "tests/support/model_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

using ::testing::ElementsAre;

const Tensor kX = Tensor::Of<float>({2}, {1, 2});

// z = -(x + w) + x
constexpr char kChain[] = R"(<ir_version: 9, opset_import: ["": 18]>
  g (float[n] x) => (float[n] z)
  <float[2] w = {10, 20}>
  {
    [first] s = Add(x, w)
    [second] t = Neg(s)
    [third] z = Add(t, x)
  })";

TEST(EvaluatorTest, ReportsResultsInOrder) {
  Recorder recorder;
  const auto outputs = RunText(kChain, {{"x", kX}}, &recorder);
  ExpectTensor(TensorAt(outputs, 0), Tensor::Of<float>({2}, {-10, -20}));
  EXPECT_THAT(recorder.Lines(), ElementsAre("INITIALIZER w", "INPUT x", "RESULT s Add",
                                            "RESULT t Neg", "RESULT z Add", "OUTPUT z"));
  ASSERT_EQ(recorder.entries().size(), 6);
  ExpectTensor(recorder.entries()[0].value.tensor(), Tensor::Of<float>({2}, {10, 20}));
  ExpectTensor(recorder.entries()[1].value.tensor(), kX);
  ExpectTensor(recorder.entries()[2].value.tensor(), Tensor::Of<float>({2}, {11, 22}));
  ExpectTensor(recorder.entries()[5].value.tensor(), Tensor::Of<float>({2}, {-10, -20}));
}

TEST(EvaluatorTest, AnnouncesNodesBeforeTheyRun) {
  class Starts : public Observer {
   public:
    void OnNodeStart(const NodeStart& start) override {
      log.push_back(absl::StrCat(start.node.name, " ", start.index, "/", start.total));
    }
    absl::Status OnResult(const Result& result, std::optional<Value>*) override {
      if (result.kind == ResultKind::kResult) log.push_back(std::string(result.name));
      return absl::OkStatus();
    }
    std::vector<std::string> log;
  };
  Starts starts;
  ASSERT_TRUE(RunText(kChain, {{"x", kX}}, &starts).ok());
  EXPECT_THAT(starts.log, ElementsAre("first 0/3", "s", "second 1/3", "t", "third 2/3", "z"));
}

// Replaces every result of this kind and name.
class Replacer : public Observer {
 public:
  Replacer(ResultKind kind, std::string name, Value value)
      : kind_(kind), name_(std::move(name)), value_(std::move(value)) {}
  absl::Status OnResult(const Result& result, std::optional<Value>* replacement) override {
    if (result.kind == kind_ && result.name == name_) *replacement = value_;
    return absl::OkStatus();
  }

 private:
  ResultKind kind_;
  std::string name_;
  Value value_;
};

TEST(EvaluatorTest, GoesOnWithWhatTheObserverPutsInPlace) {
  const Value zero(Tensor::Of<float>({2}, {0, 0}));
  const auto run = [&](ResultKind kind, const char* name) {
    Replacer replacer(kind, name, zero);
    return TensorAt(RunText(kChain, {{"x", kX}}, &replacer), 0);
  };
  ExpectTensor(run(ResultKind::kResult, "s"), kX);
  ExpectTensor(run(ResultKind::kInput, "x"), Tensor::Of<float>({2}, {-10, -20}));
  ExpectTensor(run(ResultKind::kInitializer, "w"), Tensor::Of<float>({2}, {0, 0}));
  ExpectTensor(run(ResultKind::kOutput, "z"), Tensor::Of<float>({2}, {0, 0}));
}

TEST(EvaluatorTest, StopsWithTheObserversError) {
  class Stop : public Observer {
    absl::Status OnResult(const Result& result, std::optional<Value>*) override {
      return result.name == "t" ? absl::CancelledError("enough") : absl::OkStatus();
    }
  };
  Stop stop;
  EXPECT_EQ(RunText(kChain, {{"x", kX}}, &stop).status(), absl::CancelledError("enough"));
}

// A value's memory is gone when the node after its last reader starts, in subgraphs too.
TEST(EvaluatorTest, ReleasesValuesAfterTheirLastUse) {
  class Memory : public Observer {
   public:
    void OnNodeStart(const NodeStart& start) override {
      std::string alive;
      for (const auto& [name, buffer] : buffers_) {
        if (!buffer.expired()) absl::StrAppend(&alive, " ", name);
      }
      log.push_back(absl::StrCat(start.node.name, ":", alive));
    }
    absl::Status OnResult(const Result& result, std::optional<Value>*) override {
      if (result.kind == ResultKind::kResult) {
        buffers_.emplace_back(std::string(result.name), result.value.tensor().buffer());
      }
      return absl::OkStatus();
    }
    std::vector<std::string> log;

   private:
    std::vector<std::pair<std::string, std::weak_ptr<Buffer>>> buffers_;
  };
  Memory memory;
  const auto outputs = RunText(R"(<ir_version: 9, opset_import: ["": 18]>
    g (float[n] x, bool c) => (float[n] y, float[n] b) {
      [n1] a = Neg(x)
      [n2] unread = Neg(x)
      [n3] b = Neg(a)
      [n4] d = Neg(b)
      [if] e = If (c) <then_branch = t () => (float[n] t3) {
                         [n5] t1 = Neg(d)
                         [n6] t2 = Neg(t1)
                         [n7] t3 = Neg(t2)
                       },
                       else_branch = f () => (float[n] f1) { f1 = Neg(d) }>
      [n8] y = Neg(e)
    })",
                               {{"x", kX}, {"c", Tensor::Scalar(true)}}, &memory);
  ExpectTensor(TensorAt(outputs, 0), Tensor::Of<float>({2}, {-1, -2}));
  EXPECT_THAT(memory.log, ElementsAre("n1:", "n2: a", "n3: a", "n4: b", "if: b d", "n5: b d",
                                      "n6: b d t1", "n7: b d t2", "n8: b t3 e"));
}

TEST(EvaluatorTest, OutputsMayBeInputsOrInitializers) {
  Recorder recorder;
  const auto outputs = RunText(R"(<ir_version: 9, opset_import: ["": 18]>
    g (float[n] x) => (float[n] x, float[1] w, float[n] y)
    <float[1] w = {10}>
    { y = Add(x, w) })",
                               {{"x", kX}}, &recorder);
  ExpectTensor(TensorAt(outputs, 0), kX);
  ExpectTensor(TensorAt(outputs, 1), Tensor::Of<float>({1}, {10}));
  ExpectTensor(TensorAt(outputs, 2), Tensor::Of<float>({2}, {11, 12}));
  EXPECT_THAT(recorder.Lines(), ElementsAre("INITIALIZER w", "INPUT x", "RESULT y Add", "OUTPUT x",
                                            "OUTPUT w", "OUTPUT y"));
}

TEST(EvaluatorTest, AModelWithoutNodesHandsItsInputsOn) {
  const auto outputs = RunText(R"(<ir_version: 9, opset_import: ["": 18]>
    g (float[n] x) => (float[n] x) {})",
                               {{"x", kX}});
  ExpectTensor(TensorAt(outputs, 0), kX);
}

TEST(EvaluatorTest, AFeedGoesBeforeTheInputsInitializer) {
  constexpr char kDefault[] = R"(<ir_version: 9, opset_import: ["": 18]>
    g (float[n] x, float[2] w = {10, 20}) => (float[n] y) { y = Add(x, w) })";
  ExpectTensor(TensorAt(RunText(kDefault, {{"x", kX}}), 0), Tensor::Of<float>({2}, {11, 22}));
  ExpectTensor(TensorAt(RunText(kDefault, {{"x", kX}, {"w", kX}}), 0),
               Tensor::Of<float>({2}, {2, 4}));
}

TEST(EvaluatorTest, RunsGoInLockStep) {
  const auto evaluator = EvaluatorFromText(kChain);
  ASSERT_TRUE(evaluator.ok()) << evaluator.status();
  Recorder left;
  Recorder right;
  auto run_left = evaluator->Start({{"x", kX}}, &left);
  auto run_right = evaluator->Start({{"x", Tensor::Of<float>({2}, {3, 4})}}, &right);
  ASSERT_TRUE(run_left.ok() && run_right.ok());
  for (int step = 0; step < 3; ++step) {
    for (onnxcmp::Run* run : {&*run_left, &*run_right}) {
      const absl::StatusOr<bool> more = run->Step();
      ASSERT_TRUE(more.ok()) << more.status();
      EXPECT_EQ(*more, step < 2);
    }
    // The first step also reports the initializer and the input, the last one the output.
    EXPECT_EQ(left.entries().size(), step < 2 ? 3 + step : 6);
    EXPECT_EQ(left.Lines(), right.Lines());
  }
  ExpectTensor(run_left->TakeOutputs()[0].tensor(), Tensor::Of<float>({2}, {-10, -20}));
  ExpectTensor(run_right->TakeOutputs()[0].tensor(), Tensor::Of<float>({2}, {-10, -20}));
  ExpectError(run_left->Step().status(), absl::StatusCode::kFailedPrecondition, "over");
  EXPECT_EQ(left.entries().size(), 6);
}

TEST(EvaluatorTest, SeveralRunsMayBeUnderWayAtATime) {
  const auto evaluator = EvaluatorFromText(R"(<ir_version: 9, opset_import: ["": 18]>
    g (float[64,64] x) => (float[64,64] y) {
      a = MatMul(x, x)
      b = Softmax(a)
      y = MatMul(b, x)
    })",
                                           {.threads = 2});
  ASSERT_TRUE(evaluator.ok()) << evaluator.status();
  const Tensor x = RandomFloats({64, 64}, 1);
  const auto want = TensorAt(evaluator->Run({{"x", x}}), 0);
  ASSERT_TRUE(want.ok()) << want.status();
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      for (int repeat = 0; repeat < 20; ++repeat) {
        ExpectSameBits(TensorAt(evaluator->Run({{"x", x}}), 0), *want);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(EvaluatorTest, TheNumberOfThreadsChangesNoBit) {
  constexpr char kModel[] = R"(<ir_version: 9, opset_import: ["": 18]>
    g (float[2,16,33,35] x, float[24,16,3,3] w, float[1155,40] m) => (float[2,24,40] y) {
      a = Conv<pads = [1, 1, 1, 1]>(x, w)
      b = Relu(a)
      shape = Constant<value_ints = [2, 24, 1155]>()
      c = Reshape(b, shape)
      d = Softmax(c)
      e = MatMul(d, m)
      f = Erf(e)
      last = Constant<value_ints = [-1]>()
      h = ReduceMean(f, last)
      y = Sub(f, h)
    })";
  const Feeds feeds = {{"x", RandomFloats({2, 16, 33, 35}, 1)},
                       {"w", RandomFloats({24, 16, 3, 3}, 2)},
                       {"m", RandomFloats({1155, 40}, 3)}};
  const auto one = TensorAt(RunText(kModel, feeds, nullptr, {.threads = 1}), 0);
  ASSERT_TRUE(one.ok()) << one.status();
  for (const int threads : {1, 2, 3}) {
    ExpectSameBits(TensorAt(RunText(kModel, feeds, nullptr, {.threads = threads}), 0), *one);
  }
}

TEST(EvaluatorTest, ChecksFeeds) {
  const auto evaluator = EvaluatorFromText(R"(<ir_version: 9, opset_import: ["": 18]>
    g (float[n,3] x, int64 k) => (float[n,3] y) { y = Identity(x) })");
  ASSERT_TRUE(evaluator.ok()) << evaluator.status();
  const Value x(Tensor::Of<float>({1, 3}, {1, 2, 3}));
  const Value k(Tensor::Scalar<int64_t>(1));
  EXPECT_TRUE(evaluator->Run({{"x", x}, {"k", k}}).ok());

  const auto error = [&](const Feeds& feeds) { return evaluator->Run(feeds).status(); };
  ExpectError(error({{"x", x}}), kInvalid, "no value for input 'k'");
  ExpectError(error({{"x", x}}), kInvalid, "x float[n,3], k int64[]");
  ExpectError(error({{"x", x}, {"k", k}, {"q", k}}), kInvalid, "no input 'q'");
  ExpectError(error({{"x", x}, {"k", k}, {"q", k}}), kInvalid, "x float[n,3], k int64[]");
  // Wrong type, rank, dimension, kind.
  ExpectError(error({{"x", Tensor::Of<double>({1, 3}, {1, 2, 3})}, {"k", k}}), kInvalid,
              "'x' is float[n,3] but was given double[1,3]");
  ExpectError(error({{"x", Tensor::Of<float>({3}, {1, 2, 3})}, {"k", k}}), kInvalid,
              "float[3]: the rank differs");
  ExpectError(error({{"x", Tensor::Of<float>({1, 2}, {1, 2})}, {"k", k}}), kInvalid,
              "float[1,2]: dimension 1 differs");
  ExpectError(error({{"x", Sequence{}}, {"k", k}}), kInvalid, "'x' is float[n,3] but was given");
}

TEST(EvaluatorTest, RefusesMoreMemoryThanAllowed) {
  const auto outputs = RunText(R"(<ir_version: 9, opset_import: ["": 18]>
    g (int64[k] shape) => (float[a,b,c] y) { [fill] y = ConstantOfShape(shape) })",
                               {{"shape", Tensor::Of<int64_t>({3}, {1000, 1000, 1000})}}, nullptr,
                               {.threads = 1, .max_tensor = 1 << 20});
  ExpectError(outputs.status(), absl::StatusCode::kResourceExhausted, "ConstantOfShape 'fill'");
}

TEST(EvaluatorTest, CountsStringsByTheirObjects) {
  const auto outputs =
      RunText(R"(<ir_version: 9, opset_import: ["": 18]>
    g (int64[k] shape, uint8 x) => (string[a] y) {
      wide = Expand(x, shape)
      [write] y = Cast<to = 8>(wide)
    })",
              {{"shape", Tensor::Of<int64_t>({1}, {100000})}, {"x", Tensor::Scalar<uint8_t>(7)}},
              nullptr, {.threads = 1, .max_tensor = 1 << 20});
  ExpectError(outputs.status(), absl::StatusCode::kResourceExhausted, "Cast 'write'");
}

// Operators of a domain of this test's own.
OpRegistry TestRegistry() {
  OpRegistry registry = AllOperators();
  const auto schema = [](const char* name) {
    onnx::OpSchema schema(name, __FILE__, __LINE__);
    schema.SetDomain("test").SinceVersion(1).Input(0, "X", "", "T").Output(0, "Y", "", "T");
    schema.TypeConstraint("T", {"tensor(float)"}, "");
    return schema;
  };
  const KernelMaker copy = [](const KernelInit&) {
    return [](KernelContext& ctx) { return ctx.SetOutput(0, ctx.Input(0)); };
  };
  registry.AddSchema(schema("NoKernel"));
  registry.AddSchema(schema("Fails"));
  registry.Add("test", "Fails", {1}, [](KernelContext&) -> absl::Status {
    return absl::InvalidArgumentError("it went wrong");
  });
  registry.AddSchema(schema("Careless").Attr("mode", "", onnx::AttributeProto::INT, int64_t{0}));
  registry.Add("test", "Careless", {1}, copy);
  registry.AddSchema(schema("Picky").Attr("mode", "", onnx::AttributeProto::INT, int64_t{0}));
  registry.Add("test", "Picky", {1}, [](const KernelInit& node) -> absl::StatusOr<Kernel> {
    if (node.Int("mode") != 0) return absl::InvalidArgumentError("mode must be 0");
    return [](KernelContext& ctx) { return ctx.SetOutput(0, ctx.Input(0)); };
  });
  return registry;
}

TEST(EvaluatorTest, ListsAllNodesThatCannotRun) {
  const auto evaluator = EvaluatorFromText(R"(<ir_version: 9, opset_import: ["": 18, "test": 1]>
    g (float x, bool c) => (float z) {
      [one] a = test.NoKernel(x)
      b = Neg(a)
      z = If (c) <then_branch = t () => (float d) { [two] d = test.NoKernel(b) },
                  else_branch = e () => (float d) { d = Neg(b) }>
    })",
                                           TestRegistry());
  ExpectError(evaluator.status(), absl::StatusCode::kUnimplemented, "test.NoKernel 'one'");
  ExpectError(evaluator.status(), absl::StatusCode::kUnimplemented, "test.NoKernel 'two'");
}

TEST(EvaluatorTest, RefusesAttributesThatAKernelWouldIgnore) {
  const OpRegistry registry = TestRegistry();
  const auto create = [&](const char* node) {
    return EvaluatorFromText(
               absl::StrCat("<ir_version: 9, opset_import: [\"\": 18, \"test\": 1]> g (float x) => "
                            "(float y) { [n] y = test.",
                            node, "(x) }"),
               registry)
        .status();
  };
  EXPECT_EQ(create("Careless"), absl::OkStatus());
  ExpectError(create("Careless<mode = 1>"), absl::StatusCode::kUnimplemented,
              "test.Careless 'n': attribute mode is not supported");
  EXPECT_EQ(create("Picky<mode = 0>"), absl::OkStatus());
  ExpectError(create("Picky<mode = 1>"), kInvalid, "test.Picky 'n': mode must be 0");
  ExpectError(create("Picky<mode = 1.5>"), kInvalid, "mode");
  ExpectError(create("Picky<moode = 1>"), kInvalid, "moode");
}

TEST(EvaluatorTest, ErrorsSayWhere) {
  const OpRegistry registry = TestRegistry();
  const auto evaluator = EvaluatorFromText(R"(<ir_version: 9,
      opset_import: ["": 18, "test": 1, "local": 1]>
    g (float[n] x, int64 m) => (float[n] y) {
      [outer] y = local.Twice(x, m)
    }
    <domain: "local", opset_import: ["": 18, "test": 1]>
    Twice (x, m) => (y) {
      [loop] y = Loop <body = b (int64 i, bool go, float[n] s) => (bool more, float[n] t) {
        more = Identity(go)
        [inner] t = test.Fails(s)
      }> (m, , x)
    })",
                                           registry);
  ASSERT_TRUE(evaluator.ok()) << evaluator.status();
  const absl::Status error =
      evaluator->Run({{"x", kX}, {"m", Tensor::Scalar<int64_t>(3)}}).status();
  EXPECT_EQ(error.code(), kInvalid);
  EXPECT_EQ(std::string(error.message()),
            "test.Fails 'inner__1' in outer/loop__1[0]: it went wrong (inputs: float[2])");
}

TEST(EvaluatorTest, ChecksTypesAtRunTime) {
  const auto outputs =
      RunText(R"(<ir_version: 9, opset_import: ["": 18]>
    g (seq(float[n]) s, bool c, float[n] x) => (float[n] y) {
      a = If (c) <then_branch = t () => (seq(float[n]) b) { b = Identity(s) },
                  else_branch = e () => (float[n] b) { b = Neg(x) }>
      y = Neg(a)
    })",
              {{"s", Sequence{DType::kFloat, {kX}}}, {"c", Tensor::Scalar(true)}, {"x", kX}});
  ExpectError(outputs.status(), kInvalid, "Neg -> 'y'");
}

TEST(EvaluatorTest, RefusesToRunWithoutARequiredInput) {
  ExpectError(RunText(R"(<ir_version: 9, opset_import: ["": 18]>
    g (float[n] x) => (float[n] y) { y = Concat<axis = 0>(x, , x) })",
                      {{"x", kX}})
                  .status(),
              kInvalid, "its input 1 (inputs) is missing");
  // A value that is missing only while the model runs.
  Replacer replacer(ResultKind::kResult, "s", Value());
  ExpectError(RunText(kChain, {{"x", kX}}, &replacer).status(), kInvalid,
              "Neg 'second': its input 0 (X) has no value");
}

// Counts down from n, a node and a start of the body for each.
constexpr char kCountdown[] = R"(<ir_version: 9, opset_import: ["": 18]>
  g (int64 n, bool c, float[k] x) => (float[k] y) {
    y = Loop (n, c, x) <body = b (int64 i, bool go, float[k] a) => (bool go, float[k] d) {
      d = Neg(a)
    }>
  })";

TEST(EvaluatorTest, StopsAtTheStepLimit) {
  const Feeds feeds = {{"n", Tensor::Scalar<int64_t>(10)}, {"c", Tensor::Scalar(true)}, {"x", kX}};
  EXPECT_TRUE(RunText(kCountdown, feeds, nullptr, {.threads = 1, .max_steps = 21}).ok());
  ExpectError(RunText(kCountdown, feeds, nullptr, {.threads = 1, .max_steps = 20}).status(),
              absl::StatusCode::kResourceExhausted,
              "Neg -> 'd' in y[9]: the run comes to more than 20 steps, which is the limit");
  const auto stop = std::make_shared<std::atomic<bool>>(true);
  ExpectError(RunText(kCountdown, feeds, nullptr, {.threads = 1, .stop = stop}).status(),
              absl::StatusCode::kCancelled, "the run was stopped");
  // Loops over nothing end too.
  ExpectError(
      RunText(R"(<ir_version: 9, opset_import: ["": 18]>
    g (bool c, float[k] x) => (float[k] y) {
      y = Loop (, c, x) <body = b (int64 i, bool go, float[k] a) => (bool go, float[k] a) {}>
    })",
              {{"c", Tensor::Scalar(true)}, {"x", kX}}, nullptr, {.threads = 1, .max_steps = 1000})
          .status(),
      absl::StatusCode::kResourceExhausted, "more than 1000 steps");
}

TEST(RunNodeTest, RunsOneOperator) {
  Node node;
  node.op_type = "Split";
  node.imports = std::make_shared<const OpsetImports>(OpsetImports{{"", 13}});
  node.inputs = {"x", ""};
  node.outputs = {"a", "", "c"};
  const auto outputs =
      RunNode(node, Registry(), {Tensor::Of<float>({3}, {1, 2, 3}), Value()}, {.threads = 1});
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  ASSERT_EQ(outputs->size(), 3);
  ExpectTensor(TensorAt(outputs, 0), Tensor::Of<float>({1}, {1}));
  EXPECT_TRUE((*outputs)[1].empty());
  ExpectTensor(TensorAt(outputs, 2), Tensor::Of<float>({1}, {3}));
  EXPECT_FALSE(RunNode(node, Registry(), {Tensor::Of<float>({3}, {1, 2, 3})}).ok());
}

TEST(EvaluatorRunNodeTest, RunsANodeOfThePlanOnOtherValues) {
  const auto evaluator = EvaluatorFromText(kChain);
  ASSERT_TRUE(evaluator.ok()) << evaluator.status();
  const Tensor other = Tensor::Of<float>({3}, {1, 2, 3});
  ExpectTensor(TensorAt(evaluator->RunNode(2, {other, other}), 0),
               Tensor::Of<float>({3}, {2, 4, 6}));
  ExpectTensor(TensorAt(evaluator->RunNode(1, {Tensor::Of<int32_t>({1}, {7})}), 0),
               Tensor::Of<int32_t>({1}, {-7}));
  EXPECT_TRUE(evaluator->CapturesOf(2).empty());
  EXPECT_TRUE(evaluator->CapturesOf(3).empty());
  ExpectError(evaluator->RunNode(2, {kX}).status(), kInvalid,
              "the node has 2 inputs, but 1 were given");
  ExpectError(evaluator->RunNode(2, {kX, Value()}).status(), kInvalid,
              "Add 'third': its input 1 (B) has no value");
  ExpectError(evaluator->RunNode(3, {kX}).status(), kInvalid,
              "there is no node 3, the model has 3");
  ExpectError(evaluator->RunNode(-1, {kX}).status(), kInvalid, "there is no node -1");
}

// The inner branch reads x and w of the main graph through the branch around it.
constexpr char kNestedCaptures[] = R"(<ir_version: 9, opset_import: ["": 18]>
  g (bool c, float[n] x, float[n] u) => (float[n] y)
  <float[2] w = {10, 20}>
  {
    t = Neg(u)
    [branch] y = If (c) <
      then_branch = outer () => (float[n] a) {
        s = Add(x, t)
        a = If (c) <then_branch = inner () => (float[n] b) { b = Add(s, w) },
                    else_branch = never () => (float[n] d) { d = Identity(s) }>
      },
      else_branch = other () => (float[n] e) { e = Identity(x) }>
  })";

TEST(EvaluatorRunNodeTest, TakesWhatSubgraphsReadByName) {
  const auto evaluator = EvaluatorFromText(kNestedCaptures);
  ASSERT_TRUE(evaluator.ok()) << evaluator.status();
  EXPECT_THAT(evaluator->CapturesOf(1), ElementsAre("c", "t", "w", "x"));
  const Value condition = Tensor::Scalar(true);
  // w is an initializer, which may be left out or replaced.
  Feeds captures = {{"c", condition}, {"x", kX}, {"t", kX}};
  ExpectTensor(TensorAt(evaluator->RunNode(1, {condition}, captures), 0),
               Tensor::Of<float>({2}, {12, 24}));
  captures["w"] = Tensor::Of<float>({2}, {100, 200});
  ExpectTensor(TensorAt(evaluator->RunNode(1, {condition}, captures), 0),
               Tensor::Of<float>({2}, {102, 204}));
  captures.erase("t");
  ExpectError(evaluator->RunNode(1, {condition}, captures).status(), kInvalid,
              "no value for 't', which its subgraphs read");
}

}  // namespace
}  // namespace onnxcmp::testing
