#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/model_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kForever = std::numeric_limits<int64_t>::max();

// Counts a up from x while a < limit; s collects a's values before each step. `inputs` are those of
// the Loop before x: "m, c".
std::string Counter(const std::string& inputs, int opset = 16) {
  return absl::StrCat("<ir_version: 13, opset_import: [\"\": ", opset, R"(]>
    g (int64 m, bool c, float x, float limit) => (float y, float[k] s) {
      one = Constant<value = float {1}>()
      y, s = Loop <body = b (int64 i, bool go, float a) => (bool more, float next, float old) {
        next = Add(a, one)
        old = Identity(a)
        more = Greater(limit, next)
      }> ()",
                      inputs, R"(, x)
    })");
}

Feeds CounterFeeds(int64_t m, bool c, float limit) {
  return {{"m", Tensor::Scalar(m)},
          {"c", Tensor::Scalar(c)},
          {"x", Tensor::Scalar(0.0f)},
          {"limit", Tensor::Scalar(limit)}};
}

TEST(LoopTest, EndsByTripsOrByConditionOrBoth) {
  struct Case {
    const char* inputs;
    int64_t m;
    bool c;
    float limit;
    std::vector<float> s;
  };
  for (const Case& test : {
           Case{"m, ", 3, true, 2, {0, 1, 2}},  // the body's condition is ignored
           Case{", c", 0, true, 2, {0, 1}},
           Case{", c", 0, false, 2, {}},
           Case{"m, c", 3, true, 9, {0, 1, 2}},
           Case{"m, c", 3, true, 2, {0, 1}},
           Case{"m, c", kForever, true, 2, {0, 1}},
           Case{"m, c", kForever, false, 2, {}},
           Case{"m, c", 0, true, 2, {}},
           Case{"m, c", -7, true, 2, {}},
       }) {
    SCOPED_TRACE(absl::StrCat(test.inputs, " ", test.m, " ", test.c, " ", test.limit));
    const auto outputs = RunText(Counter(test.inputs), CounterFeeds(test.m, test.c, test.limit));
    const auto trips = static_cast<int64_t>(test.s.size());
    ExpectTensor(TensorAt(outputs, 0), Tensor::Scalar(static_cast<float>(trips)));
    ExpectTensor(TensorAt(outputs, 1), Tensor::Of<float>({trips}, test.s));
  }
}

TEST(LoopTest, EveryVersion) {
  for (const int opset : {11, 13, 16, 19, 21, 23, 24, 25}) {
    SCOPED_TRACE(opset);
    const auto outputs = RunText(Counter("m, c", opset), CounterFeeds(5, true, 2));
    ExpectTensor(TensorAt(outputs, 1), Tensor::Of<float>({2}, {0, 1}));
  }
}

TEST(LoopTest, RefusesToNeverEnd) {
  const auto outputs = RunText(Counter(", "), CounterFeeds(1, true, 2));
  ExpectError(outputs.status(), kInvalid, "never end");
}

TEST(LoopTest, AllocatesNothingForTripsThatDoNotHappen) {
  class StopAt100 : public Observer {
   public:
    absl::Status OnResult(const Result&, std::optional<Value>*) override {
      return ++results_ < 100 ? absl::OkStatus() : absl::CancelledError("enough");
    }

   private:
    int results_ = 0;
  };
  StopAt100 observer;
  const auto outputs = RunText(Counter("m, "), CounterFeeds(int64_t{1} << 62, true, 2), &observer,
                               {.threads = 1, .max_tensor = 4096});
  ExpectError(outputs.status(), absl::StatusCode::kCancelled, "enough");
}

TEST(LoopTest, StacksManyTrips) {
  const auto outputs = RunText(Counter(", c"), CounterFeeds(0, true, 3000));
  std::vector<float> want(3000);
  for (size_t i = 0; i < want.size(); ++i) want[i] = static_cast<float>(i);
  ExpectTensor(TensorAt(outputs, 1), Tensor::Of<float>({3000}, want));
}

TEST(LoopTest, UpdatesCarriedValuesTogether) {
  const auto outputs = RunText(R"(<ir_version: 8, opset_import: ["": 16]>
    g (int64 m, float p, float q) => (float y, float z) {
      y, z = Loop <body = b (int64 i, bool go, float a, float b) => (bool more, float c, float d) {
        more = Identity(go)
        c = Identity(b)
        d = Add(a, b)
      }> (m, , p, q)
    })",
                               {{"m", Tensor::Scalar<int64_t>(5)},
                                {"p", Tensor::Scalar(0.0f)},
                                {"q", Tensor::Scalar(1.0f)}});
  ExpectTensor(TensorAt(outputs, 0), Tensor::Scalar(5.0f));  // Fibonacci's numbers
  ExpectTensor(TensorAt(outputs, 1), Tensor::Scalar(8.0f));
}

