// Table of how an input's elements reach the nodes that tell its purpose, and of these purposes.
#ifndef ONNXCMP_FEED_MADE_UP_PURPOSE_TABLE_H_
#define ONNXCMP_FEED_MADE_UP_PURPOSE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/tensor.h"
#include "feed/made_up/index_form.h"
#include "feed/made_up/input_purpose.h"
#include "feed/made_up/limit_rule.h"
#include "feed/made_up/ml_purpose.h"
#include "record/graphs/graph_scope.h"
#include "record/operators/operator_traits.h"

namespace onnxcmp {

// State of an input's elements along the way.
struct ElementForm {
  enum Fact : uint32_t {
    kNumber = 1 << 0,   // they are still the input's numbers
    kTruth = 1 << 1,    // booleans, or floats made of them
    kScaled = 1 << 2,   // multiplied by a large number
    kAdded = 1 << 3,    // added to a computed value
    kPhase = 1 << 4,    // multiplied by several frequencies
    kReduced = 1 << 5,  // the greatest or least of several, or without their signs
    // The following are of a reading alone.
    kIndexed = 1 << 6,    // `index` has the way to a row
    kSummed = 1 << 7,     // of a sum of two inputs that selects rows
    kInteger = 1 << 8,    // the input's type
    kFloat = 1 << 9,      // the input's type
    kConstant = 1 << 10,  // the node's other input of two is a constant
    kComputed = 1 << 11,  // it is none
  };

  uint32_t facts = kNumber;
  // While they are numbers: the factor they were multiplied by, and the offset added then.
  double gain = 1;
  double offset = 0;
  // Before a remainder is taken or another input's are added: the way to a row.
  std::optional<IndexForm> index = {};
  FeatureView features = {};

  FeatureView Features() const {
    return {features.scaler, features.column, features.scaled, features.columns, gain, offset};
  }
  auto Key() const { return std::tuple(facts, features.column, features.columns); }
};

// A node that reads an input's elements in a slot. Names are the graph's.
struct Reading {
  const GraphScope* scope = nullptr;
  const Node* node = nullptr;
  size_t slot = 0;
  ElementForm form;
  const ValueInfo* input = nullptr;
  const Graph* root = nullptr;  // that of the input

  uint32_t Facts() const;
  // The other one of two inputs, if that is a constant.
  const Tensor* OtherConstant() const;
};

// A row holds for a reading by such an operator in such a slot that has all facts of `needs` and
// none of `lacks`, if `when` (or nothing) holds, too. Then either `purpose` tells the use, or
// output 0 is followed with other facts; the first row decides whose `purpose` finds any.
struct PurposeRule {
  using Condition = bool (*)(const Reading& at);
  using Telling = std::optional<InputPurpose> (*)(const Reading& at, const PurposeRule& rule);
  using Change = void (*)(const Reading& at, ElementForm* form);
  static constexpr size_t kAnySlot = std::numeric_limits<size_t>::max();

  absl::string_view domain = {};
  absl::string_view operators = {};         // their names, with spaces between them
  std::optional<OperatorTrait> trait = {};  // instead of names; neither: all of the domain
  size_t slot = kAnySlot;
  uint32_t needs = 0;
  uint32_t lacks = ElementForm::kReduced | ElementForm::kSummed;
  Condition when = nullptr;

  Telling purpose = nullptr;
  LimitRule limit = {};
  SmallPurpose small = {};

  uint32_t sets = 0;
  uint32_t clears = 0;
  Change change = nullptr;

  bool IsOf(absl::string_view its_domain, absl::string_view op_type) const;
  bool Holds(const Reading& at, uint32_t facts) const;
};

absl::Span<const PurposeRule> PurposeRules();

// PurposesOf() by these rows alone.
InputPurposes PurposesBy(absl::Span<const PurposeRule> rules, const Graph& graph);

}  // namespace onnxcmp

#endif  // ONNXCMP_FEED_MADE_UP_PURPOSE_TABLE_H_
