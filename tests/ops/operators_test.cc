#include "ops/operators.h"

#include <cstdint>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "onnx/defs/schema.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Whoever adds an operator looks at all of its versions; those of a newer ONNX show up here. A
// deprecated version without a kernel is one with which the operator left.
TEST(OperatorsTest, EveryVersionOfAnOperatorHasAKernel) {
  for (const OpRegistry::Entry& entry : Registry().Entries()) {
    std::vector<int> versions;
    for (int64_t opset = std::numeric_limits<int>::max();;) {
      const onnx::OpSchema* schema = Registry().FindSchema(entry.domain, entry.op_type, opset);
      if (schema == nullptr) break;
      const int version = schema->SinceVersion();
      const bool has_left = schema->Deprecated() &&
                            Registry().FindKernel(entry.domain, entry.op_type, version) == nullptr;
      if (!has_left) versions.insert(versions.begin(), version);
      opset = version - 1;
    }
    EXPECT_EQ(entry.versions, versions) << entry.domain << " " << entry.op_type;
  }
}

}  // namespace
}  // namespace onnxcmp::testing
