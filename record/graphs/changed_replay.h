// A replay of a side's own run in which some results have changed.
#ifndef ONNXCMP_RECORD_GRAPHS_CHANGED_REPLAY_H_
#define ONNXCMP_RECORD_GRAPHS_CHANGED_REPLAY_H_

#include "absl/container/node_hash_map.h"
#include "evaluator/tensor/value.h"
#include "record/graphs/replay.h"
#include "record/graphs/side_graph.h"

namespace onnxcmp {

// By result.
using ChangedValues = absl::node_hash_map<int, Value>;

// A node runs if it reads a result that has changed; then what it gives has changed, too, except
// where a value was set before.
class ChangedReplay : public ReplayPolicy {
 public:
  // Adds to `changed`, which must outlive the object.
  ChangedReplay(const SideGraph& graph, ChangedValues* changed)
      : ReplayPolicy(graph), changed_(*changed) {}

  // Its value now.
  const Value& Read(int r) override {
    const auto it = changed_.find(r);
    return it == changed_.end() ? Own(r) : it->second;
  }

 protected:
  // Its value in the side's own run.
  virtual const Value& Own(int r) const = 0;
  bool ReadsChanged(int n) const;

  bool IsSettled(int n) override { return !ReadsChanged(n); }
  // Outputs without a value are as they were.
  bool Take(int n, Outputs outputs) override;

 private:
  ChangedValues& changed_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_GRAPHS_CHANGED_REPLAY_H_
