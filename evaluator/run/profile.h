// Where the time of a run goes: an observer that takes down when nodes run.
//
//   Profiler profiler({.operations = OperationCount});  // ops/operation_count.h
//   auto outputs = evaluator->Run(feeds, &profiler);
//   for (const NodeProfile& node : profiler.profile().nodes) ...
//
// Times are of a clock on the wall; what nodes take with several threads is less than what the
// threads take together. The first run after a start reads weights from the disk.
#ifndef ONNXCMP_EVALUATOR_RUN_PROFILE_H_
#define ONNXCMP_EVALUATOR_RUN_PROFILE_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "evaluator/model/model.h"
#include "evaluator/run/result.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// A node of the model, or of a subgraph or a body, where all iterations count together.
struct NodeProfile {
  std::string name;  // its first output's for a node without one
  std::string domain;
  std::string op_type;
  // As Result::path, with the numbers of iterations left out: "decoder/loop_1[*]".
  std::string path;
  int parent = -1;  // in Profile::nodes, whose subgraph or body it is in; -1: main graph
  bool has_inner_nodes = false;
  int64_t runs = 0;
  std::chrono::nanoseconds total{0};
  std::chrono::nanoseconds own{0};  // without the nodes of its subgraphs and body
  // Bytes of its inputs and outputs, each counted once a run, as if all of it was read or written.
  // An output that is a view of an input counts nothing, nor do the inputs where all outputs are.
  int64_t bytes = 0;
  std::optional<double> operations;  // nothing if they are not known of each run
  int first_types = 0;               // in Profile::types, of the first run
};

// The types of a node's inputs and outputs, each as Value::TypeString.
struct NodeTypes {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  friend auto operator<=>(const NodeTypes&, const NodeTypes&) = default;
};

// One time that a node ran.
struct NodeRun {
  int node = 0;                       // in Profile::nodes
  int types = 0;                      // in Profile::types
  std::chrono::nanoseconds start{0};  // since the first node started
  // With what the profiler took for inner nodes, so that these lie within.
  std::chrono::nanoseconds duration{0};
  int64_t bytes = 0;
  std::optional<double> operations;
};

struct Profile {
  std::vector<NodeProfile> nodes;  // in the order in which they ran first
  std::vector<NodeTypes> types;
  std::vector<NodeRun> runs;  // in the order of their ends; empty unless asked for
  // From the first node's start to the end of the last one of the main graph.
  std::chrono::nanoseconds duration{0};
};

// Arithmetic operations of a node that was given these inputs and gave these outputs, a
// multiplication and an addition being two; nothing if that is not known.
using OperationCounter = std::function<std::optional<double>(
    const Node& node, absl::Span<const Value> inputs, absl::Span<const Value> outputs)>;

struct ProfilerOptions {
  OperationCounter operations = {};  // may be null
  bool keep_runs = false;            // Profile::runs, some 64 bytes for each time that a node runs
  // The time since any fixed moment; null: a steady clock.
  std::function<std::chrono::nanoseconds()> clock = {};
};

// Takes the profile of one run. The profiler's own time is not counted. Where several observers see
// a run, it should be the last that sees a node start and the first that sees it end.
class Profiler : public Observer {
 public:
  explicit Profiler(ProfilerOptions options = {});

  void OnNodeStart(const NodeStart& start) override;
  void OnNodeEnd(const NodeEnd& end) override;
  absl::Status OnResult(const Result& /*result*/, std::optional<Value>* /*replacement*/) override {
    return absl::OkStatus();
  }

  // The nodes that have come to their end.
  const Profile& profile() const { return profile_; }

 private:
  using Time = std::chrono::nanoseconds;
  // A node that runs; the first one stands for the run.
  struct Running {
    int node = -1;
    std::string inner_prefix;  // start of the paths of its inner nodes
    Time entered{0};           // before the profiler looked at it
    Time started{0};
    Time inside{0};             // its inner nodes with what the profiler took for them
    Time taken_by_profiler{0};  // at any depth
  };

  int NodeOf(const NodeStart& start);
  // Adds what there is to know of a run, all but its times.
  void Count(const NodeEnd& end, NodeRun run);
  std::string PathOf(const NodeStart& start) const;
  int TypesOf(const NodeEnd& end);

  ProfilerOptions options_;
  Profile profile_;
  absl::flat_hash_map<std::string, int> index_;  // of nodes by parent, path, names, operator
  std::map<NodeTypes, int> types_;
  std::vector<Running> running_ = std::vector<Running>(1);  // outermost first
};

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_RUN_PROFILE_H_
