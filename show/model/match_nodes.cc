#include "show/model/match_nodes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "record/streams/xxh128.h"

namespace onnxcmp {
namespace {

uint64_t Hash(const std::vector<uint64_t>& words) { return HashOf(words).low; }
uint64_t Hash(absl::string_view text) { return HashOfText(text).low; }

// The graph of a side as numbers.
class Side {
 public:
  explicit Side(const ShownGraph& graph) : graph_(graph) {
    const size_t size = graph.nodes.size();
    absl::flat_hash_map<std::string, size_t> maker;
    for (size_t i = 0; i < size; ++i) {
      for (const std::string& output : graph.nodes[i].outputs) {
        if (!output.empty()) maker[output] = i;
      }
    }
    makers_.resize(size);
    readers_.resize(size);
    for (size_t i = 0; i < size; ++i) {
      const ShownNode& node = graph.nodes[i];
      for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
        const auto it = maker.find(node.inputs[slot]);
        makers_[i].push_back(it == maker.end() ? -1 : static_cast<int>(it->second));
        if (it == maker.end()) continue;
        const std::vector<std::string>& outputs = graph.nodes[it->second].outputs;
        const auto which = std::find(outputs.begin(), outputs.end(), node.inputs[slot]);
        const size_t number = Commutes(node) ? 0 : slot;
        readers_[it->second].push_back(
            {static_cast<int>(i), (static_cast<uint64_t>(which - outputs.begin()) << 32) | number});
      }
    }
    for (size_t i = 0; i < size; ++i) {
      operators_.push_back(Hash(graph.nodes[i].op()));
      details_.push_back(Hash(Details(i)));
    }
  }

  struct Reader {
    int node;
    uint64_t slots;  // output that it reads, and its input that does
  };

  int size() const { return static_cast<int>(graph_.nodes.size()); }
  const ShownNode& node(int i) const { return graph_.nodes[static_cast<size_t>(i)]; }
  const std::vector<int>& makers(int i) const { return makers_[static_cast<size_t>(i)]; }
  const std::vector<Reader>& readers(int i) const { return readers_[static_cast<size_t>(i)]; }
  uint64_t op(int i) const { return operators_[static_cast<size_t>(i)]; }
  // Operator, attributes, constants.
  uint64_t details(int i) const { return details_[static_cast<size_t>(i)]; }

  // For each node, a hash of its surroundings within that many steps.
  std::vector<uint64_t> Neighbourhoods(int steps, bool with_details) const {
    std::vector<uint64_t> now = with_details ? details_ : operators_;
    for (int step = 0; step < steps; ++step) {
      std::vector<uint64_t> next(now.size());
      for (int i = 0; i < size(); ++i) next[static_cast<size_t>(i)] = Around(i, now);
      now = std::move(next);
    }
    return now;
  }

 private:
  std::vector<uint64_t> Details(size_t i) const {
    const ShownNode& node = graph_.nodes[i];
    std::vector<uint64_t> words = {operators_[i], node.attributes_hash};
    for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
      const ShownConstant* constant = graph_.ConstantOf(node.inputs[slot]);
      if (constant == nullptr) continue;
      words.push_back(Commutes(node) ? 0 : slot);
      words.push_back(constant->content);
    }
    for (const auto& [name, body] : node.graphs) {
      ForEachNode(*body, [&](const ShownGraph&, const ShownNode& inner) {
        words.push_back(Hash(inner.op()));
        words.push_back(inner.attributes_hash);
      });
    }
    return words;
  }

  uint64_t Around(int i, const std::vector<uint64_t>& now) const {
    std::vector<uint64_t> above;
    for (size_t slot = 0; slot < makers(i).size(); ++slot) {
      const int maker = makers(i)[slot];
      const std::string& name = node(i).inputs[slot];
      // Inputs of the model by their place, constants by nothing.
      above.push_back(maker >= 0                           ? now[static_cast<size_t>(maker)]
                      : graph_.ConstantOf(name) != nullptr ? 1
                                                           : 2);
    }
    if (Commutes(node(i))) std::sort(above.begin(), above.end());
    std::vector<uint64_t> below;
    for (const Reader& reader : readers(i)) {
      below.push_back(Hash({now[static_cast<size_t>(reader.node)], reader.slots}));
    }
    std::sort(below.begin(), below.end());
    std::vector<uint64_t> words = {now[static_cast<size_t>(i)], above.size()};
    words.insert(words.end(), above.begin(), above.end());
    words.insert(words.end(), below.begin(), below.end());
    return Hash(words);
  }

  const ShownGraph& graph_;
  std::vector<std::vector<int>> makers_;  // by input; -1: no node
  std::vector<std::vector<Reader>> readers_;
  std::vector<uint64_t> operators_;
  std::vector<uint64_t> details_;
};

class Pairing {
 public:
  Pairing(const ShownGraph& left, const ShownGraph& right)
      : left_(left),
        right_(right),
        right_of_(left.nodes.size(), -1),
        left_of_(right.nodes.size(), -1) {}

  void Run() {
    ByName(/*near=*/true);
    Spread();
    for (const bool with_details : {true, false}) {
      for (const int steps : {16, 8, 4, 2, 1}) {
        ByNeighbourhood(steps, with_details);
        Spread();
      }
    }
    ByName(/*near=*/false);
    Spread();
    ByNeighbourhood(0, /*with_details=*/true);
    Spread();
  }

  NodeMatches Take() && { return {std::move(right_of_), std::move(left_of_)}; }

