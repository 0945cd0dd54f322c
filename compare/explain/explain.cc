#include "compare/explain/explain.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "compare/explain/reversed_sums.h"
#include "compare/explain/row_claims.h"
#include "compare/pictures/decades.h"
#include "compare/tolerances/pair_tolerance.h"
#include "evaluator/base/proto_text.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/run/on_results.h"
#include "record/base/per_side.h"
#include "record/base/work_bounds.h"
#include "record/differences/element_text.h"
#include "record/differences/tensor_distance.h"
#include "record/graphs/side_graph.h"
#include "record/operators/node_settings.h"
#include "record/streams/common_form.h"
#include "record/streams/node_watcher.h"
#include "record/streams/result_names.h"
#include "record/text/meant_name.h"

namespace onnxcmp {
namespace {

// Values from running a side again.
struct Looked {
  absl::node_hash_map<int, Value> values;  // by result
  const Node* node = nullptr;              // the node of the pair's result
  const Value* Find(int r) const {
    const auto it = values.find(r);
    return it == values.end() ? nullptr : &it->second;
  }
};

// True if they can be compared element by element, whatever their shapes.
bool Comparable(const Value* a, const Value* b) {
  return a != nullptr && b != nullptr && IsMeasurable(*a) && IsMeasurable(*b) &&
         a->tensor().num_elements() == b->tensor().num_elements();
}

class PairExplainer {
 public:
  PairExplainer(const ComparedSides& compared, size_t row, const PerSide<RecordedSide>& sides,
                const PairTolerances& tolerances, const ThreadPool* pool)
      : compared_(compared), sides_(sides), tolerances_(tolerances), pool_(pool) {
    const AlignedRow& aligned = compared.rows[row].aligned;
    explanation_.row = row;
    // Outputs repeat a result; the node is that one's.
    if (!aligned.left.empty()) explanation_.left = Shown(kLeft, aligned.left.back());
    if (!aligned.right.empty()) explanation_.right = Shown(kRight, aligned.right.back());
  }

  absl::StatusOr<Explanation> Explain(const PairValues::Watch& watch) {
    explanation_.claims = ClaimsOn(explanation_.left, explanation_.right,
                                   compared_.rows[explanation_.row].aligned, compared_);
    PairInputs();
    for (const SideId side : kBothSides) OC_RETURN_IF_ERROR(Look(side, watch));
    explanation_.left_readers = Readers(kLeft, explanation_.left);
    explanation_.right_readers = Readers(kRight, explanation_.right);
    CompareAttributes();
    CompareInputs();
    CompareElements();
    RunOnLeftInputs();
    ReverseSums();
    return std::move(explanation_);
  }

 private:
  using enum SideId;

  const StreamResult& Result(SideId side, int r) const { return sides_[side].result(r); }
  int Shown(SideId side, int r) const {
    const int source = Result(side, r).source;
    return source == kNone ? r : source;
  }
  int Pair(SideId side) const { return side == kLeft ? explanation_.left : explanation_.right; }

  absl::Span<const int> InputsOf(SideId side, int r) const {
    if (r == kNone || Result(side, r).node == kNone) return {};
    return sides_[side].stream->nodes[Index(Result(side, r).node)].inputs;
  }

  // Operator and attribute hash of the node that makes a result.
  std::pair<std::string, uint64_t> HashOf(SideId side, int r) const {
    const int node = Result(side, r).node;
    if (node == kNone) return {};
    const StreamNode& made = sides_[side].stream->nodes[Index(node)];
    return {made.op_type, made.attributes};
  }

  std::vector<int> Readers(SideId side, int r) const {
    std::vector<int> readers;
    if (r == kNone) return readers;
    for (const StreamNode& node : sides_[side].stream->nodes) {
      if (std::find(node.inputs.begin(), node.inputs.end(), r) == node.inputs.end() &&
          std::find(node.captures.begin(), node.captures.end(), r) == node.captures.end()) {
        continue;
      }
      const auto output = std::find_if(node.outputs.begin(), node.outputs.end(),
                                       [](int result) { return result != kNone; });
      if (output != node.outputs.end()) readers.push_back(*output);
    }
    return readers;
  }

