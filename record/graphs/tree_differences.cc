#include "record/graphs/tree_differences.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "record/graphs/forest.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {
namespace {

// A test and its opposite have one form: x > v is x <= v with the branches exchanged.
void Normalize(ForestNode* node) {
  constexpr std::pair<absl::string_view, absl::string_view> kOpposites[] = {
      {"BRANCH_GT", "BRANCH_LEQ"}, {"BRANCH_GTE", "BRANCH_LT"}, {"BRANCH_NEQ", "BRANCH_EQ"}};
  for (const auto& [mode, opposite] : kOpposites) {
    if (node->mode != mode) continue;
    node->mode = std::string(opposite);
    std::swap(node->if_true, node->if_false);
    node->missing_is_true = !node->missing_is_true;
    return;
  }
}

// Equal for numbers that are the same, NaN and both zeros included.
uint64_t BitsOf(double number) { return std::bit_cast<uint64_t>(number + 0.0); }

// "0.5 | 0.7", with as few digits as distinguish them.
std::string NumbersText(double left, double right) {
  std::string text;
  for (const int digits : {6, 9, 17}) {
    const std::string ours = absl::StrFormat("%.*g", digits, left);
    const std::string theirs = absl::StrFormat("%.*g", digits, right);
    text = absl::StrCat(ours, " | ", theirs);
    if (ours != theirs) break;
  }
  return text;
}

bool IsLeaf(const ForestNode& node) { return node.mode == "LEAF"; }

// Numbers subtrees, so that equal ones of either side have one number.
class SubtreeNumbers {
 public:
  // By node. Nothing if a node that a root leads to is missing, leads back or tests membership.
  std::optional<std::vector<int>> Of(const Forest& forest) {
    numbers_.assign(forest.nodes.size(), kNone);
    std::vector<bool> entered(forest.nodes.size());
    for (const auto& [root, number] : forest.roots) {
      std::vector<size_t> open = {root};
      while (!open.empty()) {
        const size_t at = open.back();
        if (at >= forest.nodes.size() || forest.nodes[at].mode == "BRANCH_MEMBER") return {};
        const ForestNode& node = forest.nodes[at];
        int& own = numbers_[at];
        if (own != kNone) {
          open.pop_back();
        } else if (entered[at] || IsLeaf(node)) {
          if (!IsLeaf(node) && (!Known(node.if_true) || !Known(node.if_false))) return {};
          own = Intern(node);
          open.pop_back();
        } else {
          entered[at] = true;
          for (const size_t next : {node.if_true, node.if_false}) {
            if (!Known(next)) open.push_back(next);
          }
        }
      }
    }
    return numbers_;
  }

 private:
  bool Known(size_t at) const { return at < numbers_.size() && numbers_[at] != kNone; }
  int Intern(const ForestNode& node) {
    const auto next = static_cast<int>(known_.size());
    Key key;
    if (IsLeaf(node)) {
      Votes votes;
      for (const auto& [target, weight] : node.votes) votes.emplace_back(target, BitsOf(weight));
      key = {node.mode, 0, 0, false, {}, votes};
    } else {
      key = {node.mode,
             node.feature,
             BitsOf(node.value),
             node.missing_is_true,
             {numbers_[node.if_true], numbers_[node.if_false]},
             {}};
    }
    return known_.try_emplace(std::move(key), next).first->second;
  }