 private:
  int right_of(int l) const { return right_of_[static_cast<size_t>(l)]; }
  int left_of(int r) const { return left_of_[static_cast<size_t>(r)]; }
  void Pair(int l, int r) {
    right_of_[static_cast<size_t>(l)] = r;
    left_of_[static_cast<size_t>(r)] = l;
    fresh_.emplace_back(l, r);
  }
  bool Free(int l, int r) const {
    return right_of(l) < 0 && left_of(r) < 0 && left_.op(l) == right_.op(r);
  }

  // Nodes that are alike in all around them stand for each other in their order, if there are as
  // many on both sides.
  void ByNeighbourhood(int steps, bool with_details) {
    const std::vector<uint64_t> left = left_.Neighbourhoods(steps, with_details);
    const std::vector<uint64_t> right = right_.Neighbourhoods(steps, with_details);
    absl::flat_hash_map<uint64_t, std::pair<std::vector<int>, std::vector<int>>> groups;
    for (int l = 0; l < left_.size(); ++l) {
      if (right_of(l) < 0) groups[left[static_cast<size_t>(l)]].first.push_back(l);
    }
    for (int r = 0; r < right_.size(); ++r) {
      if (left_of(r) < 0) groups[right[static_cast<size_t>(r)]].second.push_back(r);
    }
    for (int l = 0; l < left_.size(); ++l) {
      if (right_of(l) >= 0) continue;
      const auto& [ours, theirs] = groups[left[static_cast<size_t>(l)]];
      if (ours.size() != theirs.size()) continue;
      // Without much around them, many alike say little.
      if (steps < 2 && ours.size() > 1) continue;
      for (size_t i = 0; i < ours.size(); ++i) {
        if (Free(ours[i], theirs[i])) Pair(ours[i], theirs[i]);
      }
    }
  }

  // `near`: their neighbours have the same operators, too, and their own details agree, so that
  // numbered names do not mislead.
  void ByName(bool near) {
    const std::vector<uint64_t> left = left_.Neighbourhoods(near ? 1 : 0, false);
    const std::vector<uint64_t> right = right_.Neighbourhoods(near ? 1 : 0, false);
    absl::flat_hash_map<std::string, int> makers;
    for (int r = 0; r < right_.size(); ++r) {
      for (const std::string& output : right_.node(r).outputs) makers[output] = r;
    }
    for (int l = 0; l < left_.size(); ++l) {
      for (const std::string& output : left_.node(l).outputs) {
        const auto it = makers.find(output);
        if (output.empty() || it == makers.end() || !Free(l, it->second)) continue;
        const int r = it->second;
        if (near && (left[static_cast<size_t>(l)] != right[static_cast<size_t>(r)] ||
                     left_.details(l) != right_.details(r))) {
          continue;
        }
        Pair(l, r);
        break;
      }
    }
  }

  // From pairs to what they read and to who reads them.
  void Spread() {
    while (!fresh_.empty()) {
      const auto [l, r] = fresh_.front();
      fresh_.pop_front();
      SpreadUp(l, r);
      SpreadDown(l, r);
    }
  }

  void SpreadUp(int l, int r) {
    const std::vector<int>& ours = left_.makers(l);
    const std::vector<int>& theirs = right_.makers(r);
    const auto pair = [&](int a, int b) {
      if (a >= 0 && b >= 0 && Free(a, b)) Pair(a, b);
    };
    if (!Commutes(left_.node(l))) {
      for (size_t slot = 0; slot < std::min(ours.size(), theirs.size()); ++slot) {
        pair(ours[slot], theirs[slot]);
      }
      return;
    }
    for (const int a : ours) {
      int found = -1;
      int count = 0;
      for (const int b : theirs) {
        if (a < 0 || b < 0 || !Free(a, b)) continue;
        found = b;
        ++count;
      }
      if (count == 1) pair(a, found);
    }
  }

  void SpreadDown(int l, int r) {
    for (const Side::Reader& ours : left_.readers(l)) {
      if (right_of(ours.node) >= 0) continue;
      // With the same details, then with the same operator; of several none, unless by name.
      for (const bool exact : {true, false}) {
        const int found = OnlyReader(ours, l, r, exact);
        if (found < 0) continue;
        Pair(ours.node, found);
        break;
      }
    }
  }

  int OnlyReader(const Side::Reader& ours, int l, int r, bool exact) const {
    int found = -1;
    int count = 0;
    for (const Side::Reader& theirs : right_.readers(r)) {
      if (theirs.slots != ours.slots || !Free(ours.node, theirs.node)) continue;
      if (exact && right_.details(theirs.node) != left_.details(ours.node)) continue;
      if (exact && left_.node(ours.node).outputs == right_.node(theirs.node).outputs) {
        return theirs.node;
      }
      found = theirs.node;
      ++count;
    }
    int rivals = 0;
    for (const Side::Reader& other : left_.readers(l)) {
      if (other.slots != ours.slots || right_of(other.node) >= 0) continue;
      rivals += exact ? left_.details(other.node) == left_.details(ours.node)
                      : left_.op(other.node) == left_.op(ours.node);
    }
    return count == 1 && rivals == 1 ? found : -1;
  }

  Side left_;
  Side right_;
  std::vector<int> right_of_;
  std::vector<int> left_of_;
  std::deque<std::pair<int, int>> fresh_;  // whose neighbours were not looked at
};

}  // namespace

bool Commutes(const ShownNode& node) {
  constexpr std::array<absl::string_view, 10> kNames = {"Add", "Mul", "And", "Or",    "Xor",
                                                        "Max", "Min", "Sum", "Equal", "Mean"};
  return node.domain.empty() &&
         std::find(kNames.begin(), kNames.end(), node.op_type) != kNames.end();
}

NodeMatches MatchNodes(const ShownGraph& left, const ShownGraph& right) {
  Pairing pairing(left, right);
  pairing.Run();
  return std::move(pairing).Take();
}

}  // namespace onnxcmp
