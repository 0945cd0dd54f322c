#include "feed/generated_targets.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/base/status_macros.h"
#include "feed/index_limits.h"
#include "feed/made_up/free_sizes.h"
#include "feed/made_up/input_purpose.h"
#include "feed/made_up/made_up_values.h"
#include "feed/type_text.h"
#include "record/graphs/node_questions.h"
#include "record/operators/operator_traits.h"

namespace onnxcmp {
namespace {

// Sizes of named dimensions, by side and name.
using KnownSizes = std::map<std::pair<SideId, std::string>, int64_t>;

class SharedSizes {
 public:
  SharedSizes(const std::vector<ValueTarget>& targets, const GeneratedInputs& options)
      : options_(options) {
    for (const ValueTarget& target : targets) {
      merged_.push_back({target.inputs[0].name, target.inputs[0].type});
      for (const ValueTarget::Input& input : target.inputs) Complete(input, &merged_.back());
    }
  }

  // A size known for one input holds for all dimensions of the same name.
  absl::StatusOr<std::vector<ValueInfo>> Merge(const std::vector<ValueTarget>& targets) {
    for (bool found = true; found;) {
      const size_t before = known_.size();
      for (size_t i = 0; i < targets.size(); ++i) OC_RETURN_IF_ERROR(MergeOne(targets[i], i));
      found = known_.size() > before;
    }
    return std::move(merged_);
  }

 private:
  // Takes parts of the type from the other side where this one leaves them open.
  static void Complete(const ValueTarget::Input& input, ValueInfo* merged) {
    if (merged->type.kind == TypeInfo::Kind::kUnknown) merged->type = input.type;
    if (merged->type.dtype == DType::kUndefined) merged->type.dtype = input.type.dtype;
    if (!merged->type.shape.has_value()) merged->type.shape = input.type.shape;
  }

  absl::Status MergeOne(const ValueTarget& target, size_t i) {
    if (!merged_[i].type.shape.has_value()) return absl::OkStatus();
    std::vector<TypeInfo::Dim>& dims = *merged_[i].type.shape;
    for (size_t axis = 0; axis < dims.size(); ++axis) {
      std::optional<int64_t> size;
      for (const ValueTarget::Input& input : target.inputs) {
        const std::optional<int64_t> own = SizeOf(input, axis);
        if (size.has_value() && own.has_value() && *own != *size) return SizesDiffer(target, axis);
        if (!size.has_value()) size = own;
      }
      // A size of 0 in a model means none; a given size is found by its name.
      if (size.value_or(0) == 0) continue;
      dims[axis] = {size, ""};
      for (const ValueTarget::Input& input : target.inputs) {
        if (input.type.shape.has_value() && axis < input.type.shape->size() &&
            !(*input.type.shape)[axis].symbol.empty()) {
          known_.emplace(std::pair(input.side, (*input.type.shape)[axis].symbol), *size);
        }
      }
    }
    return absl::OkStatus();
  }

  std::optional<int64_t> SizeOf(const ValueTarget::Input& input, size_t axis) const {
    if (!input.type.shape.has_value() || axis >= input.type.shape->size()) return std::nullopt;
    const TypeInfo::Dim& dim = (*input.type.shape)[axis];
    if (dim.value.value_or(0) != 0) return dim.value;
    if (dim.symbol.empty()) return std::nullopt;
    if (const auto it = options_.dims.find(dim.symbol); it != options_.dims.end()) {
      return it->second;
    }
    const auto it = known_.find({input.side, dim.symbol});
    return it == known_.end() ? std::nullopt : std::optional<int64_t>(it->second);
  }

  absl::Status SizesDiffer(const ValueTarget& target, size_t axis) const {
    return absl::InvalidArgumentError(absl::StrCat(
        "the sizes differ along axis ", axis, ": ",
        absl::StrJoin(target.inputs, ", ", [&](std::string* out, const ValueTarget::Input& input) {
          absl::StrAppend(out, SideName(input.side), " input `", input.name, "` ",
                          TypeText(input.type), " has ", SizeOf(input, axis).value_or(0));
        })));
  }