  // Pairs slot by slot; if the slots are no pair, with the input that is the partner.
  void PairInputs() {
    const absl::Span<const int> ours = InputsOf(kLeft, explanation_.left);
    const absl::Span<const int> theirs = InputsOf(kRight, explanation_.right);
    for (size_t i = 0; i < std::max(ours.size(), theirs.size()); ++i) {
      ExplainedInput input;
      if (i < ours.size()) input.left = ours[i];
      if (i < theirs.size()) input.right = theirs[i];
      if (input.left == kNone && input.right == kNone) continue;
      input.not_paired = input.left == kNone || input.right == kNone ||
                         compared_.alignment.right_to_left[Index(input.right)] != input.left;
      explanation_.inputs.push_back(input);
    }
  }

  absl::Status Look(SideId side, const PairValues::Watch& watch) {
    std::vector<bool> wanted(sides_[side].stream->results.size());
    const int wanted_result = Pair(side);
    if (wanted_result == kNone) return absl::OkStatus();
    wanted[Index(wanted_result)] = true;
    for (const int r : InputsOf(side, wanted_result)) {
      if (r != kNone) wanted[Index(r)] = true;
    }
    // Values given to the right's node in place of its own inputs.
    if (side == kLeft) {
      for (const int r : InputsOf(kRight, explanation_.right)) {
        const int l = r == kNone ? kNone : compared_.alignment.right_to_left[Index(r)];
        if (l != kNone) wanted[Index(l)] = true;
      }
    }
    Looked& looked = looked_[side];
    const auto take = [&](int r, const Value& value, const Node* node) {
      looked.values.emplace(r, value);
      if (r == wanted_result) looked.node = node;
      return absl::OkStatus();
    };
    return VisitWithNodes(sides_[side], absl::StrCat(SideName(side), " again"), watch, wanted,
                          take);
  }

  void CompareAttributes() {
    const Node* left = looked_.left.node;
    const Node* right = looked_.right.node;
    // Attributes of different operators need not be alike.
    const bool alike = left != nullptr && right != nullptr &&
                       (left->op_type != right->op_type || left->domain != right->domain ||
                        HashOf(kLeft, explanation_.left) == HashOf(kRight, explanation_.right));
    const auto registry = [&](SideId side) {
      const Evaluator* evaluator = sides_[side].evaluator();
      return evaluator == nullptr ? nullptr : &evaluator->registry();
    };
    explanation_.attributes = AttributePairs(registry(kLeft), left, registry(kRight), right, alike);
  }

  // Converts to the form that both sides share.
  Value InFormOf(SideId side, int r, const Value& value) const {
    absl::StatusOr<Value> form = InForm(value, Result(side, r).form);
    return form.ok() ? *std::move(form) : value;
  }

  void CompareInputs() {
    for (ExplainedInput& input : explanation_.inputs) {
      if (input.left == kNone || input.right == kNone) continue;
      input.same_bits = Result(kLeft, input.left).fingerprint.content ==
                        Result(kRight, input.right).fingerprint.content;
      const Value* a = looked_.left.Find(input.left);
      const Value* b = looked_.right.Find(input.right);
      if (input.same_bits || a == nullptr || b == nullptr) continue;
      DifferenceOptions options;
      options.tolerance = tolerances_.Of(input.left, input.right).tolerances;
      input.difference = TensorDifferenceOf(InFormOf(kLeft, input.left, *a),
                                            InFormOf(kRight, input.right, *b), options, pool_);
    }
  }

  void CompareElements() {
    const Value* a = looked_.left.Find(explanation_.left);
    const Value* b = looked_.right.Find(explanation_.right);
    if (a == nullptr || b == nullptr) return;
    if (Result(kLeft, explanation_.left).fingerprint.content !=
        Result(kRight, explanation_.right).fingerprint.content) {
      DifferenceOptions options;
      options.worst = work_bounds::kShown;
      options.tolerance = tolerances_.Of(explanation_.left, explanation_.right).tolerances;
      explanation_.difference =
          TensorDifferenceOf(InFormOf(kLeft, explanation_.left, *a),
                             InFormOf(kRight, explanation_.right, *b), options, pool_);
    }
    if (!Comparable(a, b)) return;
    const std::vector<double> ours = ElementsOf(InFormOf(kLeft, explanation_.left, *a).tensor());
    const std::vector<double> theirs =
        ElementsOf(InFormOf(kRight, explanation_.right, *b).tensor());
    Count(ours, theirs);
    MeasureTruth(*a, *b, ours, theirs);
  }

