// PackedSparseAttentionIndexerMerge of com.microsoft. Expected values follow the schema's text.
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

Tensor Row(const std::vector<int32_t>& values) {
  return Tensor::Of<int32_t>({static_cast<int64_t>(values.size())}, values);
}

// Two cached rows of up to three.
OpTest Merge(const char* mode, const std::vector<int32_t>& rows, int capacity) {
  OpTest test = Contrib("PackedSparseAttentionIndexerMerge").Outputs(3);
  test.Attr("policy_mode", mode).Attr("max_output_entries", capacity);
  return test.Input(Tensor::Of<int32_t>({2, 3}, {5, 1, 5, 7, -1, 0}))
      .Input(Row({3, 1}))
      .Input(Row(rows));
}

TEST(PackedSparseAttentionIndexerMerge, AppendsRanges) {
  OpTest test = Merge("append_range", {0, 1, 0}, 4);
  test.Input(Row({0, 2, 3})).Input(Row({3, 2, 3}));
  ExpectOutputs(test, {Tensor::Of<int32_t>({3, 4}, {5, 1, 0, 2, 7, -1, -1, -1, 5, 1, -1, -1}),
                       Row({4, 1, 2}), Row({0, 0, 0})});
}

TEST(PackedSparseAttentionIndexerMerge, AppendsIndices) {
  OpTest test = Merge("append_indices", {1, 0}, 3).NoInput().NoInput();
  test.Input(Tensor::Of<int32_t>({2, 2}, {7, 9, 1, -1})).Input(Row({2, 1}));
  ExpectOutputs(test,
                {Tensor::Of<int32_t>({2, 3}, {7, 9, -1, 5, 1, -1}), Row({2, 2}), Row({0, 0})});
}

TEST(PackedSparseAttentionIndexerMerge, StatusOfRows) {
  // Too many; no such row; a range that falls; a negative start; fits just so.
  OpTest test = Merge("append_range", {0, 2, 0, 0, 1}, 3);
  test.Input(Row({0, 0, 2, -1, 3})).Input(Row({3, 0, 1, 1, 5}));
  ExpectOutputs(
      test, {Tensor::Of<int32_t>({5, 3}, {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 7, 3, 4}),
             Row({0, 0, 0, 0, 3}), Row({2, 1, 1, 1, 0})});
  // A count beyond the columns, and a negative index within it.
  OpTest more = Merge("append_indices", {1, 1}, 3).NoInput().NoInput();
  more.Input(Tensor::Of<int32_t>({2, 2}, {0, 1, 2, -1})).Input(Row({3, 2}));
  ExpectOutputs(more,
                {Tensor::Of<int32_t>({2, 3}, {-1, -1, -1, -1, -1, -1}), Row({0, 0}), Row({1, 1})});
}

// 5 and 1 are there already, and a great range ends where there is no more room.
TEST(PackedSparseAttentionIndexerMerge, RangesLeaveOutWhatIsThere) {
  OpTest test = Merge("append_range", {0, 0}, 7).Input(Row({0, 0})).Input(Row({7, INT32_MAX}));
  ExpectOutputs(test,
                {Tensor::Of<int32_t>({2, 7}, {5, 1, 0, 2, 3, 4, 6, -1, -1, -1, -1, -1, -1, -1}),
                 Row({7, 0}), Row({0, 2})});
}

TEST(PackedSparseAttentionIndexerMerge, NoQueries) {
  OpTest test = Merge("append_range", {}, 2).Input(Row({})).Input(Row({}));
  ExpectOutputs(test, {Tensor::Of<int32_t>({0, 2}, {}), Row({}), Row({})});
}

TEST(PackedSparseAttentionIndexerMerge, RefusesWhatDoesNotFit) {
  const auto status = [](OpTest test) { return test.RunAll().status(); };
  ExpectError(status(Merge("append", {0}, 3)), kInvalid, "\"append\"");
  ExpectError(status(Merge("append_range", {0}, 0)), kInvalid, "max_output_entries is 0");
  ExpectError(status(Merge("append_range", {0}, 3)), kInvalid, "needs range_starts and range_ends");
  ExpectError(status(Merge("append_indices", {0}, 3).Input(Row({0})).Input(Row({0}))), kInvalid,
              "needs additional_indices and additional_counts");
  ExpectError(status(Merge("append_range", {0}, 3).Input(Row({0, 1})).Input(Row({0}))), kInvalid,
              "range_starts has shape [2], not [1]");
}

}  // namespace
}  // namespace onnxcmp::testing
