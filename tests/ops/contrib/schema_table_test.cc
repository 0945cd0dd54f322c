#include "ops/contrib/schema_table.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "onnx/defs/parser.h"
#include "onnx/shape_inference/implementation.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

using ::testing::HasSubstr;

TEST(SchemaTableTest, ReadsEveryKindOfLine) {
  absl::StatusOr<std::vector<onnx::OpSchema>> parsed = ParseSchemas(R"(
# a comment
op acme Foo 3
  in x T
  in? bias float
  in** rest U
  out y T = 0
  out? mean float
  attr! count int
  attr alpha float = 0.5
  attr mode string = "linear"
  attr empty string = ""
  attr sizes ints
  types T float16 float
  types U int64 seq(tensor(float))

op ai.onnx Bar 10 deprecated
)");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  const std::vector<onnx::OpSchema>& schemas = *parsed;
  ASSERT_EQ(schemas.size(), 2);
  const onnx::OpSchema& foo = schemas[0];
  EXPECT_EQ(foo.Name(), "Foo");
  EXPECT_EQ(foo.domain(), "acme");
  EXPECT_EQ(foo.SinceVersion(), 3);
  ASSERT_EQ(foo.inputs().size(), 3);
  EXPECT_EQ(foo.inputs()[1].GetTypeStr(), "tensor(float)");
  EXPECT_EQ(foo.inputs()[1].GetOption(), onnx::OpSchema::Optional);
  EXPECT_EQ(foo.inputs()[2].GetOption(), onnx::OpSchema::Variadic);
  EXPECT_FALSE(foo.inputs()[2].GetIsHomogeneous());
  EXPECT_EQ(foo.outputs()[1].GetOption(), onnx::OpSchema::Optional);
  EXPECT_TRUE(foo.attributes().at("count").required);
  EXPECT_EQ(foo.attributes().at("alpha").default_value.f(), 0.5f);
  EXPECT_EQ(foo.attributes().at("mode").default_value.s(), "linear");
  EXPECT_EQ(foo.attributes().at("empty").default_value.s(), "");
  EXPECT_FALSE(foo.attributes().at("sizes").required);
  EXPECT_EQ(foo.typeConstraintParams()[1].allowed_type_strs[1], "seq(tensor(float))");
  EXPECT_EQ(schemas[1].domain(), "");
  EXPECT_TRUE(schemas[1].deprecated());
}

TEST(SchemaTableTest, NamesTheLineThatIsWrong) {
  for (const char* text :
       {"in x T", "op acme Foo", "op acme Foo x", "op acme Foo 1 old", "op acme Foo 1\n  in x",
        "op acme Foo 1\n  out y T = z", "op acme Foo 1\n  attr a number",
        "op acme Foo 1\n  attr a int = b", "op acme Foo 1\n  attr a string = b",
        "op acme Foo 1\n  types T", "op acme Foo 1\n  what x"}) {
    absl::Status status = ParseSchemas(text).status();
    EXPECT_THAT(std::string(status.message()), HasSubstr("line ")) << text;
  }
}

TEST(SchemaTableTest, InfersTypesAndShapes) {
  absl::StatusOr<std::vector<onnx::OpSchema>> parsed = ParseSchemas(R"(
op acme Foo 1
  in x T
  out y T = 0
  out scale float
  types T float16 float
)");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  const std::vector<onnx::OpSchema>& schemas = *parsed;
  OpRegistry registry;
  registry.AddSchema(schemas[0]);
  onnx::ModelProto model;
  ASSERT_TRUE(onnx::OnnxParser::Parse(model, R"(
<ir_version: 10, opset_import: ["acme": 1]>
g (float16[2, n] x) => (y, scale) { y, scale = acme.Foo(x) }
)")
                  .IsOK());
  onnx::shape_inference::InferShapes(model, &registry.schemas());
  const onnx::TypeProto::Tensor& y = model.graph().output(0).type().tensor_type();
  EXPECT_EQ(y.elem_type(), onnx::TensorProto::FLOAT16);
  ASSERT_EQ(y.shape().dim_size(), 2);
  EXPECT_EQ(y.shape().dim(0).dim_value(), 2);
  EXPECT_EQ(y.shape().dim(1).dim_param(), "n");
  EXPECT_EQ(model.graph().output(1).type().tensor_type().elem_type(), onnx::TensorProto::FLOAT);
}

// The kinds of lines that the tables have, as onnxruntime documents the operators.
TEST(SchemaTableTest, TheTablesAreInTheRegistry) {
  const onnx::OpSchema* product = Registry().FindSchema(kMicrosoftDomain, "MatMulNBits", 1);
  ASSERT_NE(product, nullptr);
  EXPECT_TRUE(product->attributes().at("block_size").required);
  EXPECT_EQ(product->attributes().at("bits").default_value.i(), 4);
  EXPECT_EQ(product->min_input(), 3);
  const onnx::OpSchema* norm =
      Registry().FindSchema(kOnnxDomain, "SimplifiedLayerNormalization", 17);
  ASSERT_NE(norm, nullptr);
  EXPECT_EQ(norm->SinceVersion(), 1);
  // ONNX's own schemas come first.
  EXPECT_EQ(Registry().FindSchema(kOnnxDomain, "LayerNormalization", 17)->SinceVersion(), 17);
  EXPECT_EQ(Registry().FindSchema(kOnnxDomain, "LayerNormalization", 16)->SinceVersion(), 1);
}

}  // namespace
}  // namespace onnxcmp::testing
