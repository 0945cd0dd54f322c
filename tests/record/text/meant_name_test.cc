#include "record/text/meant_name.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::ExpectError;

const std::vector<std::string>& SomeNames() {
  static const auto& names =
      *new std::vector<std::string>{"/encoder/layer.0/MatMul_output_0",
                                    "/encoder/layer.1/MatMul_output_0", "logits", "my_logits"};
  return names;
}

TEST(MeantNameTest, WholeNamesAndTheirEnds) {
  EXPECT_EQ(*MeantName("logits", SomeNames(), "a"), "logits");
  EXPECT_EQ(*MeantName("my_logits", SomeNames(), "a"), "my_logits");
  EXPECT_EQ(*MeantName("layer.1/MatMul_output_0", SomeNames(), "a"),
            "/encoder/layer.1/MatMul_output_0");
}

TEST(MeantNameTest, WhatIsNoneOrSeveral) {
  ExpectError(MeantName("MatMul_output_0", SomeNames(), "the results").status(),
              absl::StatusCode::kInvalidArgument, "layer.0/MatMul_output_0");
  ExpectError(MeantName("logit", SomeNames(), "the results").status(), absl::StatusCode::kNotFound,
              "did you mean `logits`");
  ExpectError(MeantName("quite_another", SomeNames(), "the results").status(),
              absl::StatusCode::kNotFound, "the results");
  EXPECT_EQ(DidYouMean("quite_another", SomeNames()), "");
}

}  // namespace
}  // namespace onnxcmp
