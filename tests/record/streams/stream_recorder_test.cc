#include "record/streams/stream_recorder.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "record/differences/precision.h"
#include "tests/support/model_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

using ::testing::ElementsAre;

ResultStream Record(absl::string_view text, const Feeds& feeds,
                    const StreamRecorderOptions& options = {}) {
  // The recorder's model must outlive it.
  absl::StatusOr<Evaluator> evaluator = EvaluatorFromText(text);
  EXPECT_TRUE(evaluator.ok()) << evaluator.status();
  if (!evaluator.ok()) return {};
  StreamRecorder recorder(Registry(), options);
  const auto outputs = evaluator->Run(feeds, &recorder);
  EXPECT_TRUE(outputs.ok()) << outputs.status();
  return recorder.TakeStream();
}

// "main/path:name", as the rows of a result.
std::string Key(const StreamResult& result) {
  return result.path.empty() ? result.name : absl::StrCat(result.path, ":", result.name);
}

// The last result of this key.
const StreamResult& At(const ResultStream& stream, const std::string& key) {
  static const StreamResult kMissing;
  for (auto it = stream.results.rbegin(); it != stream.results.rend(); ++it) {
    if (it->kind != ResultKind::kOutput && Key(*it) == key) return *it;
  }
  ADD_FAILURE() << "no result " << key;
  return kMissing;
}

const StreamNode& NodeOf(const ResultStream& stream, const std::string& key) {
  static const StreamNode kMissing;
  const int node = At(stream, key).node;
  return node == kNone ? kMissing : stream.nodes[static_cast<size_t>(node)];
}

std::vector<std::string> Keys(const ResultStream& stream, const FewResults& results) {
  std::vector<std::string> keys;
  for (int result : results) {
    keys.push_back(result == kNone ? "-" : Key(stream.results[static_cast<size_t>(result)]));
  }
  return keys;
}

std::vector<std::string> Inputs(const ResultStream& stream, const std::string& key) {
  return Keys(stream, NodeOf(stream, key).inputs);
}

Feeds X(std::vector<float> values) {
  const auto size = static_cast<int64_t>(values.size());
  return {{"x", Tensor::Of<float>({size}, values)}};
}

TEST(StreamRecorderTest, TakesDownResultsAndNodes) {
  const ResultStream stream = Record(R"(<ir_version: 9, opset_import: ["": 18]>
    g (float[n] x) => (float[m] y, float[m] z)
    <float[2] w = {10, 20}, int64[1] size = {1}>
    {
      s = Add(x, w)
      [halves] y, t = Split <num_outputs = 2> (s)
      z = Neg(t)
    })",
                                     X({1, 2}));
  std::vector<std::string> lines;
  for (const StreamResult& result : stream.results) {
    lines.push_back(absl::StrCat(ResultKindName(result.kind), " ", result.name, " ", result.type,
                                 " ", result.node, " ", result.slot, " ", result.source));
  }
  EXPECT_THAT(lines, ElementsAre("INITIALIZER w float[2] -1 0 -1",     // 0
                                 "INITIALIZER size int64[1] -1 0 -1",  // 1
                                 "INPUT x float[2] -1 0 -1",           // 2
                                 "RESULT s float[2] 0 0 -1",           // 3
                                 "RESULT y float[1] 1 0 -1",           // 4
                                 "RESULT t float[1] 1 1 -1",           // 5
                                 "RESULT z float[1] 2 0 -1",           // 6
                                 "OUTPUT y float[1] -1 0 4",           //
                                 "OUTPUT z float[1] -1 0 6"));
  ASSERT_EQ(stream.nodes.size(), 3);
  EXPECT_EQ(stream.nodes[1].op_type, "Split");
  EXPECT_EQ(stream.nodes[1].name, "halves");
  EXPECT_EQ(stream.nodes[1].path, "");
  EXPECT_THAT(stream.nodes[0].inputs, ElementsAre(2, 0));
  EXPECT_THAT(stream.nodes[1].inputs, ElementsAre(3));
  EXPECT_THAT(stream.nodes[1].outputs, ElementsAre(4, 5));
  EXPECT_THAT(stream.nodes[2].inputs, ElementsAre(5));
  EXPECT_TRUE(stream.nodes[1].closed);
  EXPECT_EQ(stream.results[3].dtype, DType::kFloat);
  EXPECT_EQ(*stream.results[3].shape, Shape({2}));
  EXPECT_EQ(stream.results[3].fingerprint.content,
            FingerprintOf(Tensor::Of<float>({2}, {11, 22})).content);
  EXPECT_EQ(stream.results[7].fingerprint.content, stream.results[4].fingerprint.content);
  EXPECT_EQ(stream.results[7].computation, stream.results[4].computation);
}

