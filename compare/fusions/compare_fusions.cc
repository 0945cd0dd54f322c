#include "compare/fusions/compare_fusions.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "compare/fusions/find_fusions.h"
#include "record/base/per_side.h"

namespace onnxcmp {
namespace {

// Results of a stream by the name of a main graph's value; in subgraphs by path and name.
using ResultsByName = absl::flat_hash_map<std::string, int>;

std::string KeyOf(const std::string& path, const std::string& name) {
  return path.empty() ? name : absl::StrCat(path, "/", name);
}

ResultsByName NumbersOf(const ResultStream& stream) {
  ResultsByName numbers;
  for (size_t i = 0; i < stream.results.size(); ++i) {
    const StreamResult& result = stream.results[i];
    if (result.kind == ResultKind::kOutput) continue;
    // A result of an inlined function has the call's path, but its own name.
    numbers.emplace(KeyOf(result.depth == 0 ? "" : result.path, result.name), static_cast<int>(i));
  }
  return numbers;
}

class FusionComparer {
 public:
  FusionComparer(const FusionSide& left, const FusionSide& right, const Alignment& alignment)
      : left_(left),
        right_(right),
        alignment_(alignment),
        left_numbers_(NumbersOf(*left.stream)),
        right_numbers_(NumbersOf(*right.stream)) {
    if (left.graph != nullptr) report_.left = FindFusions(*left.graph);
    if (right.graph != nullptr) report_.right = FindFusions(*right.graph);
    left_used_.resize(report_.left.size());
    right_used_.resize(report_.right.size());
  }

  FusionReport Compare(const QuantizationReport* quantization) {
    NoteRecordings();
    PairByResults();
    PairByNodes();
    PairByPlace();
    AddSingles();
    if (quantization != nullptr) AddAccuracy(*quantization);
    ListNodes();
    return std::move(report_);
  }

 private:
  void NoteRecordings() {
    for (const auto& [side, name] : {std::pair(&left_, "left"), std::pair(&right_, "right")}) {
      if (side->graph == nullptr) {
        report_.notes.push_back(absl::StrCat("the ", name, " is a recording: it has no nodes"));
      }
    }
  }

  static std::vector<int> Numbers(const ResultsByName& numbers, const Fusion& fusion) {
    std::vector<int> found;
    for (const std::vector<std::string>* names : {&fusion.results, &fusion.copies}) {
      for (const std::string& name : *names) {
        const auto it = numbers.find(KeyOf(fusion.path, name));
        if (it != numbers.end()) found.push_back(it->second);
      }
    }
    return found;
  }

  // Number of the right fusion's own results that are partners of the left's, copies included.
  // Fusions of equal family are preferred.
  int CommonResults(const Fusion& a, const Fusion& b) const {
    int common = 0;
    const std::vector<int> right = Numbers(right_numbers_, b);
    for (const int i : Numbers(left_numbers_, a)) {
      for (const int j : right) common += PartnerOf(i) == j || PartnerOfRight(j) == i ? 2 : 0;
    }
    return common == 0 ? 0 : common + (a.family == b.family ? 1 : 0);
  }

  // One side's embedding may be a skip on the other.
  static bool MayBePartners(const Fusion& a, const Fusion& b) {
    const auto sums = [](FusionFamily family) {
      return family == FusionFamily::kEmbedding || family == FusionFamily::kNormalization;
    };
    return a.family == b.family || (sums(a.family) && sums(b.family));
  }

  int PartnerOf(int left) const {
    return Index(left) < alignment_.left_to_right.size() ? alignment_.left_to_right[Index(left)]
                                                         : kNone;
  }
  int PartnerOfRight(int right) const {
    return Index(right) < alignment_.right_to_left.size() ? alignment_.right_to_left[Index(right)]
                                                          : kNone;
  }

  static int CommonNodes(const Fusion& a, const Fusion& b) {
    if (a.path != b.path) return 0;
    const absl::flat_hash_set<std::string> names(a.nodes.begin(), a.nodes.end());
    return static_cast<int>(std::count_if(b.nodes.begin(), b.nodes.end(),
                                          [&](const auto& name) { return names.contains(name); }));
  }

