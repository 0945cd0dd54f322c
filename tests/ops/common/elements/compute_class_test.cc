#include "ops/common/elements/compute_class.h"

#include <complex>
#include <string>
#include <vector>

#include "gtest/gtest.h"

#include "absl/status/statusor.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

template <typename List>
absl::StatusOr<DType> ClassUsed(DType dtype) {
  return Dispatch<List>(dtype, []<typename C>() -> absl::StatusOr<DType> { return kDTypeOf<C>; });
}

TEST(ComputeClassTest, DispatchesToTheClassOfTheDtype) {
  EXPECT_EQ(*ClassUsed<Numbers>(DType::kFloat16), DType::kFloat);
  EXPECT_EQ(*ClassUsed<Numbers>(DType::kDouble), DType::kDouble);
  EXPECT_EQ(*ClassUsed<Numbers>(DType::kInt4), DType::kInt64);
  EXPECT_EQ(*ClassUsed<Numbers>(DType::kUint8), DType::kUint64);
  EXPECT_EQ(*ClassUsed<onnxcmp::Bools>(DType::kBool), DType::kBool);
}

TEST(ComputeClassTest, SignedIntegersRunAsUnsignedWhereInt64IsNotListed) {
  EXPECT_EQ(*ClassUsed<Wrapping>(DType::kInt8), DType::kUint64);
}

TEST(ComputeClassTest, RefusesWhatIsNotListed) {
  ExpectError(ClassUsed<onnxcmp::Floats>(DType::kInt32).status(), kUnimplemented, "type int32");
  ExpectError(ClassUsed<Numbers>(DType::kString).status(), kUnimplemented, "type string");
  ExpectError(ClassUsed<Numbers>(DType::kComplex64).status(), kUnimplemented, "type complex64");
  ExpectError(ClassUsed<SignedNumbers>(DType::kUint8).status(), kUnimplemented, "type uint8");
}

TEST(ComputeClassTest, FloatsThatAreNotDoubleRunInFloat) {
  const auto used = [](DType dtype) {
    return DispatchFloat(dtype, []<typename C>() { return kDTypeOf<C>; });
  };
  EXPECT_EQ(used(DType::kDouble), DType::kDouble);
  EXPECT_EQ(used(DType::kFloat), DType::kFloat);
  EXPECT_EQ(used(DType::kBfloat16), DType::kFloat);
  EXPECT_EQ(used(DType::kUint8), DType::kFloat);
}

}  // namespace
}  // namespace onnxcmp::testing
