#include <cstdint>
#include <memory>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// The operators that make, change and take apart sequences.

Sequence Tensors(const std::vector<Tensor>& tensors) {
  Sequence sequence = {.element_dtype = tensors[0].dtype(), .elements = {}};
  for (const Tensor& tensor : tensors) sequence.elements.emplace_back(tensor);
  return sequence;
}

Sequence EmptySequence(DType dtype) { return {.element_dtype = dtype, .elements = {}}; }

// Element i is want[i], and nothing comes after.
void ExpectSequence(const OpTest& test, DType dtype, const std::vector<Tensor>& want,
                    std::source_location where = std::source_location::current()) {
  const absl::StatusOr<std::vector<Value>> got = test.RunAll();
  ASSERT_TRUE(got.ok()) << got.status();
  ASSERT_TRUE((*got)[0].is_sequence());
  const Sequence& sequence = (*got)[0].sequence();
  EXPECT_EQ(sequence.element_dtype, dtype);
  ASSERT_EQ(sequence.elements.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    ExpectTensor(sequence.elements[i].tensor(), want[i], 0, 0, where);
  }
}

TEST(SequenceConstructTest, KeepsShapesApart) {
  OpTest test("SequenceConstruct", 11);
  test.Input(Floats({1, 2})).Input(Tensor::Scalar(3.0f));
  ExpectSequence(test, DType::kFloat, {Floats({1, 2}), Tensor::Scalar(3.0f)});
}

TEST(SequenceEmptyTest, KnowsItsType) {
  OpTest test("SequenceEmpty", 11);
  ExpectSequence(test, DType::kFloat, {});
  OpTest text("SequenceEmpty", 11);
  ExpectSequence(text.Attr("dtype", static_cast<int64_t>(DType::kString)), DType::kString, {});
  OpTest unknown("SequenceEmpty", 11);
  ExpectError(unknown.Attr("dtype", int64_t{1} << 40).RunAll().status(), kInvalid, "names no type");
}

TEST(SequenceAtTest, CountsFromBothEnds) {
  for (int64_t position : {1, -1}) {
    OpTest test("SequenceAt", 11);
    test.Input(Tensors({Ints({1}), Ints({2, 3})})).Input(Tensor::Scalar(position));
    ExpectTensor(test.Run(), Ints({2, 3}));
  }
  for (int64_t position : {int64_t{2}, int64_t{-3}, INT64_MIN, INT64_MAX}) {
    OpTest test("SequenceAt", 11);
    test.Input(Tensors({Ints({1}), Ints({2, 3})})).Input(Tensor::Scalar(position));
    ExpectError(test.Run().status(), kInvalid, "is out of range for 2 elements");
  }
  OpTest empty("SequenceAt", 11);
  empty.Input(EmptySequence(DType::kFloat)).Input(Tensor::Scalar<int32_t>(0));
  ExpectError(empty.Run().status(), kInvalid, "position 0 is out of range for 0 elements");
}

TEST(SequenceEraseTest, ErasesTheLastByDefault) {
  OpTest last("SequenceErase", 11);
  last.Input(Tensors({Ints({1}), Ints({2})}));
  ExpectSequence(last, DType::kInt64, {Ints({1})});
  OpTest first("SequenceErase", 11);
  first.Input(Tensors({Ints({1}), Ints({2})})).Input(Tensor::Scalar<int64_t>(-2));
  ExpectSequence(first, DType::kInt64, {Ints({2})});
  OpTest empty("SequenceErase", 11);
  ExpectError(empty.Input(EmptySequence(DType::kFloat)).RunAll().status(), kInvalid, "empty");
}

