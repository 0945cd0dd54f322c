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

// All domains: whoever renews the table from another onnxruntime sees here what is to be done.
TEST(RefusedTest, EveryOperatorOfTheTablesHasAKernelOrAPlaceHere) {
  for (const char* table : {"ops/contrib/schemas.txt", "ops/contrib/more_schemas.txt"}) {
    std::ifstream file(SourceFile(table));
    ASSERT_TRUE(file.is_open());
    std::ostringstream text;
    text << file.rdbuf();
    const absl::StatusOr<std::vector<onnx::OpSchema>> schemas = ParseSchemas(text.str());
    ASSERT_TRUE(schemas.ok()) << schemas.status();
    for (const onnx::OpSchema& schema : *schemas) {
      if (schema.Deprecated()) continue;
      const std::string& name = schema.Name();
      EXPECT_NE(Registry().FindKernel(schema.domain(), name, schema.SinceVersion()), nullptr)
          << schema.domain() << " " << name << " " << schema.SinceVersion()
          << " has neither a kernel nor a place among the refused";
    }
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