  void Count(const std::vector<double>& ours, const std::vector<double>& theirs) {
    DecadeCounter counter;
    for (size_t i = 0; i < ours.size(); ++i) counter.Add(ours[i], theirs[i]);
    explanation_.equal = counter.equal();
    explanation_.not_finite = counter.not_finite();
    explanation_.decades = counter.decades();
  }

  // The left model in double, as far as this result.
  Value LeftInDouble() const {
    const Evaluator* evaluator = sides_.left.evaluator();
    if (evaluator == nullptr) return Value();
    const absl::StatusOr<Evaluator> in_double = evaluator->InDouble();
    if (!in_double.ok()) return Value();
    const StreamResult& wanted = Result(kLeft, explanation_.left);
    Value found;
    OnResults picker([&](const onnxcmp::Result& result, auto* /*replacement*/) {
      if (result.name != wanted.name || result.path != wanted.path) return absl::OkStatus();
      found = result.value;
      return absl::CancelledError("the result that was wanted is there");
    });
    // The run always ends with an error; only the result matters.
    in_double->Run(*sides_.left.side->feeds(), &picker).IgnoreError();
    return found;
  }

  void MeasureTruth(const Value& a, const Value& b, const std::vector<double>& ours,
                    const std::vector<double>& theirs) {
    const bool floats = IsFloatingPoint(a.tensor().dtype()) && IsFloatingPoint(b.tensor().dtype());
    Value truth = floats ? LeftInDouble() : Value();
    if (!Comparable(&a, &truth)) truth = Value();
    if (!truth.empty() && IsFloatingPoint(truth.tensor().dtype())) {
      explanation_.left_truth = TruthDistanceOf(a.tensor(), truth.tensor());
      explanation_.right_truth = TruthDistanceOf(b.tensor(), truth.tensor());
    }
    std::vector<size_t> order;
    for (size_t i = 0; i < ours.size(); ++i) {
      if (ours[i] != theirs[i] && !(std::isnan(ours[i]) && std::isnan(theirs[i]))) {
        order.push_back(i);
      }
    }
    const auto error = [&](size_t i) {
      const double difference = std::abs(ours[i] - theirs[i]);
      return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
    };
    const size_t count = std::min<size_t>(work_bounds::kShown, order.size());
    std::partial_sort(
        order.begin(), order.begin() + static_cast<int64_t>(count), order.end(),
        [&](size_t i, size_t k) { return std::pair(-error(i), i) < std::pair(-error(k), k); });
    // A complex number counts as two elements.
    const bool one_each = static_cast<int64_t>(ours.size()) == a.tensor().num_elements();
    for (size_t i = 0; i < count && one_each; ++i) {
      const auto at = static_cast<int64_t>(order[i]);
      ExplainedElement& element = explanation_.worst.emplace_back();
      element.index = IndexText(a.tensor().shape(), at);
      element.left = ElementText(a.tensor(), at);
      element.right = ElementText(b.tensor(), at);
      if (!truth.empty()) element.in_double = ElementText(truth.tensor(), at);
      element.absolute = error(order[i]);
    }
  }

  // Runs the right's node on the left's values.
  void RunOnLeftInputs() {
    const Evaluator* evaluator = sides_.right.evaluator();
    const Value* ours = looked_.left.Find(explanation_.left);
    const Value* theirs = looked_.right.Find(explanation_.right);
    if (evaluator == nullptr || !Comparable(ours, theirs)) return;
    const StreamResult& result = Result(kRight, explanation_.right);
    const int64_t node = result.depth > 0 ? -1 : MainNodeOf(*evaluator, result.name);
    if (node < 0 || !evaluator->CapturesOf(node).empty()) return;
    // Constants of another operator have another purpose than the left's: a factor is folded into
    // them.
    const bool same_operator = OpTypeOf(Result(kLeft, explanation_.left), *sides_.left.stream) ==
                               OpTypeOf(result, *sides_.right.stream);
    const auto keeps = [&](int r) {
      return !same_operator && Result(kRight, r).kind == ResultKind::kInitializer;
    };
    std::vector<Value> inputs;
    for (const int r : InputsOf(kRight, explanation_.right)) {
      if (r == kNone) {
        inputs.emplace_back();
        continue;
      }
      const Value* own = looked_.right.Find(r);
      const int l = compared_.alignment.right_to_left[Index(r)];
      const Value* partner = l == kNone ? nullptr : looked_.left.Find(l);
      if (own == nullptr) return;
      if (keeps(r) || !Comparable(own, partner)) {
        inputs.push_back(*own);
        continue;
      }
      absl::StatusOr<Value> given = FromForm(InFormOf(kLeft, l, *partner), Result(kRight, r).form);
      if (given.ok()) given = ConvertedTo(*given, own->tensor().dtype(), own->tensor().shape());
      inputs.push_back(given.ok() ? *given : *own);
    }
    const absl::StatusOr<std::vector<Value>> outputs = evaluator->RunNode(node, inputs);
    if (!outputs.ok() || Index(result.slot) >= outputs->size()) return;
    const Value& given = (*outputs)[Index(result.slot)];
    if (!Comparable(ours, &given) || !Comparable(theirs, &given)) return;
    const Value left = InFormOf(kLeft, explanation_.left, *ours);
    const Value own = InFormOf(kRight, explanation_.right, given);
    const Value right = InFormOf(kRight, explanation_.right, *theirs);
    explanation_.own = TensorDifferenceOf(left, own, {}, pool_).values.max_absolute;
    explanation_.inherited = TensorDifferenceOf(own, right, {}, pool_).values.max_absolute;
  }