  const GeneratedInputs& options_;
  std::vector<ValueInfo> merged_;
  KnownSizes known_;
};

// Ramps as in the classic table.
absl::StatusOr<std::vector<Value>> Ramps(const std::vector<ValueTarget>& targets,
                                         const std::vector<ValueInfo>& inputs,
                                         const PerSide<const Graph*>& graphs,
                                         const GeneratedInputs& options) {
  PerSide<absl::flat_hash_map<std::string, int64_t>> limits;
  for (const SideId side : kBothSides) {
    if (graphs[side] != nullptr) limits[side] = IndexLimits(*graphs[side]);
  }
  InputGenerator generator(options);
  std::vector<Value> values;
  for (size_t i = 0; i < targets.size(); ++i) {
    std::optional<int64_t> limit;
    for (const ValueTarget::Input& input : targets[i].inputs) {
      const auto& own = limits[input.side];
      if (const auto it = own.find(input.name); it != own.end()) {
        limit = std::min(limit.value_or(it->second), it->second);
      }
    }
    OC_ASSIGN_OR_RETURN(Tensor tensor, generator.Make(inputs[i], limit));
    values.push_back(std::move(tensor));
  }
  return values;
}

// Values by the purpose of the inputs.
class MadeUp {
 public:
  MadeUp(const std::vector<ValueTarget>& targets, std::vector<ValueInfo> inputs,
         const PerSide<const Graph*>& graphs, const GeneratedInputs& options,
         PurposeCache* purposes)
      : targets_(targets), inputs_(std::move(inputs)), options_(options), cache_(purposes) {
    for (const SideId side : kBothSides) {
      if (graphs[side] != nullptr) purposes_[side] = &purposes->Of(*graphs[side]);
    }
    for (const ValueTarget& target : targets) merged_.push_back(PurposeOf(target));
    SizeChoice choice = options.sizes;
    choice.rows = std::max(choice.rows, Rows(graphs));
    const FreeSizes sizes(inputs_, Windows(graphs), choice, options.dims);
    for (size_t i = 0; i < targets.size(); ++i) {
      Shape shape;
      const TypeInfo& type = LeafType(inputs_[i].type);
      const ValueInfo leaf = {inputs_[i].name, type};
      // Elements of sequences may be of any shape.
      if (!type.shape.has_value() && inputs_[i].type.kind != TypeInfo::Kind::kTensor) {
        shape = {2, 3};
      }
      for (size_t axis = 0; type.shape.has_value() && axis < type.shape->size(); ++axis) {
        shape.push_back(sizes.SizeOf(leaf, axis));
      }
      shapes_.push_back(std::move(shape));
      for (const ValueTarget::Input& input : targets[i].inputs) {
        places_[{input.side, input.name}] = i;
      }
    }
    FollowCaches();
  }

  absl::StatusOr<std::vector<Value>> Values() const {
    std::vector<Value> values;
    for (size_t i = 0; i < targets_.size(); ++i) {
      OC_RETURN_IF_ERROR(CheckSize(i));
      // Each input has its own random numbers, so that no two are alike.
      ValueMaker maker(options_.seed.value_or(0) * 1000003 + 7919 * i +
                           104729 * static_cast<uint64_t>(options_.sizes.set),
                       RegimeOf(i), options_.sizes.set, options_.memory);
      absl::StatusOr<Value> value = ValueOf(i, inputs_[i].type, maker);
      if (!value.ok()) {
        return absl::Status(value.status().code(), absl::StrCat("input ", inputs_[i].name, ": ",
                                                                value.status().message()));
      }
      values.push_back(*std::move(value));
    }
    return values;
  }

  // By input: true for masks.
  std::vector<bool> Masks() const {
    std::vector<bool> masks;
    for (const InputPurpose& purpose : merged_) {
      masks.push_back(purpose.IsMask());
    }
    return masks;
  }

