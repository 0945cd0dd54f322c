#include "prove/trials/rewrite_models.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "compare/alignment/alignment.h"
#include "compare/outputs/compared_row.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/model/outer_names.h"
#include "record/base/work_bounds.h"
#include "record/graphs/graph_scope.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {
namespace {

absl::Status NoCut(absl::string_view why) { return absl::UnimplementedError(why); }

bool HaveTheSameType(const StreamResult& left, const StreamResult& right) {
  return left.dtype == right.dtype && left.shape == right.shape;
}

absl::StatusOr<ValueInfo> InfoOf(const std::string& name, const StreamResult* found) {
  if (found == nullptr) return NoCut("a value that other sizes do not have");
  const StreamResult& result = *found;
  if (!result.shape.has_value() || result.form.any()) return NoCut("a value that is no tensor");
  ValueInfo info;
  info.name = name;
  info.type.kind = TypeInfo::Kind::kTensor;
  info.type.dtype = result.dtype;
  info.type.shape.emplace();
  for (const int64_t size : *result.shape) info.type.shape->push_back({size, ""});
  return info;
}

// The nodes of a side, with the constants that they read.
class SideCut {
 public:
  // `sized`: a run at other sizes, whose shapes the model has; null: those of `stream`.
  SideCut(const Model& model, const ResultStream& stream, const ResultStream* sized)
      : model_(model), stream_(stream), scope_(MakeScope(model.graph)) {
    if (sized != nullptr) {
      for (const StreamResult& result : sized->results) {
        if (result.depth == 0) sized_.try_emplace(result.name, &result);
      }
      has_sizes_ = true;
    }
    for (const Initializer& initializer : model.graph.initializers) {
      initializers_[initializer.name] = &initializer;
    }
  }

  absl::Status Take(const std::vector<int>& nodes) {
    inside_.insert(nodes.begin(), nodes.end());
    entries_.clear();
    constants_.clear();
    // Copies and constants belong to those that read them.
    std::vector<int> open(inside_.begin(), inside_.end());
    while (!open.empty()) {
      const StreamNode& node = stream_.nodes[Index(open.back())];
      open.pop_back();
      if (!node.captures.empty() || !node.closed) return NoCut("a node with a body");
      for (const int read : node.inputs) {
        if (read == kNone) continue;
        const StreamResult& result = stream_.results[Index(read)];
        if (result.node == kNone || inside_.contains(result.node)) continue;
        const std::string& op = stream_.nodes[Index(result.node)].op_type;
        if (op != "Identity" && op != "Constant") continue;
        inside_.insert(result.node);
        open.push_back(result.node);
      }
      if (inside_.size() > work_bounds::kCandidates) return NoCut("too many nodes");
    }
    for (const int n : inside_) {
      for (const int read : stream_.nodes[Index(n)].inputs) {
        if (read != kNone) OC_RETURN_IF_ERROR(Read(read));
      }
    }
    return absl::OkStatus();
  }

  const std::vector<int>& entries() const { return entries_; }
  const StreamResult& result(int r) const { return stream_.results[Index(r)]; }
  // The same in the sizes that the model has; null if there is none.
  const StreamResult* Sized(int r) const {
    if (!has_sizes_) return &result(r);
    const auto found = sized_.find(result(r).name);
    return found == sized_.end() ? nullptr : found->second;
  }
  bool Makes(int r) const { return inside_.contains(result(r).node); }
  bool Uses(const std::string& name) const {
    return scope_->producers.contains(name) || initializers_.contains(name);
  }

  // `entries`: results in the order of the model's inputs, which are called `inputs`.
  absl::StatusOr<std::shared_ptr<const Model>> Make(const std::vector<int>& entries,
                                                    const std::vector<std::string>& inputs,
                                                    const std::vector<int>& outputs) const {
    Model made;
    made.ir_version = model_.ir_version;
    made.imports = model_.imports;
    made.graph.name = model_.graph.name;
    absl::flat_hash_map<std::string, std::string> names;
    for (size_t i = 0; i < entries.size(); ++i) {
      const StreamResult& result = stream_.results[Index(entries[i])];
      OC_ASSIGN_OR_RETURN(ValueInfo info, InfoOf(inputs[i], Sized(entries[i])));
      made.graph.inputs.push_back(std::move(info));
      names[result.name] = inputs[i];
    }
    for (const std::string& constant : constants_) {
      made.graph.initializers.push_back(*initializers_.at(constant));
    }
    for (const int n : inside_) {
      OC_ASSIGN_OR_RETURN(Node node, NodeOf(n));
      for (std::string& input : node.inputs) {
        if (const auto name = names.find(input); name != names.end()) input = name->second;
      }
      made.graph.nodes.push_back(std::move(node));
    }
    for (const int output : outputs) {
      const StreamResult& result = stream_.results[Index(output)];
      OC_ASSIGN_OR_RETURN(ValueInfo info, InfoOf(result.name, Sized(output)));
      made.graph.outputs.push_back(std::move(info));
    }
    return std::make_shared<const Model>(std::move(made));
  }