TEST(StreamRecorderTest, AFedInputGoesBeforeItsDefault) {
  const ResultStream stream = Record(R"(<ir_version: 9, opset_import: ["": 18]>
    g (float[1] x) => (float[1] y) <float[1] x = {5}> { y = Neg(x) })",
                                     X({1}));
  ASSERT_EQ(stream.results.size(), 4);
  EXPECT_EQ(stream.results[0].kind, ResultKind::kInitializer);
  EXPECT_THAT(stream.nodes[0].inputs, ElementsAre(1));
}

// Memory that is passed on is looked at once.
TEST(StreamRecorderTest, ViewsHaveTheirOwnFingerprints) {
  const ResultStream stream = Record(R"(<ir_version: 9, opset_import: ["": 18]>
    g (float[6] x) => (float[a, b] t)
    <int64[2] shape = {2, 3}, int64[1] one = {1}, int64[1] three = {3}>
    {
      y = Identity(x)
      z = Reshape(x, shape)
      t = Transpose(z)
      u = Slice(x, one, three)
      v = Slice(x, shape_0, three)
      shape_0 = Constant<value = int64[1] {0}>()
    })",
                                     X({1, 2, 3, 4, 5, 6}));
  const auto expect = [&](const char* key, const Tensor& tensor) {
    const Fingerprint want = FingerprintOf(tensor);
    const Fingerprint& got = At(stream, key).fingerprint;
    EXPECT_EQ(got.content, want.content) << key;
    EXPECT_EQ(got.bits, want.bits) << key;
    EXPECT_EQ(got.numbers().plain.projections, want.numbers().plain.projections) << key;
    EXPECT_EQ(got.numbers().letters, want.numbers().letters) << key;
  };
  expect("y", Tensor::Of<float>({6}, {1, 2, 3, 4, 5, 6}));
  expect("z", Tensor::Of<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
  expect("t", Tensor::Of<float>({3, 2}, {1, 4, 2, 5, 3, 6}));
  expect("u", Tensor::Of<float>({2}, {2, 3}));
  expect("v", Tensor::Of<float>({3}, {1, 2, 3}));
}

constexpr char kLoop[] = R"(<ir_version: 9, opset_import: ["": 18]>
  g (int64 m, float x, float w) => (float y, float[k] s) {
    [loop] y, s = Loop <body = b (int64 i, bool go, float a) => (bool more, float next, float old)
      <float step = {1}>
      {
        p = Add(a, w)
        next = Add(p, step)
        q = Cast<to = 1>(i)
        old = Mul(a, q)
        more = Identity(go)
      }> (m, , x)
  })";

Feeds LoopFeeds() {
  return {{"m", Tensor::Scalar<int64_t>(2)},
          {"x", Tensor::Scalar<float>(1)},
          {"w", Tensor::Scalar<float>(2)}};
}

