#include "feed/made_up/input_purpose.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "evaluator/model/outer_names.h"
#include "feed/made_up/arange.h"
#include "feed/made_up/id_purpose.h"
#include "feed/made_up/index_form.h"
#include "feed/made_up/landmarks.h"
#include "feed/made_up/ml_purpose.h"
#include "feed/made_up/purpose_table.h"
#include "feed/made_up/standardization.h"
#include "feed/made_up/traced_size.h"
#include "record/graphs/graph_scope.h"
#include "record/graphs/node_questions.h"
#include "record/operators/operator_traits.h"

namespace onnxcmp {
namespace {

// State of an input's elements along the way.
struct Form {
  bool number = true;    // they are still the input's numbers
  bool truth = false;    // booleans, or floats made of them
  bool scaled = false;   // multiplied by a large number
  bool added = false;    // added to a computed value
  bool phase = false;    // multiplied by several frequencies
  bool reduced = false;  // the greatest or least of several, or without their signs
  // While they are numbers: the factor they were multiplied by, and the offset added then.
  double gain = 1;
  double offset = 0;
  // Before a remainder is taken or another input's are added: the way to a row.
  std::optional<IndexForm> index = {};
  bool summed() const { return index.has_value() && index->part != IndexForm::Part::kWhole; }
  FeatureView features = {};
  FeatureView Features() const {
    return {features.scaler, features.column, features.scaled, features.columns, gain, offset};
  }
  auto Key() const {
    return std::tuple(number, truth, scaled, added, phase, reduced, features.column,
                      features.columns);
  }
};

// A result that is followed, or a node that reads it in a slot. Names are the graph's.
struct Step {
  const GraphScope* scope = nullptr;
  absl::string_view name;
  const Node* node = nullptr;
  size_t slot = 0;
  Form form;
};

class Walker {
 public:
  explicit Walker(const Graph& graph) : root_(MakeScope(graph, nullptr)) {}

  InputPurposes Run() {
    InputPurposes purposes;
    for (const ValueInfo& input : root_->graph->inputs) {
      input_ = &input;
      found_ = beside_ = {};
      any_ = false;
      seen_.clear();
      Follow(*root_, input.name, {.truth = input.type.dtype == DType::kBool});
      Walk();
      beside_.standard = StandardizationOf(*root_, input);
      const bool beside = beside_.ties || !beside_.landmarks.empty() || !beside_.missing.empty() ||
                          beside_.range.has_value() || beside_.standard.has_value() ||
                          !beside_.demanded.empty() || beside_.only_known;
      if (!any_ && !beside) continue;
      found_.not_negative |= found_.shifted;
      found_.landmarks = beside_.landmarks;
      found_.missing = beside_.missing;
      found_.demanded = beside_.demanded;
      found_.only_known = beside_.only_known;
      found_.ties = beside_.ties;
      found_.range = beside_.range;
      found_.standard = beside_.standard;
      purposes[input.name] = std::move(found_);
    }
    return purposes;
  }

 private:
  static constexpr size_t kMostSteps = 20000;
  static constexpr double kLargeFactor = 1e3;
  static constexpr double kFar = 1e15;  // a greater limit is never reached

  bool IsInteger() const { return onnxcmp::IsInteger(input_->type.dtype); }
  bool IsFloat() const { return IsFloatingPoint(input_->type.dtype); }

