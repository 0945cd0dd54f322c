#include "ops/contrib/refused.h"

#include <string>

#include "gtest/gtest.h"
#include "onnx/defs/schema.h"
#include "tests/support/op_test.h"

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