TEST(StreamRecorderTest, InputsResolveWithinTheIteration) {
  const ResultStream stream = Record(kLoop, LoopFeeds());
  EXPECT_THAT(Inputs(stream, "loop[0]:p"), ElementsAre("x", "w"));
  EXPECT_THAT(Inputs(stream, "loop[1]:p"), ElementsAre("loop[0]:next", "w"));
  EXPECT_THAT(Inputs(stream, "loop[0]:next"), ElementsAre("loop[0]:p", "-"));
  EXPECT_THAT(Inputs(stream, "loop[1]:next"), ElementsAre("loop[1]:p", "-"));
  EXPECT_THAT(Inputs(stream, "loop[1]:old"), ElementsAre("loop[0]:next", "loop[1]:q"));
  EXPECT_THAT(Inputs(stream, "loop[0]:more"), ElementsAre("-"));
  EXPECT_THAT(Inputs(stream, "loop[1]:more"), ElementsAre("loop[0]:more"));
  EXPECT_TRUE(NodeOf(stream, "loop[1]:p").closed);
  EXPECT_FALSE(NodeOf(stream, "loop[1]:next").closed);  // reads an initializer of the body
  EXPECT_FALSE(NodeOf(stream, "loop[1]:q").closed);     // the counter
  EXPECT_EQ(At(stream, "loop[1]:p").depth, 1);
  EXPECT_EQ(NodeOf(stream, "loop[1]:p").path, "loop[1]");
  // The Loop itself.
  EXPECT_THAT(Inputs(stream, "y"), ElementsAre("m", "-", "x"));
  EXPECT_THAT(Keys(stream, NodeOf(stream, "y").captures), ElementsAre("w"));
  EXPECT_TRUE(NodeOf(stream, "y").closed);
  EXPECT_EQ(&NodeOf(stream, "y"), &NodeOf(stream, "s"));
  EXPECT_EQ(&NodeOf(stream, "y"), &stream.nodes.back());
}

TEST(StreamRecorderTest, ComputationsTellIterationsApart) {
  const ResultStream stream = Record(kLoop, LoopFeeds());
  EXPECT_NE(At(stream, "loop[0]:p").computation, At(stream, "loop[1]:p").computation);
  EXPECT_NE(At(stream, "loop[0]:q").computation, At(stream, "loop[1]:q").computation);
}

TEST(StreamRecorderTest, LeavesOutWhatIsTooDeep) {
  const ResultStream whole = Record(kLoop, LoopFeeds());
  const ResultStream stream = Record(kLoop, LoopFeeds(), {.max_depth = 0});
  std::vector<std::string> keys;
  for (const StreamResult& result : stream.results) keys.push_back(Key(result));
  EXPECT_THAT(keys, ElementsAre("m", "x", "w", "y", "s", "y", "s"));
  ASSERT_EQ(stream.nodes.size(), 1);
  EXPECT_EQ(At(stream, "s").computation, At(whole, "s").computation);
  EXPECT_THAT(Inputs(stream, "y"), ElementsAre("m", "-", "x"));
}

TEST(StreamRecorderTest, NestedGraphsReadThroughAllThatAreAround) {
  const ResultStream stream = Record(R"(<ir_version: 9, opset_import: ["": 18]>
    g (int64 m, bool c, float x) => (float y) {
      k = Neg(x)
      [outer] y = Loop <body = b (int64 i, bool go, float a) => (bool more, float next) {
        more = Identity(go)
        n = Neg(a)
        [choice] next = If (c) <
          then_branch = t () => (float u) { u = Add(n, k) },
          else_branch = e () => (float v) { v = Identity(a) }>
      }> (m, c, x)
    })",
                                     {{"m", Tensor::Scalar<int64_t>(2)},
                                      {"c", Tensor::Scalar<bool>(true)},
                                      {"x", Tensor::Scalar<float>(1)}});
  EXPECT_THAT(Inputs(stream, "outer[0]/choice[then_branch]:u"), ElementsAre("outer[0]:n", "k"));
  EXPECT_THAT(Inputs(stream, "outer[1]/choice[then_branch]:u"), ElementsAre("outer[1]:n", "k"));
  EXPECT_THAT(Inputs(stream, "outer[1]:n"), ElementsAre("outer[0]:next"));
  EXPECT_THAT(Inputs(stream, "outer[0]:more"), ElementsAre("c"));
  EXPECT_EQ(At(stream, "outer[1]/choice[then_branch]:u").depth, 2);
  // By attribute name: else_branch reads a, then_branch n and k.
  EXPECT_THAT(Keys(stream, NodeOf(stream, "outer[1]:next").captures),
              ElementsAre("outer[0]:next", "outer[1]:n", "k"));
  // The body's own names are no captures of the Loop, but what the branch in it reads is.
  EXPECT_THAT(Keys(stream, NodeOf(stream, "y").captures), ElementsAre("c", "k"));
}