  void Found(InputPurpose purpose) {
    if (!any_ || purpose.purpose > found_.purpose) {
      for (const std::string& word : found_.words) purpose.words.push_back(word);
      purpose.not_negative |= any_ && found_.not_negative;
      purpose.shifted &= !any_ || found_.purpose != Purpose::kIds;
      found_ = std::move(purpose);
      any_ = true;
      return;
    }
    found_.not_negative |= purpose.not_negative;
    if (purpose.purpose != found_.purpose) return;
    found_.shifted &= purpose.shifted;
    AddLimit(purpose, &found_);
    found_.weights |= purpose.weights;
    found_.adds_up |= purpose.adds_up;
    found_.sums &= purpose.sums;
    found_.wraps = std::min(found_.wraps, purpose.wraps);
    found_.tables.insert(found_.tables.end(), purpose.tables.begin(), purpose.tables.end());
    found_.paths.insert(found_.paths.end(), purpose.paths.begin(), purpose.paths.end());
    found_.words.insert(found_.words.end(), purpose.words.begin(), purpose.words.end());
    for (auto& [feature, values] : purpose.thresholds) {
      std::vector<double>& all = found_.thresholds[feature];
      all.insert(all.end(), values.begin(), values.end());
    }
  }
  void Found(Purpose purpose, const Node& node, bool sums = false) {
    InputPurpose found;
    found.purpose = purpose;
    found.sums = sums;
    found.why = UseText(node, PurposeName(purpose));
    Found(std::move(found));
  }

  // Takes the steps in depth-first order, without recursion: graphs may be a million nodes long.
  void Walk() {
    while (!next_.empty()) {
      std::move(next_.rbegin(), next_.rend(), std::back_inserter(open_));
      next_.clear();
      while (next_.empty() && !open_.empty()) {
        const Step step = std::move(open_.back());
        open_.pop_back();
        if (step.node == nullptr) {
          ReadAll(*step.scope, step.name, step.form);
        } else {
          Read(*step.scope, *step.node, step.slot, step.form);
        }
      }
    }
  }

  void ReadAll(const GraphScope& scope, absl::string_view name, const Form& form) {
    if (seen_.size() > kMostSteps) return;
    if (!seen_.insert({&scope, std::string(name), form.Key()}).second) return;
    if (const auto it = scope.readers.find(name); it != scope.readers.end()) {
      for (const GraphScope::Reader& reader : it->second) {
        next_.push_back({&scope, name, reader.node, reader.slot, form});
      }
    }
    for (const auto& [graph, inner] : scope.inner) {
      if (inner->outer == &scope && !inner->defined.contains(name)) Follow(*inner, name, form);
    }
  }

  // Puts off what becomes of a result.
  void Follow(const GraphScope& scope, absl::string_view name, const Form& form) {
    if (!name.empty()) next_.push_back({&scope, name, nullptr, 0, form});
  }

  void FollowOutput(const GraphScope& scope, const Node& node, const Form& form) {
    if (!node.outputs.empty()) Follow(scope, node.outputs[0], form);
  }

  void Read(const GraphScope& scope, const Node& node, size_t slot, const Form& form) {
    if (node.body != nullptr) return EnterBody(scope, node, slot, *node.body, form);
    if (IsOneOf(node, {"Loop", "Scan"})) {
      for (const Graph* body : GraphsOf(node)) {
        EnterBody(scope, node, slot, *body, form);
      }
    }
    if (form.number && !form.summed()) LookBeside(scope, node, slot, form);
    if (form.reduced) return PassReduced(scope, node, slot, form);
    if (UseOf(scope, node, slot, form)) return;
    Pass(scope, node, slot, form);
  }

