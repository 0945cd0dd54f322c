#include "prove/pieces/shared_values.h"

#include <algorithm>
#include <cstdint>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/model/outer_names.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/dtype.h"
#include "prove/node_kinds.h"
#include "prove/unknown_values.h"
#include "record/graphs/node_questions.h"
#include "record/streams/node_facts.h"

namespace onnxcmp {
namespace {

absl::Status AsAWhole(absl::string_view why) { return absl::UnimplementedError(why); }

// True if inputs of whole numbers that vary say nothing of the shapes of the results.
bool KeepsShape(const Node& node, size_t input) {
  static constexpr absl::string_view kOfAny[] = {
      "Add", "And", "Cast", "Concat", "Equal", "Identity", "Max",        "Min",
      "Mul", "Not", "Or",   "Sub",    "Where", "Greater",  "Less",       "GreaterOrEqual",
      "Neg", "Abs", "Mod",  "Xor",    "Sum",   "CastLike", "LessOrEqual"};
  static constexpr absl::string_view kOfFirst[] = {
      "Expand",    "Flatten",   "Reshape",   "Slice",     "Squeeze",
      "Transpose", "Unsqueeze", "ReduceSum", "ReduceMax", "Split"};
  if (node.domain != kOnnxDomain) return false;
  return OnlyPlaces(node) || absl::c_linear_search(kOfAny, node.op_type) ||
         (input == 0 && absl::c_linear_search(kOfFirst, node.op_type));
}

// True for operators on floats that may give another number where a rounding turns them.
bool Jumps(const Node& node) {
  static constexpr absl::string_view kJumping[] = {"Binarizer",
                                                   "Ceil",
                                                   "Floor",
                                                   "Hardmax",
                                                   "Mod",
                                                   "Round",
                                                   "Sign",
                                                   "TreeEnsemble",
                                                   "TreeEnsembleClassifier",
                                                   "TreeEnsembleRegressor"};
  if (absl::c_linear_search(kJumping, node.op_type)) return true;
  const auto* const mode = AttributeOf<std::string>(node, "mode");
  return mode != nullptr && *mode == "nearest";
}

}  // namespace

// Numbers the values of one side after the other.
class SharedValues::Reader {
 public:
  Reader(const PerSide<Side*>& sides, absl::Span<const ProofPair> pairs, SharedValues* values)
      : sides_(sides),
        feeds_{sides.left->feeds(), sides.right->feeds()},
        pairs_(pairs),
        values_(*values) {
    for (const SideId side : kBothSides) {
      for (const Node& node : sides[side]->evaluator()->model().graph.nodes) {
        if (IsCopy(node)) sources_[side][node.outputs[0]] = SourceOf(side, node.inputs[0]);
      }
    }
    for (const ProofPair& pair : pairs) {
      partners_[SourceOf(SideId::kRight, pair.right)].push_back(SourceOf(SideId::kLeft, pair.left));
    }
  }

  // True if each function of the left that jumps is on the right, too.
  bool SharesJumps() const {
    return absl::c_all_of(jumping_, [&](int number) { return HasNumber(SideId::kRight, number); });
  }

  absl::Status Read(SideId side, const ResultStream& stream) {
    for (const StreamResult& result : stream.results) {
      if (result.depth > 0) return AsAWhole("a subgraph");
      if (!result.shape.has_value() || result.form.any())
        return AsAWhole("a value of another form");
      seen_[side].try_emplace(result.name, &result);
    }
    const Model& model = sides_[side]->evaluator()->model();
    values_.graphs_[side] = &model.graph;
    OC_RETURN_IF_ERROR(ReadLeaves(side, model));
    NodeFactsCache facts(sides_[side]->evaluator()->registry());
    for (size_t i = 0; i < model.graph.nodes.size(); ++i) {
      const Node& node = model.graph.nodes[i];
      OC_RETURN_IF_ERROR(ReadNode(side, static_cast<int>(i), node, facts.Of(node).operation));
    }
    return absl::OkStatus();
  }

 private:
  using Key = std::vector<uint64_t>;

