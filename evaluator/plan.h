// A model bound to kernels: what is decided once, before any run.
#ifndef ONNXCMP_EVALUATOR_PLAN_H_
#define ONNXCMP_EVALUATOR_PLAN_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/kernel.h"
#include "evaluator/model.h"
#include "evaluator/op_registry.h"

namespace onnxcmp {

// Values live in numbered slots of a frame; a name of the model becomes a number here.
using Slot = int;
inline constexpr Slot kNoSlot = -1;

// What a schema says about one input.
struct ParameterType {
  std::string name;
  uint32_t tensor_dtypes = 0;    // bit i: tensors of DType i are allowed
  std::vector<TypeInfo> others;  // what else is allowed: sequences, optionals, maps, sparse tensors
  bool may_be_absent = false;
  int type_variable = -1;  // inputs with the same number have the same type; -1: a fixed type
  std::string type_name;   // "T", as the schema calls the variable
};

// What is needed of an OpSchema while a model runs, made once a plan for each schema in use.
struct Signature {
  std::vector<ParameterType> inputs;  // the last one repeats if variadic
  bool variadic_homogeneous = false;  // all values of the last input have one type
  bool variadic = false;
  std::map<std::string, Attribute, std::less<>> defaults;
};

struct GraphPlan;

// A value of the graph around that a subgraph reads.
struct Capture {
  Slot around, here;
  absl::string_view name;  // of the model
};

struct NodePlan {
  const Node* node = nullptr;
  Kernel kernel;                               // empty: a function call, `body` runs
  std::shared_ptr<const Signature> signature;  // null for a function call
  std::vector<Slot> inputs;                    // kNoSlot: absent
  std::vector<Slot> outputs;                   // kNoSlot: not wanted
  std::vector<Slot> releases;                  // slots that nobody reads after this node
  std::vector<std::string> subgraph_names;
  std::vector<std::shared_ptr<const GraphPlan>> subgraphs;
  std::shared_ptr<const GraphPlan> body;
};

struct GraphPlan {
  const Graph* graph = nullptr;
  int num_slots = 0;
  std::vector<Slot> inputs, initializers, outputs;
  std::vector<Capture> captures;
  std::vector<NodePlan> nodes;
};

struct Plan {
  std::shared_ptr<const Model> model;  // node pointers point into it
  std::shared_ptr<const GraphPlan> main;
};

// Unimplemented: nodes without a kernel, all of them in one message. InvalidArgument: nodes that
// their schemas do not allow, names that nobody produces.
absl::StatusOr<std::shared_ptr<const Plan>> MakePlan(std::shared_ptr<const Model> model,
                                                     const OpRegistry& registry);

// "Squeeze 'squeeze_3' in decoder/attention_0": how errors call a node.
std::string DescribeNode(const Node& node, absl::string_view path);

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_PLAN_H_
