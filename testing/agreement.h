// Tests that values are those expected, and that two models give the same. Independent of any test
// framework: onnxcmp/testing.h makes matchers and macros for GoogleTest of it.
#ifndef ONNXCMP_TESTING_AGREEMENT_H_
#define ONNXCMP_TESTING_AGREEMENT_H_

#include <concepts>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/value.h"
#include "feed/generated_inputs.h"
#include "record/differences/tolerance.h"
#include "testing/run_model.h"
#include "testing/test_model.h"

namespace onnxcmp::testing {

// "" if the two agree: kind, element type and shape are the same, floats are as near as
// docs/tolerances.md has it for their type or as the options say, everything else is equal. NaN
// agrees with NaN, an infinity with itself. Else what differs, in lines: counts, the greatest
// errors, the worst elements.
std::string WhyNotClose(const Value& got, const Value& want, const ToleranceOptions& tolerance);

struct AgreeOptions {
  // rtol, atol: of all floats; by_name: of a result. By default what the types explain in which the
  // two models came to differ (docs/tolerances.md).
  ToleranceOptions tolerance = {};
  // Where no feeds are given: how inputs are made up (sizes of free dimensions, seed), and on how
  // many sets of them at most the models are compared.
  GeneratedInputs generated = {};
  int sets = 4;
  std::vector<std::string> map_input = {};  // LEFT=RIGHT: inputs that have other names
  bool causes = true;                       // causes of a difference are searched for
  // Of ModelsEqualForAllInputs(): constants and results that a side has in fewer digits, as in
  // float16 or in 8 bits, may count as the exact numbers that they were rounded from.
  bool conversions = false;
  // Of the same: what a proof may rest on beside that, which its report tells. Inputs that do not
  // vary, as masks and texts, by name; a pairing of inputs that was guessed; shapes that depend on
  // values; masks of -10000 and less, other ones on the two sides, as -infinity; functions that
  // jump, as Floor, after other roundings on the two sides.
  std::vector<std::string> as_fed = {};
  bool guessed_inputs = false;
  bool given_shapes = false;
  bool large_masks = false;
  bool rounded_jumps = false;
  RunOptions run = {};  // of both
};

// OK if both models run and all their outputs agree on every set of inputs, as by `onnxcmp BEFORE
// AFTER` with exit status 0. Else an error whose message is the table that the program prints of
// the first set on which they do not, with the causes; or what could not be loaded, run or fed.
// FailedPrecondition, too, if there is nothing that could differ: no output, none that depends on
// the inputs, or no set of inputs.
//
// Names, number and order of the inputs may differ (docs/inputs.md). Feeds are for the inputs of
// either model by name.
absl::Status ModelsAgree(const TestModel& before, const TestModel& after,
                         const AgreeOptions& options = {});
absl::Status ModelsAgreeOn(const TestModel& before, const TestModel& after,
                           absl::Span<const Feeds> sets, const AgreeOptions& options = {});

// ModelsAgreeOn() for one set and for several. Options in braces are never taken for feeds.
template <typename F>
concept FeedsOrSets = std::same_as<F, Feeds> || std::same_as<F, std::vector<Feeds>>;
template <FeedsOrSets F>
absl::Status ModelsAgree(const TestModel& before, const TestModel& after, const F& feeds,
                         const AgreeOptions& options = {}) {
  if constexpr (std::same_as<F, Feeds>) {
    return ModelsAgreeOn(before, after, absl::MakeConstSpan(&feeds, 1), options);
  } else {
    return ModelsAgreeOn(before, after, feeds, options);
  }
}

// OK if ModelsAgree(), and both models are proved to be the same function, as by `onnxcmp BEFORE
// AFTER
// --prove` (docs/proof.md): for all inputs of the shapes that were fed, and of one more set of
// sizes where the models leave some open and no feeds are given. Else an error whose message says
// what is not proved, above the table. What is not proved need not differ.
absl::Status ModelsEqualForAllInputs(const TestModel& before, const TestModel& after,
                                     const AgreeOptions& options = {});
absl::Status ModelsEqualForAllInputsOf(const TestModel& before, const TestModel& after,
                                       absl::Span<const Feeds> sets,
                                       const AgreeOptions& options = {});

// The same for the shapes of one set and of several.
template <FeedsOrSets F>
absl::Status ModelsEqualForAllInputs(const TestModel& before, const TestModel& after,
                                     const F& feeds, const AgreeOptions& options = {}) {
  if constexpr (std::same_as<F, Feeds>) {
    return ModelsEqualForAllInputsOf(before, after, absl::MakeConstSpan(&feeds, 1), options);
  } else {
    return ModelsEqualForAllInputsOf(before, after, feeds, options);
  }
}

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTING_AGREEMENT_H_
