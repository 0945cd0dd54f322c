#include "tools/fix/mend.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_replace.h"
#include "compare/compare.h"
#include "compare/sides/model_side.h"
#include "evaluator/load/load_model.h"
#include "evaluator/load/onnx_library.h"
#include "ops/operators.h"
#include "record/text/attribute_text.h"
#include "tools/fix/fix_script.h"

namespace onnxcmp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kNet[] = R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[2,4] x) => (float[2,4] y, float[2,4] z)
    <float[4,4] w = {0.3, -0.7, 1.1, 0.2, 0.9, 0.4, -0.6, 0.8, -1.2, 0.5, 0.7, -0.1,
                     0.6, -0.3, 0.2, 1.4},
     float[4] b = {0.1, -0.2, 0.3, -0.4}> {
      m = MatMul(x, w)
      s = Add(m, b)
      r = Relu(s)
      d = Sub(r, x)
      t = Tanh(d)
      c = Concat<axis = 1>(t, r)
      k = LeakyRelu<alpha = 0.25>(c)
      y = Softmax<axis = 1>(t)
      z = Gemm<transA = 0>(d, w, b)
    })";

class MendTest : public ::testing::Test {
 protected:
  static onnx::ModelProto Proto(const std::string& text) {
    onnx::ModelProto proto;
    EXPECT_TRUE(ParseOnnxText(text, &proto).ok()) << text;
    return proto;
  }
  std::shared_ptr<const Model> Load(const onnx::ModelProto& proto) const {
    return LoadModelFromBytes(proto.SerializeAsString(), registry_).value();
  }

  // Mends the second model by the first.
  FixReport MendOf(const std::string& left_text, const std::string& right_text) {
    const std::shared_ptr<const Model> left = Load(Proto(left_text));
    const auto side = ModelSide::Create(left, registry_).value();
    Feeds feeds = {{"x", Tensor::Of<float>({2, 4}, {1, -0.5, 0.3, 2, -1.4, 0.8, 0.1, -0.6})}};
    const Judge judge = [&](const onnx::ModelProto& proto, bool causes) -> absl::StatusOr<Judged> {
      ++judged_;
      Judged made;
      made.right = Load(proto);
      const auto right = ModelSide::Create(made.right, registry_).value();
      side->SetFeeds(feeds);
      right->SetFeeds(feeds);
      CompareOptions options;
      options.causes = causes;
      made.comparison = Compare(*side, *right, options).value();
      return made;
    };
    mended_ = Proto(right_text);
    return Mend(*left, registry_, judge, EditsFrom::kLeft, &mended_).value();
  }
  FixReport MendOf(const std::vector<std::pair<absl::string_view, absl::string_view>>& faults) {
    return MendOf(kNet, absl::StrReplaceAll(kNet, faults));
  }
  static std::vector<std::string> LinesOf(const FixReport& report) {
    std::vector<std::string> lines;
    for (const FixStep& step : report.steps) {
      lines.insert(lines.end(), step.edit.lines.begin(), step.edit.lines.end());
    }
    return lines;
  }
  // True if the mended model is the left one, but for names.
  bool IsLeft() const {
    const onnx::GraphProto left = Proto(kNet).graph();
    const onnx::GraphProto& right = mended_.graph();
    if (left.node_size() != right.node_size()) return false;
    for (int i = 0; i < left.node_size(); ++i) {
      onnx::NodeProto a = left.node(i), b = right.node(i);
      if (a.op_type() != b.op_type() || a.attribute_size() != b.attribute_size()) return false;
      if (a.input_size() != b.input_size()) return false;
      for (int j = 0; j < a.attribute_size(); ++j) {
        if (a.attribute(j).SerializeAsString() != b.attribute(j).SerializeAsString()) return false;
      }
    }
    return left.initializer_size() == right.initializer_size();
  }

  const OpRegistry registry_ = AllOperators();
  onnx::ModelProto mended_;
  int judged_ = 0;
};

TEST_F(MendTest, Attribute) {
  const FixReport report = MendOf({{"Softmax<axis = 1>", "Softmax<axis = 0>"}});
  EXPECT_TRUE(report.agrees);
  EXPECT_THAT(LinesOf(report), ElementsAre("Softmax y: axis 0 -> 1"));
  EXPECT_TRUE(IsLeft());
}

TEST_F(MendTest, ElementOfAConstant) {
  const FixReport report = MendOf({{"0.3, -0.4}", "0.8, -0.4}"}});
  EXPECT_TRUE(report.agrees);
  EXPECT_THAT(LinesOf(report), ElementsAre(HasSubstr("b: [2] 0.8 -> 0.3")));
  EXPECT_TRUE(IsLeft());
}

TEST_F(MendTest, OrderOfInputs) {
  const FixReport report = MendOf({{"Sub(r, x)", "Sub(x, r)"}});
  EXPECT_TRUE(report.agrees);
  EXPECT_THAT(LinesOf(report), ElementsAre("Sub d: inputs x, r -> r, x"));
  EXPECT_TRUE(IsLeft());
}

