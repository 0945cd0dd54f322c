#include "show/model/pair_nodes.h"

#include <array>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "record/text/display_text.h"
#include "show/model/match_nodes.h"
#include "show/model/pair_difference.h"

namespace onnxcmp {
namespace {

NodeMatches MatchesOf(const std::vector<NodePair>& pairs, const ShownGraph& left,
                      const ShownGraph& right) {
  NodeMatches matches;
  matches.right_of.assign(left.nodes.size(), -1);
  matches.left_of.assign(right.nodes.size(), -1);
  for (const NodePair& pair : pairs) {
    if (pair.left < 0 || pair.right < 0) continue;
    matches.right_of[static_cast<size_t>(pair.left)] = pair.right;
    matches.left_of[static_cast<size_t>(pair.right)] = pair.left;
  }
  return matches;
}

void AddOpsets(const std::string& what, const OpsetImports& left, const OpsetImports& right,
               std::vector<EndDifference>* found) {
  for (const auto& [domain, version] : left) {
    const auto other = right.find(domain);
    if (other == right.end() || other->second == version) continue;
    found->push_back({EndDifference::End::kNone, 0,
                      absl::StrCat(what, "opset of ", domain.empty() ? "ai.onnx" : domain, ": ",
                                   version, " | ", other->second)});
  }
}

// Functions that both have and call, if they are kept.
void AddFunctions(const ShownModel& left, const ShownModel& right,
                  std::vector<EndDifference>* found) {
  for (const ShownFunction& ours : left.functions) {
    for (const ShownFunction& theirs : right.functions) {
      if (ours.op() != theirs.op()) continue;
      const PairDifference inside(ours.body, theirs.body, MatchNodes(ours.body, theirs.body),
                                  PairDifference::Inputs::kByPlace);
      const std::string what = absl::StrCat("function ", ours.op(), ": ");
      std::vector<std::string> texts = inside.All();
      if (ours.attributes != theirs.attributes) {
        texts.push_back(absl::StrCat("attributes: ", absl::StrJoin(ours.attributes, ", "), " | ",
                                     absl::StrJoin(theirs.attributes, ", ")));
      }
      for (const std::string& text : texts) {
        found->push_back({EndDifference::End::kNone, 0, what + text});
      }
      AddOpsets(what, ours.imports, theirs.imports, found);
    }
  }
}

}  // namespace

std::vector<NodePair> PairNodes(const ShownGraph& left, const ShownGraph& right) {
  const NodeMatches matches = MatchNodes(left, right);
  const PairDifference differences(left, right, matches, PairDifference::Inputs::kByName);
  std::vector<NodePair> pairs;
  std::vector<bool> placed(right.nodes.size());
  const auto place_right = [&](int r) {
    if (placed[static_cast<size_t>(r)] || matches.left_of[static_cast<size_t>(r)] >= 0) return;
    placed[static_cast<size_t>(r)] = true;
    pairs.push_back({-1, r, NodeRelation::kRightOnly, ""});
  };
  // Nodes that only the right has stand before the pair that follows them there.
  int next_right = 0;
  for (int l = 0; l < static_cast<int>(left.nodes.size()); ++l) {
    const int r = matches.right_of[static_cast<size_t>(l)];
    if (r < 0) {
      pairs.push_back({l, -1, NodeRelation::kLeftOnly, ""});
      continue;
    }
    for (; next_right < r; ++next_right) place_right(next_right);
    const std::string difference = differences.OfNodes(l, r);
    pairs.push_back(
        {l, r, difference.empty() ? NodeRelation::kSame : NodeRelation::kDifferent, difference});
  }
  for (int r = 0; r < static_cast<int>(right.nodes.size()); ++r) place_right(r);
  return pairs;
}

std::vector<EndDifference> ModelDifferences(const ShownModel& left, const ShownModel& right,
                                            const std::vector<NodePair>& pairs) {
  const PairDifference differences(left.graph, right.graph,
                                   MatchesOf(pairs, left.graph, right.graph),
                                   PairDifference::Inputs::kByName);
  std::vector<EndDifference> found = differences.OfEnds();
  AddOpsets("", left.imports, right.imports, &found);
  AddFunctions(left, right, &found);
  for (EndDifference& difference : found) difference.text = PrintableText(difference.text);
  return found;
}

std::string PairSummary(const std::vector<NodePair>& pairs,
                        const std::vector<EndDifference>& differences) {
  std::array<int64_t, 4> counts = {};
  for (const NodePair& pair : pairs) ++counts[static_cast<size_t>(pair.relation)];
  std::string text = absl::StrCat(counts[0], " the same (=), ", counts[1], " different (≠), ",
                                  counts[2], " only left (-), ", counts[3], " only right (+)");
  if (!differences.empty()) {
    absl::StrAppend(&text, "; beside the nodes ", differences.size(),
                    differences.size() == 1 ? " difference" : " differences");
  }
  return text;
}

}  // namespace onnxcmp
