#include "prove/roundings.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "prove/field/residues.h"
#include "prove/rounded_constants.h"
#include "prove/whole_numbers.h"
#include "record/graphs/node_questions.h"

namespace onnxcmp {
namespace {

// The last bit of a rounding's numbers says that it leaves fewer digits.
constexpr uint64_t kNarrow = 1;

// Operators on floats whose results need no rounding.
bool IsExact(absl::string_view op_type) {
  static constexpr absl::string_view kExact[] = {
      "Abs",       "Ceil", "Clip",    "Dropout", "Floor", "GlobalMaxPool",
      "Identity",  "Max",  "MaxPool", "Min",     "Neg",   "ReduceMax",
      "ReduceMin", "Relu", "Round",   "Sign",    "Where"};
  return absl::c_linear_search(kExact, op_type);
}

// True if a cast leaves fewer digits than its input's numbers have.
bool LosesDigits(const FieldValue& from, int digits) {
  const DType dtype = from.number.tensor().dtype();
  if (IsFloatingPoint(dtype)) return digits < DigitsOf(dtype);
  const WholeRange range = WholeRangeOf(from);
  return std::max(-range.first, range.second) > std::ldexp(1.0L, digits);
}

bool IsNarrow(const RoundingStep& step) { return (step.number & kNarrow) != 0; }

// A number for all of these; 0: there are none.
uint64_t NumberOf(const Roundings& roundings) {
  uint64_t number = 0;
  if (roundings == nullptr) return number;
  for (const RoundingStep& step : *roundings) number = MixNumbers(number, step.number);
  return number;
}

// A rounding after others. Only those that leave fewer digits end a proof: they stay apart from the
// others, and one of them stands for those of its kind before it.
Roundings AfterOthers(const Roundings& before, uint64_t own, bool narrow) {
  const uint64_t all = NumberOf(before);
  std::vector<RoundingStep> steps = {{MixNumbers(own, all) & ~kNarrow, own}};
  if (narrow) {
    const uint64_t narrow_before = NarrowOf(before);
    const bool alone = before == nullptr || absl::c_all_of(*before, IsNarrow);
    if (alone) steps.clear();
    steps.push_back({MixNumbers(own, narrow_before) | kNarrow, own});
  } else if (before != nullptr) {
    absl::c_copy_if(*before, std::back_inserter(steps), IsNarrow);
  }
  return WithRoundings(nullptr, std::move(steps));
}

// A number for the elements, in whatever order they lie.
uint64_t NumberOf(const Residues& residues) {
  uint64_t sum = 0;
  for (const Residue residue : residues.values) {
    uint64_t mixed = static_cast<uint64_t>(residue) * 0x9e3779b97f4a7c15;
    mixed ^= mixed >> 29;
    sum += mixed * 0xbf58476d1ce4e5b9;
  }
  return sum;
}

}  // namespace

Roundings WithRoundings(Roundings roundings, std::vector<RoundingStep> others) {
  absl::c_sort(others);
  if (roundings == nullptr) {
    if (others.empty()) return roundings;
    others.erase(std::unique(others.begin(), others.end()), others.end());
    return std::make_shared<const std::vector<RoundingStep>>(std::move(others));
  }
  if (absl::c_includes(*roundings, others)) return roundings;
  std::vector<RoundingStep> all;
  absl::c_set_union(*roundings, others, std::back_inserter(all));
  return std::make_shared<const std::vector<RoundingStep>>(std::move(all));
}

Roundings RoundingsOf(absl::Span<const FieldValue> values) {
  Roundings all;
  for (const FieldValue& value : values) {
    if (value.roundings == nullptr || value.roundings == all) continue;
    all = all == nullptr ? value.roundings : WithRoundings(std::move(all), *value.roundings);
  }
  return all;
}

RoundingStep RoundingOfConstant(Residue number, DType dtype) {
  const uint64_t own =
      MixNumbers(MixNumbers(FunctionNumber("constant"), static_cast<uint64_t>(number)),
                 static_cast<uint64_t>(dtype)) &
      ~kNarrow;
  return {own, own};
}

uint64_t NarrowOf(const Roundings& roundings) {
  uint64_t number = 0;
  if (roundings == nullptr) return number;
  for (const RoundingStep& step : *roundings) {
    if (IsNarrow(step)) number = MixNumbers(number, step.number);
  }
  return number;
}

void KeepJump(std::string node, const FieldValue& value, std::vector<RoundedJump>* jumps) {
  RoundedJump jump = {std::move(node)};
  if (value.residues.defined()) {
    const absl::StatusOr<Residues> residues = FromTensor(value.residues);
    if (residues.ok()) jump.value = NumberOf(*residues);
  }
  jump.roundings = NumberOf(value.roundings);
  jumps->push_back(std::move(jump));
}

void KeepComparison(const FieldValue& value, std::vector<RoundedJump>* jumps) {
  if (value.origin == nullptr || !value.origin->margin.defined()) return;
  KeepJump(value.origin->margin_node, value, jumps);
}

void KeepJumps(const FieldNode& node, absl::Span<const FieldValue> inputs,
               absl::Span<const FieldValue> outputs, std::vector<RoundedJump>* jumps) {
  if (outputs.empty() || outputs[0].fixed ||
      (outputs[0].origin != nullptr && outputs[0].origin->margin.defined())) {
    return;
  }
  FieldValue part = outputs[0];
  for (const Tensor& value : node.jump_values()) {
    part.residues = value;
    KeepJump(node.LabelWithOperator(), part, jumps);
  }
  if (node.jumps() && node.jump_values().empty()) {
    KeepJump(node.LabelWithOperator(), outputs[0], jumps);
  }
  if (node.takes_bound()) return;
  for (const FieldValue& input : inputs) KeepComparison(input, jumps);
}

std::vector<std::string> JumpsOfOtherRoundings(const PerSide<std::vector<RoundedJump>>& jumps) {
  std::vector<std::string> found;
  absl::flat_hash_map<uint64_t, const RoundedJump*> by_value;
  absl::flat_hash_set<std::pair<uint64_t, uint64_t>> known;
  for (const RoundedJump& right : jumps.right) {
    by_value.try_emplace(right.value, &right);
    known.emplace(right.value, right.roundings);
  }
  for (const RoundedJump& left : jumps.left) {
    const auto right = by_value.find(left.value);
    if (right == by_value.end() || known.contains({left.value, left.roundings})) continue;
    const std::string& other = right->second->node;
    found.push_back(left.node == other ? left.node : absl::StrCat(left.node, " | ", other));
  }
  absl::c_sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

bool MayJump(const Node& node, absl::Span<const Value> outputs) {
  static constexpr absl::string_view kJumping[] = {
      "Binarizer", "Hardmax", "TreeEnsemble", "TreeEnsembleClassifier", "TreeEnsembleRegressor"};
  if (absl::c_linear_search(kJumping, node.op_type)) return true;
  const auto* const text = AttributeOf<std::string>(node, "mode");
  if (text != nullptr && *text == "nearest") return true;
  return absl::c_any_of(outputs, [](const Value& output) {
    return output.is_tensor() && !IsFloatingPoint(output.tensor().dtype());
  });
}

void KnowRoundings(const Node& node, absl::Span<const FieldValue> inputs, const Roundings& before,
                   bool moves, const Value& number, FieldValue* value) {
  if (value->fixed) return;
  value->roundings = before;
  if (moves || !number.is_tensor() || !IsFloatingPoint(number.tensor().dtype()) ||
      IsExact(node.op_type)) {
    return;
  }
  const absl::StatusOr<Residues> residues = FromTensor(value->residues);
  if (!residues.ok()) return;
  const DType dtype = number.tensor().dtype();
  const int digits = DigitsOf(dtype);
  bool narrow = digits < DigitsOf(DType::kFloat);
  if (node.op_type == "Cast" || node.op_type == "CastLike") {
    if (inputs.empty() || !inputs[0].number.is_tensor()) return;
    if (!LosesDigits(inputs[0], digits)) return;
    narrow = true;
  }
  const uint64_t rounding = MixNumbers(NumberOf(*residues), static_cast<uint64_t>(digits));
  const uint64_t own = narrow ? rounding | kNarrow : rounding & ~kNarrow;
  // A number that was rounded so needs no rounding again, as times 1.
  const bool is_new = before == nullptr || absl::c_none_of(*before, [&](const RoundingStep& step) {
                        return step.own == own;
                      });
  if (is_new) value->roundings = AfterOthers(before, own, narrow);
}

}  // namespace onnxcmp
