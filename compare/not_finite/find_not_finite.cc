#include "compare/not_finite/find_not_finite.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/node_hash_map.h"
#include "absl/strings/str_cat.h"
#include "compare/not_finite/not_finite_reason.h"
#include "evaluator/base/status_macros.h"
#include "record/base/work_bounds.h"
#include "record/differences/tensor_distance.h"
#include "record/streams/node_watcher.h"

namespace onnxcmp {
namespace {

bool HasNan(const StreamResult& result) {
  return !result.fingerprint.finite && result.fingerprint.numbers().statistics.nans > 0;
}
bool HasInfinity(const StreamResult& result) {
  return !result.fingerprint.finite && result.fingerprint.numbers().statistics.infinities > 0;
}

// Finds the origins from the recorded fingerprints.
class OriginFinder {
 public:
  explicit OriginFinder(const ResultStream& stream) : stream_(stream) {}

  NotFinite Find() {
    for (size_t r = 0; r < stream_.results.size(); ++r) {
      const StreamResult& result = stream_.results[r];
      if (result.kind == ResultKind::kOutput) continue;
      BeginResult(result);
      const bool nan = HasNan(result);
      const bool infinite = HasInfinity(result);
      if (!nan && !infinite) continue;
      if (result.kind == ResultKind::kResult) ++found_.results;
      const bool from_nan = Inherits(result, HasNan, nan_);
      const bool from_any = from_nan || Inherits(result, HasInfinity, infinite_);
      if (nan ? !from_nan : !from_any) Add(static_cast<int>(r), nan);
      if (nan) nan_.Note(result.depth);
      if (infinite) infinite_.Note(result.depth);
    }
    return std::move(found_);
  }

 private:
  // Results of one kind so far.
  struct Seen {
    bool any = false;
    // By depth: seen deeper since the last node there; seen inside the node whose outputs come now.
    std::vector<bool> below, inside;

    void Note(int depth) {
      any = true;
      std::fill(below.begin(), below.begin() + depth, true);
    }
    void BeginNode(int depth) {
      inside[Index(depth)] = below[Index(depth)];
      below[Index(depth)] = false;
    }
  };

  // Results inside a node's subgraphs come before its own outputs.
  void BeginResult(const StreamResult& result) {
    const size_t depth = Index(result.depth);
    if (nodes_.size() <= depth) {
      nodes_.resize(depth + 1, kNone);
      for (Seen* seen : {&nan_, &infinite_}) {
        seen->below.resize(depth + 1);
        seen->inside.resize(depth + 1);
      }
    }
    if (result.node == kNone || nodes_[depth] == result.node) return;
    nodes_[depth] = result.node;
    nan_.BeginNode(result.depth);
    infinite_.BeginNode(result.depth);
  }

  template <typename Has>
  bool Inherits(const StreamResult& result, const Has& has, const Seen& seen) const {
    if (result.kind != ResultKind::kResult) return false;
    // If its inputs are unknown, or not all known, only the first one counts.
    if (result.node == kNone) return seen.any;
    const StreamNode& node = stream_.nodes[Index(result.node)];
    if (!node.closed && seen.any) return true;
    const auto is_so = [&](int read) { return read != kNone && has(stream_.results[Index(read)]); };
    return seen.inside[Index(result.depth)] ||
           std::any_of(node.inputs.begin(), node.inputs.end(), is_so) ||
           std::any_of(node.captures.begin(), node.captures.end(), is_so);
  }

  void Add(int r, bool nan) {
    const StreamResult& result = stream_.results[Index(r)];
    // All outputs of a node count as one.
    if (result.node != kNone && !with_origin_.insert(result.node).second) return;
    if (found_.origins.size() == work_bounds::kTrials) {
      ++found_.more;
      return;
    }
    const Statistics& statistics = result.fingerprint.numbers().statistics;
    NotFiniteOrigin& origin = found_.origins.emplace_back();
    origin.result = r;
    origin.nan = nan;
    origin.elements = nan ? statistics.nans : statistics.infinities;
  }