  void PairByResults() {
    // Right fusions by the left results that are partners of theirs.
    absl::flat_hash_map<int, std::set<size_t>> of_left;
    absl::flat_hash_map<int, std::vector<size_t>> of_right;
    for (size_t j = 0; j < report_.right.size(); ++j) {
      for (const int result : Numbers(right_numbers_, report_.right[j])) {
        of_right[result].push_back(j);
        if (const int left = PartnerOfRight(result); left != kNone) of_left[left].insert(j);
      }
    }
    for (size_t i = 0; i < alignment_.left_to_right.size(); ++i) {
      const auto right = of_right.find(alignment_.left_to_right[i]);
      if (right == of_right.end()) continue;
      of_left[static_cast<int>(i)].insert(right->second.begin(), right->second.end());
    }
    PairBest(
        [&](const Fusion& a) {
          std::set<size_t> near;
          for (const int result : Numbers(left_numbers_, a)) {
            if (const auto found = of_left.find(result); found != of_left.end()) {
              near.insert(found->second.begin(), found->second.end());
            }
          }
          return near;
        },
        [this](const Fusion& a, const Fusion& b) { return CommonResults(a, b); });
  }

  void PairByNodes() {
    const FusionsByNode of_right = ByNode(report_.right);
    PairBest([&](const Fusion& a) { return WithNodesOf(a, of_right); }, CommonNodes);
  }

  // Pairs the best first, each left fusion with one of those that are near it.
  template <typename Near, typename Score>
  void PairBest(Near near, Score score) {
    std::vector<std::tuple<int, int, int>> scores;
    for (size_t i = 0; i < report_.left.size(); ++i) {
      if (left_used_[i]) continue;
      for (const size_t j : near(report_.left[i])) {
        if (right_used_[j] || !MayBePartners(report_.left[i], report_.right[j])) {
          continue;
        }
        const int common = score(report_.left[i], report_.right[j]);
        if (common > 0) scores.emplace_back(-common, static_cast<int>(i), static_cast<int>(j));
      }
    }
    std::sort(scores.begin(), scores.end());
    for (const auto& [unused, i, j] : scores) {
      if (left_used_[Index(i)] || right_used_[Index(j)]) continue;
      left_used_[Index(i)] = right_used_[Index(j)] = true;
      report_.pairs.push_back({i, j, false});
    }
  }

  // Fusions by a node's path and name.
  using FusionsByNode =
      absl::flat_hash_map<std::pair<std::string, std::string>, std::vector<size_t>>;

  static FusionsByNode ByNode(const std::vector<Fusion>& fusions) {
    FusionsByNode of_node;
    for (size_t j = 0; j < fusions.size(); ++j) {
      for (const std::string& name : fusions[j].nodes) {
        of_node[{fusions[j].path, name}].push_back(j);
      }
    }
    return of_node;
  }

  static std::set<size_t> WithNodesOf(const Fusion& fusion, const FusionsByNode& of_node) {
    std::set<size_t> fusions;
    for (const std::string& name : fusion.nodes) {
      const auto found = of_node.find(std::pair(fusion.path, name));
      if (found != of_node.end()) fusions.insert(found->second.begin(), found->second.end());
    }
    return fusions;
  }

  // Pairs the remaining fusions of a family between the same pairs of it, if equally many.
  void PairByPlace() {
    for (int f = 0; f <= static_cast<int>(FusionFamily::kRotary); ++f) {
      const auto family = static_cast<FusionFamily>(f);
      std::vector<std::pair<int, int>> ends;
      for (const FusionPair& pair : report_.pairs) {
        if (report_.left[Index(pair.left)].family == family)
          ends.emplace_back(pair.left, pair.right);
      }
      std::sort(ends.begin(), ends.end());
      ends.emplace_back(static_cast<int>(report_.left.size()),
                        static_cast<int>(report_.right.size()));
      std::pair<int, int> from = {-1, -1};
      for (const auto& end : ends) {
        const std::vector<int> left = Free(report_.left, left_used_, family, from.first, end.first);
        const std::vector<int> right =
            Free(report_.right, right_used_, family, from.second, end.second);
        if (left.size() == right.size()) {
          for (size_t k = 0; k < left.size(); ++k) {
            left_used_[Index(left[k])] = right_used_[Index(right[k])] = true;
            report_.pairs.push_back({left[k], right[k], false});
          }
        }
        from = end;
      }
    }
  }

  static std::vector<int> Free(const std::vector<Fusion>& fusions, const std::vector<bool>& used,
                               FusionFamily family, int after, int before) {
    std::vector<int> free;
    for (int i = after + 1; i < before; ++i) {
      if (!used[Index(i)] && fusions[Index(i)].family == family) free.push_back(i);
    }
    return free;
  }

