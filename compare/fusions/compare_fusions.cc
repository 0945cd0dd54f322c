#include "compare/fusions/compare_fusions.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
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
    PairByScore([this](const Fusion& a, const Fusion& b) { return CommonResults(a, b); });
    PairByScore([](const Fusion& a, const Fusion& b) { return CommonNodes(a, b); });
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

  // Pairs the best first.
  template <typename Score>
  void PairByScore(Score score) {
    std::vector<std::tuple<int, int, int>> scores;
    for (size_t i = 0; i < report_.left.size(); ++i) {
      if (left_used_[i]) continue;
      for (size_t j = 0; j < report_.right.size(); ++j) {
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
  static bool IsElsewhere(const std::vector<Fusion>& fusions, const std::vector<bool>& used,
                          size_t i) {
    for (size_t j = 0; j < fusions.size(); ++j) {
      if (used[j] && CommonNodes(fusions[i], fusions[j]) > 0) return true;
    }
    return false;
  }

  void AddSingles() {
    for (size_t i = 0; i < report_.left.size(); ++i) {
      if (!left_used_[i]) {
        report_.pairs.push_back(
            {static_cast<int>(i), kNone, IsElsewhere(report_.left, left_used_, i)});
      }
    }
    std::sort(report_.pairs.begin(), report_.pairs.end(),
              [](const FusionPair& a, const FusionPair& b) { return a.left < b.left; });
    for (size_t j = 0; j < report_.right.size(); ++j) {
      if (!right_used_[j]) {
        report_.pairs.push_back(
            {kNone, static_cast<int>(j), IsElsewhere(report_.right, right_used_, j)});
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
  static std::string NameBefore(const std::string& name, const Graph& other) {
    absl::string_view before = name;
    if (!absl::ConsumeSuffix(&before, "_quant")) return name;
    const bool known = std::any_of(other.nodes.begin(), other.nodes.end(),
                                   [before](const Node& node) { return node.name == before; });
    return known ? std::string(before) : name;
  }

  // A quantizer rounds a result if a node that makes or reads it is quantized: both have to be
  // excluded.
  void ListNodes() {
    const auto add = [](const std::string& name, std::vector<std::string>* names) {
      if (name.empty() || std::find(names->begin(), names->end(), name) != names->end()) return;
      names->push_back(name);
    };
    std::map<FusionFamily, std::vector<std::string>> families;
    for (const FusionPair& pair : report_.pairs) {
      if (!BrokenOnOneSide(report_, pair)) continue;
      const Fusion& left = report_.left[Index(pair.left)];
      const Fusion& broken = left.whole() ? report_.right[Index(pair.right)] : left;
      for (const FusionObstacle& obstacle : broken.obstacles) {
        if (obstacle.kind != ObstacleKind::kQuantization) continue;
        const Graph* const other = left.whole() ? left_.graph : right_.graph;
        for (const std::string& name :
             {NameBefore(obstacle.after, *other), NameBefore(obstacle.before, *other)}) {
          add(name, &report_.nodes_to_exclude);
          add(name, &families[broken.family]);
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
