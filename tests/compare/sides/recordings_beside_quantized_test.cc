// Recordings of a model in float beside what a quantizer made of it, and the other way round; each
// with a twin that is wrong.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "compare/compare.h"
#include "compare/outputs/output_comparison.h"
#include "tests/compare/sides/recordings_beside_model.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::RandomFloats;
using ::onnxcmp::testing::Scale;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class RecordingsBesideQuantizedTest : public testing::RecordingsBesideModel {
 protected:
  static constexpr char kFloat[] = R"(<ir_version: 9, opset_import: ["": 17]>
    g (float[4, 6, 16] x, float[16, 16] w, float[16, 16] v) => (float[4, 6, 16] y) {
      [first] a = MatMul(x, w)
      [second] r = Relu(a)
      [third] b = MatMul(r, v)
      [fourth] y = Add(b, x)
    })";
  // The Relu is the range of the integers.
  static constexpr char kQdq[] = R"(<ir_version: 9, opset_import: ["": 17]>
    g (float[4, 6, 16] x, float[16, 16] w, float[16, 16] v) => (float[4, 6, 16] y)
    <float s = {0.08}, uint8 z = {0}, float t = {0.4}, uint8 m = {128}> {
      [first] r = MatMul(x, w)
      [second] r_q = QuantizeLinear(r, s, z)
      [third] r_dq = DequantizeLinear(r_q, s, z)
      [fourth] b = MatMul(r_dq, v)
      [fifth] b_q = QuantizeLinear(b, t, m)
      [sixth] b_dq = DequantizeLinear(b_q, t, m)
      [seventh] y = Add(b_dq, x)
    })";
  // Of r and b there are integers alone.
  static constexpr char kIntegers[] = R"(<ir_version: 9, opset_import: ["": 17]>
    g (float[4, 6, 16] x, float[16, 16] w, float[16, 16] v) => (float[4, 6, 16] y)
    <float s = {0.08}, uint8 z = {0}, float t = {0.4}, uint8 m = {128}, float u = {0.03},
     uint8 n = {128}> {
      [first] wq = QuantizeLinear(w, u, n)
      [second] vq = QuantizeLinear(v, u, n)
      [third] xq = QuantizeLinear(x, u, n)
      [fourth] r_q = QLinearMatMul(xq, u, n, wq, u, n, s, z)
      [fifth] b_q = QLinearMatMul(r_q, s, z, vq, u, n, t, m)
      [sixth] b_dq = DequantizeLinear(b_q, t, m)
      [seventh] y = Add(b_dq, x)
    })";

  static Feeds SomeFeeds() {
    return {{"x", RandomFloats({4, 6, 16}, 1)},
            {"w", RandomFloats({16, 16}, 2)},
            {"v", RandomFloats({16, 16}, 3)}};
  }
  // Results of `recorded` with one changed, beside `beside`.
  Arrays Recorded(
      const char* recorded, const char* beside, const std::string& name = "",
      const testing::Change& change = [](std::vector<float>*) {}, bool integers = false) {
    Take(recorded, SomeFeeds());
    Arrays arrays;
    for (auto& [called, tensor] : With(name, change)) {
      if ((integers || tensor.dtype() == DType::kFloat) && tensor.rank() == 3)
        arrays.emplace_back(called, tensor);
    }
    Take(beside, SomeFeeds());
    return arrays;
  }
  void Expect(const Arrays& arrays, bool agrees) {
    for (const bool left : {true, false}) {
      for (const bool renamed : {false, true}) {
        const Comparison comparison = Compared(renamed ? Called(arrays) : arrays, {}, left);
        EXPECT_EQ(Agrees(comparison), agrees) << left << renamed << Notes(comparison);
        if (agrees) {
          EXPECT_THAT(comparison.causes, IsEmpty()) << left << renamed;
        }
      }
    }
  }
  static Arrays Called(Arrays arrays) {
    for (size_t i = 0; i < arrays.size(); ++i) arrays[i].first = absl::StrCat("t", i);
    return arrays;
  }
};

TEST_F(RecordingsBesideQuantizedTest, RoundingOfTheModelIsNoDifference) {
  Expect(Recorded(kFloat, kQdq), true);
}