  // Uses that do not determine the input's purpose, but show which numbers are worth feeding.
  void LookBeside(const GraphScope& scope, const Node& node, size_t slot, const Form& form) {
    if (node.op_type == "QuantizeLinear" && slot == 0 && IsFloat() && !form.reduced) {
      if (const auto range = QuantizedRange(scope, node); range.has_value()) {
        const NumberRange fed = {(range->least - form.offset) / form.gain,
                                 (range->greatest - form.offset) / form.gain};
        if (!beside_.range.has_value()) {
          beside_.range = {std::min(fed.least, fed.greatest), std::max(fed.least, fed.greatest)};
        }
      }
    }
    if (node.domain == kMlDomain && slot == 0 && form.gain == 1) {
      AddMissing(node, input_->type.dtype, &beside_);
    }
    if (node.domain == kMlDomain && slot == 0) AddDemanded(node, form.Features(), &beside_);
    beside_.ties |= (slot == 0 && IsOneOf(node, {"ArgMax", "ArgMin", "Hardmax", "TopK"})) ||
                    ComparesComputed(scope, node);
    std::vector<double> numbers;
    AddLandmarks(scope, node, slot, &numbers);
    for (const double number : numbers) {
      const double fed = (number - form.offset) / form.gain;
      // Random numbers never equal a given one, so it must be fed.
      const bool marks = IsFloat() && (node.op_type == "Equal" || !std::isfinite(number));
      if (std::abs(fed) < kFar || (marks && !std::isfinite(number))) {
        (marks ? beside_.missing : beside_.landmarks).push_back(fed);
      }
    }
  }

  // After a reduction, only limits matter.
  void PassReduced(const GraphScope& scope, const Node& node, size_t slot, const Form& form) {
    if (slot == 0 && (HasTrait(node, OperatorTrait::kReorders) || IsOneOf(node, {"Cast"}))) {
      FollowOutput(scope, node, form);
    }
  }

  void EnterBody(const GraphScope& scope, const Node& node, size_t slot, const Graph& body,
                 const Form& form) {
    const auto inner = scope.inner.find(&body);
    if (inner == scope.inner.end()) return;
    // The body of a Loop begins with the counter and the condition, as the node does.
    if (node.op_type == "Loop" && slot < 2) return;
    if (slot < body.inputs.size()) Follow(*inner->second, body.inputs[slot].name, form);
  }

  // True if the operator determines the input's purpose.
  bool UseOf(const GraphScope& scope, const Node& node, size_t slot, const Form& form) {
    if (node.domain == kMlDomain) {
      auto found = PurposeOfMl(node, slot, input_->type.dtype, form.Features());
      if (!found.has_value()) return false;
      Found(*std::move(found));
      return true;
    }
    if (input_->type.dtype == DType::kString) Found(PurposeOfText(scope, node, slot));
    for (const SlotPurpose& row : SlotPurposesOf(node.domain, node.op_type)) {
      if (row.slot != slot) continue;
      switch (row.purpose) {
        case Purpose::kPositive:
          if (!form.number || !WantsPositive(scope, node)) return false;
          break;
        case Purpose::kIds:
        case Purpose::kPositions:
        case Purpose::kLengths:
        case Purpose::kSmall:
          if (!form.number) return false;
          break;
        default:
          break;
      }
      if (form.summed() && row.purpose != Purpose::kIds) return false;
      InputPurpose found = PurposeOfRow(scope, node, row);
      found.shifted = form.gain != 1 || form.offset != 0 || form.index.has_value();
      if (found.shifted && found.purpose == Purpose::kIds) {
        const IndexForm index = form.index.value_or(IndexForm{form.gain, form.offset});
        TakeIndexForm(index, index.gain == form.gain && index.offset == form.offset, &found);
      }
      Found(std::move(found));
      return true;
    }
    return false;
  }

  bool WantsPositive(const GraphScope& scope, const Node& node) const {
    if (node.op_type == "Div" || node.op_type == "Mod") return IsInteger();
    if (node.op_type != "Pow") return true;
    const std::optional<double> exponent =
        node.inputs.size() > 1 ? NumberOf(ConstantIn(scope, node.inputs[1])) : std::nullopt;
    return exponent.has_value() && *exponent != std::round(*exponent);
  }