  using Votes = std::vector<std::pair<int64_t, uint64_t>>;
  using Key = std::tuple<std::string, int64_t, uint64_t, bool, std::pair<int, int>, Votes>;
  absl::flat_hash_map<Key, int> known_;
  std::vector<int> numbers_;  // of the forest at hand
};

// A forest in normal form.
struct Walked {
  Forest forest;
  std::vector<int> numbers;
};

std::optional<Walked> Walk(const Node& node, SubtreeNumbers* numbers) {
  Walked walked = {ForestOf(node), {}};
  if (walked.forest.roots.empty()) return std::nullopt;
  for (ForestNode& of : walked.forest.nodes) {
    Normalize(&of);
    absl::c_sort(of.votes);
  }
  std::optional<std::vector<int>> found = numbers->Of(walked.forest);
  if (!found.has_value()) return std::nullopt;
  walked.numbers = *std::move(found);
  return walked;
}

std::string TestText(const ForestNode& node, bool taken) {
  constexpr std::tuple<absl::string_view, absl::string_view, absl::string_view> kSigns[] = {
      {"BRANCH_LEQ", "<=", ">"}, {"BRANCH_LT", "<", ">="}, {"BRANCH_EQ", "==", "!="}};
  for (const auto& [mode, sign, opposite] : kSigns) {
    if (node.mode != mode) continue;
    return absl::StrCat("x[", node.feature, "] ", taken ? sign : opposite, " ", node.value);
  }
  return node.mode;
}

std::string VotesText(const ForestNode& left, const ForestNode& right) {
  const auto text = [](const ForestNode& leaf) {
    std::vector<std::string> votes;
    for (const auto& [target, weight] : leaf.votes) {
      votes.push_back(absl::StrCat("target ", target, ": ", weight));
    }
    return votes.empty() ? "no vote" : absl::StrJoin(votes, ", ");
  };
  if (left.votes.size() != right.votes.size()) return absl::StrCat(text(left), " | ", text(right));
  std::vector<std::string> differing;
  for (size_t i = 0; i < left.votes.size(); ++i) {
    const auto& [target, weight] = left.votes[i];
    const auto& [other, other_weight] = right.votes[i];
    if (target != other) return absl::StrCat(text(left), " | ", text(right));
    if (BitsOf(weight) != BitsOf(other_weight)) {
      differing.push_back(absl::StrCat("target ", target, ": ", NumbersText(weight, other_weight)));
    }
  }
  return absl::StrJoin(differing, ", ");
}

// The attributes that hold the numbers of tests and of leaves.
struct NumberLists {
  absl::string_view values, votes;
};
NumberLists ListsOf(const Node& node) {
  if (node.op_type == "TreeEnsemble") return {"nodes_splits", "leaf_weights"};
  return {"nodes_values",
          node.op_type == "TreeEnsembleClassifier" ? "class_weights" : "target_weights"};
}

// Where two trees, given by their roots, first differ.
std::string FirstDifference(const Walked& left, const Walked& right, size_t a, size_t b,
                            const NumberLists& lists) {
  std::vector<std::string> tests;
  while (true) {
    const ForestNode& ours = left.forest.nodes[a];
    const ForestNode& theirs = right.forest.nodes[b];
    const size_t shown = std::min<size_t>(tests.size(), 4);
    const std::string way = absl::StrCat(
        tests.empty() ? "" : ", at ", shown < tests.size() ? "..., " : "",
        absl::StrJoin(tests.end() - static_cast<std::ptrdiff_t>(shown), tests.end(), ", "));
    const std::string number =
        ours.id == theirs.id ? absl::StrCat(ours.id) : absl::StrCat(ours.id, " | ", theirs.id);
    if (IsLeaf(ours) && IsLeaf(theirs)) {
      return absl::StrCat("leaf ", number, way, ": ", lists.votes, ": ", VotesText(ours, theirs));
    }
    if (IsLeaf(ours) || IsLeaf(theirs)) {
      return absl::StrCat("node ", number, way, ": ",
                          IsLeaf(ours) ? "a leaf" : TestText(ours, true), " | ",
                          IsLeaf(theirs) ? "a leaf" : TestText(theirs, true));
    }
    if (ours.mode != theirs.mode || ours.feature != theirs.feature) {
      return absl::StrCat("node ", number, way, ": ",
                          ours.mode != theirs.mode ? "nodes_modes: " : "nodes_featureids: ",
                          TestText(ours, true), " | ", TestText(theirs, true));
    }
    if (BitsOf(ours.value) != BitsOf(theirs.value)) {
      return absl::StrCat("node ", number, way, ": ", lists.values, ": x[", ours.feature,
                          "] is compared with ", NumbersText(ours.value, theirs.value));
    }
    const bool taken = left.numbers[ours.if_true] != right.numbers[theirs.if_true];
    if (!taken && left.numbers[ours.if_false] == right.numbers[theirs.if_false]) {
      return absl::StrCat("node ", number, way, ": a missing x[", ours.feature, "] counts as ",
                          TestText(ours, ours.missing_is_true), " | ",
                          TestText(theirs, theirs.missing_is_true));
    }
    tests.push_back(TestText(ours, taken));
    a = taken ? ours.if_true : ours.if_false;
    b = taken ? theirs.if_true : theirs.if_false;
  }
}

using Roots = std::vector<std::pair<size_t, int64_t>>;

// The trees of each side that the other side lacks, the left's first.
std::pair<Roots, Roots> Unshared(const Walked& left, const Walked& right) {
  absl::flat_hash_map<int, int> counts;
  for (const auto& [root, number] : left.forest.roots) ++counts[left.numbers[root]];
  std::pair<Roots, Roots> roots;
  for (const auto& tree : right.forest.roots) {
    int& count = counts[right.numbers[tree.first]];
    if (count > 0) {
      --count;
    } else {
      roots.second.push_back(tree);
    }
  }
  for (const auto& tree : left.forest.roots) {
    int& count = counts[left.numbers[tree.first]];
    if (count <= 0) continue;
    --count;
    roots.first.push_back(tree);
  }
  return roots;
}

}  // namespace

std::optional<std::string> TreeDifferenceText(const Node& left, const Node& right) {
  SubtreeNumbers numbers;
  const std::optional<Walked> ours = Walk(left, &numbers);
  const std::optional<Walked> theirs = Walk(right, &numbers);
  if (!ours.has_value() || !theirs.has_value()) return std::nullopt;
  const auto [lefts, rights] = Unshared(*ours, *theirs);
  if (lefts.empty() && rights.empty()) return "";
  const size_t all = ours->forest.roots.size();
  if (all != theirs->forest.roots.size()) {
    return absl::StrCat(all, " | ", theirs->forest.roots.size(), " trees, of which ",
                        all - lefts.size(), " are the same");
  }
  const auto& [root, number] = lefts.front();
  const auto same =
      absl::c_find_if(rights, [id = number](const auto& tree) { return tree.second == id; });
  const auto& [other, other_number] = same == rights.end() ? rights.front() : *same;
  return absl::StrCat(lefts.size(), " of ", all, all == 1 ? " tree" : " trees",
                      lefts.size() == 1 ? " differs: tree " : " differ: tree ", number,
                      number == other_number ? "" : absl::StrCat(" | ", other_number), ", ",
                      FirstDifference(*ours, *theirs, root, other, ListsOf(left)));
}

bool ListsTrees(absl::string_view attribute) {
  constexpr absl::string_view kPrefixes[] = {"nodes_", "leaf_",      "target_",
                                             "class_", "tree_roots", "membership_values"};
  return absl::c_any_of(
      kPrefixes, [&](absl::string_view prefix) { return absl::StartsWith(attribute, prefix); });
}

}  // namespace onnxcmp