TEST_F(RecordingsBesideQuantizedTest, AFaultBesideRoundingIsOne) {
  Expect(Recorded(kFloat, kQdq, "b", Scale), false);
  Expect(Recorded(kFloat, kQdq, "r", [](auto* e) { std::reverse(e->begin(), e->end()); }), false);
}

TEST_F(RecordingsBesideQuantizedTest, ResultsThatTheModelKeepsAsIntegersAreFound) {
  const Arrays arrays = Recorded(kFloat, kIntegers);
  Expect(arrays, true);
  EXPECT_THAT(Notes(Compared(arrays)), HasSubstr("kept as integers, found so: r of r_q"));
}

TEST_F(RecordingsBesideQuantizedTest, AWrongResultIsNoneThatTheModelKeepsAsIntegers) {
  Expect(Recorded(kFloat, kIntegers, "b", Scale), false);
  Arrays arrays = Recorded(kFloat, kIntegers);
  arrays[1].second = testing::Changed(arrays[1].second, Scale);  // alone: nothing comes of it
  EXPECT_FALSE(Agrees(Compared(arrays)));
}

TEST_F(RecordingsBesideQuantizedTest, ARecordingWithTheStepsOfIntegersIsAsCoarseAsThese) {
  Expect(Recorded(kQdq, kFloat), true);
  Expect(Recorded(kQdq, kFloat, "b", Scale), false);
}

TEST_F(RecordingsBesideQuantizedTest, IntegersStandForFloatsOfTheModel) {
  const auto nothing = [](std::vector<float>*) {};
  Expect(Recorded(kQdq, kFloat, "", nothing, true), true);
  Expect(Recorded(kIntegers, kFloat, "", nothing, true), true);
  EXPECT_THAT(Notes(Compared(Recorded(kIntegers, kFloat, "", nothing, true))),
              HasSubstr("integers, found so: xq of x, r_q of r, b_q of b"));
}

// Nothing that is computed from them is wrong.
TEST_F(RecordingsBesideQuantizedTest, WrongIntegersStandForNothing) {
  Arrays arrays = Recorded(
      kIntegers, kFloat, "", [](std::vector<float>*) {}, true);
  for (auto& [name, tensor] : arrays) {
    if (name != "r_q") continue;
    const Tensor whole = *tensor.Contiguous();
    std::vector<uint8_t> elements(whole.data<uint8_t>(),
                                  whole.data<uint8_t>() + whole.num_elements());
    std::reverse(elements.begin(), elements.end());
    tensor = Tensor::Of<uint8_t>(whole.shape(), elements);
  }
  // The name says for what.
  for (const bool left : {true, false}) EXPECT_FALSE(Agrees(Compared(arrays, {}, left)));
}

// Of a Sigmoid of small numbers quantization may change a tenth, which is more than varies.
TEST_F(RecordingsBesideQuantizedTest, ValuesFarFromZeroHaveToVaryTogether) {
  constexpr char kSigmoid[] = R"(<ir_version: 9, opset_import: ["": 17]>
    g (float[4, 6, 16] x, float[16, 16] w, float[16, 16] v) => (float[4, 6, 16] y)
    <float f = {0.1}> {
      [first] r = Mul(x, f)
      [second] b = Sigmoid(r)
      [third] y = MatMul(x, w)
    })";
  constexpr char kQuantized[] = R"(<ir_version: 9, opset_import: ["": 17]>
    g (float[4, 6, 16] x, float[16, 16] w, float[16, 16] v) => (float[4, 6, 16] y)
    <float f = {0.1}, float s = {0.04}, uint8 z = {128}> {
      [first] x_q = QuantizeLinear(x, s, z)
      [second] x_dq = DequantizeLinear(x_q, s, z)
      [third] r = Mul(x_dq, f)
      [fourth] b = Sigmoid(r)
      [fifth] y = MatMul(x_dq, w)
    })";
  Expect(Recorded(kSigmoid, kQuantized), true);
  Expect(Recorded(kSigmoid, kQuantized, "b",
                  [](auto* e) { std::rotate(e->begin(), e->begin() + 16, e->end()); }),
         false);
}