  static bool IsCopy(const Node& node) {
    return node.domain == kOnnxDomain && node.op_type == "Identity" && node.inputs.size() == 1 &&
           node.outputs.size() == 1;
  }
  // The value that a copy repeats, or the value itself.
  const std::string& SourceOf(SideId side, const std::string& name) const {
    const auto source = sources_[side].find(name);
    return source == sources_[side].end() ? name : source->second;
  }

  absl::Status ReadLeaves(SideId side, const Model& model) {
    for (const auto& [name, value] : *feeds_[side]) {
      if (!value.is_tensor()) return AsAWhole("an input that is no tensor");
      OC_RETURN_IF_ERROR(ReadInput(side, name, !Varies(value)));
    }
    for (const Initializer& initializer : model.graph.initializers) {
      if (values_.values_[side].contains(initializer.name)) continue;
      const bool is_input = model.ir_version >= 4 && Varies(initializer.value) &&
                            absl::c_any_of(model.graph.inputs, [&](const ValueInfo& input) {
                              return input.name == initializer.name;
                            });
      OC_RETURN_IF_ERROR(ReadInput(side, initializer.name, !is_input));
    }
    return absl::OkStatus();
  }

  absl::Status ReadInput(SideId side, const std::string& name, bool fixed) {
    SharedValue value;
    OC_ASSIGN_OR_RETURN(value.seen, Seen(side, name));
    value.name = name;
    value.fixed = fixed;
    Key key = {FunctionNumber("input"), InputKey(feeds_, pairs_, side, name),
               static_cast<uint64_t>(value.seen->dtype)};
    key.insert(key.end(), value.seen->shape->begin(), value.seen->shape->end());
    value.number = fixed ? NumberOfContent(*value.seen) : NumberOf(key);
    Keep(side, name, value);
    return absl::OkStatus();
  }

  absl::Status ReadNode(SideId side, int index, const Node& node, uint64_t operation) {
    if (!GraphsOf(node).empty() || node.body != nullptr) return AsAWhole("a subgraph");
    if (DrawsNumbers(node)) return AsAWhole("random numbers");
    if (ShapesByNumbers(node)) return AsAWhole("shapes that depend on values");
    if (IsCopy(node)) {
      const SharedValue copied = values_.Of(side, node.inputs[0]);
      Keep(side, node.outputs[0], copied);
      return absl::OkStatus();
    }
    Key key = {FunctionNumber("node"), operation};
    SharedValue made;
    made.node = index;
    made.fixed = true;
    bool floats = false;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const std::string& name = node.inputs[i];
      if (name.empty()) {
        key.push_back(0);
        continue;
      }
      const SharedValue& input = values_.Of(side, name);
      key.push_back(static_cast<uint64_t>(input.number) + 1);
      if (ReadsNoElements(node)) continue;
      made.fixed = made.fixed && input.fixed;
      made.rounded = made.rounded || input.rounded;
      const bool is_float = IsFloatingPoint(input.seen->dtype);
      floats = floats || (is_float && !input.fixed);
      if (!is_float && !input.fixed && !KeepsShape(node, i)) {
        return AsAWhole("a shape that may depend on values");
      }
    }
    for (size_t slot = 0; slot < node.outputs.size(); ++slot) {
      const std::string& name = node.outputs[slot];
      if (name.empty()) continue;
      SharedValue value = made;
      value.name = name;
      OC_ASSIGN_OR_RETURN(value.seen, Seen(side, name));
      const bool jumps = Jumps(node) || (floats && !IsFloatingPoint(value.seen->dtype));
      key.push_back(slot);
      value.number = value.fixed ? NumberOfContent(*value.seen) : NumberOf(key);
      key.pop_back();
      if (side == SideId::kRight && !value.fixed) Claim(name, &value);
      if (jumps && !value.fixed) {
        const bool alike = side == SideId::kLeft || HasNumber(SideId::kLeft, value.number);
        if (value.rounded || !alike) return AsAWhole("a function that jumps");
        if (side == SideId::kLeft) jumping_.push_back(value.number);
      }
      Keep(side, name, value);
    }
    return absl::OkStatus();
  }

