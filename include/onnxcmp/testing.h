// The library onnxcmp::testing: models in unit tests with GoogleTest.
//
//   using onnxcmp::testing::IsCloseTo, onnxcmp::testing::Outputs, onnxcmp::testing::RunModel;
//
//   TEST(Optimizer, KeepsWhatModelsGive) {
//     EXPECT_MODELS_AGREE("model.onnx", Optimized("model.onnx"));
//   }
//   TEST(Exporter, WritesRelu) {
//     EXPECT_THAT(RunModel(Exported(), {{"x", Tensor::Of<float>({2}, {-1, 2})}}),
//                 Outputs(IsCloseTo(Tensor::Of<float>({2}, {0, 2}))));
//   }
//
// A model is a file's path, an onnx::ModelProto, a loaded onnxcmp::Model (or the pointer to one
// that LoadModel returns), or ModelText("...") (testing/test_model.h). One that cannot be loaded or
// run fails the test with the error.
#ifndef ONNXCMP_INCLUDE_ONNXCMP_TESTING_H_
#define ONNXCMP_INCLUDE_ONNXCMP_TESTING_H_

#include <cstddef>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "record/differences/tolerance.h"
#include "testing/agreement.h"
#include "testing/run_model.h"
#include "testing/test_model.h"

// Expects that two models give the same on the same inputs:
//
//   EXPECT_MODELS_AGREE(before, after);                       on inputs that are made up
//   EXPECT_MODELS_AGREE(before, after, Feeds{{"x", x}});      on these
//   EXPECT_MODELS_AGREE(before, after, sets);                 on each std::vector<Feeds>
//   EXPECT_MODELS_AGREE(before, after, {.tolerance = {.rtol = 1e-3}});
//
// Options may follow feeds too; they are AgreeOptions (testing/agreement.h). The failure is the
// table that `onnxcmp BEFORE AFTER` prints, with the cause of the difference. Models without
// outputs, or none of whose outputs tells anything, fail, as do those that cannot run.
// ASSERT_MODELS_AGREE ends the test.
#define EXPECT_MODELS_AGREE(...) ONNXCMP_MODELS_AGREE_(ADD_FAILURE(), __VA_ARGS__)
#define ASSERT_MODELS_AGREE(...) ONNXCMP_MODELS_AGREE_(FAIL(), __VA_ARGS__)

