#include "feed/made_up/tree_paths.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>

namespace onnxcmp {
namespace {

constexpr size_t kMostPaths = 256;
constexpr size_t kDeepestLeaf = 200;

using Bounds = std::map<int64_t, NumberRange>;

// The bounds of a feature after a branch.
Bounds After(const ForestNode& node, bool taken, Bounds bounds) {
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

void AddPaths(const Forest& trees, size_t at, const Bounds& bounds, size_t depth, size_t most,
              std::vector<TreePath>* paths) {
  if (at >= trees.nodes.size() || depth > kDeepestLeaf || paths->size() >= most) return;
  for (const auto& [feature, range] : bounds) {
    if (range.least >= range.greatest) return;
  }
  const ForestNode& node = trees.nodes[at];
  if (node.mode == "LEAF") {
    if (!bounds.empty()) paths->emplace_back(bounds.begin(), bounds.end());
    return;
  }
  AddPaths(trees, node.if_true, After(node, true, bounds), depth + 1, most, paths);
  AddPaths(trees, node.if_false, After(node, false, bounds), depth + 1, most, paths);
}

}  // namespace

std::vector<TreePath> PathsOf(const Node& node) {
  const Forest trees = ForestOf(node);
  std::vector<TreePath> paths;
  // A forest may have more leaves than rows are worthwhile.
  constexpr size_t kMostLeaves = 20000;
  for (const auto& [root, number] : trees.roots) AddPaths(trees, root, {}, 0, kMostLeaves, &paths);
  if (paths.size() <= kMostPaths) return paths;
  std::vector<TreePath> some;
  for (size_t i = 0; i < kMostPaths; ++i) {
    some.push_back(std::move(paths[i * paths.size() / kMostPaths]));
  }
  return some;
}

TreeWalker::TreeWalker(const Node& node) : forest_(ForestOf(node)) {
  for (const ForestNode& of : forest_.nodes) {
    const auto end = [&](size_t next) {
      return next < forest_.nodes.size() && forest_.nodes[next].mode == "LEAF"
                 ? leaves_++
                 : ForestNode::kNowhere;
    };
    const size_t if_false = end(of.if_false);
    ends_.emplace_back(if_false, end(of.if_true));
  }
}

bool TreeWalker::Walk(absl::Span<const double> row, std::vector<bool>* reached) const {
  const std::vector<ForestNode>& nodes = forest_.nodes;
  for (const auto& [root, number] : forest_.roots) {
    size_t at = root;
    for (size_t depth = 0; at < nodes.size() && nodes[at].mode != "LEAF"; ++depth) {
      const ForestNode& of = nodes[at];
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
      if (std::isnan(x) && of.missing_is_true) taken = true;
      const size_t end = taken ? ends_[at].second : ends_[at].first;
      if (end != ForestNode::kNowhere) (*reached)[end] = true;
      at = taken ? of.if_true : of.if_false;
    }
  }
  return true;
}

bool TracksMissing(const Node& node) {
  const Forest forest = ForestOf(node);
  return std::any_of(forest.nodes.begin(), forest.nodes.end(),
                     [](const ForestNode& of) { return of.missing_is_true; });
}

}  // namespace onnxcmp