TEST_F(RecordingsBesideQuantizedTest, BesideAQuantizedModelItsOwnRecordingIsExact) {
  Arrays arrays = Recorded(kQdq, kQdq);
  Expect(arrays, true);
  const auto slightly = [](std::vector<float>* e) {
    for (float& x : *e) x *= 1.02F;
  };
  arrays.back().second = testing::Changed(arrays.back().second, slightly);
  Expect(arrays, false);
}

// Devices call what integers stand for as the model calls what is rounded to them.
TEST_F(RecordingsBesideQuantizedTest, NamesOfWhatIsRoundedLeadToWhatIntegersStandFor) {
  const auto device = [](const Arrays& arrays) {
    Arrays called;
    for (const auto& [name, tensor] : arrays) {
      if (name == "r_dq") called.emplace_back("r", tensor);
      if (name == "b_dq") called.emplace_back("b", tensor);
      if (name == "y") called.emplace_back("y", tensor);
    }
    return called;
  };
  for (const bool left : {true, false}) {
    const Comparison right = Compared(device(Recorded(kQdq, kQdq)), {}, left);
    EXPECT_TRUE(Agrees(right));
    EXPECT_THAT(right.causes, IsEmpty());
    // The Relu is in the range: no end of it is wrong.
    for (const auto& [fault, cause] : {std::pair("r", "r_dq"), std::pair("b", "b_dq")}) {
      const Comparison wrong = Compared(device(Recorded(kQdq, kQdq, fault, Scale)), {}, left);
      EXPECT_EQ(wrong.verdict(), Verdict::kDifferent);
      EXPECT_THAT(CauseNames(wrong), ElementsAre(cause));
    }
  }
}

// The shares of a Softmax of small numbers are one step, which does not vary as they do.
TEST_F(RecordingsBesideQuantizedTest, SharesOfOneStepAgree) {
  constexpr char kShares[] = R"(<ir_version: 9, opset_import: ["": 17]>
    g (float[4, 6, 16] x, float[16, 16] w, float[16, 16] v) => (float[4, 6, 16] y)
    <float f = {0.005}> {
      [first] r = MatMul(x, w)
      [second] b = Mul(r, f)
      [third] p = Softmax(b)
      [fourth] y = MatMul(p, v)
    })";
  constexpr char kSteps[] = R"(<ir_version: 9, opset_import: ["": 17]>
    g (float[4, 6, 16] x, float[16, 16] w, float[16, 16] v) => (float[4, 6, 16] y)
    <float f = {0.005}, float s = {0.16}, float o = {0.00390625}, uint8 z = {128}, uint8 n = {0},
     float t = {0.0008}, float u = {0.01}> {
      [first] rr = MatMul(x, w)
      [second] r_q = QuantizeLinear(rr, s, z)
      [third] r = DequantizeLinear(r_q, s, z)
      [fourth] bb = Mul(r, f)
      [fifth] b_q = QuantizeLinear(bb, t, z)
      [sixth] b = DequantizeLinear(b_q, t, z)
      [seventh] pp = Softmax(b)
      [eighth] p_q = QuantizeLinear(pp, o, n)
      [ninth] p = DequantizeLinear(p_q, o, n)
      [tenth] yy = MatMul(p, v)
      [last] y_q = QuantizeLinear(yy, u, z)
      [end] y = DequantizeLinear(y_q, u, z)
    })";
  const auto device = [](const Arrays& arrays) {
    Arrays kept;
    for (const auto& array : arrays) {
      for (const char* name : {"r", "b", "p", "y"}) {
        if (array.first == name) kept.push_back(array);
      }
    }
    return kept;
  };
  const Arrays right = device(Recorded(kSteps, kShares));
  const Comparison agrees = Compared(right);
  EXPECT_TRUE(Agrees(agrees)) << absl::StrJoin(DescribeOutputs(agrees.outputs), "; ");
  Arrays wrong = right;
  wrong[2].second = testing::Changed(wrong[2].second, Scale);
  EXPECT_FALSE(Agrees(Compared(wrong)));
}

}  // namespace
}  // namespace onnxcmp
