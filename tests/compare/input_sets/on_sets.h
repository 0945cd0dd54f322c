// Compares two graphs on made-up sets.
#ifndef ONNXCMP_TESTS_COMPARE_SETS_ON_SETS_H_
#define ONNXCMP_TESTS_COMPARE_SETS_ON_SETS_H_

#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "compare/compare.h"
#include "compare/input_sets/compare_sets.h"
#include "compare/outcome/comparison.h"
#include "compare/sides/model_side.h"
#include "feed/input_sets.h"
#include "tests/support/load_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {

// `fed`: what the left was fed in the end; may be null.
inline Comparison OnSets(const std::string& left, const std::string& right,
                         const SetsOptions& sets = {}, int64_t keep_values = kDefaultKeepValues,
                         Feeds* fed = nullptr) {
  const auto l = LoadGraph("g " + left);
  const auto r = LoadGraph("g " + right);
  EXPECT_TRUE(l.ok() && r.ok()) << l.status() << r.status();
  if (!l.ok() || !r.ok()) return {};
  auto left_side = ModelSide::Create(*l, Registry(), {.threads = 1});
  auto right_side = ModelSide::Create(*r, Registry(), {.threads = 1});
  EXPECT_TRUE(left_side.ok() && right_side.ok());
  auto inputs = InputSets::Open((*l)->graph, (*r)->graph, {});
  EXPECT_TRUE(inputs.ok()) << inputs.status();
  if (!inputs.ok()) return {};
  CompareOptions options;
  options.threads = 1;
  options.keep_values = keep_values;
  auto result = CompareSets(**left_side, **right_side, *inputs, options, sets);
  EXPECT_TRUE(result.ok()) << result.status();
  if (fed != nullptr) *fed = *(*left_side)->feeds();
  return result.ok() ? std::move(result->comparison) : Comparison();
}

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_COMPARE_SETS_ON_SETS_H_
