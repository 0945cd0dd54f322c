#include "feed/made_up/tree_paths.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "evaluator/tensor/convert.h"
#include "evaluator/tensor/tensor.h"
#include "record/graphs/node_questions.h"

namespace onnxcmp {
namespace {

constexpr size_t kMostPaths = 256;
constexpr size_t kDeepestLeaf = 200;
constexpr size_t kNoNode = std::numeric_limits<size_t>::max();

// The nodes of both formats of trees.
struct TreeNode {
  std::string mode;
  int64_t feature = 0;
  double value = 0;
  size_t if_true = kNoNode;  // none for leaves
  size_t if_false = kNoNode;
};
struct Trees {
  std::vector<TreeNode> nodes;
  std::vector<size_t> roots;
};

std::vector<double> NumbersOf(const Node& node, absl::string_view name) {
  if (const auto* floats = AttributeOf<std::vector<float>>(node, name)) {
    return {floats->begin(), floats->end()};
  }
  const auto* tensor = AttributeOf<Tensor>(node, name);
  if (tensor == nullptr) return {};
  const absl::StatusOr<Tensor> whole = tensor->Contiguous();
  if (!whole.ok()) return {};
  std::vector<double> numbers(static_cast<size_t>(whole->num_elements()));
  LoadElements<double>(whole->dtype(), whole->raw_data(), 0, whole->num_elements(), numbers.data());
  return numbers;
}

std::vector<int64_t> IntsOf(const Node& node, absl::string_view name) {
  const auto* ints = AttributeOf<std::vector<int64_t>>(node, name);
  return ints == nullptr ? std::vector<int64_t>() : *ints;
}

// Nodes are identified by tree and number, leaves are nodes.
Trees OldTrees(const Node& node) {
  const std::vector<int64_t> trees = IntsOf(node, "nodes_treeids");
  const std::vector<int64_t> ids = IntsOf(node, "nodes_nodeids");
  const std::vector<int64_t> features = IntsOf(node, "nodes_featureids");
  const std::vector<int64_t> if_true = IntsOf(node, "nodes_truenodeids");
  const std::vector<int64_t> if_false = IntsOf(node, "nodes_falsenodeids");
  std::vector<double> values = NumbersOf(node, "nodes_values_as_tensor");
  if (values.empty()) values = NumbersOf(node, "nodes_values");
  const auto* modes = AttributeOf<std::vector<std::string>>(node, "nodes_modes");
  const size_t count = trees.size();
  if (modes == nullptr || ids.size() != count || features.size() != count ||
      if_true.size() != count || if_false.size() != count || values.size() != count ||
      modes->size() != count) {
    return {};
  }
  absl::flat_hash_map<std::pair<int64_t, int64_t>, size_t> places;
  for (size_t i = 0; i < count; ++i) places[{trees[i], ids[i]}] = i;
  Trees made;
  const auto place = [&](size_t i, int64_t id) {
    const auto it = places.find({trees[i], id});
    return it == places.end() ? kNoNode : it->second;
  };
  for (size_t i = 0; i < count; ++i) {
    TreeNode of = {(*modes)[i], features[i], values[i]};
    if (of.mode != "LEAF") {
      of.if_true = place(i, if_true[i]);
      of.if_false = place(i, if_false[i]);
    }
    made.nodes.push_back(std::move(of));
    if (i == 0 || trees[i] != trees[i - 1]) made.roots.push_back(i);
  }
  return made;
}

// Nodes are identified by index, and leaves are listed separately.
Trees NewTrees(const Node& node) {
  static constexpr const char* kModes[] = {"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE",
                                           "BRANCH_GT",  "BRANCH_EQ", "BRANCH_NEQ"};
  const std::vector<double> splits = NumbersOf(node, "nodes_splits");
  const std::vector<double> modes = NumbersOf(node, "nodes_modes");
  const std::vector<int64_t> features = IntsOf(node, "nodes_featureids");
  const std::vector<int64_t> if_true = IntsOf(node, "nodes_truenodeids");
  const std::vector<int64_t> if_false = IntsOf(node, "nodes_falsenodeids");
  const std::vector<int64_t> true_leaf = IntsOf(node, "nodes_trueleafs");
  const std::vector<int64_t> false_leaf = IntsOf(node, "nodes_falseleafs");
  const size_t count = splits.size();
  if (modes.size() != count || features.size() != count || if_true.size() != count ||
      if_false.size() != count || true_leaf.size() != count || false_leaf.size() != count) {
    return {};
  }
  Trees made;
  const auto child = [&](bool leaf, int64_t at) {
    return leaf || at < 0 || static_cast<size_t>(at) >= count ? count : static_cast<size_t>(at);
  };
  for (size_t i = 0; i < count; ++i) {
    const auto mode = static_cast<size_t>(modes[i]);
    made.nodes.push_back({mode < std::size(kModes) ? kModes[mode] : "BRANCH_MEMBER", features[i],
                          splits[i], child(true_leaf[i] != 0, if_true[i]),
                          child(false_leaf[i] != 0, if_false[i])});
  }
  made.nodes.push_back({"LEAF"});  // represents all leaves
  for (const int64_t root : IntsOf(node, "tree_roots")) {
    if (root >= 0 && static_cast<size_t>(root) < count) {
      made.roots.push_back(static_cast<size_t>(root));
    }
  }
  return made;
}

using Bounds = std::map<int64_t, NumberRange>;

// The bounds of a feature after a branch.
Bounds After(const TreeNode& node, bool taken, Bounds bounds) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const bool below = node.mode == "BRANCH_LEQ" || node.mode == "BRANCH_LT";
  const bool above = node.mode == "BRANCH_GTE" || node.mode == "BRANCH_GT";
  if (!below && !above) return bounds;
  NumberRange& range =
      bounds.try_emplace(node.feature, NumberRange{-kInfinite, kInfinite}).first->second;
  if (below == taken) {
    range.greatest = std::min(range.greatest, node.value);
  } else {
    range.least = std::max(range.least, node.value);
  }
  return bounds;
}

void AddPaths(const Trees& trees, size_t at, const Bounds& bounds, size_t depth, size_t most,
              std::vector<TreePath>* paths) {
  if (at >= trees.nodes.size() || depth > kDeepestLeaf || paths->size() >= most) return;
  for (const auto& [feature, range] : bounds) {
    if (range.least >= range.greatest) return;
  }
  const TreeNode& node = trees.nodes[at];
  if (node.mode == "LEAF") {
    if (!bounds.empty()) paths->emplace_back(bounds.begin(), bounds.end());
    return;
  }
  AddPaths(trees, node.if_true, After(node, true, bounds), depth + 1, most, paths);
  AddPaths(trees, node.if_false, After(node, false, bounds), depth + 1, most, paths);
}

}  // namespace