TEST(StreamRecorderTest, AScansStatesAreResultsAndItsSlicesAreNot) {
  const ResultStream stream =
      Record(R"(<ir_version: 9, opset_import: ["": 18]>
    g (float x, float16[3] w) => (float y, float[3] z) {
      [scan] y, z = Scan <num_scan_inputs = 1, body = b (float s, float16 e) => (float t, float u) {
        f = Cast<to = 1>(e)
        t = Add(s, f)
        u = Neg(s)
      }> (x, w)
    })",
             {{"x", Tensor::Scalar<float>(1)},
              {"w", Convert(Tensor::Of<float>({3}, {1, 2, 3}), DType::kFloat16)}});
  EXPECT_THAT(Inputs(stream, "scan[0]:t"), ElementsAre("x", "scan[0]:f"));
  EXPECT_THAT(Inputs(stream, "scan[2]:t"), ElementsAre("scan[1]:t", "scan[2]:f"));
  EXPECT_THAT(Inputs(stream, "scan[2]:f"), ElementsAre("-"));
  EXPECT_FALSE(NodeOf(stream, "scan[2]:f").closed);
  EXPECT_EQ(At(stream, "scan[2]:t").precision, DType::kFloat16);
  EXPECT_EQ(At(stream, "scan[0]:u").precision, DType::kFloat);
  EXPECT_EQ(At(stream, "y").precision, DType::kFloat16);
}

TEST(StreamRecorderTest, PrecisionIsTheLeastOnTheWay) {
  const ResultStream stream = Record(R"(<ir_version: 9, opset_import: ["": 19]>
    g (float[2] x) => (float[2] f)
    <float scale = {0.5}, uint8 zero = {0}, int64[2] ids = {1, 0}>
    {
      a = Neg(x)
      h = Cast<to = 10>(a)
      b = Cast<to = 1>(h)
      c = Cast<to = 7>(b)
      d = Cast<to = 1>(ids)
      e = Add(a, d)
      q = QuantizeLinear(b, scale, zero)
      f = DequantizeLinear(q, scale, zero)
      n = Shape(f)
      o = Cast<to = 3>(x)
      r = Cast<to = 1>(o)
    })",
                                     X({1, 2}));
  const auto precision = [&](const char* key) { return At(stream, key).precision; };
  EXPECT_EQ(precision("a"), DType::kFloat);
  EXPECT_EQ(precision("ids"), DType::kUndefined);
  EXPECT_EQ(precision("h"), DType::kFloat16);
  EXPECT_EQ(precision("b"), DType::kFloat16);
  EXPECT_EQ(precision("c"), DType::kFloat16);
  EXPECT_EQ(precision("d"), DType::kFloat);
  EXPECT_EQ(precision("e"), DType::kFloat);
  EXPECT_EQ(precision("q"), DType::kUint8);
  EXPECT_EQ(precision("f"), DType::kUint8);
  EXPECT_EQ(precision("n"), DType::kUndefined);
  // A cast to int8 is a number, not a quantized one.
  EXPECT_EQ(precision("r"), DType::kFloat);
  EXPECT_EQ(stream.results.back().precision, DType::kUint8);  // the output
}

TEST(StreamRecorderTest, PrecisionInsideASubgraphCounts) {
  constexpr char kModel[] = R"(<ir_version: 9, opset_import: ["": 18]>
    g (bool c, float x) => (float z) {
      y = If (c) <
        then_branch = t () => (float u) { h = Cast<to = 10>(x)  u = Cast<to = 1>(h) },
        else_branch = e () => (float v) { v = Identity(x) }>
      z = Neg(x)
    })";
  const Feeds feeds = {{"c", Tensor::Scalar<bool>(true)}, {"x", Tensor::Scalar<float>(1)}};
  for (int max_depth : {0, 1}) {
    const ResultStream stream = Record(kModel, feeds, {.max_depth = max_depth});
    EXPECT_EQ(At(stream, "y").precision, DType::kFloat16) << max_depth;
    EXPECT_EQ(At(stream, "z").precision, DType::kFloat) << max_depth;
  }
}