TEST_F(MendTest, Edge) {
  const FixReport report = MendOf({{"Tanh(d)", "Tanh(r)"}});
  EXPECT_TRUE(report.agrees);
  EXPECT_THAT(LinesOf(report), ElementsAre("Tanh t: input 0 r -> d"));
  EXPECT_TRUE(IsLeft());
}

TEST_F(MendTest, NodeThatWasLost) {
  const FixReport report =
      MendOf({{"r = Relu(s)", ""}, {"Sub(r, x)", "Sub(s, x)"}, {"(t, r)", "(t, s)"}});
  EXPECT_TRUE(report.agrees);
  EXPECT_THAT(LinesOf(report), ElementsAre("Sub d: input 0 s -> r, Relu added"));
  EXPECT_TRUE(IsLeft()) << mended_.DebugString();
}

TEST_F(MendTest, NodeTooMany) {
  const FixReport report = MendOf({{"d = Sub(r, x)", "e = Sub(r, x) d = Neg(e)"}});
  EXPECT_TRUE(report.agrees);
  EXPECT_THAT(LinesOf(report), ElementsAre("Neg d: removed, its readers read e"));
  EXPECT_TRUE(IsLeft());
}

TEST_F(MendTest, NodeTooManyAtAnOutput) {
  const FixReport report =
      MendOf({{"y = Softmax<axis = 1>(t)", "q = Softmax<axis = 1>(t) y = Neg(q)"}});
  EXPECT_TRUE(report.agrees);
  EXPECT_TRUE(IsLeft());
  EXPECT_EQ(mended_.graph().output(0).name(), "y");
}

TEST_F(MendTest, OtherOperator) {
  const FixReport report = MendOf({{"t = Tanh(d)", "t = Sigmoid(d)"}});
  EXPECT_TRUE(report.agrees);
  EXPECT_THAT(LinesOf(report), ElementsAre("Sigmoid t: Sigmoid -> Tanh"));
  EXPECT_TRUE(IsLeft());
}

TEST_F(MendTest, DetourThroughFloat16) {
  const FixReport report =
      MendOf({{"d = Sub(r, x)", "e = Sub(r, x) h = Cast<to = 10>(e) d = Cast<to = 1>(h)"}});
  EXPECT_TRUE(report.agrees);
  EXPECT_TRUE(report.nothing_to_mend || IsLeft());
}

TEST_F(MendTest, TwoFaults) {
  const FixReport report =
      MendOf({{"Softmax<axis = 1>", "Softmax<axis = 0>"}, {"transA = 0", "alpha = 1.5"}});
  EXPECT_TRUE(report.agrees);
  EXPECT_THAT(report.steps, SizeIs(2));
  EXPECT_TRUE(report.steps[0].after > 0);
}

// Honest pairs have no edit, and are compared once.
TEST_F(MendTest, NothingToMend) {
  const FixReport report = MendOf({{"s = Add(m, b)", "s = Add(b, m)"}});
  EXPECT_TRUE(report.nothing_to_mend);
  EXPECT_TRUE(report.agrees);
  EXPECT_THAT(report.steps, IsEmpty());
  EXPECT_EQ(judged_, 1);
}

// The left has no such numbers: what a fold makes of them cannot be told from a mistake, so that
// the left's nodes come into the place of the right's.
TEST_F(MendTest, LeftsRegionInThePlaceOfTheRights) {
  const FixReport report =
      MendOf({{"m = MatMul(x, w)", ""}, {"s = Add(m, b)", "s = Gemm<alpha = 1.5>(x, w, b)"}});
  EXPECT_TRUE(report.agrees);
  EXPECT_THAT(LinesOf(report), SizeIs(1));
}

// The constant is right for its other reader.
TEST_F(MendTest, OneReaderOfAConstant) {
  const std::string left = absl::StrReplaceAll(
      kNet, {{"float[4] b = {", "float[4] o = {0.5, 0.6, -0.7, 0.8}, float[4] b = {"},
             {"Gemm<transA = 0>(d, w, b)", "Gemm<transA = 0>(d, w, o)"}});
  const FixReport report = MendOf(left, kNet);
  EXPECT_TRUE(report.agrees);
  EXPECT_THAT(LinesOf(report), ElementsAre("Gemm z: input 2 b -> o"));
}

// A normalization whose squares overflow float16. The text has its numbers as their bits: 300
// and 1.
TEST_F(MendTest, NodesThatOverflowFloat16) {
  constexpr char kNormalized[] = R"(<ir_version: 8, opset_import: ["" : 17]>
      g (float[2,4] x) => (float[2,4] y) <float k = {300}, float e = {1}> {
        [a] a = Mul(x, k)
        [s] s = Mul(a, a)
        [m] m = ReduceMean<axes = [1], keepdims = 1>(s)
        [p] p = Add(m, e)
        [r] r = Sqrt(p)
        [d] d = Div(a, r)
        [y] y = Tanh(d)
      })";
  constexpr char kShort[] = R"(<ir_version: 8, opset_import: ["" : 17]>
      g (float[2,4] x) => (float[2,4] y) <float16 k = {23728}, float16 e = {15360}> {
        [c] x_short = Cast<to = 10>(x)
        [a] a = Mul(x_short, k)
        [s] s = Mul(a, a)
        [m] m = ReduceMean<axes = [1], keepdims = 1>(s)
        [p] p = Add(m, e)
        [r] r = Sqrt(p)
        [d] d = Div(a, r)
        [t] y_short = Tanh(d)
        [z] y = Cast<to = 1>(y_short)
      })";
  const FixReport report = MendOf(kNormalized, kShort);
  EXPECT_TRUE(report.agrees);
  EXPECT_THAT(
      LinesOf(report),
      ElementsAre("s, m, p, r: kept in float, node_block_list=[\"s\", \"m\", \"p\", \"r\"]"));
  EXPECT_EQ(mended_.graph().node_size(), 11);
}

