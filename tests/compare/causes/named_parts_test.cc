// Constants whose parts have names by their reader: gates, directions, q, k and v.
#include "compare/causes/named_parts.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "evaluator/tensor/tensor.h"
#include "tests/support/model_pair.h"

namespace onnxcmp {
namespace {

using ::testing::HasSubstr;

StreamNode Reader(const std::string& op_type, const std::string& domain = "") {
  StreamNode node;
  node.op_type = op_type;
  node.domain = domain;
  return node;
}

// A constant of parts with two elements each: part `p` has p + 1 and -p - 1.
Tensor Parts(const Shape& shape, const std::vector<int>& parts) {
  std::vector<float> elements;
  for (const int part : parts) {
    elements.push_back(static_cast<float>(part + 1));
    elements.push_back(static_cast<float>(-part - 1));
  }
  return Tensor::Of<float>(shape, elements);
}

TEST(NamedParts, GatesInTheOrderOfAFramework) {
  const Tensor onnx = Parts({1, 8, 1}, {0, 1, 2, 3});
  const Tensor torch = Parts({1, 8, 1}, {0, 2, 3, 1});
  EXPECT_EQ(NamedPartsText(Reader("LSTM"), 1, onnx, torch),
            "the gates are in another order: i,o,f,c | i,f,c,o (PyTorch's and Keras's)");
  EXPECT_EQ(NamedPartsText(Reader("LSTM"), 2, torch, onnx),
            "the gates are in another order: i,f,c,o (PyTorch's and Keras's) | i,o,f,c");
  EXPECT_EQ(NamedPartsText(Reader("LSTM"), 1, onnx, Parts({1, 8, 1}, {3, 2, 1, 0})),
            "the gates are in another order: i,o,f,c | c,f,o,i");
  EXPECT_EQ(
      NamedPartsText(Reader("GRU"), 1, Parts({1, 6, 1}, {0, 1, 2}), Parts({1, 6, 1}, {1, 0, 2})),
      "the gates are in another order: z,r,h | r,z,h (PyTorch's)");
  EXPECT_EQ(NamedPartsText(Reader("LSTM"), 3, Parts({1, 16}, {0, 1, 2, 3, 4, 5, 6, 7}),
                           Parts({1, 16}, {0, 2, 3, 1, 4, 6, 7, 5})),
            "the gates are in another order: i,o,f,c | i,f,c,o (PyTorch's and Keras's)");
}

TEST(NamedParts, Directions) {
  const Tensor both = Parts({2, 6, 1}, {0, 1, 2, 3, 4, 5});
  const auto text = [&](const std::vector<int>& right) {
    return NamedPartsText(Reader("GRU"), 1, both, Parts({2, 6, 1}, right));
  };
  EXPECT_EQ(text({3, 4, 5, 0, 1, 2}), "the directions are exchanged");
  EXPECT_EQ(text({0, 1, 2, 0, 1, 2}),
            "the backward direction has the left's values of the forward one");
  EXPECT_EQ(text({0, 1, 2, 4, 3, 5}),
            "the gates of the backward direction are in another order: z,r,h | r,z,h (PyTorch's)");
  EXPECT_EQ(text({4, 3, 5, 1, 0, 2}),
            "the directions are exchanged, and the gates are in another order: z,r,h | r,z,h "
            "(PyTorch's)");
  EXPECT_EQ(text({0, 9, 2, 3, 4, 5}), "they differ only in gate r of the forward direction");
  EXPECT_EQ(text({0, 1, 2, 7, 8, 9}), "they differ only in the values of the backward direction");
}

TEST(NamedParts, QueriesKeysAndValues) {
  const StreamNode attention = Reader("Attention", "com.microsoft");
  EXPECT_EQ(NamedPartsText(attention, 1, Parts({1, 6}, {0, 1, 2}), Parts({1, 6}, {1, 0, 2})),
            "q, k and v are in another order: q,k,v | k,q,v");
  EXPECT_EQ(NamedPartsText(attention, 2, Parts({6}, {0, 1, 2}), Parts({6}, {0, 1, 7})),
            "they differ only in v");
}

// Equal parts could be from several places, and what is nowhere on the left is in no order.
TEST(NamedParts, NothingIsSaidOfWhatIsNotCertain) {
  const Tensor onnx = Parts({1, 8, 1}, {0, 1, 2, 3});
  EXPECT_EQ(NamedPartsText(Reader("LSTM"), 1, onnx, Parts({1, 8, 1}, {4, 5, 6, 7})), "");
  EXPECT_EQ(NamedPartsText(Reader("LSTM"), 1, onnx, Parts({1, 8, 1}, {1, 0, 6, 3})), "");
  EXPECT_EQ(NamedPartsText(Reader("LSTM"), 1, Parts({1, 8, 1}, {0, 1, 0, 3}),
                           Parts({1, 8, 1}, {1, 0, 0, 3})),
            "");
  EXPECT_EQ(NamedPartsText(Reader("LSTM"), 1, onnx, onnx), "");
  EXPECT_EQ(NamedPartsText(Reader("LSTM"), 4, onnx, Parts({1, 8, 1}, {0, 2, 3, 1})), "");
  EXPECT_EQ(NamedPartsText(Reader("Conv"), 1, onnx, Parts({1, 8, 1}, {0, 2, 3, 1})), "");
  EXPECT_EQ(
      NamedPartsText(Reader("LSTM"), 1, Parts({1, 6, 1}, {0, 1, 2}), Parts({1, 6, 1}, {1, 0, 2})),
      "");
}

// All three constants of a node differ, so the node is named.
TEST(NamedParts, AreToldOfEachInput) {
  const auto gru = [](const std::string& weights, const std::string& recurrences) {
    return absl::StrCat("g (float[3,1,2] x) => (float[3,1,1,1] y) <float[1,3,2] W = {", weights,
                        "}, float[1,3,1] R = {", recurrences,
                        "}> { t = GRU <hidden_size = 1> (x, W, R)\n y = Sin (t) }");
  };
  const Tensor x = Tensor::Of<float>({3, 1, 2}, {1, -0.5f, 0.75f, 2, -1.5f, 0.25f});
  const Comparison comparison =
      testing::CompareFedWith(x, gru("0.5, -0.25, 0.75, 0.375, -0.625, 1.0", "0.5, -0.75, 0.25"), x,
                              gru("0.75, 0.375, 0.5, -0.25, -0.625, 1.0", "-0.75, 0.5, 0.25"));
  ASSERT_EQ(comparison.causes.size(), size_t{1});
  EXPECT_THAT(comparison.causes[0].text,
              HasSubstr("input 1: W | W: the gates are in another order: z,r,h | r,z,h"));
  EXPECT_THAT(comparison.causes[0].text,
              HasSubstr("input 2: R | R: the gates are in another order: z,r,h | r,z,h"));
}

}  // namespace
}  // namespace onnxcmp