TEST(FingerprintCacheTest, GivesWhatFingerprintOfGives) {
  FingerprintCache cache;
  for (const float last : {1.0f, 2.0f, 1.0f}) {
    for (const int64_t size : {10, 100000}) {
      std::vector<float> values(static_cast<size_t>(size), 0.5f);
      values.back() = last;
      const Tensor tensor = Tensor::Of<float>({size}, values);
      const Fingerprint got = cache.Get(tensor, nullptr);
      const Fingerprint want = FingerprintOf(tensor);
      EXPECT_EQ(got.content, want.content);
      EXPECT_EQ(got.numbers().plain.projections, want.numbers().plain.projections);
      EXPECT_EQ(got.numbers().statistics.max, last);
    }
  }
}

// What has the ends of another tensor is told from it by all its bits, packed and strided ones too.
TEST(FingerprintCacheTest, TellsApartWhatHasTheSameEnds) {
  FingerprintCache cache;
  std::vector<float> values(100000);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 997);
  for (const size_t changed : {50000, 0, 60000, 0, 33}) {
    std::vector<float> now = values;
    now[changed] += changed == 0 ? 0 : 1;
    const Tensor flat = Tensor::Of<float>({100, 1000}, now);
    const Tensor transposed = flat.Strided({1000, 100}, {1, 1000}, 0);
    for (const Tensor& tensor : {flat, transposed}) {
      const Fingerprint got = cache.Get(tensor, nullptr);
      const Fingerprint want = FingerprintOf(tensor);
      EXPECT_EQ(got.content, want.content) << changed;
      EXPECT_EQ(got.elements, want.elements) << changed;
      EXPECT_EQ(got.numbers().squashed.projections, want.numbers().squashed.projections) << changed;
    }
  }
}

TEST(PrecisionTest, OrdersTypes) {
  const std::vector<DType> fine_to_coarse = {DType::kUndefined,    DType::kDouble,   DType::kFloat,
                                             DType::kFloat16,      DType::kBfloat16, DType::kInt8,
                                             DType::kFloat8E4M3FN, DType::kInt4};
  for (size_t i = 1; i < fine_to_coarse.size(); ++i) {
    EXPECT_EQ(LessPrecise(fine_to_coarse[i - 1], fine_to_coarse[i]), fine_to_coarse[i]);
    EXPECT_EQ(LessPrecise(fine_to_coarse[i], fine_to_coarse[i - 1]), fine_to_coarse[i]);
  }
  EXPECT_EQ(PrecisionOf(DType::kComplex64), DType::kFloat);
  EXPECT_EQ(PrecisionOf(DType::kInt8), DType::kUndefined);
}

// y of a model with x, w and this node.
uint64_t ComputationOf(const std::string& node, int opset = 18) {
  const ResultStream stream = Record(
      absl::StrCat("<ir_version: 9, opset_import: [\"\": ", opset,
                   "]> g (float[a, b] x) => (float[c, d] y) <float[1] w = {2}> { ", node, " }"),
      {{"x", Tensor::Of<float>({1, 2}, {3, 4})}});
  return At(stream, "y").computation;
}

TEST(ComputationTest, IsOperatorAttributesAndInputs) {
  const uint64_t add = ComputationOf("y = Add(x, w)");
  EXPECT_EQ(ComputationOf("[name] y = Add(x, w)"), add);
  EXPECT_NE(ComputationOf("y = Add(w, x)"), add);
  EXPECT_NE(ComputationOf("y = Sub(x, w)"), add);
  EXPECT_EQ(ComputationOf("v = Constant<value = float[1] {2}>() y = Add(x, v)"), add);
  EXPECT_NE(ComputationOf("v = Constant<value = float[1] {3}>() y = Add(x, v)"), add);
  // The schema is the same in both opsets, in opset 6 it is another.
  EXPECT_EQ(ComputationOf("y = Add(x, w)", 17), add);
  EXPECT_NE(ComputationOf("y = Add(x, w)", 13), add);

  const uint64_t last = ComputationOf("y = Softmax<axis = 1>(x)");
  EXPECT_NE(ComputationOf("y = Softmax<axis = 0>(x)"), last);
  // Default attributes.
  EXPECT_EQ(ComputationOf("y = Softmax(x)"), ComputationOf("y = Softmax<axis = -1>(x)"));
  EXPECT_NE(ComputationOf("y = Softmax(x)", 11), ComputationOf("y = Softmax(x)", 13));
  EXPECT_EQ(ComputationOf("y, z = Split<num_outputs = 2, axis = 1>(x)"),
            ComputationOf("y, z = Split<num_outputs = 2, axis = 1>(x, )"));
}

