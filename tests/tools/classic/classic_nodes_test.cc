#include "tools/classic/classic_nodes.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "evaluator/load/onnx_library.h"
#include "onnx/defs/schema.h"
#include "onnx/onnx_pb.h"

namespace onnxcmp {
namespace {

// A graph in ONNX's text form, which is not checked.
onnx::ModelProto ModelOf(absl::string_view graph) {
  onnx::ModelProto model;
  const absl::Status status = ParseOnnxText(
      absl::StrCat("<ir_version: 10, opset_import: [\"\": 23, \"ai.onnx.ml\": 4, \"none\": 1]>\n",
                   graph),
      &model);
  EXPECT_TRUE(status.ok()) << status;
  return model;
}

// The row of result y, whose type nobody declares.
std::string RowOfY(absl::string_view graph) {
  onnx::ModelProto model = ModelOf(graph);
  const auto rows = ClassicNodeRows(model, nullptr);
  EXPECT_TRUE(rows.ok()) << rows.status();
  if (!rows.ok()) return "";
  const auto row = std::find_if(rows->begin(), rows->end(), [](const ClassicRow& candidate) {
    return candidate.kind == ClassicKind::kResult && candidate.name == "y";
  });
  return row == rows->end() ? "" : ClassicRowText(*row);
}

// What it is if its type is not known.
std::string Unknown(absl::string_view op_type) {
  return absl::StrCat("RESULT                               ???? ", FitColumn(op_type, 15), " y");
}

TEST(ClassicNodeRowsTest, InfersTypesAndShapes) {
  EXPECT_EQ(RowOfY("g (float[2,3] x) => (z) { y = Transpose(x) z = Relu(y) }"),
            "RESULT float32  2:3x2                ???? Transpose       y");
  // What depends on no input's type is known after an operator that nobody knows.
  EXPECT_EQ(RowOfY("g (float[2,3] x) => (z) { a = none.Op(x) y = Shape(a) z = Neg(y) }"),
            "RESULT int64    1:unk__0             ???? Shape           y");
}

TEST(ClassicNodeRowsTest, KnowsNothingBehindAnUnknownType) {
  for (const std::string op_type : {"EyeLike <dtype = 1>", "RegexFullMatch <pattern = \"a\">"}) {
    const std::string name = op_type.substr(0, op_type.find(' '));
    EXPECT_EQ(RowOfY(absl::StrCat("g (float[2,3] x) => (z) { a = none.Op(x) y = ", op_type,
                                  "(a) z = Identity(y) }")),
              Unknown(name));
  }
  EXPECT_EQ(RowOfY("g (float[2,3] x) => (z) { a = none.Op(x)"
                   "  y = ai.onnx.ml.LabelEncoder <keys_int64s = [1], values_int64s = [2]>(a)"
                   "  z = Identity(y) }"),
            Unknown("LabelEncoder"));
  EXPECT_EQ(RowOfY("g (float[2,3] x) => (z) { a = none.Op(x)"
                   "  y = ai.onnx.ml.DictVectorizer <int64_vocabulary = [1]>(a)"
                   "  z = Identity(y) }"),
            Unknown("DictVectorizer"));
  // With the type they are inferred as ever.
  EXPECT_EQ(RowOfY("g (float[2,3] x) => (z) { y = EyeLike <dtype = 11>(x) z = Identity(y) }"),
            "RESULT float64  2:2x3                ???? EyeLike         y");
}

TEST(ClassicNodeRowsTest, RefusesAxesOutOfRange) {
  EXPECT_EQ(RowOfY("g (float[2,3] x, int64[4,-1] i) => (z) { y = GatherND(x, i) z = Neg(y) }"),
            Unknown("GatherND"));
  EXPECT_EQ(RowOfY("g (float[2,3] x, int64[4,1] i) => (z) {"
                   "  y = GatherND <batch_dims = -9223372036854775807>(x, i) z = Neg(y) }"),
            Unknown("GatherND"));
  EXPECT_EQ(RowOfY("g (float[2,3] x, int64[4,1] i) => (z) { y = GatherND(x, i) z = Neg(y) }"),
            "RESULT float32  2:4x3                ???? GatherND        y");
  EXPECT_EQ(RowOfY("g (float[2,3] x, float[3] s) => (z) {"
                   "  y, m = LayerNormalization <axis = 9223372036854775807>(x, s) z = Neg(y) }"),
            Unknown("LayerNormalization"));
}

TEST(ClassicNodeRowsTest, RefusesAnEmptyDepth) {
  EXPECT_EQ(RowOfY("g (int64[2] x, float[2] v) => (z) <int64[0] d = {}>"
                   "  { y = OneHot(x, d, v) z = Neg(y) }"),
            Unknown("OneHot"));
  EXPECT_EQ(RowOfY("g (int64[2] x, float[2] v) => (z) <int64[1] d = {5}>"
                   "  { y = OneHot(x, d, v) z = Neg(y) }"),
            "RESULT float32  2:2x5                ???? OneHot          y");
}

// Division by zero.
TEST(ClassicNodeRowsTest, RefusesNothingToDivideBy) {
  onnx::ModelProto model = ModelOf("g (float[2,3] x) => (x) { y = Split(x) }");
  model.mutable_graph()->mutable_node(0)->clear_output();
  const auto rows = ClassicNodeRows(model, nullptr);
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(rows->size(), 3);
  EXPECT_EQ(RowOfY("g (float[2,3,8] x) => (z) {"
                   "  y = Attention <q_num_heads = 2, kv_num_heads = 0>(x, x, x) z = Neg(y) }"),
            Unknown("Attention"));
  EXPECT_EQ(RowOfY("g (float[2,4,8] x) => (z) {"
                   "  y = Attention <q_num_heads = 2, kv_num_heads = 2>(x, x, x) z = Neg(y) }"),
            "RESULT float32  3:2x4x8              ???? Attention       y");
  EXPECT_EQ(RowOfY("g (float[1,8,2,3] x) => (z) {"
                   "  y = DepthToSpace <blocksize = 1099511627776>(x) z = Neg(y) }"),
            Unknown("DepthToSpace"));
  EXPECT_EQ(RowOfY("g (float[-1,4611686018427387904,2] x) => (z) <int64[2] s = {0, -1}> {"
                   "  y = Reshape(x, s) z = Neg(y) }"),
            Unknown("Reshape"));
  EXPECT_EQ(RowOfY("g (float[2,3] x) => (z) <int64 n = {0}> {"
                   "  s = SplitToSequence(x, n) y = ConcatFromSequence <axis = 0>(s)"
                   "  z = Neg(y) }"),
            Unknown("ConcatFromSequence"));
}

// More than there is memory for.
TEST(ClassicNodeRowsTest, RefusesShapesOfTooManyAxes) {
  const auto row = [](const std::string& op, const std::string& length) {
    return RowOfY(absl::StrCat("g (float[2,3,4,4] x, int64[", length, "] s) => (z) { y = ", op,
                               " z = Neg(y) }"));
  };
  constexpr char kMany[] = "1000000000000";
  EXPECT_EQ(row("Reshape(x, s)", kMany), Unknown("Reshape"));
  EXPECT_EQ(row("Expand(x, s)", kMany), Unknown("Expand"));
  EXPECT_EQ(row("ConstantOfShape(s)", kMany), Unknown("ConstantOfShape"));
  EXPECT_EQ(row("AffineGrid(x, s)", kMany), Unknown("AffineGrid"));
  EXPECT_EQ(row("Resize(x, , , s)", kMany), Unknown("Resize"));
  EXPECT_EQ(RowOfY(absl::StrCat("g (float[2,3,4] x, int64[", kMany,
                                "] s) => (z) {"
                                "  a = none.Op(x) y = Col2Im(x, a, s) z = Neg(y) }")),
            Unknown("Col2Im"));
  EXPECT_EQ(row("Expand(x, s)", "5").substr(0, 17), "RESULT float32  5");
}

TEST(ClassicNodeRowsTest, RefusesMorePartsThanMemory) {
  EXPECT_EQ(RowOfY("g (float[2,3] x) => (z) {"
                   "  y = Split <num_outputs = 1000000000000>(x) z = Neg(y) }"),
            Unknown("Split"));
  EXPECT_EQ(RowOfY("g (float[2,3] x) => (z) { a, y = Split <num_outputs = 1>(x) z = Neg(y) }"),
            Unknown("Split"));
  EXPECT_EQ(RowOfY("g (float[3,3] x) => (z) { a, y = Split <num_outputs = 2>(x) z = Neg(y) }"),
            "RESULT float32  2:1x3                ???? Split           y");
}

// Every operator whose inputs have names but no types, without attributes and with empty ones.
TEST(ClassicNodeRowsTest, NoOperatorNeedsTypes) {
  for (const onnx::OpSchema& schema : onnx::OpSchemaRegistry::get_all_schemas_with_history()) {
    SCOPED_TRACE(absl::StrCat(schema.Name(), " ", schema.since_version()));
    for (const bool with_attributes : {false, true}) {
      onnx::ModelProto model;
      model.set_ir_version(10);
      onnx::OperatorSetIdProto* opset = model.add_opset_import();
      opset->set_domain(schema.domain());
      opset->set_version(schema.since_version());
      onnx::NodeProto* node = model.mutable_graph()->add_node();
      node->set_op_type(schema.Name());
      node->set_domain(schema.domain());
      for (size_t i = 0; i < schema.inputs().size(); ++i) node->add_input(absl::StrCat("i", i));
      for (size_t i = 0; i < schema.outputs().size(); ++i) node->add_output(absl::StrCat("o", i));
      for (const auto& [name, attribute] : schema.attributes()) {
        if (!with_attributes) break;
        node->add_attribute()->set_name(name);
        node->mutable_attribute()->rbegin()->set_type(attribute.type);
      }
      const auto rows = ClassicNodeRows(model, nullptr);
      // One for the node itself. Some are refused as a whole.
      if (!rows.ok()) continue;
      EXPECT_EQ(rows->size(), schema.outputs().size() + 1);
    }
  }
}

}  // namespace
}  // namespace onnxcmp
