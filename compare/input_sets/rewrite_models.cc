#include "compare/input_sets/rewrite_models.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "compare/alignment/alignment.h"
#include "compare/outputs/compared_row.h"
#include "compare/streams/result_stream.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/model/outer_names.h"

namespace onnxcmp {
namespace {

// Longer ones tell little.
constexpr size_t kMostNodes = 64;

absl::Status NoCut(absl::string_view why) { return absl::UnimplementedError(why); }

absl::StatusOr<ValueInfo> InfoOf(const std::string& name, const StreamResult& result) {
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
  SideCut(const Model& model, const ResultStream& stream) : model_(model), stream_(stream) {
    for (const Node& node : model.graph.nodes) {
      for (const std::string& output : node.outputs) makers_[output] = &node;
    }
    for (const Initializer& initializer : model.graph.initializers) {
      initializers_[initializer.name] = &initializer;
    }
  }

  absl::Status Take(const std::vector<int>& nodes) {
    inside_.insert(nodes.begin(), nodes.end());
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
      if (inside_.size() > kMostNodes) return NoCut("too many nodes");
    }
    for (const int n : inside_) {
      for (const int read : stream_.nodes[Index(n)].inputs) {
        if (read != kNone) OC_RETURN_IF_ERROR(Read(read));
      }
    }
    return absl::OkStatus();
  }

  const std::vector<int>& entries() const { return entries_; }
  bool Makes(int result) const { return inside_.contains(stream_.results[Index(result)].node); }

  // `entries`: results in the order of the model's inputs.
  absl::StatusOr<std::shared_ptr<const Model>> Make(const std::vector<int>& entries,
                                                    const std::vector<int>& outputs) const {
    Model made;
    made.ir_version = model_.ir_version;
    made.imports = model_.imports;
    made.graph.name = model_.graph.name;
    absl::flat_hash_map<std::string, std::string> names;
    for (size_t i = 0; i < entries.size(); ++i) {
      const StreamResult& result = stream_.results[Index(entries[i])];
      const std::string name = absl::StrCat("rewrite_input_", i);
      OC_ASSIGN_OR_RETURN(ValueInfo info, InfoOf(name, result));
      made.graph.inputs.push_back(std::move(info));
      names[result.name] = name;
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
      OC_ASSIGN_OR_RETURN(ValueInfo info, InfoOf(result.name, result));
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
      const auto maker = makers_.find(result.name);
      if (result.depth > 0 || maker == makers_.end()) break;
      if (!GraphsOf(*maker->second).empty() || maker->second->body != nullptr) break;
      return *maker->second;
    }
    return NoCut("a node in a body or with one");
  }

  const Model& model_;
  const ResultStream& stream_;
  absl::flat_hash_map<std::string, const Node*> makers_;
  absl::flat_hash_map<std::string, const Initializer*> initializers_;
  std::set<int> inside_;  // in the order of the run
  std::set<std::string> constants_;
  std::vector<int> entries_;
};

// The right's entries in the order of the left's: each pair is one of the alignment.
absl::StatusOr<std::vector<int>> Matched(const Alignment& alignment, const std::vector<int>& left,
                                         const std::vector<int>& right) {
  if (left.size() != right.size()) return NoCut("the two read other values");
  std::vector<int> matched;
  for (const int l : left) {
    const auto r = std::find_if(right.begin(), right.end(), [&](int one) {
      return alignment.left_to_right[Index(l)] == one || alignment.right_to_left[Index(one)] == l;
    });
    if (r == right.end() || std::find(matched.begin(), matched.end(), *r) != matched.end()) {
      return NoCut("the two read other values");
    }
    matched.push_back(*r);
  }
  return matched;
}

}  // namespace

absl::StatusOr<PerSide<std::shared_ptr<const Model>>> CutRewrite(
    const PerSide<const Model*>& models, const Comparison& comparison, const Rewrite& rewrite) {
  if (rewrite.left.empty() || rewrite.right.empty()) return NoCut("a constant");
  SideCut left(*models.left, comparison.left);
  SideCut right(*models.right, comparison.right);
  OC_RETURN_IF_ERROR(left.Take(rewrite.left));
  OC_RETURN_IF_ERROR(right.Take(rewrite.right));
  OC_ASSIGN_OR_RETURN(const std::vector<int> entries,
                      Matched(comparison.alignment, left.entries(), right.entries()));
  PerSide<std::vector<int>> outputs;
  for (const size_t row : rewrite.rows) {
    const AlignedRow& aligned = comparison.rows[row].aligned;
    if (!left.Makes(aligned.left.back()) || !right.Makes(aligned.right.back())) {
      return NoCut("a pair that other nodes make");
    }
    outputs.left.push_back(aligned.left.back());
    outputs.right.push_back(aligned.right.back());
  }
  PerSide<std::shared_ptr<const Model>> made;
  OC_ASSIGN_OR_RETURN(made.left, left.Make(left.entries(), outputs.left));
  OC_ASSIGN_OR_RETURN(made.right, right.Make(entries, outputs.right));
  return made;
}

}  // namespace onnxcmp
