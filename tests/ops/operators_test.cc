#include "ops/operators.h"

#include <cstdint>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "onnx/defs/schema.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Whoever adds an operator looks at all of its versions; those of a newer ONNX show up here.
TEST(OperatorsTest, EveryVersionOfAnOperatorHasAKernel) {
  for (const OpRegistry::Entry& entry : Registry().Entries()) {
    std::vector<int> versions;
    for (int64_t opset = std::numeric_limits<int>::max();;) {
      const onnx::OpSchema* schema = Registry().FindSchema(entry.domain, entry.op_type, opset);
      if (schema == nullptr) break;
      versions.insert(versions.begin(), schema->SinceVersion());
      opset = schema->SinceVersion() - 1;
    }
    EXPECT_EQ(entry.versions, versions) << entry.domain << " " << entry.op_type;
  }
}

}  // namespace
}  // namespace onnxcmp::testing