TEST(SequenceInsertTest, InsertsBeforeAPosition) {
  const Sequence two = Tensors({Ints({1}), Ints({2})});
  const std::vector<std::pair<int64_t, std::vector<Tensor>>> cases = {
      {0, {Ints({9}), Ints({1}), Ints({2})}},
      {-1, {Ints({1}), Ints({9}), Ints({2})}},
      {2, {Ints({1}), Ints({2}), Ints({9})}},
  };
  for (const auto& [position, want] : cases) {
    OpTest test("SequenceInsert", 11);
    test.Input(two).Input(Ints({9})).Input(Tensor::Scalar(position));
    ExpectSequence(test, DType::kInt64, want);
  }
  OpTest end("SequenceInsert", 11);
  ExpectSequence(end.Input(EmptySequence(DType::kInt64)).Input(Ints({9})), DType::kInt64,
                 {Ints({9})});
  OpTest beyond("SequenceInsert", 11);
  beyond.Input(two).Input(Ints({9})).Input(Tensor::Scalar<int64_t>(3));
  ExpectError(beyond.RunAll().status(), kInvalid, "position 3 is out of range for 2 elements");
  OpTest type("SequenceInsert", 11);
  ExpectError(type.Input(two).Input(Floats({9})).RunAll().status(), kInvalid,
              "cannot insert a tensor of float into a sequence of int64");
}

TEST(SequenceLengthTest, CountsElements) {
  OpTest test("SequenceLength", 11);
  ExpectTensor(test.Input(Tensors({Ints({1}), Ints({})})).Run(), Tensor::Scalar<int64_t>(2));
  OpTest empty("SequenceLength", 11);
  ExpectTensor(empty.Input(EmptySequence(DType::kFloat)).Run(), Tensor::Scalar<int64_t>(0));
}

TEST(SplitToSequenceTest, SplitsAsItIsTold) {
  const Tensor x = Iota({2, 3});
  OpTest ones("SplitToSequence", 11);
  ones.Attr("axis", 0).Input(x);
  ExpectSequence(ones, DType::kFloat, {Iota({1, 3}), Tensor::Of<float>({1, 3}, {3, 4, 5})});
  OpTest squeezed("SplitToSequence", 24);
  squeezed.Attr("axis", -1).Attr("keepdims", 0).Input(x);
  ExpectSequence(squeezed, DType::kFloat, {Floats({0, 3}), Floats({1, 4}), Floats({2, 5})});
  // keepdims says nothing beside `split`.
  OpTest scalar("SplitToSequence", 11);
  scalar.Attr("axis", 1).Attr("keepdims", 0).Input(x).Input(Tensor::Scalar<int32_t>(2));
  ExpectSequence(scalar, DType::kFloat,
                 {Tensor::Of<float>({2, 2}, {0, 1, 3, 4}), Tensor::Of<float>({2, 1}, {2, 5})});
  OpTest sizes("SplitToSequence", 11);
  sizes.Attr("axis", 1).Input(x).Input(Ints({0, 3}));
  ExpectSequence(sizes, DType::kFloat, {Tensor::Of<float>({2, 0}, {}), x});
  OpTest empty("SplitToSequence", 11);
  empty.Input(Floats({})).Input(Tensor::Scalar<int64_t>(2));
  ExpectSequence(empty, DType::kFloat, {});
}

TEST(SplitToSequenceTest, RefusesWhatDoesNotFit) {
  for (const std::vector<int64_t>& split :
       {std::vector<int64_t>{1, 1}, {4}, {-1, 4}, {INT64_MAX, 1}}) {
    OpTest test("SplitToSequence", 11);
    ExpectError(test.Input(Iota({3})).Input(Ints(split)).RunAll().status(), kInvalid, "entries");
  }
  OpTest zero("SplitToSequence", 11);
  zero.Input(Iota({3})).Input(Tensor::Scalar<int64_t>(0));
  ExpectError(zero.RunAll().status(), kInvalid, "split is 0, not positive");
  OpTest huge("SplitToSequence", 11);
  huge.Input(Tensor::Of<float>({int64_t{1} << 40, 0}, {}));
  ExpectError(huge.RunAll().status(), absl::StatusCode::kResourceExhausted, "");
}

