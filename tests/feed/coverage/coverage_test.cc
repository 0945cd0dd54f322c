#include "feed/coverage/coverage.h"

#include <gtest/gtest.h>

#include "evaluator/run/result.h"
#include "evaluator/tensor/tensor.h"
#include "record/base/per_side.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {
namespace {

// An absent output is kNone in a stream, the first one as any other.
TEST(CoverageCounterTest, NodesWithoutTheirFirstOutput) {
  for (const char* const op_type : {"Max", "Min", "Softmax", "Transpose", "ReduceSum", "Greater"}) {
    ResultStream stream;
    stream.results.resize(2);
    stream.results[0].kind = ResultKind::kInput;
    stream.results[0].shape = Shape{2, 3};
    stream.results[0].fingerprint.size = 6;
    stream.results[1].node = 0;
    stream.results[1].slot = 1;
    StreamNode& node = stream.nodes.emplace_back();
    node.op_type = op_type;
    node.inputs = {0, 0};
    node.outputs = {kNone, 1};
    CoverageCounter counter;
    counter.Add(stream, SideId::kLeft);
    EXPECT_EQ(counter.Get().nodes, 1) << op_type;
  }
}

}  // namespace
}  // namespace onnxcmp