#define ONNXCMP_MODELS_AGREE_(failure, ...)                         \
  ONNXCMP_MODELS_ARE_(::onnxcmp::testing::ModelsAgree(__VA_ARGS__), \
                      "models that do not agree: " #__VA_ARGS__ "\n", failure)

// Expects that two models are proved to be the same function of their inputs (docs/proof.md), with
// the arguments of EXPECT_MODELS_AGREE, which this includes:
//
//   EXPECT_MODELS_EQUAL_FOR_ALL_INPUTS(before, after);
//
// No tolerance hides a fault, and no rounding is one: a weight that is another in its last place
// fails. So does what cannot be proved, although it may be right: the failure says where the proof
// ends. Feeds give the shapes, and the text and complex numbers that the proof does not vary.
// So does one that rests on what its report tells: .as_fed names inputs that may be as they were
// fed, .guessed_inputs and .given_shapes accept a guessed pairing and shapes that depend on values,
// .large_masks other masks of -10000 and less on the two sides, .rounded_jumps functions that jump,
// as Floor, after other roundings on the two sides.
// With {.conversions = true} a model in float16, or a quantized one, may be proved with the exact
// numbers that it was converted from.
#define EXPECT_MODELS_EQUAL_FOR_ALL_INPUTS(...) ONNXCMP_MODELS_EQUAL_(ADD_FAILURE(), __VA_ARGS__)
#define ASSERT_MODELS_EQUAL_FOR_ALL_INPUTS(...) ONNXCMP_MODELS_EQUAL_(FAIL(), __VA_ARGS__)

#define ONNXCMP_MODELS_EQUAL_(failure, ...)                                                  \
  ONNXCMP_MODELS_ARE_(::onnxcmp::testing::ModelsEqualForAllInputs(__VA_ARGS__),              \
                      "models that are not proved equal for all inputs: " #__VA_ARGS__ "\n", \
                      failure)

#define ONNXCMP_MODELS_ARE_(check, what, failure)                     \
  switch (0)                                                          \
  case 0:                                                             \
  default:                                                            \
    if (const absl::Status onnxcmp_agree = check; onnxcmp_agree.ok()) \
      ;                                                               \
    else                                                              \
      failure << what << std::string(onnxcmp_agree.message())

namespace onnxcmp {

// The text that GoogleTest prints: "float[2,3]".
inline void PrintTo(const Value& value, std::ostream* os) { *os << value.TypeString(); }
inline void PrintTo(const Tensor& tensor, std::ostream* os) { *os << tensor.TypeString(); }
inline void PrintTo(const absl::StatusOr<std::vector<Value>>& outputs, std::ostream* os) {
  if (!outputs.ok()) *os << outputs.status();
  for (size_t i = 0; outputs.ok() && i < outputs->size(); ++i) {
    *os << (i == 0 ? "" : ", ") << (*outputs)[i].TypeString();
  }
}

namespace testing {

// Matches a value that is close to the expected one: of the same element type and shape, floats as
// near as docs/tolerances.md has it for their type, or within {.rtol = , .atol = }, which replace
// that; integers, strings and booleans equal. {.rtol = 0, .atol = 0}: all are equal. A mismatch is
// told with counts and the worst elements.
class IsCloseToMatcher {
 public:
  using is_gtest_matcher = void;
  IsCloseToMatcher(Value want, ToleranceOptions tolerance)
      : want_(std::move(want)), tolerance_(std::move(tolerance)) {}

  bool MatchAndExplain(const Value& got, std::ostream* os) const {
    const std::string why = WhyNotClose(got, want_, tolerance_);
    if (os != nullptr && !why.empty()) *os << "\n" << why;
    return why.empty();
  }
  void DescribeTo(std::ostream* os) const { *os << "is close to " << want_.TypeString(); }
  void DescribeNegationTo(std::ostream* os) const {
    *os << "is not close to " << want_.TypeString();
  }

 private:
  Value want_;
  ToleranceOptions tolerance_;
};
inline IsCloseToMatcher IsCloseTo(Value want, ToleranceOptions tolerance = {}) {
  return {std::move(want), std::move(tolerance)};
}

// Matches what RunModel() and Evaluator::Run() return if the run was good and gave as many outputs
// as there are matchers, each of which matches its output, in the graph's order.
class OutputsMatcher {
 public:
  using is_gtest_matcher = void;
  explicit OutputsMatcher(std::vector<::testing::Matcher<const Value&>> matchers)
      : matchers_(std::move(matchers)) {}

  bool MatchAndExplain(const absl::StatusOr<ModelOutputs>& run, std::ostream* os) const {
    if (!run.ok()) return Failed(os);
    return Match(
        run->size(), [&](size_t i) { return run->name(i); },
        [&](size_t i) -> const Value& { return (*run)[i]; }, os);
  }
  bool MatchAndExplain(const absl::StatusOr<std::vector<Value>>& run, std::ostream* os) const {
    if (!run.ok()) return Failed(os);
    return Match(
        run->size(), [](size_t i) { return std::to_string(i); },
        [&](size_t i) -> const Value& { return (*run)[i]; }, os);
  }
  void DescribeTo(std::ostream* os) const { Describe("outputs", os); }
  void DescribeNegationTo(std::ostream* os) const { Describe("not outputs", os); }

 private:
  static bool Failed(std::ostream* os) {
    if (os != nullptr) *os << "the model did not run";  // the error is what is printed
    return false;
  }
  template <typename Name, typename Get>
  bool Match(size_t size, Name name, Get value, std::ostream* os) const {
    if (size != matchers_.size()) {
      if (os != nullptr) *os << "which are " << size << " outputs, not " << matchers_.size();
      return false;
    }
    bool all = true;
    for (size_t i = 0; i < size; ++i) {
      ::testing::StringMatchResultListener why;
      if (matchers_[i].MatchAndExplain(value(i), &why)) continue;
      if (os != nullptr) *os << (all ? "" : "; ") << "output " << name(i) << ": " << why.str();
      all = false;
    }
    return all;
  }
  void Describe(const char* what, std::ostream* os) const {
    *os << what;
    for (size_t i = 0; i < matchers_.size(); ++i) {
      *os << (i == 0 ? " of which the first " : ", the next ");
      matchers_[i].DescribeTo(os);
    }
  }

  std::vector<::testing::Matcher<const Value&>> matchers_;
};
template <typename... Matchers>
OutputsMatcher Outputs(const Matchers&... matchers) {
  static_assert(sizeof...(matchers) > 0, "a run of which nothing is expected tests nothing");
  return OutputsMatcher({::testing::SafeMatcherCast<const Value&>(matchers)...});
}

}  // namespace testing
}  // namespace onnxcmp

#endif  // ONNXCMP_INCLUDE_ONNXCMP_TESTING_H_