TEST(ConcatFromSequenceTest, ConcatenatesAndStacks) {
  OpTest concat("ConcatFromSequence", 11);
  concat.Attr("axis", -1).Input(Tensors({Iota({2, 1}), Iota({2, 2})}));
  ExpectTensor(concat.Run(), Tensor::Of<float>({2, 3}, {0, 0, 1, 1, 2, 3}));
  OpTest stack("ConcatFromSequence", 11);
  stack.Attr("axis", -1).Attr("new_axis", 1).Input(Tensors({Ints({1, 2}), Ints({3, 4})}));
  ExpectTensor(stack.Run(), Tensor::Of<int64_t>({2, 2}, {1, 3, 2, 4}));
  OpTest scalars("ConcatFromSequence", 11);
  scalars.Attr("axis", 0).Attr("new_axis", 1);
  scalars.Input(Tensors({Tensor::Scalar(std::string("a")), Tensor::Scalar(std::string("b"))}));
  ExpectTensor(scalars.Run(), Tensor::Of<std::string>({2}, {"a", "b"}));
}

TEST(ConcatFromSequenceTest, RefusesWhatDoesNotFit) {
  OpTest empty("ConcatFromSequence", 11);
  empty.Attr("axis", 0).Input(EmptySequence(DType::kFloat));
  ExpectError(empty.Run().status(), kInvalid, "no element to concatenate");
  OpTest ranks("ConcatFromSequence", 11);
  ranks.Attr("axis", 0).Input(Tensors({Iota({2}), Iota({1, 2})}));
  ExpectError(ranks.Run().status(), kInvalid, "cannot concatenate");
  OpTest shapes("ConcatFromSequence", 11);
  shapes.Attr("axis", 0).Attr("new_axis", 1).Input(Tensors({Iota({2}), Iota({3})}));
  ExpectError(shapes.Run().status(), kInvalid, "cannot stack float[3] and float[2]");
  OpTest axis("ConcatFromSequence", 11);
  axis.Attr("axis", 1).Input(Tensors({Iota({2})}));
  ExpectError(axis.Run().status(), kInvalid, "axis 1 is out of range for rank 1");
}

Optional Holding(Tensor tensor) {
  const DType dtype = tensor.dtype();
  return {.element = std::make_shared<const Value>(std::move(tensor)), .element_dtype = dtype};
}

TEST(OptionalTest, HoldsItsInput) {
  OpTest test("Optional", 15);
  const absl::StatusOr<std::vector<Value>> got = test.Input(Ints({1, 2})).RunAll();
  ASSERT_TRUE(got.ok()) << got.status();
  ASSERT_TRUE((*got)[0].is_optional());
  EXPECT_EQ((*got)[0].optional().element_dtype, DType::kInt64);
  ExpectTensor((*got)[0].optional().element->tensor(), Ints({1, 2}));
  OpTest untyped("Optional", 15);
  ExpectError(untyped.RunAll().status(), kInvalid, "neither an input nor an attribute type");
}

TEST(OptionalGetElementTest, GivesWhatIsHeld) {
  OpTest held("OptionalGetElement", 15);
  ExpectTensor(held.Input(Holding(Ints({1}))).Run(), Ints({1}));
  OpTest plain("OptionalGetElement", 18);
  ExpectTensor(plain.Input(Ints({1})).Run(), Ints({1}));
  OpTest nothing("OptionalGetElement", 18);
  nothing.Input(Optional{.element = nullptr, .element_dtype = DType::kInt64});
  ExpectError(nothing.Run().status(), kInvalid, "the optional holds nothing");
}

TEST(OptionalHasElementTest, TellsNothingFromSomething) {
  OpTest held("OptionalHasElement", 15);
  ExpectTensor(held.Input(Holding(Ints({1}))).Run(), Tensor::Scalar(true));
  OpTest nothing("OptionalHasElement", 18);
  nothing.Input(Optional{.element = nullptr, .element_dtype = DType::kInt64});
  ExpectTensor(nothing.Run(), Tensor::Scalar(false));
  OpTest plain("OptionalHasElement", 18);
  ExpectTensor(plain.Input(Tensors({Ints({1})})).Run(), Tensor::Scalar(true));
  OpTest absent("OptionalHasElement", 18);
  ExpectTensor(absent.Run(), Tensor::Scalar(false));
}

}  // namespace
}  // namespace onnxcmp::testing