  InputPurpose PurposeOfRow(const GraphScope& scope, const Node& node, const SlotPurpose& row) {
    InputPurpose found;
    found.purpose = row.purpose;
    found.first = row.first;
    found.rest = row.rest;
    found.step = row.step;
    found.fraction = row.fraction;
    found.pieces = node.op_type.starts_with("Split");
    found.counts = node.op_type == "Loop" && row.slot == 0;
    found.grows = (node.op_type == "TopK" || node.op_type == "Trilu") && row.slot == 1;
    found.why = UseText(node, PurposeName(row.purpose));
    const std::string other = row.other < node.inputs.size() ? node.inputs[row.other] : "";
    switch (row.limit) {
      case LimitKind::kNone:
        break;
      case LimitKind::kAxis:
        SetLimit(SizeAlong(scope, other, row.axis), &found);
        break;
      case LimitKind::kAxisOf:
        SetLimit(SizeAlong(scope, other, IntAttribute(node, row.attribute).value_or(row.axis)),
                 &found);
        break;
      case LimitKind::kAttribute:
        found.limit = IntAttribute(node, row.attribute);
        break;
      case LimitKind::kValue:
        if (const auto number = NumberOf(ConstantIn(scope, other))) {
          found.limit = static_cast<int64_t>(*number);
        }
        break;
    }
    if (node.op_type == "GatherND" || node.op_type == "ScatterND") {
      if (OneIndexEach(scope, node)) {
        SetLimit(SizeAlong(scope, other, IntAttribute(node, "batch_dims").value_or(0)), &found);
      } else {
        found.limit = LeastDim(scope, other);
      }
    }
    if (node.op_type == "TensorScatter") LeaveRoom(scope, *root_->graph, node, &found);
    if (row.purpose == Purpose::kIds) {
      found.not_negative = !IsOneOf(
          node, {"Gather", "GatherElements", "GatherND", "OneHot", "ScatterElements", "ScatterND"});
      const auto* reduction = AttributeOf<std::string>(node, "reduction");
      found.adds_up = reduction != nullptr && *reduction != "none";
      const Tensor* table = TableIn(scope, other);
      const bool chosen = row.limit == LimitKind::kAxis || row.limit == LimitKind::kAxisOf;
      if (table != nullptr && (chosen || SelectsRows(scope, node))) {
        found.tables.push_back({table, IntAttribute(node, row.attribute).value_or(row.axis), {}});
      }
    }
    if (node.domain == kMicrosoftDomain) SetOfContrib(scope, node, row.slot, &found);
    return found;
  }

  // Masks of one axis are lengths; a cache holds past and new elements.
  void SetOfContrib(const GraphScope& scope, const Node& node, size_t slot, InputPurpose* found) {
    const auto size_of = [&](size_t input, int64_t axis) -> std::optional<TracedSize> {
      if (input >= node.inputs.size() || node.inputs[input].empty()) return std::nullopt;
      return SizeAlong(scope, node.inputs[input], axis);
    };
    const auto add = [&](const std::optional<TracedSize>& size) {
      if (!size.has_value()) return;
      if (size->fixed.has_value()) found->limit = found->limit.value_or(0) + *size->fixed;
      if (size->dim.has_value()) found->limit_sum.push_back(*size->dim);
    };
    const bool masked = found->purpose == Purpose::kMask && input_->type.shape.has_value() &&
                        input_->type.shape->size() == 1 && onnxcmp::IsInteger(input_->type.dtype);
    if (masked && node.op_type != "Compress") {
      found->purpose = Purpose::kLengths;
      add(size_of(0, 1));
    }
    if (node.op_type == "GroupQueryAttention" && found->purpose == Purpose::kLengths) {
      add(size_of(0, 1));
      add(size_of(3, 2));
      found->full = slot == 5 ? -1 : 0;
    }
  }

