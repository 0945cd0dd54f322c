#include <vector>

#include "gtest/gtest.h"
#include "tests/support/model_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

constexpr absl::string_view kModel = R"(<ir_version: 13, opset_import: ["": 17]>
    g (seq(float[n]) a, seq(float[n]) b, float[n] c) => (seq(float[n]) sums, seq(int64[1]) shapes) {
      sums, shapes = SequenceMap <body = f (float[n] x, float[n] y, float[n] z)
                                      => (float[n] sum, int64[1] shape) {
        part = Add(x, y)
        sum = Add(part, z)
        shape = Shape(x)
      }> (a, b, c)
    })";

Sequence Of(const std::vector<Tensor>& tensors) {
  Sequence sequence = {.element_dtype = DType::kFloat, .elements = {}};
  for (const Tensor& tensor : tensors) sequence.elements.emplace_back(tensor);
  return sequence;
}

TEST(SequenceMapTest, RunsTheBodyOnEachElement) {
  const absl::StatusOr<std::vector<Value>> got =
      RunText(kModel, {{"a", Of({Floats({1}), Floats({2, 3})})},
                       {"b", Of({Floats({10}), Floats({20})})},
                       {"c", Floats({100})}});
  ASSERT_TRUE(got.ok()) << got.status();
  const Sequence& sums = (*got)[0].sequence();
  ASSERT_EQ(sums.elements.size(), 2);
  ExpectTensor(sums.elements[0].tensor(), Floats({111}));
  ExpectTensor(sums.elements[1].tensor(), Floats({122, 123}));
  ASSERT_EQ((*got)[1].sequence().elements.size(), 2);
  ExpectTensor((*got)[1].sequence().elements[1].tensor(), Ints({2}));
}

TEST(SequenceMapTest, NoElementsHaveTheDeclaredType) {
  const absl::StatusOr<std::vector<Value>> got =
      RunText(kModel, {{"a", Of({})}, {"b", Of({})}, {"c", Floats({1})}});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_TRUE((*got)[1].sequence().elements.empty());
  EXPECT_EQ((*got)[1].sequence().element_dtype, DType::kInt64);
}

TEST(SequenceMapTest, RefusesSequencesOfOtherLengths) {
  ExpectError(
      RunText(kModel, {{"a", Of({Floats({1})})}, {"b", Of({})}, {"c", Floats({1})}}).status(),
      kInvalid, "input 1 has 0 elements, input 0 has 1");
}

}  // namespace
}  // namespace onnxcmp::testing
