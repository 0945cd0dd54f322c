// A unit test of an optimizer: what it made of a model gives what the model gave. When it does not,
// the test prints the table that the program prints, with the cause at its end.
//
//   optimizer_test BEFORE AFTER
#include <string>

#include <gtest/gtest.h>

#include "compare/compare.h"
#include "compare/inputs/input_sets.h"
#include "compare/reports/render_table.h"
#include "compare/sides/model_side.h"
#include "ops/operators.h"

namespace {

std::string before, after;  // the models

TEST(OptimizerTest, OutputsStayClose) {
  const onnxcmp::OpRegistry registry = onnxcmp::AllOperators();
  auto left = onnxcmp::ModelSide::Open(before, registry);
  ASSERT_TRUE(left.ok()) << left.status();
  auto right = onnxcmp::ModelSide::Open(after, registry);
  ASSERT_TRUE(right.ok()) << right.status();
  // Random inputs, the same for both: inputs are matched even if the optimizer renamed them.
  onnxcmp::InputOptions options;
  options.generated.seed = 1;
  auto sets = onnxcmp::InputSets::Open((*left)->graph(), (*right)->graph(), options);
  ASSERT_TRUE(sets.ok()) << sets.status();
  auto inputs = sets->Get(0);
  ASSERT_TRUE(inputs.ok()) << inputs.status();
  (*left)->SetFeeds(inputs->left);
  (*right)->SetFeeds(inputs->right);

  const auto comparison = onnxcmp::Compare(**left, **right);
  ASSERT_TRUE(comparison.ok()) << comparison.status();
  EXPECT_LE(comparison->verdict, onnxcmp::Verdict::kClose) << onnxcmp::RenderTable(*comparison);
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 3) return 2;
  before = argv[1];
  after = argv[2];
  return RUN_ALL_TESTS();
}
