// Queues the neighbours of a pair: the inputs of its producers, the outputs of its consumers.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "compare/alignment/pair_queue.h"
#include "compare/alignment/weights.h"
#include "record/base/work_bounds.h"

namespace onnxcmp {
namespace {

using Keyed = std::pair<uint64_t, int>;  // key, result

// An output of a node that reads a result.
struct Consumer {
  int result = 0;
  int content = 0;
  uint64_t manner = 0;  // operator, input slot, output slot
};

uint64_t MannerOf(const StreamIndex& side, const Use& use, size_t output) {
  const bool commutative = StreamIndex::At(side.commutative, use.node) != 0;
  const uint64_t slot = commutative ? 0 : static_cast<uint16_t>(use.slot);
  return (static_cast<uint64_t>(StreamIndex::At(side.op, use.node)) << 32) | (slot << 16) | output;
}

template <typename Free>
std::vector<Consumer> FreeConsumers(const StreamIndex& side, int r, Free&& is_free) {
  std::vector<Consumer> consumers;
  for (const Use& use : side.uses[r]) {
    const absl::Span<const int> outputs = side.outputs[use.node];
    for (size_t o = 0; o < outputs.size(); ++o) {
      if (outputs[o] == kNone || !is_free(outputs[o])) continue;
      consumers.push_back(
          {outputs[o], StreamIndex::At(side.content, outputs[o]), MannerOf(side, use, o)});
    }
  }
  return consumers;
}

template <typename Key>
std::vector<Keyed> SortedBy(const std::vector<Consumer>& consumers, Key&& key) {
  std::vector<Keyed> keyed;
  keyed.reserve(consumers.size());
  for (const Consumer& consumer : consumers) keyed.push_back({key(consumer), consumer.result});
  std::sort(keyed.begin(), keyed.end());
  keyed.erase(std::unique(keyed.begin(), keyed.end()), keyed.end());
  return keyed;
}

absl::Span<const Keyed> WithKey(const std::vector<Keyed>& keyed, uint64_t key) {
  const auto first = std::lower_bound(keyed.begin(), keyed.end(), Keyed{key, kNone});
  const auto last =
      std::upper_bound(first, keyed.end(), Keyed{key, std::numeric_limits<int>::max()});
  return absl::MakeConstSpan(keyed).subspan(static_cast<size_t>(first - keyed.begin()),
                                            static_cast<size_t>(last - first));
}

// The node before quantizing for a DequantizeLinear, whose result approximates that node's.
int BeforeQuantizing(const StreamIndex& side, int n) {
  const StreamNode& node = side.node(n);
  if (node.op_type != "DequantizeLinear" || node.inputs.empty() || node.inputs[0] == kNone)
    return n;
  const int quantizing = side.producer(node.inputs[0]);
  return quantizing != kNone && side.node(quantizing).op_type == "QuantizeLinear" ? quantizing : n;
}

uint64_t ContentKey(const Consumer& c) { return static_cast<uint64_t>(c.content); }
uint64_t MannerKey(const Consumer& c) { return c.manner; }

}  // namespace

void PairQueue::SpreadAll() {
  const std::vector<bool> beside_free = BesideFree();
  for (int l = 0; l < index_.left.size(); ++l) {
    if (beside_free[Index(l)] && !pairing_.left_free(l) && !index_.left.is_output_row(l)) {
      Spread(l, pairing_.of_left(l));
    }
  }
}

std::vector<bool> PairQueue::BesideFree() const {
  const StreamIndex& left = index_.left;
  std::vector<bool> beside(Index(left.size()), false);
  const auto mark = [&](int r) {
    if (r == kNone) return;
    beside[Index(r)] = true;
    beside[Index(left.root(r))] = true;
  };
  const auto mark_outputs = [&](int n) {
    for (const int output : left.outputs[n]) mark(output);
  };
  for (int l = 0; l < left.size(); ++l) {
    if (!pairing_.left_free(l) || left.is_output_row(l)) continue;
    for (const Use& use : left.uses[l]) {
      mark_outputs(use.node);
      if (left.node(use.node).op_type != "QuantizeLinear") continue;
      // Seen from the DequantizeLinear, its inputs are those of the node before:
      // BeforeQuantizing().
      for (const int quantized : left.node(use.node).outputs) {
        if (quantized == kNone) continue;
        for (const Use& next : left.uses[quantized]) mark_outputs(next.node);
      }
    }
    const int n = left.producer(l);
    if (n == kNone) continue;
    mark_outputs(n);
    for (const int input : left.inputs[n]) mark(input);
    for (const int capture : left.node(n).captures) mark(capture);
  }
  return beside;
}

void PairQueue::Spread(int l, int r) {
  const int left_node = index_.left.producer(l);
  const int right_node = index_.right.producer(r);
  if (left_node != kNone && right_node != kNone) {
    SpreadToInputs(left_node, right_node);
    const int left_quantizing = BeforeQuantizing(index_.left, left_node);
    const int right_quantizing = BeforeQuantizing(index_.right, right_node);
    if (left_quantizing != left_node || right_quantizing != right_node) {
      SpreadToInputs(left_quantizing, right_quantizing);
    }
    const absl::Span<const int> left_outputs = index_.left.outputs[left_node];
    const absl::Span<const int> right_outputs = index_.right.outputs[right_node];
    if (StreamIndex::At(index_.left.op, left_node) ==
        StreamIndex::At(index_.right.op, right_node)) {
      for (size_t o = 0; o < std::min(left_outputs.size(), right_outputs.size()); ++o) {
        if (left_outputs[o] != kNone && right_outputs[o] != kNone) {
          Push(left_outputs[o], right_outputs[o]);
        }
      }
    }
  }
  SpreadToConsumers(l, r);
}

void PairQueue::SpreadToInputs(int left_node, int right_node) {
  const StreamIndex& left = index_.left;
  const StreamIndex& right = index_.right;
  const absl::Span<const int> left_inputs = left.inputs[left_node];
  const absl::Span<const int> right_inputs = right.inputs[right_node];
  const auto push = [&](int l, int r) {
    Push(l, r);
    const int left_root = pairing_.StandInLeft(l);
    const int right_root = pairing_.StandInRight(r);
    if (left_root != l || right_root != r) Push(left_root, right_root);
  };
  if (StreamIndex::At(left.op, left_node) == StreamIndex::At(right.op, right_node)) {
    for (size_t i = 0; i < std::min(left_inputs.size(), right_inputs.size()); ++i) {
      if (left_inputs[i] != kNone && right_inputs[i] != kNone) {
        push(left_inputs[i], right_inputs[i]);
      }
    }
  }
  const size_t right_count = std::min<size_t>(right_inputs.size(), work_bounds::kCandidates);
  const size_t left_count = std::min<size_t>(left_inputs.size(), work_bounds::kCandidates);
  for (size_t i = 0; i < left_count; ++i) {
    const int l = left_inputs[i];
    if (l == kNone) continue;
    const int stand_in = pairing_.StandInLeft(l);
    if (!pairing_.left_free(stand_in)) continue;
    size_t equal = 0;
    bool found = false;
    for (size_t k = 0; k < right_count && equal < weights::kMostQueued; ++k) {
      const int r = right_inputs[k];
      if (r == kNone || !evidence_.SameContent(l, r)) continue;
      found = true;
      if (!pairing_.right_free(pairing_.StandInRight(r))) continue;
      push(l, r);
      ++equal;
    }
    if (found || right_inputs.size() > weights::kMostQueued) continue;
    for (int r : right_inputs) {
      if (r != kNone && left.fingerprint(l).size == right.fingerprint(r).size) push(l, r);
    }
  }
}

void PairQueue::SpreadToConsumers(int l, int r) {
  if (index_.left.uses[l].empty() || index_.right.uses[r].empty()) return;
  const std::vector<Consumer> lefts =
      FreeConsumers(index_.left, l, [&](int output) { return pairing_.left_free(output); });
  if (lefts.empty()) return;
  const std::vector<Consumer> rights =
      FreeConsumers(index_.right, r, [&](int output) { return pairing_.right_free(output); });
  if (rights.empty()) return;
  const std::vector<Keyed> left_contents = SortedBy(lefts, ContentKey);
  const std::vector<Keyed> left_manners = SortedBy(lefts, MannerKey);
  const std::vector<Keyed> right_contents = SortedBy(rights, ContentKey);
  const std::vector<Keyed> right_manners = SortedBy(rights, MannerKey);
  const bool few = index_.right.uses[r].size() <= weights::kMostQueued;
  const auto offer = [&](const std::vector<Keyed>& left_keyed,
                         const std::vector<Keyed>& right_keyed, const Keyed& keyed, size_t most) {
    const auto candidates = WithKey(right_keyed, keyed.first);
    if (candidates.empty()) return false;
    const auto equals = WithKey(left_keyed, keyed.first);
    const size_t rank =
        static_cast<size_t>(std::lower_bound(equals.begin(), equals.end(), keyed) - equals.begin());
    PushPlaced(keyed.second, candidates, rank, equals.size(), most);
    return true;
  };
  for (const Consumer& consumer : lefts) {
    if (offer(left_contents, right_contents, {ContentKey(consumer), consumer.result},
              weights::kMostQueued)) {
      continue;
    }
    offer(left_manners, right_manners, {MannerKey(consumer), consumer.result},
          weights::kMostQueued);
    if (!few) continue;
    const int64_t size = index_.left.fingerprint(consumer.result).size;
    for (const Consumer& other : rights) {
      if (index_.right.fingerprint(other.result).size == size) Push(consumer.result, other.result);
    }
  }
}

// Queues the right results; of more than `most`, those around the position that `rank` has among
// `ranks`.
void PairQueue::PushPlaced(int l, absl::Span<const std::pair<uint64_t, int>> rights, size_t rank,
                           size_t ranks, size_t most) {
  size_t first = 0;
  size_t last = rights.size();
  if (rights.size() > most) {
    const size_t middle =
        std::min(rights.size() - 1, ranks == rights.size() ? rank : rank * rights.size() / ranks);
    first = middle > most / 2 ? middle - most / 2 : 0;
    last = std::min(rights.size(), first + most);
  }
  for (const auto& [key, r] : rights.subspan(first, last - first)) Push(l, r);
}

}  // namespace onnxcmp
