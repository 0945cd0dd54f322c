#include "record/graphs/forest.h"

#include <iterator>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/tensor/convert.h"
#include "evaluator/tensor/tensor.h"
#include "record/graphs/node_questions.h"

namespace onnxcmp {
namespace {

constexpr absl::string_view kLeaf = "LEAF";

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

// The numbers of an attribute of the older format, which may be given in double.
std::vector<double> FloatsOrDoubles(const Node& node, const std::string& name) {
  std::vector<double> doubles = NumbersOf(node, name + "_as_tensor");
  return doubles.empty() ? NumbersOf(node, name) : doubles;
}

std::vector<int64_t> IntsOf(const Node& node, absl::string_view name) {
  const auto* ints = AttributeOf<std::vector<int64_t>>(node, name);
  return ints == nullptr ? std::vector<int64_t>() : *ints;
}

using TreePlaces = absl::flat_hash_map<std::pair<int64_t, int64_t>, size_t>;

// Adds the votes that refer to leaves by tree and number.
void AddVotes(const Node& node, const std::string& prefix, const TreePlaces& places,
              Forest* forest) {
  const std::vector<int64_t> trees = IntsOf(node, prefix + "_treeids");
  const std::vector<int64_t> ids = IntsOf(node, prefix + "_nodeids");
  const std::vector<int64_t> targets = IntsOf(node, prefix + "_ids");
  const std::vector<double> weights = FloatsOrDoubles(node, prefix + "_weights");
  if (ids.size() != trees.size() || targets.size() != trees.size() ||
      weights.size() != trees.size()) {
    return;
  }
  for (size_t i = 0; i < trees.size(); ++i) {
    const auto it = places.find({trees[i], ids[i]});
    if (it != places.end()) forest->nodes[it->second].votes.emplace_back(targets[i], weights[i]);
  }
}

// Nodes are identified by tree and number, leaves are nodes.
Forest OldForest(const Node& node) {
  const std::vector<int64_t> trees = IntsOf(node, "nodes_treeids");
  const std::vector<int64_t> ids = IntsOf(node, "nodes_nodeids");
  const std::vector<int64_t> features = IntsOf(node, "nodes_featureids");
  const std::vector<int64_t> if_true = IntsOf(node, "nodes_truenodeids");
  const std::vector<int64_t> if_false = IntsOf(node, "nodes_falsenodeids");
  const std::vector<int64_t> tracks = IntsOf(node, "nodes_missing_value_tracks_true");
  const std::vector<double> values = FloatsOrDoubles(node, "nodes_values");
  const auto* modes = AttributeOf<std::vector<std::string>>(node, "nodes_modes");
  const size_t count = trees.size();
  if (modes == nullptr || ids.size() != count || features.size() != count ||
      if_true.size() != count || if_false.size() != count || values.size() != count ||
      modes->size() != count) {
    return {};
  }
  TreePlaces places;
  for (size_t i = 0; i < count; ++i) places[{trees[i], ids[i]}] = i;
  const auto place = [&](size_t i, int64_t id) {
    const auto it = places.find({trees[i], id});
    return it == places.end() ? ForestNode::kNowhere : it->second;
  };
  Forest forest;
  absl::flat_hash_set<int64_t> begun;
  for (size_t i = 0; i < count; ++i) {
    ForestNode& made = forest.nodes.emplace_back();
    made.mode = (*modes)[i];
    made.feature = features[i];
    made.value = values[i];
    made.id = ids[i];
    made.missing_is_true = i < tracks.size() && tracks[i] != 0;
    if (made.mode != kLeaf) {
      made.if_true = place(i, if_true[i]);
      made.if_false = place(i, if_false[i]);
    }
    // The first node of a tree is its root.
    if (begun.insert(trees[i]).second) forest.roots.emplace_back(i, trees[i]);
  }
  AddVotes(node, node.op_type == "TreeEnsembleClassifier" ? "class" : "target", places, &forest);
  return forest;
}

// Nodes are identified by index, and leaves are listed separately.
Forest NewForest(const Node& node) {
  static constexpr const char* kModes[] = {"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE",
                                           "BRANCH_GT",  "BRANCH_EQ", "BRANCH_NEQ"};
  const std::vector<double> splits = NumbersOf(node, "nodes_splits");
  const std::vector<double> modes = NumbersOf(node, "nodes_modes");
  const std::vector<int64_t> features = IntsOf(node, "nodes_featureids");
  const std::vector<int64_t> if_true = IntsOf(node, "nodes_truenodeids");
  const std::vector<int64_t> if_false = IntsOf(node, "nodes_falsenodeids");
  const std::vector<int64_t> true_leaf = IntsOf(node, "nodes_trueleafs");
  const std::vector<int64_t> false_leaf = IntsOf(node, "nodes_falseleafs");
  const std::vector<int64_t> tracks = IntsOf(node, "nodes_missing_value_tracks_true");
  const std::vector<int64_t> targets = IntsOf(node, "leaf_targetids");
  const std::vector<double> weights = NumbersOf(node, "leaf_weights");
  const size_t count = splits.size();
  if (modes.size() != count || features.size() != count || if_true.size() != count ||
      if_false.size() != count || true_leaf.size() != count || false_leaf.size() != count ||
      targets.size() != weights.size()) {
    return {};
  }
  const auto child = [&](bool leaf, int64_t at) {
    const size_t most = leaf ? weights.size() : count;
    if (at < 0 || static_cast<size_t>(at) >= most) return ForestNode::kNowhere;
    return static_cast<size_t>(at) + (leaf ? count : 0);
  };
  Forest forest;
  for (size_t i = 0; i < count; ++i) {
    const auto mode = static_cast<size_t>(modes[i]);
    ForestNode& made = forest.nodes.emplace_back();
    made.mode = mode < std::size(kModes) ? kModes[mode] : "BRANCH_MEMBER";
    made.feature = features[i];
    made.value = splits[i];
    made.if_true = child(true_leaf[i] != 0, if_true[i]);
    made.if_false = child(false_leaf[i] != 0, if_false[i]);
    made.missing_is_true = i < tracks.size() && tracks[i] != 0;
    made.id = static_cast<int64_t>(i);
  }
  for (size_t i = 0; i < weights.size(); ++i) {
    ForestNode& made = forest.nodes.emplace_back();
    made.mode = std::string(kLeaf);
    made.id = static_cast<int64_t>(i);
    made.votes.emplace_back(targets[i], weights[i]);
  }
  for (const int64_t root : IntsOf(node, "tree_roots")) {
    const auto number = static_cast<int64_t>(forest.roots.size());
    if (const size_t at = child(false, root); at != ForestNode::kNowhere) {
      forest.roots.emplace_back(at, number);
    }
  }
  return forest;
}

}  // namespace

Forest ForestOf(const Node& node) {
  if (node.op_type == "TreeEnsemble") return NewForest(node);
  return node.op_type.starts_with("TreeEnsemble") ? OldForest(node) : Forest();
}

}  // namespace onnxcmp
