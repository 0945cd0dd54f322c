#include "generate/broken_node.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/dtype.h"
#include "generate/roles.h"
#include "generate/tensors.h"
#include "record/differences/value_difference.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {
namespace {

// A run with all its values.
struct RecordedRun {
  ResultStream stream;
  std::vector<Value> values;  // by result
};

absl::StatusOr<RecordedRun> RecordRunOf(const DecoderSide& one, const Feeds& feeds) {
  RecordedRun run;
  one.side->SetFeeds(feeds);
  run.stream = one.side->Record({}, [&](int, const StreamResult&, const Value& value) {
    run.values.push_back(value);
    return absl::OkStatus();
  });
  OC_RETURN_IF_ERROR(one.side->summary().status);
  return run;
}

// Entries along an axis that belong together.
struct AxisPairs {
  std::vector<int64_t> reference, other;
  bool whole = false;   // all of both
  bool tokens = false;  // one for each token
};

// The runs' results beside each other.
class RunPair {
 public:
  RunPair(const DecoderRoles& roles, const RecordedRun& reference, int64_t length,
          const MappedRun& mapped, const RecordedRun& other, const Tolerance& tolerance)
      : roles_(roles),
        reference_(reference),
        length_(length),
        mapped_(mapped),
        other_(other),
        tolerance_(tolerance, DefaultTolerance(DType::kInt64)),
        found_(other.stream.results.size()) {
    for (size_t i = 0; i < reference.stream.results.size(); ++i) {
      const StreamResult& result = reference.stream.results[i];
      places_.emplace(absl::StrCat(result.path, "\n", result.name), i);
    }
    const int64_t read =
        std::count_if(mapped.all.begin(), mapped.all.end(), [](int64_t at) { return at >= 0; });
    complete_ = read == length_;
    slots_ = SlotsOf(reference);
    other_slots_ = SlotsOf(other);
  }

  BrokenNode Find(bool states) {
    FindDependent();
    Reach(states);
    for (size_t i = 0; i < results().size(); ++i) {
      if (!reached_.contains(static_cast<int>(i)) || !dependent_[i] || results()[i].node == kNone ||
          StateOf(static_cast<int>(i)) != State::kDiffers) {
        continue;
      }
      return Named(Origin(static_cast<int>(i)));
    }
    return {};
  }

 private:
  enum class State : uint8_t { kNotAsked, kUnknown, kAgrees, kDiffers };

  const std::vector<StreamResult>& results() const { return other_.stream.results; }
  const StreamNode& NodeOf(int result) const {
    return other_.stream.nodes[Index(results()[Index(result)].node)];
  }

  bool IsControl(const std::string& name) const {
    return std::any_of(
        roles_.inputs.begin(), roles_.inputs.end(), [&](const DecoderRoles::Input& input) {
          return input.name == name && input.role != Role::kTokens && input.role != Role::kFrames &&
                 input.role != Role::kState && input.role != Role::kGiven;
        });
  }

  // The results that are computed from tokens and states, and not from masks, positions and
  // shapes alone.
  void FindDependent() {
    dependent_.resize(results().size());
    for (size_t i = 0; i < results().size(); ++i) {
      const StreamResult& result = results()[i];
      if (result.kind == ResultKind::kInput) {
        dependent_[i] = !IsControl(result.name);
      } else if (result.node != kNone) {
        const StreamNode& node = NodeOf(static_cast<int>(i));
        const bool cut = node.op_type == "Shape" || node.op_type == "Size";
        const auto is = [&](int input) { return input != kNone && dependent_[Index(input)]; };
        dependent_[i] =
            !cut && (!node.closed || std::any_of(node.inputs.begin(), node.inputs.end(), is) ||
                     std::any_of(node.captures.begin(), node.captures.end(), is));
      }
    }
  }

