// What nodes gave on which inputs, bit for bit: who computes the same on the same again, in either
// of two models, is handed that instead.
//
// A node is known by its operation (operator, version, attributes), by the content and layout of
// its inputs, and by the outputs that are wanted. Kernels are deterministic in these. A node that
// drew random numbers is the same only at a place of the same seed; nodes with graphs of their own
// are never taken as a whole, the nodes inside them are.
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
#include "compare/streams/fingerprint.h"
#include "compare/streams/fingerprint_cache.h"
#include "compare/streams/hash128.h"
#include "compare/streams/node_facts.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/model/model.h"
#include "evaluator/run/result.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// Nodes of both sides that are alike, and how many of them have yet to come.
class NodeMeetings {
 public:
  // A node of the left may have several on the right.
  void Add(const Node& left, const Node& right);
  // The number of the meeting that a node belongs to, if it does.
  std::optional<int> Of(const Node& node) const;
  // One of them has come. How many are still to come.
  int Attend(int meeting) { return --to_come_[static_cast<size_t>(meeting)]; }

 private:
  absl::flat_hash_map<const Node*, int> meetings_;
  std::vector<int> to_come_;
};

// For runs of two models, one node at a time. Both must have the same kernels and options. Holds
// the values of nobody but those that are needed later; what is gone is computed again, but not
// looked at again.
class SharedNodes {
 public:
  // All must outlive the object. The pool may be null; so may `constants`, which tell what earlier
  // runs of these models have found and are told what this one finds.
  SharedNodes(const OpRegistry& registry, FingerprintCache* fingerprints, const ThreadPool* pool,
              ConstantNodes* constants = nullptr)
      : facts_(registry), fingerprints_(fingerprints), pool_(pool), constants_(constants) {}

  // What the first node of a meeting gives is held until all of them have come, as far as it fits
  // into so many bytes.
  void HoldFor(NodeMeetings meetings, int64_t bytes) {
    meetings_ = std::move(meetings);
    held_ = ValueBank(bytes);
  }

  // As Observer::KnownOutputs.
  std::optional<std::vector<Value>> Find(const PendingNode& run);
  // As Observer::OnNodeOutputs, of the run that Find() was last asked for.
  void Add(const PendingNode& run, absl::Span<Value> outputs, bool drew);

  NodeFactsCache& facts() { return facts_; }
  // How many nodes were not run.
  int64_t nodes() const { return nodes_; }

 private:
  struct Known {
    std::vector<std::optional<WeakTensor>> outputs;  // nothing: not wanted
    std::vector<Fingerprint> fingerprints;           // of those that are wanted
    bool drew = false;
    uint64_t random_seed = 0;
  };

  // Nothing for a node that is not shared. Sets is_constant_.
  std::optional<Hash128> KeyOf(const PendingNode& run);
  // What is known of that key, if all of it is still there.
  std::optional<std::vector<Value>> Recall(const PendingNode& run);
  void Meet(const Node& node, absl::Span<const Value> outputs);
  // In the place of a large output, a value with its bits that is still there.
  void MergeMemory(const Hash128& content, Value* output);

  NodeFactsCache facts_;
  FingerprintCache* fingerprints_;
  const ThreadPool* pool_;
  ConstantNodes* const constants_;
  std::optional<Hash128> key_;  // of the node that runs
  bool is_constant_ = false;    // it reads constants alone, which somebody wants to know
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