  void Pass(const GraphScope& scope, const Node& node, size_t slot, Form form) {
    // A sum of two inputs tells of one of them where it selects rows, not else.
    if (form.summed() && !HasTrait(node, OperatorTrait::kMoves)) return;
    if (PassesFeatures(node) && slot == 0) {
      PassColumns(scope, node, slot, &form.features);
      return FollowOutput(scope, node, form);
    }
    if (!IsOfOnnx(node)) return;
    if (slot == 1 && IsFloat() && form.number &&
        IsOneOf(node, {"Conv", "ConvTranspose", "Gemm", "MatMul"})) {
      InputPurpose found;
      found.weights = true;
      found.why = UseText(node, "weights");
      return Found(std::move(found));
    }
    const auto other = [&]() -> const Tensor* {
      return node.inputs.size() == 2 ? ConstantIn(scope, node.inputs[1 - slot]) : nullptr;
    };
    // The start of a rotation.
    if (IsOneOf(node, {"Cos", "Sin"}) && !IsFloat() && !form.scaled) {
      return Found(Purpose::kPositions, node);
    }
    if (IsFloat() && form.number && !form.added && slot == 0 &&
        IsOneOf(node, {"ReduceMax", "ReduceMin", "Abs"})) {
      form.reduced = true;
      return FollowOutput(scope, node, form);
    }
    if (form.number) PassColumns(scope, node, slot, &form.features);
    if (node.op_type == "StringNormalizer") return FollowOutput(scope, node, form);
    if (HasTrait(node, OperatorTrait::kMoves)) {
      const bool data = slot == 0 || !HasTrait(node, OperatorTrait::kOneDataInput);
      return data ? FollowOutput(scope, node, form) : void();
    }
    if (IsOneOf(node, {"Cast", "CastLike"}) && slot == 0) return Cast(scope, node, form);
    if (IsOneOf(node, {"Not", "Neg", "And", "Or", "Xor", "BitwiseAnd", "BitwiseOr"})) {
      return LooksForBit(node, other()) ? void() : FollowOutput(scope, node, form);
    }
    if (IsOneOf(node, {"Equal", "Greater", "Less", "GreaterOrEqual", "LessOrEqual"})) {
      // A float that is compared with a threshold may be any number.
      if (IsFloat()) return;
      if (form.number && node.inputs.size() == 2 && FoundCounted(scope, node, slot)) return;
      if (other() == nullptr) return;
      if (IsInteger() && form.number && !TellsOneFromZero(node, slot, *other())) return;
      form.number = false;
      form.truth = true;
      return FollowOutput(scope, node, form);
    }
    // LookBeside() has recorded the limits.
    if (IsInteger() && form.number && node.inputs.size() > 1 &&
        ((IsOneOf(node, {"Clip"}) && slot == 0) || IsOneOf(node, {"Min", "Max"}))) {
      return FollowOutput(scope, node, form);
    }
    // Counts of elements, or positions among those that count.
    if (IsOneOf(node, {"CumSum", "ReduceSum"}) && slot == 0 && !IsFloat() && !form.scaled) {
      // A vector that is added up may hold any numbers.
      const auto& dims = input_->type.shape;
      const bool vector = dims.has_value() && dims->size() <= 1 && node.op_type == "ReduceSum";
      if (form.truth || (form.number && !vector)) Found(Purpose::kMask, node, !form.truth);
      return;
    }
    if (IsOneOf(node, {"Softmax"}) && form.added && IsFloat() && !form.scaled) {
      return Found(Purpose::kAddedMask, node);
    }
    if (IsOneOf(node, {"Mod"}) && slot == 0 && IsInteger() && form.number && form.gain > 0 &&
        !form.index.has_value() && other() != nullptr) {
      const double modulo = std::clamp(NumberOf(other()).value_or(0), 0.0, 1e9);
      form.index = {form.gain, form.offset, static_cast<int64_t>(modulo)};
      return FollowOutput(scope, node, form);
    }
    if (form.phase) return;
    if (IsOneOf(node, {"MatMul", "Einsum"}) && !IsFloat()) {
      form.number = false;
      form.phase = true;
      return FollowOutput(scope, node, form);
    }
    if (node.inputs.size() != 2 || !IsOneOf(node, {"Add", "Sub", "Mul", "Div"})) return;
    const Tensor* constant = other();
    if (constant != nullptr) return Constant(scope, node, *constant, form);
    PassWithOther(scope, node, slot, form);
  }