  std::vector<std::string> Describe() const {
    std::vector<std::string> lines;
    for (size_t i = 0; i < targets_.size(); ++i) {
      const InputPurpose& purpose = merged_[i];
      if (purpose.why.empty()) continue;
      const std::optional<int64_t> limit = LimitOf(i, purpose);
      lines.push_back(absl::StrCat(
          inputs_[i].name, ": ", purpose.why,
          purpose.Is<IdPurpose>() && limit.has_value() ? absl::StrCat(", below ", *limit) : ""));
    }
    return lines;
  }

 private:
  // Positions follow what is in the caches, if lengths of these are inputs: a fused operator counts
  // by the lengths what another side reads as positions.
  void FollowCaches() {
    std::optional<int64_t> total;
    for (size_t i = 0; i < merged_.size(); ++i) {
      const auto* lengths = merged_[i].As<LengthPurpose>();
      if (lengths != nullptr && lengths->full.has_value()) total = LimitOf(i, merged_[i]);
    }
    for (size_t i = 0; total.has_value() && i < merged_.size(); ++i) {
      const bool positions =
          merged_[i].Is<PositionPurpose>() ||
          (merged_[i].Is<IdPurpose>() && absl::StrContains(inputs_[i].name, "position"));
      if (!positions || shapes_[i].empty()) continue;
      merged_[i].purpose = PositionPurpose{std::max<int64_t>(0, *total - shapes_[i].back())};
    }
  }

  // The windows of both graphs, by the names of `inputs_`.
  WindowLengths Windows(const PerSide<const Graph*>& graphs) {
    WindowLengths windows;
    for (size_t i = 0; i < targets_.size(); ++i) {
      for (const ValueTarget::Input& input : targets_[i].inputs) {
        if (graphs[input.side] == nullptr) continue;
        for (const auto& [at, window] : cache_->WindowsOf(*graphs[input.side])) {
          if (at.first == input.name) windows[{inputs_[i].name, at.second}].Add(window);
        }
      }
    }
    return windows;
  }

  // The element type of sequences and optionals.
  static const TypeInfo& LeafType(const TypeInfo& type) {
    const TypeInfo* leaf = &type;
    while ((leaf->kind == TypeInfo::Kind::kSequence || leaf->kind == TypeInfo::Kind::kOptional) &&
           leaf->element != nullptr) {
      leaf = leaf->element.get();
    }
    return *leaf;
  }

  Regime RegimeOf(size_t i) const {
    if (!options_.mixture.has_value()) return options_.regime;
    return static_cast<Regime>(std::mt19937_64(*options_.mixture * 31 + i)() % kRegimes);
  }

  InputPurpose PurposeOf(const ValueTarget& target) {
    std::optional<InputPurpose> merged;
    std::vector<const InputPurpose*> sides;
    NumberRange integers = {-9.2e18, 9.2e18};
    for (const ValueTarget::Input& input : target.inputs) {
      if (IsInteger(input.type.dtype)) {
        integers.least =
            std::max(integers.least, static_cast<double>(IntegerMin(input.type.dtype)));
        integers.greatest =
            std::min(integers.greatest, static_cast<double>(IntegerMax(input.type.dtype)));
      }
      const InputPurposes* own = purposes_[input.side];
      if (own == nullptr) continue;
      const auto it = own->find(input.name);
      const InputPurpose& found = it == own->end() ? unknown_ : it->second;
      sides.push_back(&found);
      merged = merged.has_value() ? Merged(*std::move(merged), found) : found;
    }
    if (!merged.has_value()) merged.emplace();
    merged->integers = integers;
    merged->probes = options_.probes;
    merged->shrink = options_.sizes.shrink;
    if (sides.size() == 2) AddRowsThatDiffer(*sides[0], *sides[1], &*merged);
    return *std::move(merged);
  }