 private:
  absl::Status Read(int read) {
    const StreamResult& result = stream_.results[Index(read)];
    if (result.depth > 0) return NoCut("a node in a body");
    if (result.node != kNone && inside_.contains(result.node)) return absl::OkStatus();
    if (result.kind == ResultKind::kInitializer) {
      if (!initializers_.contains(result.name)) return NoCut("a constant without a value");
      constants_.insert(result.name);
    } else if (std::find(entries_.begin(), entries_.end(), read) == entries_.end()) {
      entries_.push_back(read);
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Node> NodeOf(int n) const {
    for (const int output : stream_.nodes[Index(n)].outputs) {
      if (output == kNone) continue;
      const StreamResult& result = stream_.results[Index(output)];
      const Node* const maker = ProducerIn(*scope_, result.name);
      if (result.depth > 0 || maker == nullptr) break;
      if (!GraphsOf(*maker).empty() || maker->body != nullptr) break;
      return *maker;
    }
    return NoCut("a node in a body or with one");
  }

  const Model& model_;
  const ResultStream& stream_;
  absl::flat_hash_map<std::string, const StreamResult*> sized_;
  bool has_sizes_ = false;
  const std::unique_ptr<GraphScope> scope_;
  absl::flat_hash_map<std::string, const Initializer*> initializers_;
  std::set<int> inside_;  // in the order of the run
  std::set<std::string> constants_;
  std::vector<int> entries_;
};

// Finds the values that both sides of a cut read.
class Matcher {
 public:
  // `apart`: results of the left and of the right that do not count as pairs.
  Matcher(const Alignment& alignment, const PerSide<std::set<int>>& apart, SideCut* left,
          SideCut* right)
      : alignment_(alignment), apart_(apart), cuts_{left, right} {}

  // Takes further nodes of either side until both read the same values.
  absl::Status Match() {
    while (true) {
      PerSide<std::vector<int>> others;
      for (const SideId side : kBothSides) {
        for (const int r : cuts_[side]->entries()) {
          if (!IsRead(side, r)) others[side].push_back(r);
        }
      }
      if (others.left.empty() && others.right.empty()) return absl::OkStatus();
      // Others may find a partner once these are computed.
      bool any = false;
      for (const bool with_partner : {false, true}) {
        if (any) break;
        for (const SideId side : kBothSides) {
          std::vector<int> nodes;
          for (const int r : others[side]) {
            const int maker = cuts_[side]->result(r).node;
            const int partner = PartnerOf(side, r);
            const bool waits = partner != kNone && !cuts_[Other(side)]->Makes(partner);
            if (maker != kNone && waits == with_partner) nodes.push_back(maker);
          }
          any |= !nodes.empty();
          if (!nodes.empty()) OC_RETURN_IF_ERROR(cuts_[side]->Take(nodes));
        }
      }
      if (!any) return NoCut("the two read other values");
    }
  }

  // The right's entries in the order of the left's, after Match().
  std::vector<int> InOrder() const {
    std::vector<int> matched;
    for (const int l : cuts_.left->entries()) {
      for (const int r : cuts_.right->entries()) {
        if (AreTheSame(l, r)) matched.push_back(r);
      }
    }
    return matched;
  }

 private:
  int PartnerOf(SideId side, int r) const {
    return apart_[side].contains(r) ? kNone : alignment_.partners(side)[Index(r)];
  }

  bool AreTheSame(int l, int r) const {
    return (PartnerOf(SideId::kLeft, l) == r || PartnerOf(SideId::kRight, r) == l) &&
           !apart_.left.contains(l) && !apart_.right.contains(r) &&
           HaveTheSameType(cuts_.left->result(l), cuts_.right->result(r));
  }

  // True if the other side reads it, too, and that as one value.
  bool IsRead(SideId side, int r) const {
    const std::vector<int>& others = cuts_[Other(side)]->entries();
    return std::count_if(others.begin(), others.end(), [&](int other) {
             return side == SideId::kLeft ? AreTheSame(r, other) : AreTheSame(other, r);
           }) == 1;
  }

  const Alignment& alignment_;
  const PerSide<std::set<int>>& apart_;
  const PerSide<SideCut*> cuts_;
};

// The names of the inputs: the left's, where nothing else is called so.
std::vector<std::string> InputNames(const SideCut& left, const SideCut& right,
                                    const std::vector<int>& left_entries,
                                    const std::vector<int>& right_entries) {
  std::set<std::string> taken;
  std::vector<std::string> names;
  for (size_t i = 0; i < left_entries.size(); ++i) {
    std::string name = left.result(left_entries[i]).name;
    const bool others = right.Uses(name) && right.result(right_entries[i]).name != name;
    if (others) name = absl::StrCat("input_", i);
    while (taken.contains(name) || (others && (left.Uses(name) || right.Uses(name)))) {
      absl::StrAppend(&name, "_");
    }
    taken.insert(name);
    names.push_back(std::move(name));
  }
  return names;
}

using CutModels = absl::StatusOr<PerSide<std::shared_ptr<const Model>>>;

CutModels CutApart(const PerSide<const Model*>& models, const Comparison& comparison,
                   const RewritePlace& place, const PerSide<std::set<int>>& apart,
                   const Comparison* shapes) {
  if (place.left.empty() || place.right.empty()) return NoCut("a constant");
  SideCut left(*models.left, comparison.left, shapes == nullptr ? nullptr : &shapes->left);
  SideCut right(*models.right, comparison.right, shapes == nullptr ? nullptr : &shapes->right);
  OC_RETURN_IF_ERROR(left.Take(place.left));
  OC_RETURN_IF_ERROR(right.Take(place.right));
  Matcher matcher(comparison.alignment, apart, &left, &right);
  OC_RETURN_IF_ERROR(matcher.Match());
  const std::vector<int> right_entries = matcher.InOrder();
  if (right_entries.size() != left.entries().size()) return NoCut("the two read other values");
  for (size_t i = 0; i < right_entries.size(); ++i) {
    const StreamResult* const l = left.Sized(left.entries()[i]);
    const StreamResult* const r = right.Sized(right_entries[i]);
    if (l == nullptr || r == nullptr || !HaveTheSameType(*l, *r)) {
      return NoCut("values of other shapes at other sizes");
    }
  }
  PerSide<std::vector<int>> outputs;
  for (const size_t row : place.rows) {
    const AlignedRow& aligned = comparison.rows[row].aligned;
    if (!left.Makes(aligned.left.back()) || !right.Makes(aligned.right.back())) {
      return NoCut("a pair that other nodes make");
    }
    outputs.left.push_back(aligned.left.back());
    outputs.right.push_back(aligned.right.back());
  }
  const std::vector<std::string> names = InputNames(left, right, left.entries(), right_entries);
  PerSide<std::shared_ptr<const Model>> made;
  OC_ASSIGN_OR_RETURN(made.left, left.Make(left.entries(), names, outputs.left));
  OC_ASSIGN_OR_RETURN(made.right, right.Make(right_entries, names, outputs.right));
  return made;
}

// The nodes that depend on any of these, and these.
std::vector<bool> Behind(const ResultStream& stream, const std::vector<int>& nodes) {
  std::vector<bool> behind(stream.nodes.size(), false);
  for (const int n : nodes) behind[Index(n)] = true;
  const auto is_behind = [&](int read) {
    if (read == kNone) return false;
    const int maker = stream.results[Index(read)].node;
    return maker != kNone && behind[Index(maker)];
  };
  for (size_t n = 0; n < stream.nodes.size(); ++n) {
    const StreamNode& node = stream.nodes[n];
    if (std::any_of(node.inputs.begin(), node.inputs.end(), is_behind) ||
        std::any_of(node.captures.begin(), node.captures.end(), is_behind)) {
      behind[n] = true;
    }
  }
  return behind;
}

}  // namespace

CutModels CutRewrite(const PerSide<const Model*>& models, const Comparison& comparison,
                     const RewritePlace& place, const Comparison* shapes) {
  return CutApart(models, comparison, place, {}, shapes);
}

std::optional<RewritePlace> NextBehind(const Comparison& comparison, const RewritePlace& place) {
  const PerSide<std::vector<bool>> behind = {Behind(comparison.left, place.left),
                                             Behind(comparison.right, place.right)};
  std::optional<RewritePlace> next;
  int first = kNone;
  for (size_t row = 0; row < comparison.rows.size(); ++row) {
    const AlignedRow& aligned = comparison.rows[row].aligned;
    if (!aligned.paired()) continue;
    const int l = aligned.left.back();
    const int r = aligned.right.back();
    const StreamResult& left = comparison.left.results[Index(l)];
    const StreamResult& right = comparison.right.results[Index(r)];
    if (left.node == kNone || right.node == kNone || !HaveTheSameType(left, right)) continue;
    if (!behind.left[Index(left.node)] || !behind.right[Index(right.node)]) continue;
    const bool own = std::find(place.rows.begin(), place.rows.end(), row) != place.rows.end();
    if (own || (first != kNone && r > first)) continue;
    first = r;
    next = RewritePlace{{row}, {left.node}, {right.node}};
  }
  return next;
}

CutModels CutWithNext(const PerSide<const Model*>& models, const Comparison& comparison,
                      const RewritePlace& place, const RewritePlace& next,
                      const Comparison* shapes) {
  PerSide<std::set<int>> apart;
  for (const size_t row : place.rows) {
    const AlignedRow& aligned = comparison.rows[row].aligned;
    apart.left.insert(aligned.left.back());
    apart.right.insert(aligned.right.back());
  }
  return CutApart(models, comparison, next, apart, shapes);
}

}  // namespace onnxcmp