TEST(FixScriptTest, TellsOfFunctionsThatWereInlined) {
  FixReport report;
  EXPECT_THAT(FixScript(report, "m.onnx"), HasSubstr("INLINED = False"));
  report.inlined = true;
  EXPECT_THAT(FixScript(report, "m.onnx"), HasSubstr("INLINED = True"));
}

// A layer of int8 beside its float form: weights in steps of 0.01, results from 0 to 2.55.
constexpr char kFloat[] = R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[2,4] x) => (float[2,4] y)
    <float[4,4] w = {0.3, -0.7, 1.1, 0.2, 0.9, 0.4, -0.6, 0.8, -1.27, 0.5, 0.7, -0.1,
                     0.6, -0.3, 0.2, 1.2}> {
      m = MatMul(x, w)
      r = Relu(m)
      y = Neg(r)
    })";
constexpr char kQuantized[] = R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[2,4] x) => (float[2,4] y)
    <int8[4,4] wq = {30, -70, 110, 20, 90, 40, -60, 80, -127, 50, 70, -10, 60, -30, 20, 120},
     float ws = {0.01}, int8 wz = {0}, float rs = {0.012}, uint8 rz = {0}> {
      w = DequantizeLinear(wq, ws, wz)
      m = MatMul(x, w)
      r = Relu(m)
      rq = QuantizeLinear(r, rs, rz)
      rd = DequantizeLinear(rq, rs, rz)
      y = Neg(rd)
    })";

class GridTest : public MendTest {
 protected:
  std::vector<std::string> LinesFor(
      const std::vector<std::pair<absl::string_view, absl::string_view>>& faults) {
    const FixReport report = MendOf(kFloat, absl::StrReplaceAll(kQuantized, faults));
    EXPECT_TRUE(report.agrees);
    EXPECT_EQ(mended_.graph().node_size(), Proto(kQuantized).graph().node_size());
    return LinesOf(report);
  }
};

TEST_F(GridTest, HonestRoundingStays) { EXPECT_TRUE(MendOf(kFloat, kQuantized).nothing_to_mend); }

TEST_F(GridTest, ScaleOfWeights) {
  EXPECT_THAT(LinesFor({{"ws = {0.01}", "ws = {0.02}"}}),
              ElementsAre("ws: [] 0.02 -> 0.01, computed anew from w"));
}

TEST_F(GridTest, ZeroPointOfWeights) {
  EXPECT_THAT(LinesFor({{"wz = {0}", "wz = {30}"}}),
              ElementsAre("wz: [] 30 -> 0, computed anew from w"));
}

TEST_F(GridTest, IntegersOfWeights) {
  EXPECT_THAT(LinesFor({{"30, -70, 110", "30, 90, 110"}}),
              ElementsAre("wq: [0,1] 90 -> -70, computed anew from w"));
}

TEST_F(GridTest, ScaleAndIntegersOfWeights) {
  EXPECT_THAT(
      LinesFor(
          {{"ws = {0.01}", "ws = {0.0025}"},
           {"30, -70, 110, 20, 90, 40, -60, 80, -127, 50, 70, -10, 60, -30, 20, 120",
            "120, -127, 127, 80, 127, 127, -127, 127, -127, 127, 127, -40, 127, -120, 80, 127"}}),
      ElementsAre("ws: [] 0.0025 -> 0.01, computed anew from w", HasSubstr("wq: up to ")));
}

TEST_F(GridTest, ScaleThatCutsResultsOff) {
  EXPECT_THAT(LinesFor({{"rs = {0.012}", "rs = {0.003}"}}),
              ElementsAre(HasSubstr("rs: [] 0.003 -> 0.0085")));
}

TEST_F(GridTest, ZeroPointOfResults) {
  EXPECT_THAT(LinesFor({{"rz = {0}", "rz = {220}"}}),
              ElementsAre("rz: [] 220 -> 0, computed anew from the other side's values"));
}

// The zero point is one constant of two layers, of which one is right.
TEST_F(GridTest, OneReaderOfASharedConstant) {
  EXPECT_THAT(LinesFor({{"int8 wz = {0}, float rs", "int8 wz = {0}, int8 qz = {30}, float rs"},
                        {"ws, wz)", "ws, qz)"}}),
              ElementsAre("qz: [] 30 -> 0, computed anew from w"));
}

}  // namespace
}  // namespace onnxcmp