  // Adds the differing rows of tables that both sides have in the same order.
  void AddRowsThatDiffer(const InputPurpose& left, const InputPurpose& right, InputPurpose* to) {
    const auto* left_ids = left.As<IdPurpose>();
    const auto* right_ids = right.As<IdPurpose>();
    if (left_ids == nullptr || right_ids == nullptr) return;
    auto& wanted = std::get<IdPurpose>(to->purpose).rows_that_differ;
    for (size_t i = 0; i < std::min(left_ids->tables.size(), right_ids->tables.size()); ++i) {
      const IdTable& ours = left_ids->tables[i];
      const IdTable& theirs = right_ids->tables[i];
      if (ours.axis != theirs.axis) continue;
      const std::vector<int64_t>& rows = cache_->DifferingRows(*ours.rows, *theirs.rows, ours.axis);
      // If most rows differ, any ids show it.
      if (2 * static_cast<int64_t>(rows.size()) > RowsOf(ours)) continue;
      for (const int64_t row : rows) {
        if (const auto id = ours.index.IdOf(row)) wanted.push_back(*id);
      }
    }
  }

  static int64_t RowsOf(const IdTable& table) {
    const int64_t rank = table.rows->rank();
    return table.rows->dim(table.axis < 0 ? table.axis + rank : table.axis);
  }

  // True for trees and neighbours: of most rows a small change of a feature moves no result.
  static bool NeedsManyRows(const Node& node) {
    return (node.domain == kMlDomain && HasTrait(node, OperatorTrait::kJumps)) ||
           node.op_type == "CDist" || IsOneOf(node, {"Scan", "TopK"});
  }

  // Number of rows that reach all leaves of trees and all keys.
  int64_t Rows(const PerSide<const Graph*>& graphs) const {
    constexpr int64_t kMost = 256;
    constexpr int64_t kFew = 16;
    int64_t rows = 0;
    for (const SideId side : kBothSides) {
      if (graphs[side] == nullptr) continue;
      const std::vector<Node>& nodes = graphs[side]->nodes;
      const bool of_features = std::any_of(
          nodes.begin(), nodes.end(), [](const Node& node) { return node.domain == kMlDomain; });
      if (of_features && std::any_of(nodes.begin(), nodes.end(), NeedsManyRows)) rows = kMost;
    }
    for (size_t i = 0; i < merged_.size(); ++i) {
      const InputPurpose& purpose = merged_[i];
      const bool limits = purpose.Is<NumberPurpose>() && !purpose.landmarks.empty();
      const auto keys = static_cast<int64_t>(purpose.words.size() + purpose.keys.size());
      const auto* features = purpose.As<FeaturePurpose>();
      const size_t paths = features == nullptr ? 0 : features->paths.size();
      rows = std::max({rows, static_cast<int64_t>(paths), 2 * keys});
      if (!purpose.missing.empty() || (limits && IsInteger(inputs_[i].type.dtype))) {
        rows = std::max(rows, kFew);
      }
    }
    return std::min(rows, kMost);
  }

  std::optional<int64_t> LimitOf(size_t i, const InputPurpose& purpose) const {
    if (purpose.limit_sum.empty()) return purpose.limit;
    int64_t sum = purpose.limit.value_or(0);
    for (const InputDim& dim : purpose.limit_sum) {
      for (const ValueTarget::Input& input : targets_[i].inputs) {
        const auto place = places_.find({input.side, dim.input});
        if (place == places_.end()) continue;
        const Shape& shape = shapes_[place->second];
        if (dim.axis < static_cast<int64_t>(shape.size())) {
          sum += dim.times * shape[static_cast<size_t>(dim.axis)];
        }
        break;
      }
    }
    sum = std::max<int64_t>(sum, 1);
    return purpose.at_most > 0 ? std::min<int64_t>(sum, purpose.at_most) : sum;
  }

  absl::Status CheckSize(size_t i) const {
    const TypeInfo& type = LeafType(inputs_[i].type);
    if (type.kind != TypeInfo::Kind::kTensor || type.dtype == DType::kUndefined ||
        (!type.shape.has_value() && inputs_[i].type.kind == TypeInfo::Kind::kTensor)) {
      return absl::InvalidArgumentError(absl::StrCat("cannot make up a value for input ",
                                                     inputs_[i].name, " of type ",
                                                     TypeText(inputs_[i].type), ": give --inputs"));
    }
    return CheckMadeUpSize({inputs_[i].name, type}, shapes_[i], options_.max_tensor);
  }

