#include "ops/contrib/refused.h"

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "onnx/defs/schema.h"
#include "ops/contrib/schema_table.h"
#include "tests/support/op_test.h"
#include "tests/support/paths.h"

namespace onnxcmp::testing {
namespace {

TEST(RefusedTest, SaysWhichNodeItIsAndWhy) {
  OpTest test("EPContext", 1, "com.microsoft");
  const absl::Status status = test.Input(Floats({1})).Run().status();
  ExpectError(status, kUnimplemented, "com.microsoft.EPContext");
  ExpectError(status, kUnimplemented, "it holds a model that was compiled for one device");
  OpTest aten("ATen", 1, "org.pytorch.aten");
  aten.Attr("operator", "aten::add");
  ExpectError(aten.Input(Floats({1})).Run().status(), kUnimplemented, "PyTorch");
}

TEST(RefusedTest, EveryOperatorOfMicrosoftHasAKernelOrAPlaceHere) {
  std::ifstream file(SourceFile("ops/contrib/schemas.txt"));
  ASSERT_TRUE(file.is_open());
  std::ostringstream text;
  text << file.rdbuf();
  const absl::StatusOr<std::vector<onnx::OpSchema>> schemas = ParseSchemas(text.str());
  ASSERT_TRUE(schemas.ok()) << schemas.status();
  for (const onnx::OpSchema& schema : *schemas) {
    const std::string& name = schema.Name();
    if (schema.domain() != kMicrosoftDomain) continue;
    EXPECT_NE(Registry().FindKernel(kMicrosoftDomain, name, schema.SinceVersion()), nullptr)
        << name << " has neither a kernel nor a place among the refused";
  }
}

TEST(RefusedTest, EachHasASchemaAndAReason) {
  for (const RefusedOperator& refused : RefusedOperators()) {
    const std::string name(refused.op_type);
    const onnx::OpSchema* schema = Registry().FindSchema(refused.domain, name, refused.version);
    ASSERT_NE(schema, nullptr) << name;
    EXPECT_EQ(schema->SinceVersion(), refused.version) << name;
    EXPECT_TRUE(refused.reason.substr(0, 3) == "it " || refused.reason.substr(0, 4) == "the ")
        << name;
  }
}

}  // namespace
}  // namespace onnxcmp::testing
