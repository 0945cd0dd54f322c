// Other forms of nodes, run beside the nodes.
#include "tools/fix/equivalent_forms.h"

#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "compare/compare.h"
#include "compare/sides/model_side.h"
#include "evaluator/load/load_model.h"
#include "evaluator/load/onnx_library.h"
#include "ops/operators.h"

namespace onnxcmp {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

Tensor Numbers(const Shape& shape) {
  std::vector<float> numbers(static_cast<size_t>(NumElements(shape).value()));
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = 0.37F * static_cast<float>((i * 7) % 11) - 1.6F;
  }
  return Tensor::Of<float>(shape, numbers);
}

class EquivalentFormsTest : public ::testing::Test {
 protected:
  // The lines of the edits of y's node with which y stays what it is. `text`: of a model.
  std::vector<std::string> FormsThatHold(const std::string& text) {
    onnx::ModelProto proto;
    EXPECT_TRUE(ParseOnnxText(text, &proto).ok()) << text;
    proto.mutable_graph()->mutable_output(0)->mutable_type()->mutable_tensor_type()->clear_shape();
    const std::shared_ptr<const Model> model = Load(proto);
    const Comparison same = Compared(model, model);
    EXPECT_EQ(same.verdict(), Verdict::kSame) << text;
    const PairIndex pairs({model.get(), model.get()}, same);
    std::vector<std::string> lines;
    for (Edit edit : ProposeEquivalents({pairs, registry_, proto}, {"y", "y"})) {
      onnx::ModelProto edited = proto;
      EXPECT_TRUE(ApplyAndClean(&edit, &edited).ok());
      const auto loaded = LoadModelFromBytes(edited.SerializeAsString(), registry_);
      if (!loaded.ok()) continue;
      const Verdict verdict = Compared(model, *loaded).verdict();
      if (verdict == Verdict::kSame || verdict == Verdict::kClose) lines.push_back(edit.lines[0]);
    }
    return lines;
  }

  std::shared_ptr<const Model> Load(const onnx::ModelProto& proto) const {
    return LoadModelFromBytes(proto.SerializeAsString(), registry_).value();
  }

  Comparison Compared(const std::shared_ptr<const Model>& left,
                      const std::shared_ptr<const Model>& right) const {
    const auto a = ModelSide::Create(left, registry_).value();
    const auto b = ModelSide::Create(right, registry_).value();
    for (ModelSide* side : {a.get(), b.get()}) {
      Feeds feeds;
      for (const ValueInfo& input : left->graph.inputs) {
        Shape shape;
        for (const auto& dim : *input.type.shape) shape.push_back(*dim.value);
        feeds[input.name] = Numbers(shape);
      }
      side->SetFeeds(std::move(feeds));
    }
    return Compare(*a, *b).value();
  }

  const OpRegistry registry_ = AllOperators();
};

std::string Net(const std::string& node, const std::string& inputs = "float[3,4] x",
                const std::string& constants = "", int opset = 20) {
  return absl::StrCat("<ir_version: 8, opset_import: [\"\" : ", opset, "]> g (", inputs,
                      ") => (float[n] y) ", constants, "{ ", node, " }");
}

