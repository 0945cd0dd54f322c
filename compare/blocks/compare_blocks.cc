#include "compare/blocks/compare_blocks.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "compare/blocks/find_blocks.h"

namespace onnxcmp {
namespace {

// Results of a stream by the name of a main graph's value; of a subgraph by path and name.
using ResultsByName = absl::flat_hash_map<std::string, int>;

std::string KeyOf(const std::string& path, const std::string& name) {
  return path.empty() ? name : absl::StrCat(path, "/", name);
}

ResultsByName NumbersOf(const ResultStream& stream) {
  ResultsByName numbers;
  for (size_t i = 0; i < stream.results.size(); ++i) {
    const StreamResult& result = stream.results[i];
    if (result.kind == ResultKind::kOutput) continue;
    // A result of an inlined function has the call's path, but a name of its own.
    numbers.emplace(KeyOf(result.depth == 0 ? "" : result.path, result.name), static_cast<int>(i));
  }
  return numbers;
}

class BlockComparer {
 public:
  BlockComparer(const BlockSide& left, const BlockSide& right, const Alignment& alignment)
      : left_(left),
        right_(right),
        alignment_(alignment),
        left_numbers_(NumbersOf(*left.stream)),
        right_numbers_(NumbersOf(*right.stream)) {
    if (left.graph != nullptr) report_.left = FindBlocks(*left.graph);
    if (right.graph != nullptr) report_.right = FindBlocks(*right.graph);
    left_used_.resize(report_.left.size());
    right_used_.resize(report_.right.size());
  }

  BlockReport Compare(const QuantizationReport* quantization) {
    NoteRecordings();
    PairByScore([this](const Block& a, const Block& b) { return CommonResults(a, b); });
    PairByScore([](const Block& a, const Block& b) { return CommonNodes(a, b); });
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

  // How many of the right block's own results are partners of the left's: results behind the block
  // that only lay it out otherwise count too. What both give last counts most.
  int CommonResults(const Block& a, const Block& b) const {
    int common = 0;
    for (const std::string& name : a.results) {
      const auto found = left_numbers_.find(KeyOf(a.path, name));
      if (found == left_numbers_.end()) continue;
      const int partner = PartnerOf(found->second);
      if (partner == kNone) continue;
      for (const std::string& other : b.results) {
        const auto it = right_numbers_.find(KeyOf(b.path, other));
        if (it == right_numbers_.end()) continue;
        if (it->second != partner && PartnerOfRight(it->second) != found->second) continue;
        common += name == a.output() && other == b.output() ? 2 : 1;
      }
    }
    return common;
  }

  int PartnerOf(int left) const {
    return Index(left) < alignment_.left_to_right.size() ? alignment_.left_to_right[Index(left)]
                                                         : kNone;
  }
  int PartnerOfRight(int right) const {
    return Index(right) < alignment_.right_to_left.size() ? alignment_.right_to_left[Index(right)]
                                                          : kNone;
  }

  static int CommonNodes(const Block& a, const Block& b) {
    if (a.path != b.path) return 0;
    const absl::flat_hash_set<std::string> names(a.nodes.begin(), a.nodes.end());
    return static_cast<int>(std::count_if(b.nodes.begin(), b.nodes.end(), [&](const auto& name) {
      return names.contains(name);
    }));
  }

  // The best first.
  template <typename Score>
  void PairByScore(Score score) {
    std::vector<std::tuple<int, int, int>> scores;
    for (size_t i = 0; i < report_.left.size(); ++i) {
      if (left_used_[i]) continue;
      for (size_t j = 0; j < report_.right.size(); ++j) {
        if (right_used_[j] || report_.left[i].family != report_.right[j].family) continue;
        const int common = score(report_.left[i], report_.right[j]);
        if (common > 0) scores.emplace_back(-common, static_cast<int>(i), static_cast<int>(j));
      }
    }
    std::sort(scores.begin(), scores.end());
    for (const auto& [unused, i, j] : scores) {
      if (left_used_[Index(i)] || right_used_[Index(j)]) continue;
      left_used_[Index(i)] = right_used_[Index(j)] = true;
      report_.pairs.push_back({i, j});
    }
  }

  void AddSingles() {
    for (size_t i = 0; i < report_.left.size(); ++i) {
      if (!left_used_[i]) report_.pairs.push_back({static_cast<int>(i), kNone});
    }
    std::sort(report_.pairs.begin(), report_.pairs.end(),
              [](const BlockPair& a, const BlockPair& b) { return a.left < b.left; });
    for (size_t j = 0; j < report_.right.size(); ++j) {
      if (!right_used_[j]) report_.pairs.push_back({kNone, static_cast<int>(j)});
    }
  }

  void AddAccuracy(const QuantizationReport& quantization) {
    const ResultStream& stream = quantization.right ? *right_.stream : *left_.stream;
    absl::flat_hash_map<std::string, const QuantizedLayer*> layers;
    for (const QuantizedLayer& layer : quantization.layers) {
      layers.emplace(stream.results[Index(layer.result)].name, &layer);
    }
    for (Block& block : quantization.right ? report_.right : report_.left) {
      for (BlockObstacle& obstacle : block.obstacles) {
        const auto layer = layers.find(obstacle.quantized);
        if (obstacle.quantized.empty() || layer == layers.end()) continue;
        obstacle.sqnr = layer->second->own_sqnr;
        obstacle.cost = layer->second->cost;
      }
    }
  }

  // A quantizer rounds a result if a node is quantized that makes or reads it: both are to be
  // left alone.
  void ListNodes() {
    absl::flat_hash_set<std::string> listed;
    const auto list = [&](const std::string& name) {
      if (!name.empty() && listed.insert(name).second) report_.nodes_to_exclude.push_back(name);
    };
    for (const BlockPair& pair : report_.pairs) {
      if (!BrokenOnOneSide(report_, pair)) continue;
      const Block& left = report_.left[Index(pair.left)];
      const Block& broken = left.whole() ? report_.right[Index(pair.right)] : left;
      for (const BlockObstacle& obstacle : broken.obstacles) {
        if (obstacle.kind != ObstacleKind::kQuantization) continue;
        list(obstacle.after);
        list(obstacle.before);
      }
    }
  }

  const BlockSide& left_;
  const BlockSide& right_;
  const Alignment& alignment_;
  ResultsByName left_numbers_, right_numbers_;
  BlockReport report_;
  std::vector<bool> left_used_, right_used_;
};

}  // namespace

BlockReport CompareBlocks(const BlockSide& left, const BlockSide& right, const Alignment& alignment,
                          const QuantizationReport* quantization) {
  return BlockComparer(left, right, alignment).Compare(quantization);
}

bool BrokenOnOneSide(const BlockReport& report, const BlockPair& pair) {
  return pair.left != kNone && pair.right != kNone &&
         report.left[Index(pair.left)].whole() != report.right[Index(pair.right)].whole();
}

}  // namespace onnxcmp