TEST(LoopTest, CarriesSequencesAndGrowingTensors) {
  const auto outputs = RunText(R"(<ir_version: 8, opset_import: ["": 16]>
    g (int64 m, seq(float[n]) s, float[n] x) => (seq(float[n]) t, float[k] y) {
      t, y = Loop <body = b (int64 i, bool go, seq(float[n]) s0, float[j] x0)
                          => (bool more, seq(float[n]) s1, float[k] x1) {
        more = Identity(go)
        s1 = Identity(s0)
        x1 = Concat<axis = 0>(x0, x)
      }> (m, , s, x)
    })",
                               {{"m", Tensor::Scalar<int64_t>(2)},
                                {"s", Sequence{DType::kFloat, {Tensor::Of<float>({1}, {7})}}},
                                {"x", Tensor::Of<float>({1}, {4})}});
  ASSERT_TRUE(outputs.ok()) << outputs.status();
  ASSERT_TRUE((*outputs)[0].is_sequence());
  EXPECT_EQ((*outputs)[0].sequence().elements.size(), 1);
  ExpectTensor(TensorAt(outputs, 1), Tensor::Of<float>({3}, {4, 4, 4}));
}

// The shape of a scan output without trips comes from its declaration, as far as that goes.
TEST(LoopTest, NoTripsGiveDeclaredShapes) {
  const auto outputs = RunText(R"(<ir_version: 8, opset_import: ["": 16]>
    g (int64 m, bool go, float[n] x) => (float[a,b,c] y, float z, int64[d] w) {
      y, z, w = Loop <body = b (int64 i, bool go1)
                             => (bool more, float[2,n] y1, float[] z1, int64 w1) {
        more = Identity(go1)
        y1 = Identity(x)
        z1 = Identity(x)
        w1 = Identity(i)
      }> (m, go)
    })",
                               {{"m", Tensor::Scalar<int64_t>(0)},
                                {"go", Tensor::Scalar(true)},
                                {"x", Tensor::Of<float>({1}, {4})}});
  ExpectTensor(TensorAt(outputs, 0), Tensor::Of<float>({0, 2, 0}, {}));
  ExpectTensor(TensorAt(outputs, 1), Tensor::Of<float>({0}, {}));
  ExpectTensor(TensorAt(outputs, 2), Tensor::Of<int64_t>({0}, {}));
}

TEST(LoopTest, RefusesScanOutputsThatChangeTheirShape) {
  const auto outputs =
      RunText(R"(<ir_version: 8, opset_import: ["": 16]>
    g (int64 m, float[n] x) => (float[a] y, float[b,c] z) {
      y, z = Loop <body = b (int64 i, bool go, float[j] x0)
                          => (bool more, float[k] x1, float[k] z1) {
        more = Identity(go)
        x1 = Concat<axis = 0>(x0, x)
        z1 = Identity(x1)
      }> (m, , x)
    })",
              {{"m", Tensor::Scalar<int64_t>(2)}, {"x", Tensor::Of<float>({1}, {4})}});
  ExpectError(outputs.status(), kInvalid, "z1 was float[2] and is float[3]");
}

TEST(LoopTest, GivesTheBodyTheRankItDeclares) {
  const auto outputs = RunText(R"(<ir_version: 8, opset_import: ["": 16]>
    g (int64 m, bool c) => (int64[a,b] y, bool[d] z) {
      y, z = Loop <body = b (int64[1] i, bool go) => (bool more, int64[1] y1, bool z1) {
        more = Identity(go)
        y1 = Identity(i)
        z1 = Identity(go)
      }> (m, c)
    })",
                               {{"m", Tensor::Scalar<int64_t>(2)}, {"c", Tensor::Scalar(true)}});
  ExpectTensor(TensorAt(outputs, 0), Tensor::Of<int64_t>({2, 1}, {0, 1}));
  ExpectTensor(TensorAt(outputs, 1), Tensor::Of<bool>({2}, {true, true}));
}

// Files before IR version 4 list a graph's initializers among its inputs.
TEST(LoopTest, TakesABodyWithInitializersAmongItsInputs) {
  const auto outputs = RunText(R"(<ir_version: 3, opset_import: ["": 8]>
    g (int64 m, bool c, float x) => (float y) {
      y = Loop <body = b (int64 i, bool go, float a, float two = {2}) => (bool more, float a1) {
        more = Identity(go)
        a1 = Mul(a, two)
      }> (m, c, x)
    })",
                               {{"m", Tensor::Scalar<int64_t>(5)},
                                {"c", Tensor::Scalar(true)},
                                {"x", Tensor::Scalar(1.0f)}});
  ExpectTensor(TensorAt(outputs, 0), Tensor::Scalar(32.0f));
}

