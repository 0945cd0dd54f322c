// Runs nodes of a side once more, on values that a policy chooses.
#ifndef ONNXCMP_RECORD_GRAPHS_REPLAY_H_
#define ONNXCMP_RECORD_GRAPHS_REPLAY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/value.h"
#include "record/graphs/side_graph.h"

namespace onnxcmp {

// The questions of a replay on its way. A question about a model, such as "what is it with this
// result of the other side", is one policy.
class ReplayPolicy {
 public:
  using Outputs = absl::StatusOr<std::vector<Value>>;

  explicit ReplayPolicy(const SideGraph& graph) : graph_(graph) {}
  virtual ~ReplayPolicy() = default;

  // Asks about the nodes in this order, and runs those that have to. False if Take() ended it.
  bool Replay(absl::Span<const int> nodes);
  bool ReplayAll();
  // Number of nodes that ran.
  int64_t runs() const { return runs_; }

 protected:
  const SideGraph& graph() const { return graph_; }
  // The value that readers get of a result: its own, the other side's, a recorded one, one that is
  // rounded or shaken. Empty: there is none, so that no reader can run.
  virtual const Value& Read(int r) = 0;
  // True if a node need not run: its outputs are known, or nobody asks for them.
  virtual bool IsSettled(int /*n*/) { return false; }
  // A node's outputs: those of its kernel on what it reads, unless the policy has another way.
  virtual Outputs Compute(int n) { return RunNode(n); }
  // Takes what a node gave. False ends the replay.
  virtual bool Take(int n, Outputs outputs) = 0;

  // Runs a node in our interpreter, or where the side runs. Unavailable if an input has no value.
  Outputs RunNode(int n, bool as_side = false);

 private:
  bool Step(int n) { return IsSettled(n) || Take(n, Compute(n)); }

  const SideGraph& graph_;
  int64_t runs_ = 0;
};

// A replay that holds values itself, each until its last reader has run.
class HoldingReplay : public ReplayPolicy {
 public:
  // `wanted`: results whose values are held to the end. They may be given.
  HoldingReplay(const SideGraph& graph, absl::Span<const int> nodes, absl::Span<const int> wanted);

  // Runs the nodes; false if one of them cannot.
  bool Run() { return Replay(nodes_); }
  // After Run(); empty if neither a node nor the policy gives it.
  Value ValueOf(int r) { return Read(r); }

 protected:
  // True if a result has a value that does not come from its node.
  virtual bool IsGiven(int r) const = 0;
  // The value that is given; asked for once, when it is read first.
  virtual Value Given(int r) = 0;
  // The value that readers get for what a node gave.
  virtual Value Made(int /*r*/, const Value& own) { return own; }

  const Value& Read(int r) final;
  bool Take(int n, Outputs outputs) override;
  // Takes outputs, known without a run or just made, and releases what nobody will read.
  void Put(int n, const std::vector<Value>& outputs);

 private:
  const std::vector<int> nodes_;
  absl::flat_hash_map<int, int> reads_;     // remaining reads of each value
  absl::node_hash_map<int, Value> values_;  // those that may still be read
};

// By result of the main graph: its initializers and what its inputs were fed, in the graph's form.
std::vector<Value> LeavesOf(const SideGraph& graph, const Feeds& feeds);

// A replay of the whole side on the values of its initializers and inputs. Where a node cannot run,
// it ends.
class WholeReplay : public HoldingReplay {
 public:
  // `leaves` as of LeavesOf().
  WholeReplay(const SideGraph& graph, std::vector<Value> leaves);

  bool Run();

 protected:
  // Is shown the value of each result, and gives the one that its readers get.
  virtual Value See(int /*r*/, const Value& own) { return own; }

 private:
  bool IsGiven(int r) const override { return graph().producer(r) == kNone; }
  Value Given(int r) override { return leaves_[Index(r)]; }
  bool Take(int n, Outputs outputs) override;

  std::vector<Value> leaves_;
};

// The same with a function as See().
bool ReplayWhole(const SideGraph& graph, std::vector<Value> leaves,
                 absl::FunctionRef<Value(int r, const Value& own)> see);

}  // namespace onnxcmp

#endif  // ONNXCMP_RECORD_GRAPHS_REPLAY_H_