std::vector<TreePath> PathsOf(const Node& node) {
  const Trees trees = node.op_type == "TreeEnsemble" ? NewTrees(node) : OldTrees(node);
  std::vector<TreePath> paths;
  // A forest may have more leaves than rows are worthwhile.
  constexpr size_t kMostLeaves = 20000;
  for (const size_t root : trees.roots) AddPaths(trees, root, {}, 0, kMostLeaves, &paths);
  if (paths.size() <= kMostPaths) return paths;
  std::vector<TreePath> some;
  for (size_t i = 0; i < kMostPaths; ++i) {
    some.push_back(std::move(paths[i * paths.size() / kMostPaths]));
  }
  return some;
}

struct TreeWalker::Forest {
  Trees trees;
  std::vector<int64_t> tracks;  // by node: where NaN goes
  // By node and branch, false first: the leaf that it ends in, kNoNode if it does not end there.
  std::vector<std::pair<size_t, size_t>> ends;
  size_t leaves = 0;
};

TreeWalker::TreeWalker(const Node& node) {
  auto forest = std::make_unique<Forest>();
  forest->trees = node.op_type == "TreeEnsemble" ? NewTrees(node) : OldTrees(node);
  forest->tracks = IntsOf(node, "nodes_missing_value_tracks_true");
  const std::vector<TreeNode>& nodes = forest->trees.nodes;
  for (const TreeNode& of : nodes) {
    const auto end = [&](size_t next) {
      return next < nodes.size() && nodes[next].mode == "LEAF" ? forest->leaves++ : kNoNode;
    };
    const size_t if_false = end(of.if_false);
    forest->ends.emplace_back(if_false, end(of.if_true));
  }
  forest_ = std::move(forest);
}
TreeWalker::TreeWalker(TreeWalker&&) noexcept = default;
TreeWalker& TreeWalker::operator=(TreeWalker&&) noexcept = default;
TreeWalker::~TreeWalker() = default;

size_t TreeWalker::leaves() const { return forest_->leaves; }

bool TreeWalker::Walk(absl::Span<const double> row, std::vector<bool>* reached) const {
  const std::vector<TreeNode>& nodes = forest_->trees.nodes;
  for (size_t at : forest_->trees.roots) {
    for (size_t depth = 0; at < nodes.size() && nodes[at].mode != "LEAF"; ++depth) {
      const TreeNode& of = nodes[at];
      if (depth > nodes.size() || of.feature < 0 || static_cast<size_t>(of.feature) >= row.size()) {
        return false;
      }
      const double x = row[static_cast<size_t>(of.feature)];
      bool taken = false;
      if (of.mode == "BRANCH_LEQ") {
        taken = x <= of.value;
      } else if (of.mode == "BRANCH_LT") {
        taken = x < of.value;
      } else if (of.mode == "BRANCH_GTE") {
        taken = x >= of.value;
      } else if (of.mode == "BRANCH_GT") {
        taken = x > of.value;
      } else if (of.mode == "BRANCH_EQ") {
        taken = x == of.value;
      } else if (of.mode == "BRANCH_NEQ") {
        taken = x != of.value;
      } else {
        return false;
      }
      if (std::isnan(x) && at < forest_->tracks.size() && forest_->tracks[at] != 0) taken = true;
      const size_t end = taken ? forest_->ends[at].second : forest_->ends[at].first;
      if (end != kNoNode) (*reached)[end] = true;
      at = taken ? of.if_true : of.if_false;
    }
  }
  return true;
}

bool TracksMissing(const Node& node) {
  const std::vector<int64_t> tracks = IntsOf(node, "nodes_missing_value_tracks_true");
  return std::any_of(tracks.begin(), tracks.end(), [](int64_t track) { return track != 0; });
}

}  // namespace onnxcmp