  // Everything that leads to logits and states that differ, and does not agree itself.
  void Reach(bool states) {
    std::vector<int> open;
    for (const StreamResult& result : results()) {
      if (result.kind != ResultKind::kOutput || result.source == kNone) continue;
      const bool counts = result.name == roles_.logits || (states && IsPresent(result.name));
      if (counts && StateOf(result.source) == State::kDiffers) open.push_back(result.source);
    }
    while (!open.empty()) {
      const int at = open.back();
      open.pop_back();
      if (at == kNone || StateOf(at) == State::kAgrees || !reached_.insert(at).second) continue;
      if (results()[Index(at)].node == kNone) continue;
      const StreamNode& node = NodeOf(at);
      open.insert(open.end(), node.inputs.begin(), node.inputs.end());
      open.insert(open.end(), node.captures.begin(), node.captures.end());
      if (!node.captures.empty() || !node.closed) AddInner(at, &open);
    }
  }

  // The result inside of a node's subgraph that it gives: the last one with the same content.
  void AddInner(int result, std::vector<int>* open) const {
    const StreamResult& given = results()[Index(result)];
    for (int i = result - 1; i >= 0; --i) {
      const StreamResult& inner = results()[Index(i)];
      if (inner.depth <= given.depth) continue;
      if (inner.fingerprint.content == given.fingerprint.content) {
        open->push_back(i);
        return;
      }
    }
  }

  bool IsPresent(const std::string& name) const {
    return std::any_of(roles_.states.begin(), roles_.states.end(),
                       [&](const StatePair& state) { return state.present == name; });
  }

  // Back to where masks and positions come to differ: results that are no tokens' own.
  int Origin(int result) {
    while (true) {
      int earlier = kNone;
      for (const int input : NodeOf(result).inputs) {
        if (input == kNone || results()[Index(input)].node == kNone) continue;
        if (StateOf(input) == State::kDiffers) earlier = input;
      }
      if (earlier == kNone) return result;
      result = earlier;
    }
  }

  BrokenNode Named(int result) const {
    const StreamNode& node = NodeOf(result);
    BrokenNode found;
    found.result = results()[Index(result)].name;
    found.node =
        node.name.empty() ? node.op_type : absl::StrCat(node.op_type, " '", node.name, "'");
    return found;
  }

  State StateOf(int result) {
    State& state = found_[Index(result)];
    if (state == State::kNotAsked) state = Compared(result);
    return state;
  }

  State Compared(int result) const {
    const StreamResult& other = results()[Index(result)];
    const auto place = places_.find(absl::StrCat(other.path, "\n", other.name));
    if (place == places_.end()) return State::kUnknown;
    const Value& a = reference_.values[place->second];
    const Value& b = other_.values[Index(result)];
    if (!a.is_tensor() || !b.is_tensor() || a.tensor().rank() != b.tensor().rank()) {
      return State::kUnknown;
    }
    Tensor left = a.tensor(), right = b.tensor();
    if (BitWidth(left.dtype()) < 8) return State::kUnknown;
    bool tokens = false;
    for (size_t axis = 0; axis < left.shape().size(); ++axis) {
      const std::optional<AxisPairs> pairs = PairsOf(left.shape()[axis], right.shape()[axis]);
      if (!pairs.has_value() || (!pairs->whole && pairs->reference.empty())) return State::kUnknown;
      tokens = tokens || pairs->tokens;
      if (pairs->whole) continue;
      absl::StatusOr<Tensor> of_left = EntriesOf(left, axis, pairs->reference);
      absl::StatusOr<Tensor> of_right = EntriesOf(right, axis, pairs->other);
      if (!of_left.ok() || !of_right.ok()) return State::kUnknown;
      left = *std::move(of_left);
      right = *std::move(of_right);
    }
    const bool sizes = left.rank() <= 1 && IsInteger(left.dtype());
    const bool agree = DifferenceWithin(tolerance_, left, right).agree();
    if (agree) return State::kAgrees;
    // A state of the whole past, the sizes of a shape: others where other tokens were read.
    return tokens || (complete_ && !sizes) ? State::kDiffers : State::kUnknown;
  }