  // Takes the right's value for that of the left with which it is paired.
  void Claim(const std::string& name, SharedValue* value) {
    const auto partners = partners_.find(name);
    if (partners == partners_.end() || HasNumber(SideId::kLeft, value->number)) return;
    for (const std::string& partner : partners->second) {
      const auto left = values_.values_.left.find(partner);
      if (left == values_.values_.left.end() || left->second.fixed) continue;
      const StreamResult& seen = *left->second.seen;
      if (seen.dtype != value->seen->dtype || seen.shape != value->seen->shape ||
          !IsFloatingPoint(seen.dtype)) {
        continue;
      }
      value->number = left->second.number;
      value->rounded = true;
      values_.claims_.emplace_back(partner, name);
      values_.claimed_.insert(value->number);
      return;
    }
  }

  absl::StatusOr<const StreamResult*> Seen(SideId side, const std::string& name) const {
    const auto seen = seen_[side].find(name);
    if (seen == seen_[side].end()) return AsAWhole("a value that the run does not show");
    return seen->second;
  }

  bool HasNumber(SideId side, int number) const {
    return Index(number) < values_.counts_[side].size() && values_.counts_[side][Index(number)];
  }

  int NumberOf(const Key& key) {
    return numbers_.try_emplace(key, static_cast<int>(numbers_.size())).first->second;
  }
  int NumberOfContent(const StreamResult& seen) {
    const Hash128& content = seen.fingerprint.content;
    return NumberOf({FunctionNumber("content"), content.low, content.high});
  }

  void Keep(SideId side, const std::string& name, const SharedValue& value) {
    for (const SideId any : kBothSides) {
      if (values_.counts_[any].size() < numbers_.size()) {
        values_.counts_[any].resize(numbers_.size());
      }
    }
    values_.counts_[side][Index(value.number)] = true;
    if (value.fixed) {
      const auto [known, is_new] =
          values_.elements_.try_emplace(value.seen->fingerprint.elements, value.number);
      if (!is_new && known->second != value.number) known->second = kNone;
    }
    values_.values_[side].insert_or_assign(name, value);
  }

  const PerSide<Side*>& sides_;
  const PerSide<const Feeds*> feeds_;
  const absl::Span<const ProofPair> pairs_;
  SharedValues& values_;
  absl::flat_hash_map<std::string, std::vector<std::string>> partners_;  // of the right's
  PerSide<absl::flat_hash_map<std::string, std::string>> sources_;       // of copies
  PerSide<absl::flat_hash_map<std::string, const StreamResult*>> seen_;
  absl::flat_hash_map<Key, int> numbers_;
  std::vector<int> jumping_;  // of the left
};

absl::StatusOr<SharedValues> SharedValues::Of(const PerSide<Side*>& sides,
                                              const Comparison& comparison,
                                              absl::Span<const ProofPair> pairs) {
  SharedValues values;
  Reader reader(sides, pairs, &values);
  OC_RETURN_IF_ERROR(reader.Read(SideId::kLeft, comparison.left));
  OC_RETURN_IF_ERROR(reader.Read(SideId::kRight, comparison.right));
  if (!reader.SharesJumps()) return AsAWhole("a function that jumps");
  return values;
}

bool SharedValues::HaveOneShape(const std::string& left, const std::string& right) const {
  const auto l = values_.left.find(left);
  const auto r = values_.right.find(right);
  return l != values_.left.end() && r != values_.right.end() &&
         l->second.seen->shape == r->second.seen->shape;
}

bool SharedValues::AreEqual(const std::string& left, const std::string& right) const {
  if (!HaveOneShape(left, right)) return false;
  const SharedValue& l = Of(SideId::kLeft, left);
  const SharedValue& r = Of(SideId::kRight, right);
  return l.number == r.number && l.seen->dtype == r.seen->dtype;
}

bool SharedValues::HasOwnTables() const {
  const auto is_own_table = [&](const auto& named) {
    const SharedValue& value = named.second;
    return value.node == kNone && value.fixed && !IsShared(value) &&
           IsFloatingPoint(value.seen->dtype) && value.seen->shape->size() > 1;
  };
  return absl::c_any_of(values_.left, is_own_table) && absl::c_any_of(values_.right, is_own_table);
}

}  // namespace onnxcmp