TEST_F(EquivalentFormsTest, OfTheTable) {
  const std::string two = "float[3,4] x, float[3,4] w";
  for (const auto& [node, inputs, form] :
       std::vector<std::tuple<std::string, std::string, std::string>>{
           {"y = Abs(x)", "float[3,4] x", "Neg, Max"},
           {"y = Add(x, w)", two, "Neg, Sub"},
           {"y = Sub(x, w)", two, "Neg, Add"},
           {"y = Max(x, w)", two, "Neg, Neg, Min, Neg"},
           {"y = Min(x, w)", two, "Neg, Neg, Max, Neg"},
           {"y = Neg(x)", "float[3,4] x", "Sub, Sub"},
           {"y = Relu(x)", "float[3,4] x", "Sub, Max"},
           {"y = Cos(x)", "float[3,4] x", "CastLike, Add, Sin"},
           {"y = Tan(x)", "float[3,4] x", "Sin, Cos, Div"},
           {"y = Tanh(x)", "float[3,4] x", "CastLike, Mul, Sigmoid, Mul, CastLike, Sub"},
           {"y = Sigmoid(x)", "float[3,4] x", "Neg, Exp, CastLike, Add, Reciprocal"},
           {"y = Gelu(x)", "float[3,4] x", "CastLike, Mul, Erf, CastLike, Add, Mul, CastLike, Mul"},
           {"y = HardSwish(x)", "float[3,4] x", "HardSigmoid, Mul"},
           {"y = Mod<fmod = 1>(x, w)", two, "Div, Abs, Floor, Sign, Mul, Mul, Sub"},
           {"y = MatMul(x, w)", "float[3,4] x, float[4,2] w", "Gemm"},
           {"y = DepthToSpace<blocksize = 2, mode = \"CRD\">(x)", "float[1,8,2,3] x",
            "Shape, Shape, Shape, Shape, Reshape, Mul, Div, Concat, Reshape, Transpose, Mul, Mul, "
            "Concat, Reshape"},
           {"y = SpaceToDepth<blocksize = 2>(x)", "float[1,2,4,6] x",
            "Shape, Shape, Shape, Shape, Reshape, Div, Div, Concat, Reshape, Transpose, Mul, Mul, "
            "Concat, Reshape"},
       }) {
    EXPECT_THAT(FormsThatHold(Net(node, inputs)), Contains(::testing::EndsWith(" -> " + form)))
        << node;
  }
}

TEST_F(EquivalentFormsTest, OfProductsWithFactors) {
  EXPECT_THAT(FormsThatHold(Net("y = Gemm<transB = 1, alpha = 0.5>(x, w, b)",
                                "float[3,4] x, float[2,4] w, float[2] b")),
              Contains(StartsWith("Gemm y: Gemm -> Transpose, MatMul, ")));
}

TEST_F(EquivalentFormsTest, OfReductionsWithAxes) {
  EXPECT_THAT(FormsThatHold(Net("y = ReduceMax<keepdims = 0>(x, axes)", "float[3,4] x",
                                "<int64[1] axes = {1}>")),
              Contains("ReduceMax y: ReduceMax -> Neg, ReduceMin, Neg"));
}

TEST_F(EquivalentFormsTest, OfRecurrentOperators) {
  EXPECT_THAT(
      FormsThatHold(Net("y, h, c = LSTM<hidden_size = 2, direction = \"reverse\">(x, w, r, b)",
                        "float[5,3,4] x, float[1,8,4] w, float[1,8,2] r, float[1,16] b")),
      Contains("LSTM y: LSTM -> Slice, LSTM, Slice"));
  EXPECT_THAT(FormsThatHold(Net("y, h = GRU<hidden_size = 2, layout = 1>(x, w, r, b)",
                                "float[5,3,4] x, float[1,6,4] w, float[1,6,2] r, float[1,12] b")),
              Contains("GRU y: GRU -> Transpose, GRU, Transpose, Transpose"));
}

// Bodies that ONNX's schemas give: one that is fixed, one that depends on the types.
TEST_F(EquivalentFormsTest, OfSchemas) {
  EXPECT_THAT(FormsThatHold(Net("y = Softmax(x)")), Not(IsEmpty()));
  EXPECT_THAT(FormsThatHold(Net("y = Celu<alpha = 0.5>(x)")), Not(IsEmpty()));
}

TEST_F(EquivalentFormsTest, NotOfEachNode) {
  EXPECT_THAT(FormsThatHold(Net("y = Floor(x)")), IsEmpty());
  EXPECT_THAT(FormsThatHold(Net("y = Mul(x, x)")), IsEmpty());
}

}  // namespace
}  // namespace onnxcmp
