#include "tools/parts/known_model.h"

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/proto_walk.h"
#include "evaluator/protos/tensor_proto.h"
#include "evaluator/run/on_results.h"
#include "evaluator/run/result.h"
#include "tools/backend_tests/backend_test.h"
#include "tools/parts/checked_model.h"

namespace onnxcmp {
namespace {

// Adds what a node reads that `own` does not define.
void AddReads(const onnx::NodeProto& node, absl::flat_hash_set<std::string> own,
              absl::flat_hash_set<std::string>* seen, std::vector<std::string>* names) {
  const auto read = [&](const std::string& name) {
    if (!name.empty() && !own.contains(name) && seen->insert(name).second) names->push_back(name);
  };
  for (const std::string& name : node.input()) read(name);
  (void)ForEachSubgraph(node, [&](const onnx::AttributeProto&, const onnx::GraphProto& graph) {
    absl::flat_hash_set<std::string> inner = own;
    for (const auto& input : graph.input()) inner.insert(input.name());
    for (const auto& initializer : graph.initializer()) inner.insert(initializer.name());
    for (const auto& sparse : graph.sparse_initializer()) inner.insert(sparse.values().name());
    for (const onnx::NodeProto& within : graph.node()) {
      inner.insert(within.output().begin(), within.output().end());
    }
    for (const onnx::NodeProto& within : graph.node()) AddReads(within, inner, seen, names);
    for (const auto& output : graph.output()) {
      if (!inner.contains(output.name()) && seen->insert(output.name()).second) {
        names->push_back(output.name());
      }
    }
    return absl::OkStatus();
  });
}

// Keeps the main graph's values, and of graphs inside of nodes those of the first run.
OnResults CollectorFor(KnownModel* model) {
  const auto take = [model](const Result& result, auto* /*replacement*/) {
    if (result.kind == ResultKind::kOutput) return absl::OkStatus();
    if (result.depth == 0) {
      // An input comes after the initializer that is its default.
      model->values.insert_or_assign(std::string(result.name), result.value);
    } else {
      model->inner_values.emplace(std::string(result.name), result.value);
    }
    return absl::OkStatus();
  };
  const auto start_graph = [model](const GraphStart& start) {
    for (size_t i = 0; i < start.inputs.size() && i < start.graph.inputs.size(); ++i) {
      model->inner_values.emplace(start.graph.inputs[i].name, start.inputs[i]);
    }
  };
  return OnResults(take, start_graph);
}

void AddTypes(const onnx::ModelProto& proto, const OpRegistry& registry, KnownModel* model) {
  onnx::ModelProto copy = proto;
  if (!InferTypes(registry, /*strict=*/false, &copy).ok()) return;
  const auto add = [&](const auto& infos) {
    for (const onnx::ValueInfoProto& info : infos) {
      model->types[info.name()] = TypeFromProto(info.type());
    }
  };
  add(copy.graph().value_info());
  add(copy.graph().output());
  add(copy.graph().input());
}

void AddStructure(KnownModel* model) {
  const onnx::GraphProto& graph = model->proto->graph();
  for (const auto& initializer : graph.initializer()) model->constant.insert(initializer.name());
  for (const auto& sparse : graph.sparse_initializer()) {
    model->constant.insert(sparse.values().name());
  }
  for (const auto& input : graph.input()) {
    if (model->feeds.contains(input.name())) model->constant.erase(input.name());
  }
  for (int i = 0; i < graph.node_size(); ++i) {
    const onnx::NodeProto& node = graph.node(i);
    model->reads.push_back(NamesReadBy(node));
    bool constant = !node.op_type().starts_with("Random") && node.op_type() != "Multinomial" &&
                    node.op_type() != "Bernoulli";
    for (const std::string& name : model->reads.back()) {
      model->readers[name].push_back(i);
      constant = constant && model->constant.contains(name);
    }
    for (const std::string& name : node.output()) {
      if (name.empty()) continue;
      model->makers[name] = i;
      if (constant) model->constant.insert(name);
    }
  }
}

}  // namespace

std::vector<std::string> NamesReadBy(const onnx::NodeProto& node) {
  absl::flat_hash_set<std::string> seen;
  std::vector<std::string> names;
  AddReads(node, {}, &seen, &names);
  return names;
}

absl::StatusOr<std::shared_ptr<onnx::ModelProto>> ReadWholeModel(const std::string& path,
                                                                 const OpRegistry& registry,
                                                                 const LoadOptions& options) {
  LoadOptions keep = options;
  keep.functions = Functions::kKeep;
  OC_ASSIGN_OR_RETURN(std::shared_ptr<onnx::ModelProto> proto,
                      LoadModelProto(path, registry, keep));
  OC_RETURN_IF_ERROR(TakeInExternalData(path, options.follow_links, proto.get()));
  return proto;
}

absl::StatusOr<KnownModel> RunKnownModel(std::shared_ptr<const onnx::ModelProto> proto, Feeds feeds,
                                         const OpRegistry& registry,
                                         const KnownModelOptions& options) {
  KnownModel known;
  known.proto = std::move(proto);
  known.feeds = std::move(feeds);
  std::string bytes;
  if (!known.proto->SerializeToString(&bytes)) {
    return absl::ResourceExhaustedError("the model is over 2 GB");
  }
  LoadOptions load = options.load;
  load.functions = Functions::kKeep;
  OC_ASSIGN_OR_RETURN(std::shared_ptr<const Model> model,
                      LoadModelFromBytes(bytes, registry, load));
  OC_ASSIGN_OR_RETURN(const Evaluator evaluator,
                      Evaluator::Create(std::move(model), registry, options.evaluator));
  OnResults collector = CollectorFor(&known);
  OC_RETURN_IF_ERROR(evaluator.Run(known.feeds, &collector).status());
  AddTypes(*known.proto, registry, &known);
  AddStructure(&known);
  return known;
}

}  // namespace onnxcmp
