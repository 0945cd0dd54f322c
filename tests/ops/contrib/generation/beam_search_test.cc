#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "tests/ops/contrib/generation/table_decoder.h"
#include "tests/support/model_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(BeamSearchTest, KeepsSeveral) {
  const std::string model = TableModel("BeamSearch", "", ", , beams, beams");
  const auto outputs = RunText(model, TableFeeds(4));
  ExpectTensor(TensorAt(outputs, 0), Tensor::Of<int32_t>({2, 2, 4}, {0, 1, 2, 3, 0, 1, 1, 2,  //
                                                                     2, 3, 3, 3, 2, 0, 1, 2}));
}

}  // namespace
}  // namespace onnxcmp::testing
