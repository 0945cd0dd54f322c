#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// onnxruntime's results are compared in tests/golden.

struct Sparse {
  int block = 16;
  int total = 2;
  int length = 2;
  int cache = 16;
  std::vector<int32_t> rows = {0, 1};
  std::vector<int32_t> columns = {0};
};

// A prompt of two tokens.
absl::StatusOr<Tensor> RunSparse(const Sparse& sparse) {
  OpTest test("SparseAttention", 1, "com.microsoft");
  test.Attr("num_heads", 1).Attr("kv_num_heads", 1).Attr("sparse_block_size", sparse.block);
  for (int i = 0; i < 3; ++i) test.Input(Iota({1, 2, 2}));
  for (int i = 0; i < 2; ++i) test.Input(Iota({1, 1, sparse.cache, 2}));
  for (const auto& indices : {sparse.rows, sparse.columns}) {
    test.Input(Tensor::Of<int32_t>({1, static_cast<int64_t>(indices.size())}, indices));
  }
  test.Input(Tensor::Scalar<int32_t>(sparse.total));
  test.Input(Tensor::Of<int32_t>({1}, {sparse.length})).Outputs(3);
  return test.Run();
}

TEST(ContribSparseAttentionTest, AQueryThatSeesNoKeyIsZero) {
  ExpectTensor(RunSparse({.rows = {0, 0}}), Tensor::Of<float>({1, 2, 2}, {0, 0, 0, 0}));
}

TEST(ContribSparseAttentionTest, RefusesWhatDoesNotFit) {
  EXPECT_TRUE(RunSparse({}).ok());
  ExpectError(RunSparse({.block = 8}).status(), kInvalid, "sparse_block_size 8");
  ExpectError(RunSparse({.total = 1}).status(), kInvalid, "total_sequence_length 1");
  ExpectError(RunSparse({.total = 17}).status(), kInvalid, "a cache of 16 rows");
  ExpectError(RunSparse({.total = 17, .length = 17, .cache = 32}).status(), kInvalid,
              "1 blocks of 16");
  ExpectError(RunSparse({.length = 3}).status(), kInvalid, "a total length of 3");
  ExpectError(RunSparse({.length = 0}).status(), kInvalid, "a total length of 0");
  ExpectError(RunSparse({.rows = {0, 2}}).status(), kInvalid, "not ascending from 0 to at most 1");
  ExpectError(RunSparse({.rows = {1, 0}}).status(), kInvalid, "not ascending");
  ExpectError(RunSparse({.rows = {-1, 1}}).status(), kInvalid, "not ascending");
}

}  // namespace
}  // namespace onnxcmp::testing