  // True if a node of a fusion is in another fusion that has a counterpart.
  static bool IsElsewhere(const Fusion& fusion, const FusionsByNode& of_node,
                          const std::vector<bool>& used) {
    const std::set<size_t> others = WithNodesOf(fusion, of_node);
    return std::any_of(others.begin(), others.end(), [&](size_t j) { return used[j]; });
  }

  void AddSingles() {
    const FusionsByNode of_left = ByNode(report_.left);
    const FusionsByNode of_right = ByNode(report_.right);
    for (size_t i = 0; i < report_.left.size(); ++i) {
      if (!left_used_[i]) {
        report_.pairs.push_back(
            {static_cast<int>(i), kNone, IsElsewhere(report_.left[i], of_left, left_used_)});
      }
    }
    std::sort(report_.pairs.begin(), report_.pairs.end(),
              [](const FusionPair& a, const FusionPair& b) { return a.left < b.left; });
    for (size_t j = 0; j < report_.right.size(); ++j) {
      if (!right_used_[j]) {
        report_.pairs.push_back(
            {kNone, static_cast<int>(j), IsElsewhere(report_.right[j], of_right, right_used_)});
      }
    }
  }

  void AddAccuracy(const QuantizationReport& quantization) {
    const ResultStream& stream =
        quantization.side == SideId::kRight ? *right_.stream : *left_.stream;
    absl::flat_hash_map<std::string, const QuantizedLayer*> layers;
    for (const QuantizedLayer& layer : quantization.layers) {
      layers.emplace(stream.results[Index(layer.result)].name, &layer);
    }
    for (Fusion& fusion : OfSide(report_, quantization.side)) {
      for (FusionObstacle& obstacle : fusion.obstacles) {
        const auto layer = layers.find(obstacle.quantized);
        if (obstacle.quantized.empty() || layer == layers.end()) continue;
        obstacle.sqnr = layer->second->own_sqnr;
        obstacle.cost = layer->second->cost;
      }
    }
  }

  // A node's name before onnxruntime made it a QLinear operator.
  static std::string NameBefore(const std::string& name,
                                const absl::flat_hash_set<absl::string_view>& others) {
    absl::string_view before = name;
    return absl::ConsumeSuffix(&before, "_quant") && others.contains(before) ? std::string(before)
                                                                             : name;
  }

  static absl::flat_hash_set<absl::string_view> NodeNames(const Graph* graph) {
    absl::flat_hash_set<absl::string_view> names;
    if (graph == nullptr) return names;
    for (const Node& node : graph->nodes) names.insert(node.name);
    return names;
  }

  // A quantizer rounds a result if a node that makes or reads it is quantized: both have to be
  // excluded.
  void ListNodes() {
    const PerSide<absl::flat_hash_set<absl::string_view>> known = {NodeNames(left_.graph),
                                                                   NodeNames(right_.graph)};
    std::map<FusionFamily, std::vector<std::string>> families;
    // Nodes that are listed, for all families and for one each.
    absl::flat_hash_set<std::string> listed;
    std::map<FusionFamily, absl::flat_hash_set<std::string>> listed_for;
    for (const FusionPair& pair : report_.pairs) {
      if (!BrokenOnOneSide(report_, pair)) continue;
      const Fusion& left = report_.left[Index(pair.left)];
      const Fusion& broken = left.whole() ? report_.right[Index(pair.right)] : left;
      for (const FusionObstacle& obstacle : broken.obstacles) {
        if (obstacle.kind != ObstacleKind::kQuantization) continue;
        const auto& others = left.whole() ? known.left : known.right;
        for (const std::string& name :
             {NameBefore(obstacle.after, others), NameBefore(obstacle.before, others)}) {
          if (name.empty()) continue;
          if (listed.insert(name).second) report_.nodes_to_exclude.push_back(name);
          if (listed_for[broken.family].insert(name).second)
            families[broken.family].push_back(name);
        }
      }
    }
    report_.exclude_by_family.assign(families.begin(), families.end());
  }

  const FusionSide& left_;
  const FusionSide& right_;
  const Alignment& alignment_;
  ResultsByName left_numbers_, right_numbers_;
  FusionReport report_;
  std::vector<bool> left_used_, right_used_;
};

}  // namespace

FusionReport CompareFusions(const FusionSide& left, const FusionSide& right,
                            const Alignment& alignment, const QuantizationReport* quantization) {
  return FusionComparer(left, right, alignment).Compare(quantization);
}

bool BrokenOnOneSide(const FusionReport& report, const FusionPair& pair) {
  return pair.left != kNone && pair.right != kNone &&
         report.left[Index(pair.left)].whole() != report.right[Index(pair.right)].whole();
}

}  // namespace onnxcmp
