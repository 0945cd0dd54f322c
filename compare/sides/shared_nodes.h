// Cache of node outputs by their inputs, bit for bit: if either of two models repeats a
// computation, it gets the cached outputs.
//
// A node is identified by its operation (operator, version, attributes), the content and layout of
// its inputs, and the wanted outputs. Kernels are deterministic in these. A node that draws random
// numbers is the same only with the same seed; nodes with graphs of their own are never cached as a
// whole, but the nodes inside them are.
#ifndef ONNXCMP_COMPARE_SIDES_SHARED_NODES_H_
#define ONNXCMP_COMPARE_SIDES_SHARED_NODES_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "compare/sides/constant_nodes.h"
#include "compare/sides/value_bank.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/model/model.h"
#include "evaluator/run/result.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "record/streams/fingerprint.h"
#include "record/streams/fingerprint_cache.h"
#include "record/streams/hash128.h"
#include "record/streams/node_facts.h"

namespace onnxcmp {

// Equal nodes of both sides, and how many of them have yet to run.
class NodeMeetings {
 public:
  // A left node may have several on the right.
  void Add(const Node& left, const Node& right);
  // The number of the meeting that a node belongs to, if it does.
  std::optional<int> Of(const Node& node) const;
  // Records that one of its nodes has run. Returns how many have yet to run.
  int Attend(int meeting) { return --to_come_[static_cast<size_t>(meeting)]; }

 private:
  absl::flat_hash_map<const Node*, int> meetings_;
  std::vector<int> to_come_;
};

// For runs of two models, one node at a time. Both must have the same kernels and options. Holds
// only values that are needed later; released ones are computed again, but not fingerprinted again.
class SharedNodes {
 public:
  // All must outlive the object. The pool may be null; so may `constants`, which has findings of
  // earlier runs of these models and receives those of this one.
  SharedNodes(const OpRegistry& registry, FingerprintCache* fingerprints, const ThreadPool* pool,
              ConstantNodes* constants = nullptr)
      : facts_(registry), fingerprints_(fingerprints), pool_(pool), constants_(constants) {}

  // Holds the outputs of the first node of a meeting until all of its nodes have run, up to this
  // many bytes.
  void HoldFor(NodeMeetings meetings, int64_t bytes) {
    meetings_ = std::move(meetings);
    held_ = ValueBank(bytes);
  }

  // As Observer::KnownOutputs.
  std::optional<std::vector<Value>> Find(const PendingNode& run);
  // As Observer::OnNodeOutputs, for the run of the last Find().
  void Add(const PendingNode& run, absl::Span<Value> outputs, bool drew);

  NodeFactsCache& facts() { return facts_; }
  // Number of nodes that did not have to run.
  int64_t nodes() const { return nodes_; }

 private:
  struct Known {
    std::vector<std::optional<WeakTensor>> outputs;  // nothing: not wanted
    std::vector<Fingerprint> fingerprints;           // only those of wanted outputs
    bool drew = false;
    uint64_t random_seed = 0;
  };

  // Nothing for a node that is not shared. Sets is_constant_.
  std::optional<Hash128> KeyOf(const PendingNode& run);
  // The cached outputs of that key, if all of them are still in memory.
  std::optional<std::vector<Value>> Recall(const PendingNode& run);
  void Meet(const Node& node, absl::Span<const Value> outputs);
  // Replaces a large output by an existing value with the same bits.
  void MergeMemory(const Hash128& content, Value* output);

  NodeFactsCache facts_;
  FingerprintCache* fingerprints_;
  const ThreadPool* pool_;
  ConstantNodes* const constants_;
  std::optional<Hash128> key_;  // the running node's
  bool is_constant_ = false;    // it reads constants alone, and `constants_` is set
  absl::flat_hash_map<Hash128, Known> known_;
  absl::flat_hash_map<Hash128, WeakTensor> large_;  // by content
  NodeMeetings meetings_;
  ValueBank held_{0};
  absl::flat_hash_map<int, std::vector<int>> held_for_;  // by meeting
  int next_held_ = 0;
  int64_t nodes_ = 0;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_SIDES_SHARED_NODES_H_
