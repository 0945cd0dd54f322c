// Parts of a model as models of their own, fed with true values.
#ifndef ONNXCMP_TOOLS_PARTS_PART_H_
#define ONNXCMP_TOOLS_PARTS_PART_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/value.h"
#include "onnx/onnx_pb.h"
#include "tools/parts/known_model.h"

namespace onnxcmp {

struct PartChoice {
  std::vector<int> nodes = {};  // of the main graph, ascending: any
  // Its outputs; none: the results that others read, that are unread, or that the model gives.
  std::vector<std::string> outputs = {};
  // Values that nodes outside give are constants; else inputs, unless they depend on no input.
  bool constants = false;
};

// A model with values for its inputs.
struct FedModel {
  onnx::ModelProto proto;
  Feeds feeds;
};

// The part as a model of these nodes: names, functions and operator sets are kept, values from
// outside are those of the run. InvalidArgument for an empty part.
absl::StatusOr<FedModel> MakePart(const KnownModel& known, const PartChoice& choice);

// The nodes that compute results from those that `stops`, and from the model's inputs.
std::vector<int> NodesBehind(const KnownModel& known, const std::vector<std::string>& results,
                             absl::FunctionRef<bool(const std::string& name)> stops);

// The nodes that compute `to` from `from` and, where a way goes around these, from the model's
// inputs. InvalidArgument for names that are no results, or if nothing lies between.
absl::StatusOr<std::vector<int>> NodesBetween(const KnownModel& known,
                                              const std::vector<std::string>& from,
                                              const std::vector<std::string>& to);

// Puts all nodes of a model into one local function, which it then calls. Initializers become
// inputs of the call.
absl::StatusOr<onnx::ModelProto> AsFunction(const onnx::ModelProto& model,
                                            const std::string& function);

// Gives the outputs of a model the types that ONNX's inference finds; what it leaves open they have
// from `known`, as far as the inputs of the model have fixed shapes.
void TypeOutputs(const OpRegistry& registry, const absl::flat_hash_map<std::string, Value>& known,
                 onnx::ModelProto* model);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_PARTS_PART_H_