// Strings and packed elements take ways of their own into the stack.
TEST(LoopTest, StacksStringsAndPackedElements) {
  const Tensor packed = Convert(Tensor::Of<float>({3}, {-8, 7, -1}), DType::kInt4);
  const auto outputs = RunText(R"(<ir_version: 10, opset_import: ["": 21]>
    g (int64 m, bool go, string[n] x, int4[k] p) => (string[a,n] y, int4[a,k] q) {
      y, q = Loop <body = b (int64 i, bool go1) => (bool more, string[n] y1, int4[k] q1) {
        more = Identity(go1)
        y1 = Identity(x)
        q1 = Identity(p)
      }> (m, go)
    })",
                               {{"m", Tensor::Scalar<int64_t>(3)},
                                {"go", Tensor::Scalar(true)},
                                {"x", Tensor::Of<std::string>({2}, {"a", "bc"})},
                                {"p", packed}});
  ExpectTensor(TensorAt(outputs, 0),
               Tensor::Of<std::string>({3, 2}, {"a", "bc", "a", "bc", "a", "bc"}));
  ExpectTensor(TensorAt(outputs, 1),
               Convert(Tensor::Of<float>({3, 3}, {-8, 7, -1, -8, 7, -1, -8, 7, -1}), DType::kInt4));
}

TEST(LoopTest, RefusesABodyThatDoesNotFit) {
  const auto few = EvaluatorFromText(R"(<ir_version: 8, opset_import: ["": 16]>
    g (int64 m, float x) => (float y) {
      y = Loop <body = b (int64 i, bool go) => (bool more, float y1) {
        more = Identity(go)
        y1 = Identity(x)
      }> (m, , x)
    })");
  EXPECT_EQ(few.status().code(), kInvalid) << few.status();
  const auto outputs =
      RunText(R"(<ir_version: 8, opset_import: ["": 16]>
    g (int64 m, float[n] x) => (float[n] y) {
      y = Loop <body = b (int64 i, bool go, float[n] a) => (bool[n] more, float[n] y1) {
        more = Greater(a, x)
        y1 = Identity(x)
      }> (m, , x)
    })",
              {{"m", Tensor::Scalar<int64_t>(3)}, {"x", Tensor::Of<float>({2}, {1, 2})}});
  ExpectError(outputs.status(), kInvalid, "condition must be one bool");
}

// A Loop in an If in a Scan: outer names of every level, one of them shadowed, and where results
// are.
TEST(LoopTest, NestsInOtherSubgraphs) {
  constexpr char kModel[] = R"(<ir_version: 8, opset_import: ["": 16]>
    g (float[n] x, bool c, int64 m, float k) => (float last, float[n] all) {
      zero = Constant<value = float {0}>()
      [scan] last, all = Scan <num_scan_inputs = 1, body = s (float state, float e)
                                                     => (float state1, float o) {
        [if] v = If (c) <
          then_branch = t () => (float r) {
            [loop] r = Loop <body = b (int64 i, bool go, float a) => (bool more, float a1) {
              more = Identity(go)
              [step] t1 = Mul(a, k)
              a1 = Add(t1, e)
            }> (m, , state)
          },
          else_branch = f () => (float r) { r = Identity(e) }>
        state1 = Identity(v)
        o = Identity(v)
      }> (zero, x)
    })";
  Recorder recorder;
  const auto outputs = RunText(kModel,
                               {{"x", Tensor::Of<float>({2}, {1, 2})},
                                {"c", Tensor::Scalar(true)},
                                {"m", Tensor::Scalar<int64_t>(2)},
                                {"k", Tensor::Scalar(10.0f)}},
                               &recorder);
  ExpectTensor(TensorAt(outputs, 0), Tensor::Scalar(1122.0f));
  ExpectTensor(TensorAt(outputs, 1), Tensor::Of<float>({2}, {11, 1122}));
  std::vector<std::string> steps;
  for (const Recorder::Entry& entry : recorder.entries()) {
    if (entry.name != "a1") continue;
    EXPECT_EQ(entry.depth, 3);
    steps.push_back(absl::StrCat(entry.path, " ", *entry.value.tensor().data<float>()));
  }
  EXPECT_THAT(
      steps,
      ElementsAre("scan[0]/if[then_branch]/loop[0] 1", "scan[0]/if[then_branch]/loop[1] 11",
                  "scan[1]/if[then_branch]/loop[0] 112", "scan[1]/if[then_branch]/loop[1] 1122"));
}

}  // namespace
}  // namespace onnxcmp::testing
