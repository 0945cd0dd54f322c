// A model bound to kernels: what is decided once, before any run.
#ifndef ONNXCMP_EVALUATOR_PLAN_PLAN_H_
#define ONNXCMP_EVALUATOR_PLAN_PLAN_H_

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/kernels/signature.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

// Values live in numbered slots of a frame; a name of the model becomes a number here.
using Slot = int;
inline constexpr Slot kNoSlot = -1;

struct GraphPlan;

// A value of the graph around that a subgraph reads.
struct Capture {
  Slot around, here;
  absl::string_view name;  // of the model
};

class FunctionPlan;  // function_plan.h

// A node as it runs: `body` of a call of a local function, else `function` if there is one for the
// inputs, else `kernel`.
struct NodePlan {
  const Node* node = nullptr;
  Kernel kernel;
  std::shared_ptr<const Signature> signature;  // null for a call of a local function
  std::vector<Slot> inputs;                    // kNoSlot: absent
  std::vector<Slot> outputs;                   // kNoSlot: not wanted
  std::vector<Slot> releases;                  // slots without a reader after this node
  std::vector<std::string> subgraph_names;
  std::vector<std::shared_ptr<const GraphPlan>> subgraphs;
  std::shared_ptr<const GraphPlan> body;
  std::shared_ptr<const FunctionPlan> function;
};

struct GraphPlan {
  const Graph* graph = nullptr;
  int num_slots = 0;
  std::vector<Slot> inputs, initializers, outputs;
  // The first values of the initializers' slots: sparse ones that a node reads are dense.
  std::vector<Value> initial;
  std::vector<Capture> captures;
  std::vector<NodePlan> nodes;
  std::shared_ptr<const Graph> owned;  // `graph`, if it is no part of the model
};

// The values that a node's graphs (its attributes) read of the graph around it; each once.
std::vector<Capture> CapturesOf(const NodePlan& node);

struct PlanOptions {
  bool expand_functions = false;
  bool in_double = false;
  int64_t max_tensor = std::numeric_limits<int64_t>::max();  // bytes one tensor may take
};

// Facts that hold for all graphs of a model.
struct PlanContext {
  std::shared_ptr<const OpRegistry> registry;
  const OpsetImports* imports;  // the model's
  PlanOptions options;
  int depth = 0;  // of bodies in bodies
};

// The plan of an operator's body, which sees no outer values.
absl::StatusOr<std::shared_ptr<const GraphPlan>> MakeGraphPlan(
    std::shared_ptr<const Graph> graph, std::shared_ptr<const PlanContext> context);

struct Plan {
  std::shared_ptr<const Model> model;  // node pointers point into it
  std::shared_ptr<const GraphPlan> main;
};

// Operators without a kernel run through their bodies; with `expand_functions` all that have one
// do.
//
// Unimplemented: nodes with neither kernel nor body, all of them in one message. InvalidArgument:
// nodes that their schemas do not allow, names that nothing produces.
absl::StatusOr<std::shared_ptr<const Plan>> MakePlan(std::shared_ptr<const Model> model,
                                                     const OpRegistry& registry,
                                                     const PlanOptions& options = {});

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_PLAN_PLAN_H_