  // `depth` sequences are around the value.
  absl::StatusOr<Value> ValueOf(size_t i, const TypeInfo& type, ValueMaker& maker,
                                int depth = 0) const {
    if (type.kind == TypeInfo::Kind::kSequence) {
      // Each level multiplies the elements.
      constexpr int kLevelsOfSeveral = 3;
      const int elements = depth < kLevelsOfSeveral ? 3 : 1;
      Sequence sequence;
      sequence.element_dtype = LeafType(type).dtype;
      for (int k = 0; k < elements; ++k) {
        OC_ASSIGN_OR_RETURN(Value element, ValueOf(i, *type.element, maker, depth + 1));
        sequence.elements.push_back(std::move(element));
      }
      return Value(std::move(sequence));
    }
    if (type.kind == TypeInfo::Kind::kOptional) {
      OC_ASSIGN_OR_RETURN(Value element, ValueOf(i, *type.element, maker, depth));
      Optional optional;
      optional.element_dtype = LeafType(type).dtype;
      // One set has it empty.
      if (options_.sizes.set % 4 == 2) return Value(std::move(optional));
      optional.element = std::make_shared<const Value>(std::move(element));
      return Value(std::move(optional));
    }
    const InputPurpose& purpose = merged_[i];
    OC_ASSIGN_OR_RETURN(Tensor tensor,
                        maker.Make(type.dtype, shapes_[i], purpose, LimitOf(i, purpose)));
    return Value(std::move(tensor));
  }

  const std::vector<ValueTarget>& targets_;
  std::vector<ValueInfo> inputs_;
  const GeneratedInputs& options_;
  PerSide<const InputPurposes*> purposes_ = {nullptr, nullptr};
  PurposeCache* cache_;
  const InputPurpose unknown_;
  std::vector<InputPurpose> merged_;  // by target
  std::vector<Shape> shapes_;
  std::map<std::pair<SideId, std::string>, size_t> places_;
};

}  // namespace

absl::StatusOr<std::vector<Value>> GenerateTargets(const std::vector<ValueTarget>& targets,
                                                   const PerSide<const Graph*>& graphs,
                                                   const GeneratedInputs& options,
                                                   PurposeCache* purposes) {
  OC_ASSIGN_OR_RETURN(std::vector<ValueInfo> inputs, SharedSizes(targets, options).Merge(targets));
  if (options.ramp) return Ramps(targets, inputs, graphs, options);
  return MadeUp(targets, std::move(inputs), graphs, options, purposes).Values();
}

std::vector<SizeSum> SumsToTry(const std::vector<ValueTarget>& targets,
                               const PerSide<const Graph*>& graphs, const GeneratedInputs& options,
                               PurposeCache* purposes) {
  const absl::StatusOr<std::vector<ValueInfo>> inputs =
      SharedSizes(targets, options).Merge(targets);
  if (!inputs.ok() || options.ramp) return {};
  return PossibleSums(*inputs, MadeUp(targets, *inputs, graphs, options, purposes).Masks());
}

absl::StatusOr<std::vector<NamedValue>> GenerateInputs(const Graph& graph,
                                                       const GeneratedInputs& options) {
  std::vector<ValueTarget> targets;
  for (const ValueInfo* input : RequiredInputs(graph)) {
    targets.push_back({{{SideId::kLeft, input->name, input->type}}});
  }
  PurposeCache purposes;
  OC_ASSIGN_OR_RETURN(std::vector<Value> values,
                      GenerateTargets(targets, {&graph, nullptr}, options, &purposes));
  std::vector<NamedValue> named;
  for (size_t i = 0; i < targets.size(); ++i) {
    named.push_back({targets[i].inputs[0].name, std::move(values[i])});
  }
  return named;
}

std::vector<std::string> DescribeMadeUp(const std::vector<ValueTarget>& targets,
                                        const PerSide<const Graph*>& graphs,
                                        const GeneratedInputs& options, PurposeCache* purposes) {
  absl::StatusOr<std::vector<ValueInfo>> inputs = SharedSizes(targets, options).Merge(targets);
  if (!inputs.ok() || options.ramp) return {};
  return MadeUp(targets, *std::move(inputs), graphs, options, purposes).Describe();
}

}  // namespace onnxcmp