  const ResultStream& stream_;
  NotFinite found_;
  Seen nan_, infinite_;
  std::vector<int> nodes_;                // by depth: the node whose outputs come now
  absl::flat_hash_set<int> with_origin_;  // nodes
};

// Reads the values of the origins and of their inputs.
class OriginExplainer {
 public:
  OriginExplainer(const RecordedSide& side, NotFinite* found) : side_(side), found_(found) {}

  absl::Status Explain(absl::string_view run, const PairValues::Watch& watch) {
    std::vector<bool> wanted(side_.stream->results.size());
    for (size_t i = 0; i < found_->origins.size(); ++i) {
      const int r = found_->origins[i].result;
      wanted[Index(r)] = true;
      origins_[r] = i;
      for (const int input : InputsOf(r)) {
        if (input == kNone) continue;
        wanted[Index(input)] = true;
        last_use_[input] = r;
      }
    }
    const auto take = [&](int r, const Value& value, const Node* node) {
      if (const auto use = last_use_.find(r); use != last_use_.end()) values_[r] = value;
      if (const auto origin = origins_.find(r); origin != origins_.end() && value.is_tensor()) {
        ExplainOne(node, value.tensor(), &found_->origins[origin->second]);
      }
      return absl::OkStatus();
    };
    return VisitWithNodes(side_, run, watch, wanted, take);
  }

 private:
  absl::Span<const int> InputsOf(int r) const {
    const int node = side_.stream->results[Index(r)].node;
    if (node == kNone) return {};
    return side_.stream->nodes[Index(node)].inputs;
  }

  void ExplainOne(const Node* node, const Tensor& output, NotFiniteOrigin* origin) {
    const StreamResult& result = side_.stream->results[Index(origin->result)];
    RanNode ran;
    ran.node = result.node == kNone ? nullptr : node;
    ran.output = output;
    ran.given = result.kind != ResultKind::kResult;
    for (const int input : InputsOf(origin->result)) {
      const auto value = values_.find(input);
      ran.inputs.push_back(value == values_.end() ? Value() : value->second);
      ran.names.push_back(input == kNone ? "" : side_.stream->results[Index(input)].name);
    }
    ran.in_double = [&]() { return InDouble(ran, result); };
    onnxcmp::Explain(ran, origin);
    for (const int input : InputsOf(origin->result)) {
      const auto use = last_use_.find(input);
      if (use != last_use_.end() && use->second == origin->result) values_.erase(input);
    }
  }

  // Nothing for nodes in subgraphs and nodes that have subgraphs.
  Value InDouble(const RanNode& ran, const StreamResult& result) const {
    const Evaluator* evaluator = side_.side->evaluator();
    if (evaluator == nullptr || result.depth > 0) return Value();
    const int64_t node = MainNodeOf(*evaluator, result.name);
    if (node < 0) return Value();
    std::vector<Value> inputs;
    for (const Value& input : ran.inputs) {
      if (input.is_tensor() && IsFloatingPoint(input.tensor().dtype())) {
        const absl::StatusOr<Value> converted =
            ConvertedTo(input, DType::kDouble, input.tensor().shape());
        if (!converted.ok()) return Value();
        inputs.push_back(*converted);
      } else {
        inputs.push_back(input);
      }
    }
    const absl::StatusOr<std::vector<Value>> outputs = evaluator->RunNode(node, inputs);
    return outputs.ok() && Index(result.slot) < outputs->size() ? (*outputs)[Index(result.slot)]
                                                                : Value();
  }

  const RecordedSide& side_;
  NotFinite* found_;
  absl::flat_hash_map<int, size_t> origins_;  // by result
  absl::flat_hash_map<int, int> last_use_;    // by input: the last origin that reads it
  absl::node_hash_map<int, Value> values_;
};

}  // namespace

absl::StatusOr<NotFinite> FindNotFinite(const RecordedSide& side, absl::string_view run,
                                        const PairValues::Watch& watch) {
  NotFinite found = OriginFinder(*side.stream).Find();
  if (found.origins.empty()) return found;
  OC_RETURN_IF_ERROR(OriginExplainer(side, &found).Explain(run, watch));
  return found;
}

}  // namespace onnxcmp
