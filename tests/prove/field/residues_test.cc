#include "prove/field/residues.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/tensor.h"
#include "prove/field/prime_field.h"
#include "prove/field/workspace.h"

namespace onnxcmp {
namespace {

const PrimeField& TheField() {
  static const PrimeField kField(1);
  return kField;
}

Residues Counted(const Shape& shape, const Workspace* workspace) {
  Residues made = Residues::Unfilled(shape, workspace);
  for (int64_t i = 0; i < made.size(); ++i) made.values[static_cast<size_t>(i)] = i + 1;
  return made;
}

// The element of a tensor that is broadcast to `whole`, for the index `i` of that.
Residue Broadcast(const Residues& x, const Shape& whole, int64_t i) {
  int64_t at = 0;
  int64_t stride = 1;
  for (size_t axis = whole.size(); axis-- > 0;) {
    const int64_t index = i % whole[axis];
    i /= whole[axis];
    const size_t missing = whole.size() - x.shape.size();
    if (axis < missing) continue;
    const int64_t size = x.shape[axis - missing];
    if (size != 1) at += index * stride;
    stride *= size;
  }
  return x.values[static_cast<size_t>(at)];
}

TEST(Residues, AreBroadcastInAnyShapeAndInPieces) {
  const ThreadPool pool(2);
  const Workspace workspace(pool);
  const Shape large = {3, 5, 7, 401};  // more than a piece of work
  const Shape shapes[] = {{},           {1},          {401},          {7, 1},        {5, 1, 401},
                          {3, 1, 7, 1}, {1, 5, 1, 1}, {3, 5, 7, 401}, {1, 1, 1, 401}};
  const Residues x = Counted(large, &workspace);
  for (const Shape& shape : shapes) {
    const Residues y = Counted(shape, &workspace);
    const absl::StatusOr<Residues> right = SubAll(TheField(), x, y);
    const absl::StatusOr<Residues> left = SubAll(TheField(), y, x);
    const absl::StatusOr<Residues> whole = BroadcastTo(y, large);
    ASSERT_TRUE(right.ok() && left.ok() && whole.ok());
    ASSERT_EQ(right->shape, large);
    for (int64_t i = 0; i < right->size(); ++i) {
      const Residue own = Broadcast(y, large, i);
      const auto at = static_cast<size_t>(i);
      ASSERT_EQ(right->values[at], TheField().Sub(i + 1, own)) << ShapeToString(shape) << " " << i;
      ASSERT_EQ(left->values[at], TheField().Sub(own, i + 1)) << ShapeToString(shape) << " " << i;
      ASSERT_EQ(whole->values[at], own) << ShapeToString(shape) << " " << i;
    }
  }
}

TEST(Residues, AreSummedAlongAnyAxes) {
  const ThreadPool pool(2);
  const Workspace workspace(pool);
  const Residues x = Counted({3, 5, 7, 401}, &workspace);
  for (const std::vector<int>& axes :
       {std::vector<int>{3}, {2, 3}, {0}, {1, 3}, {0, 1, 2, 3}, {}}) {
    const Residues sums = SumAlong(TheField(), x, axes);
    Residues expected = Residues::Filled(sums.shape, 0);
    const Shape strides = BroadcastStrides(sums.shape, x.shape);
    for (int64_t i = 0; i < x.size(); ++i) {
      int64_t at = 0;
      int64_t rest = i;
      for (size_t axis = 4; axis-- > 0;) {
        at += rest % x.shape[axis] * strides[axis];
        rest /= x.shape[axis];
      }
      Residue& sum = expected.values[static_cast<size_t>(at)];
      sum = TheField().Add(sum, i + 1);
    }
    EXPECT_EQ(sums.values, expected.values);
    EXPECT_EQ(CountAlong(x.shape, axes) * sums.size(), x.size());
  }
}

TEST(Residues, OfNothing) {
  const Residues none = Residues::Filled({2, 0}, 1);
  EXPECT_EQ(SumAlong(TheField(), none, {1}).values, (ResidueArray{0, 0}));
  EXPECT_EQ(AddAll(TheField(), none, Residues::Of(1))->size(), 0);
  EXPECT_EQ(BroadcastTo(Residues::Filled({0}, 1), {2, 0})->size(), 0);
}

TEST(Residues, ACopyThatIsWrittenLeavesTheOther) {
  const Residues x = {{3}, {1, 2, 3}};
  Residues copy = x;
  EXPECT_EQ(static_cast<const Residues&>(copy).values.data(), x.values.data());
  copy.values[1] = 7;
  EXPECT_EQ(x.values, (ResidueArray{1, 2, 3}));
  EXPECT_EQ(copy.values, (ResidueArray{1, 7, 3}));
  // In a tensor's memory, and back.
  const absl::StatusOr<Tensor> tensor = ToTensor(x);
  ASSERT_TRUE(tensor.ok());
  absl::StatusOr<Residues> back = FromTensor(*tensor);
  ASSERT_TRUE(back.ok());
  back->values[0] = 9;
  EXPECT_EQ(tensor->AsSpan<int64_t>()[0], 1);
  EXPECT_FALSE(FromTensor(Tensor::Of<float>({1}, {1})).ok());
}

TEST(Residues, AreReplacedWhereAMaskSays) {
  const Residues mask = {{2, 1}, {0, 1}};
  const Residues x = {{2, 2}, {5, 6, 7, 8}};
  EXPECT_EQ(ReplacedWhere(mask, x, kMinusInfinity)->values,
            (ResidueArray{5, 6, kMinusInfinity, kMinusInfinity}));
}

}  // namespace
}  // namespace onnxcmp