  // Follows a sum or a product with a computed value.
  void PassWithOther(const GraphScope& scope, const Node& node, size_t slot, Form form) {
    if (node.op_type == "Mul") {
      // The product with a boolean selects elements that count.
      if (form.truth && !IsFloat()) Found(Purpose::kMask, node);
      return;
    }
    if (node.op_type != "Add" && node.op_type != "Sub") return;
    if (IsInteger() && form.number && !form.truth && !form.index.has_value() &&
        node.op_type == "Add") {
      form.index = IndexOfSum(scope, node, slot, {form.gain, form.offset});
      return form.index->gain > 0 ? FollowOutput(scope, node, form) : void();
    }
    if (form.scaled) return Found(Purpose::kMask, node);
    if (IsFloat() && form.number && node.op_type == "Add" &&
        IsScaledProduct(scope, node.inputs[1 - slot])) {
      form.added = true;
      FollowOutput(scope, node, form);
    } else if (form.added) {
      FollowOutput(scope, node, form);
    }
  }

  // A value compared with 0, 1, 2, ...: it is the number that count, or the index of one.
  bool FoundCounted(const GraphScope& scope, const Node& node, size_t slot) {
    const auto size = CountsUpTo(scope, node.inputs[1 - slot]);
    if (!size.has_value()) return false;
    const bool which = node.op_type == "Equal";
    InputPurpose found;
    const auto& shape = input_->type.shape;
    const bool row = shape.has_value() && shape->size() >= 2 && shape->back().value.value_or(2) > 1;
    found.purpose = which ? Purpose::kIds : row ? Purpose::kPositions : Purpose::kLengths;
    found.not_negative = true;
    found.why = UseText(node, PurposeName(found.purpose));
    SetLimit(size, &found);
    if (!found.limit.has_value() && found.limit_sum.empty()) GuessLimit(*root_->graph, &found);
    Found(std::move(found));
    return true;
  }

  // An integer that becomes a float, except for a division, is a count or a boolean.
  void Cast(const GraphScope& scope, const Node& node, Form form) {
    const auto to = IntAttribute(node, "to");
    const bool is_float = to.has_value() && IsFloatingPoint(static_cast<DType>(*to));
    if (to.has_value() && static_cast<DType>(*to) == DType::kBool) form.truth = true;
    if (is_float && !IsFloat()) form.truth = true;
    FollowOutput(scope, node, form);
  }

  void Constant(const GraphScope& scope, const Node& node, const Tensor& constant, Form form) {
    const std::optional<double> number = NumberOf(&constant);
    if (!number.has_value()) {
      // Biases and frequencies change the number.
      form.number = false;
      form.phase = !form.added;
      return FollowOutput(scope, node, form);
    }
    AddStep(node, *number, ConstantIn(scope, node.inputs[0]) != nullptr, &form.gain, &form.offset);
    // 1 - mask, and results of it.
    if (node.op_type == "Sub" && *number == 1) form.truth = true;
    if (node.op_type == "Mul" &&
        (*number <= -kLargeFactor || (form.truth && *number >= kLargeFactor))) {
      form.scaled = true;
    }
    FollowOutput(scope, node, form);
  }

  std::unique_ptr<GraphScope> root_;
  const ValueInfo* input_ = nullptr;
  InputPurpose found_;
  InputPurpose beside_;  // landmarks, missing values, a range: independent of the purpose
  bool any_ = false;
  std::set<std::tuple<const GraphScope*, std::string, decltype(Form().Key())>> seen_;
  std::vector<Step> next_;  // of the step that is taken
  std::vector<Step> open_;  // the last one is taken first
};

}  // namespace

InputPurposes PurposesOf(const Graph& graph) { return Walker(graph).Run(); }

}  // namespace onnxcmp
