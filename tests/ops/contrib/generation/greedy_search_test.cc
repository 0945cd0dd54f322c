// GreedySearch and Sampling.
#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "tests/ops/contrib/generation/table_decoder.h"
#include "tests/support/model_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(GreedySearchTest, TakesTheLikeliestUntilAllHaveEnded) {
  const auto outputs = RunText(TableModel("GreedySearch"), TableFeeds(6));
  ExpectTensor(TensorAt(outputs, 0),
               Tensor::Of<int32_t>({2, 6}, {0, 1, 2, 3, 3, 3, 2, 3, 3, 3, 3, 3}));
  ExpectTensor(TensorAt(RunText(TableModel("GreedySearch"), TableFeeds(2)), 0),
               Tensor::Of<int32_t>({2, 2}, {0, 1, 2, 3}));
}

TEST(GreedySearchTest, FollowsTheRules) {
  const std::string model = TableModel("GreedySearch", ", no_repeat_ngram_size: int = 1");
  const auto outputs = RunText(model, TableFeeds(4));
  ExpectTensor(TensorAt(outputs, 0), Tensor::Of<int32_t>({2, 4}, {0, 1, 2, 3, 2, 3, 3, 3}));
}

TEST(SamplingTest, LeavesOneTokenOfATopPOfNothing) {
  const std::string model =
      TableModel("Sampling", ", top_p: float = 0.0001, min_tokens_to_keep: int = 1");
  ExpectTensor(TensorAt(RunText(model, TableFeeds(4)), 0),
               Tensor::Of<int32_t>({2, 4}, {0, 1, 2, 3, 2, 3, 3, 3}));
}

}  // namespace
}  // namespace onnxcmp::testing
