// A model's message with the values of all its results: what it takes to cut it anywhere.
#ifndef ONNXCMP_TOOLS_PARTS_KNOWN_MODEL_H_
#define ONNXCMP_TOOLS_PARTS_KNOWN_MODEL_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/load/load_model.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/value.h"
#include "onnx/onnx_pb.h"

namespace onnxcmp {

// The names that a node reads, those that its subgraphs read of the graph around them too, each
// once.
std::vector<std::string> NamesReadBy(const onnx::NodeProto& node);

struct KnownModel {
  // Sorted, its local functions kept, external data inside.
  std::shared_ptr<const onnx::ModelProto> proto;
  Feeds feeds;
  // The main graph's initializers, inputs and results.
  absl::flat_hash_map<std::string, Value> values;
  // The results of the first run of each graph inside a node, by name.
  absl::flat_hash_map<std::string, Value> inner_values;
  // As ONNX's shape inference knows them, with symbols.
  absl::flat_hash_map<std::string, TypeInfo> types;

  absl::flat_hash_map<std::string, int> makers;                // node by the name of a result
  std::vector<std::vector<std::string>> reads;                 // by node
  absl::flat_hash_map<std::string, std::vector<int>> readers;  // nodes by name
  absl::flat_hash_set<std::string> constant;                   // results that depend on no input

  int node_count() const { return proto->graph().node_size(); }
  // All that the node reads that makes a result; nothing if none does.
  absl::Span<const std::string> Before(const std::string& name) const {
    const auto maker = makers.find(name);
    if (maker == makers.end()) return {};
    return reads[static_cast<size_t>(maker->second)];
  }
};

struct KnownModelOptions {
  LoadOptions load;  // its functions are kept, whatever it says
  EvaluatorOptions evaluator;
};

// `proto`: sorted, without external data. Errors of the evaluator.
absl::StatusOr<KnownModel> RunKnownModel(std::shared_ptr<const onnx::ModelProto> proto, Feeds feeds,
                                         const OpRegistry& registry,
                                         const KnownModelOptions& options);

// The message of a file in that form.
absl::StatusOr<std::shared_ptr<onnx::ModelProto>> ReadWholeModel(const std::string& path,
                                                                 const OpRegistry& registry,
                                                                 const LoadOptions& options);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_PARTS_KNOWN_MODEL_H_
