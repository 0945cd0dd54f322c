#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest Mapping(const char* op_type, int64_t max_ngram_size, int64_t heads, int64_t pad_id) {
  OpTest test(op_type, 1, "com.microsoft");
  test.Attr("max_ngram_size", max_ngram_size)
      .Attr("n_head_per_ngram", heads)
      .Attr("pad_id", pad_id);
  return test;
}

// Values: onnxruntime 1.31.
TEST(ContribNGramHashMappingTest, TwoHeads) {
  OpTest test = Mapping("NGramHashMapping", 2, 2, 1);
  test.Outputs(2).Input(Tensor::Of<int64_t>({1, 4}, {5, 6, 7, 8}));
  test.Input(Ints({3, 5})).Input(Ints({11, 13}));
  ExpectOutputs(test, {Tensor::Of<int64_t>({1, 4, 2}, {10, 10, 0, 11, 0, 11, 4, 7}),
                       Tensor::Of<int64_t>({1, 1}, {8})});
}

// Values: onnxruntime 1.31.
TEST(ContribNGramHashMappingTest, PastTextEndsAndSegments) {
  OpTest test = Mapping("NGramHashMapping", 3, 1, 1);
  test.Outputs(2).Attr("reset_on_eos", 1).Input(Tensor::Of<int64_t>({1, 4}, {2, 6, 2, 8}));
  test.Input(Ints({3, 5, 7})).Input(Ints({101, 103})).Input(Tensor::Of<int64_t>({1, 2}, {2, 9}));
  test.Input(Ints({1000, 2000})).Input(Tensor::Scalar<int64_t>(2));
  test.Input(Tensor::Of<int32_t>({1, 4}, {0, 0, 0, 1}));
  ExpectOutputs(test,
                {Tensor::Of<int64_t>({1, 4, 2}, {1043, 2037, 1024, 2022, 1024, 2022, 1018, 2028}),
                 Tensor::Of<int64_t>({1, 2}, {2, 8})});
}

// NumPy: 2000000000 * 3 and 7 << 30 are 1705032704 and -1073741824 as int32; xor-ed -1516192768.
TEST(ContribNGramHashMappingTest, ProductsWrapInTheIdsType) {
  OpTest test = Mapping("NGramHashMapping", 2, 1, 7);
  test.Input(Tensor::Of<int32_t>({1, 1}, {2000000000}));
  test.Input(Tensor::Of<int32_t>({2}, {3, 1 << 30})).Input(Tensor::Of<int32_t>({1}, {101}));
  ExpectTensor(test.Run(), Tensor::Of<int32_t>({1, 1, 1}, {42}));
}

// Values: onnxruntime 1.31.
TEST(ContribNGramHashMappingTest, PackedSequences) {
  OpTest test = Mapping("VarlenNGramHashMapping", 3, 1, -1);
  test.Outputs(4).Attr("state_update_capacity", 2).Input(Ints({4, 5, 6, 7, 8}));
  test.Input(Ints({3, 5, 7})).Input(Ints({101, 103})).Input(Tensor::Of<int32_t>({3}, {0, 2, 5}));
  test.Input(Tensor::Of<int64_t>({2, 2}, {1, 2, 3, 9})).NoInput().NoInput();
  test.Input(Tensor::Of<int32_t>({5}, {0, 1, 1, 1, 2}));
  test.Input(Tensor::Of<int32_t>({2, 2}, {0, 0, 0, 1})).Input(Tensor::Of<int32_t>({2}, {9, -1}));
  ExpectOutputs(
      test, {Tensor::Of<int64_t>({5, 2}, {6, 1, 89, 13, 63, 45, 11, 52, 72, 26}),
             Tensor::Of<int64_t>({2, 2}, {4, 5, 7, 8}), Tensor::Of<int32_t>({2, 2}, {0, 1, 1, 2}),
             Tensor::Of<int64_t>({2, 2, 2}, {2, 4, 4, 5, -1, -1, -1, -1})});
}

// As one sequence: in pieces, with present_ids as past_ids, the same hashes.
TEST(ContribNGramHashMappingTest, PackedIsAsOneByOne) {
  OpTest whole = Mapping("NGramHashMapping", 3, 1, 1);
  whole.Input(Tensor::Of<int64_t>({1, 3}, {4, 5, 6}))
      .Input(Ints({3, 5, 7}))
      .Input(Ints({101, 103}));
  OpTest packed = Mapping("VarlenNGramHashMapping", 3, 1, 1);
  packed.Input(Ints({4, 5, 6})).Input(Ints({3, 5, 7})).Input(Ints({101, 103}));
  packed.Input(Tensor::Of<int32_t>({2}, {0, 3}));
  const absl::StatusOr<Tensor> want = whole.Run();
  ASSERT_TRUE(want.ok());
  ExpectTensor(packed.Run(), want->Reshaped({3, 2}));
}

TEST(ContribNGramHashMappingTest, WrongInputs) {
  const auto with = [](std::vector<int64_t> multipliers, std::vector<int64_t> sizes) {
    OpTest test = Mapping("NGramHashMapping", 2, 1, 1);
    test.Input(Tensor::Of<int64_t>({1, 1}, {5})).Input(Ints(multipliers)).Input(Ints(sizes));
    return test.Run().status();
  };
  ExpectError(with({3}, {7}), kInvalid, "multipliers");
  ExpectError(with({3, 5}, {7, 7}), kInvalid, "vocab_sizes");
  ExpectError(with({3, 5}, {0}), kInvalid, "vocab_sizes holds 0");
  ExpectError(Mapping("NGramHashMapping", 1, 1, 1)
                  .Input(Tensor::Of<int64_t>({1, 1}, {5}))
                  .Input(Ints({3}))
                  .Input(Ints({}))
                  .Run()
                  .status(),
              kInvalid, "max_ngram_size");
  const auto packed = [](std::vector<int32_t> bounds) {
    OpTest test = Mapping("VarlenNGramHashMapping", 2, 1, 1);
    test.Input(Ints({4, 5})).Input(Ints({3, 5})).Input(Ints({7}));
    test.Input(Tensor::Of<int32_t>({static_cast<int64_t>(bounds.size())}, bounds));
    return test.Run().status();
  };
  ExpectError(packed({0, 2, 2}), kInvalid, "cumulative_sequence_length");
  ExpectError(packed({0, 3}), kInvalid, "cumulative_sequence_length");
  ExpectError(packed({0}), kInvalid, "cumulative_sequence_length");
}

}  // namespace
}  // namespace onnxcmp::testing