uint64_t ComputationOfIf(const std::string& then_branch, const std::string& before = "") {
  const ResultStream stream =
      Record(absl::StrCat(R"(<ir_version: 9, opset_import: ["": 18]>
    g (bool c, float x, float z) => (float y) { )",
                          before, " y = If (c) <then_branch = ", then_branch, R"(,
      else_branch = e () => (float v) { v = Identity(x) }> })"),
             {{"c", Tensor::Scalar<bool>(true)},
              {"x", Tensor::Scalar<float>(1)},
              {"z", Tensor::Scalar<float>(2)}});
  return At(stream, "y").computation;
}

TEST(ComputationTest, SubgraphsAreWhatTheyCompute) {
  const uint64_t plain =
      ComputationOfIf("t () => (float u) { p = Neg(x)  q = Neg(z)  u = Sub(p, q) }");
  // Other names.
  EXPECT_EQ(ComputationOfIf("other () => (float o) { n = Neg(x)  m = Neg(z)  o = Sub(n, m) }"),
            plain);
  // A node that nobody reads.
  EXPECT_EQ(
      ComputationOfIf("t () => (float u) { p = Neg(x)  r = Neg(p)  q = Neg(z)  u = Sub(p, q) }"),
      plain);
  EXPECT_NE(ComputationOfIf("t () => (float u) { p = Neg(x)  q = Neg(z)  u = Sub(q, p) }"), plain);
  EXPECT_NE(ComputationOfIf("t () => (float u) { p = Neg(z)  q = Neg(x)  u = Sub(p, q) }"), plain);
  EXPECT_NE(ComputationOfIf("t () => (float u) { p = Neg(x)  q = Abs(z)  u = Sub(p, q) }"), plain);
}

TEST(GraphStartTest, SaysWhichGraphBeginsWithWhat) {
  class Starts : public Observer {
   public:
    void OnGraphStart(const GraphStart& start) override {
      std::string line = absl::StrCat(start.node.name, " ", start.graph.name, " ", start.path, " ",
                                      start.depth, ":");
      for (const Value& input : start.inputs) absl::StrAppend(&line, " ", input.TypeString());
      log.push_back(std::move(line));
    }
    absl::Status OnResult(const Result&, std::optional<Value>*) override {
      return absl::OkStatus();
    }
    std::vector<std::string> log;
  };
  Starts starts;
  ASSERT_TRUE(RunText(kLoop, LoopFeeds(), &starts).ok());
  EXPECT_THAT(starts.log, ElementsAre("loop b loop[0] 1: int64[] bool[] float[]",
                                      "loop b loop[1] 1: int64[] bool[] float[]"));
}

// What a runtime rounds inside counts as its type, as far as the operator is known to round.
TEST(StreamRecorderTest, OperatorsThatRoundInsideARuntime) {
  const std::string text =
      "<ir_version: 10, opset_import: [\"\": 21, \"com.microsoft\": 1]> "
      "g (float[1,1,1] x) => (float[1,1,1] h, float[1,1,1] y) "
      "<int8[1,1,4] w = {1, 2, 3, 4}, float[1] s = {0.1}, int8[1] z = {0}> "
      "{ a, h = com.microsoft.DynamicQuantizeLSTM<hidden_size=1>(x, w, w, , , , , , s, z, s, z) "
      "y = Neg(h) }";
  const Feeds feeds = {{"x", Tensor::Of<float>({1, 1, 1}, {1})}};
  const ResultStream runtime = Record(text, feeds, {.runtime_precision = DType::kUndefined});
  EXPECT_EQ(NodeOf(runtime, "h").computes_in, DType::kInt8);
  EXPECT_EQ(NodeOf(runtime, "y").computes_in, DType::kUndefined);
  EXPECT_EQ(NodeOf(Record(text, feeds), "h").computes_in, DType::kUndefined);
}

}  // namespace
}  // namespace onnxcmp::testing