  // Measures what the order of addition makes, where the two differ.
  void ReverseSums() {
    if (!explanation_.difference.has_value()) return;
    for (const SideId side : kBothSides) {
      const int r = Pair(side);
      const Value* own = looked_[side].Find(r);
      const Evaluator* evaluator = sides_[side].evaluator();
      if (evaluator == nullptr || own == nullptr || sides_[side].side->node_runner() != nullptr ||
          Result(side, r).depth > 0) {
        continue;
      }
      const SideGraph graph(*sides_[side].stream, evaluator);
      const auto reversed = WithReversedSums(graph, *sides_[side].side->feeds(), r);
      const Value value = reversed.has_value() ? graph.ForModel(r, reversed->value) : Value();
      if (!Comparable(own, &value)) continue;
      explanation_.order = TensorDifferenceOf(*own, value, {}, pool_).values.max_absolute;
      explanation_.order_side = side;
      explanation_.order_sums = reversed->sums;
      return;
    }
  }

  const ComparedSides compared_;
  const PerSide<RecordedSide>& sides_;
  const PairTolerances& tolerances_;
  const ThreadPool* pool_;
  PerSide<Looked> looked_;
  Explanation explanation_;
};

}  // namespace

namespace {

// The row of a result of this name, plain or with its path.
std::optional<size_t> RowOfName(const ComparedSides& compared, absl::string_view name) {
  std::optional<size_t> found;
  bool is_output = false;
  const auto look = [&](size_t row, absl::Span<const int> results, const ResultStream& stream) {
    for (const int r : results) {
      const StreamResult& result = stream.results[Index(r)];
      if (result.name != name && FullName(result) != name) continue;
      // An output repeats another row.
      if (found.has_value() && !is_output) continue;
      found = row;
      is_output = result.kind == ResultKind::kOutput;
    }
  };
  for (size_t i = 0; i < compared.rows.size(); ++i) {
    look(i, compared.rows[i].aligned.left, compared.left);
  }
  for (size_t i = 0; i < compared.rows.size() && !found.has_value(); ++i) {
    look(i, compared.rows[i].aligned.right, compared.right);
  }
  return found;
}

}  // namespace

absl::StatusOr<size_t> FindRow(const ComparedSides& compared, const std::string& name) {
  if (const std::optional<size_t> row = RowOfName(compared, name)) return *row;
  size_t number = 0;
  if (absl::SimpleAtoi(name, &number)) {
    if (number < compared.rows.size()) return number;
    return absl::NotFoundError(absl::StrCat("neither side has a result `", name, "`, and of ",
                                            compared.rows.size(), " rows none has that number"));
  }
  OC_ASSIGN_OR_RETURN(
      const std::string whole,
      MeantName(name, NamesOf({&compared.left, &compared.right}), "results of either side"));
  const std::optional<size_t> row = RowOfName(compared, whole);
  if (row.has_value()) return *row;
  return absl::NotFoundError(absl::StrCat("no row shows `", whole, "`"));
}

absl::StatusOr<Explanation> ExplainRow(const ComparedSides& compared, size_t row,
                                       const PerSide<RecordedSide>& sides,
                                       const PairTolerances& tolerances,
                                       const PairValues::Watch& watch, const ThreadPool* pool) {
  return PairExplainer(compared, row, sides, tolerances, pool).Explain(watch);
}

}  // namespace onnxcmp