  // The length of buffers, [batch, heads, slots, depth]: caches that are longer than what has been
  // read, too.
  std::optional<int64_t> SlotsOf(const RecordedRun& run) const {
    for (const StreamResult& result : run.stream.results) {
      const bool state = std::any_of(
          roles_.states.begin(), roles_.states.end(),
          [&](const StatePair& pair) { return pair.past == result.name && !pair.cross; });
      if (!state || !result.shape.has_value() || result.shape->size() != 4) continue;
      const int64_t slots = (*result.shape)[2];
      const bool longer = slots > static_cast<int64_t>(mapped_.all.size());
      if (longer || roles_.Find(Role::kCachePosition) != nullptr) return slots;
      return std::nullopt;
    }
    return std::nullopt;
  }

  std::optional<AxisPairs> PairsOf(int64_t reference, int64_t other) const {
    const auto fed = static_cast<int64_t>(mapped_.fed.size());
    const auto all = static_cast<int64_t>(mapped_.all.size());
    AxisPairs pairs;
    pairs.tokens = true;
    if (reference == length_ && (other == fed || other == all)) {
      const std::vector<int64_t>& places = other == fed ? mapped_.fed : mapped_.all;
      for (size_t i = 0; i < places.size(); ++i) {
        if (places[i] < 0) continue;
        pairs.reference.push_back(places[i]);
        pairs.other.push_back(static_cast<int64_t>(i));
      }
      return pairs;
    }
    if (other == other_slots_ && (reference == slots_ || reference == length_)) {
      for (int64_t i = 0; i < std::min({all, other, reference}); ++i) {
        pairs.reference.push_back(i);
        pairs.other.push_back(i);
      }
      return pairs;
    }
    if (reference == other) {
      pairs.whole = true;
      pairs.tokens = false;
      return pairs;
    }
    if (mapped_.rows > 1 && other == reference * mapped_.rows) {
      pairs.tokens = reference == length_;
      for (int64_t i = 0; i < reference; ++i) {
        pairs.reference.push_back(i);
        pairs.other.push_back(mapped_.row * reference + i);
      }
      return pairs;
    }
    return std::nullopt;
  }

  const DecoderRoles& roles_;
  const RecordedRun& reference_;
  const int64_t length_;
  const MappedRun& mapped_;
  const RecordedRun& other_;
  const Tolerances tolerance_;
  absl::flat_hash_map<std::string, size_t> places_;  // of the reference's results
  bool complete_ = false;                            // all tokens of the reference have been read
  std::optional<int64_t> slots_, other_slots_;       // of caches that are buffers, in both runs
  std::vector<State> found_;
  std::vector<bool> dependent_;
  absl::flat_hash_set<int> reached_;
};

}  // namespace

absl::StatusOr<Tolerance> RoundingOf(const DecoderSide& one, const Feeds& feeds) {
  OC_ASSIGN_OR_RETURN(const RecordedRun run, RecordRunOf(one, feeds));
  Tolerance tolerance = DefaultTolerance(DType::kFloat);
  for (const StreamResult& result : run.stream.results) {
    if (result.kind != ResultKind::kOutput || result.name != one.decoder->roles().logits) continue;
    const DType type = result.precision;
    tolerance =
        Wider(tolerance, IsInteger(type) ? ToleranceOfQuantized(type) : DefaultTolerance(type));
  }
  return tolerance;
}

absl::StatusOr<BrokenNode> FindBrokenNode(const DecoderSide& one, const Feeds& reference,
                                          int64_t length, const std::vector<MappedRun>& runs,
                                          bool states, const Tolerance& tolerance) {
  OC_ASSIGN_OR_RETURN(const RecordedRun first, RecordRunOf(one, reference));
  for (const MappedRun& mapped : runs) {
    OC_ASSIGN_OR_RETURN(const RecordedRun other, RecordRunOf(one, mapped.feeds));
    BrokenNode found =
        RunPair(one.decoder->roles(), first, length, mapped, other, tolerance).Find(states);
    if (!found.result.empty()) return found;
  }
  return BrokenNode();
}

}  // namespace onnxcmp
