#include "record/runtimes/model_files.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/model_proto.h"
#include "evaluator/model/outer_names.h"
#include "evaluator/model/value_type.h"
#include "onnx/onnx_pb.h"

namespace onnxcmp {
namespace {

constexpr char kOneNodeProducer[] = "onnxcmp";

// True if no node of a graph, or of the graphs inside, is from a function.
bool HasNoCalls(const Graph& graph) {
  return absl::c_all_of(graph.nodes, [](const Node& node) {
    return node.call_path.empty() && node.body == nullptr &&
           absl::c_all_of(GraphsOf(node), [](const Graph* inner) { return HasNoCalls(*inner); });
  });
}

}  // namespace

absl::Status WriteModelFile(const Model& model, const std::string& path) {
  onnx::ModelProto proto;
  OC_RETURN_IF_ERROR(ModelToProto(model, &proto));
  std::ofstream file(path, std::ios::binary);
  if (!proto.SerializeToOstream(&file)) {
    return absl::ResourceExhaustedError("the model is over 2 GB, or the disk is full");
  }
  file.close();
  return file ? absl::OkStatus()
              : absl::ResourceExhaustedError(absl::StrCat(path, " could not be written"));
}

void RemoveModelFile(const std::string& path) { std::remove(path.c_str()); }

absl::flat_hash_set<absl::string_view> ConstantNames(const Graph& graph) {
  absl::flat_hash_set<absl::string_view> names;
  for (const Initializer& initializer : graph.initializers) names.insert(initializer.name);
  for (const Node& node : graph.nodes) {
    if (node.op_type == "Constant" && node.domain.empty()) {
      names.insert(node.outputs.begin(), node.outputs.end());
    }
  }
  return names;
}

bool IsBinaryFile(const Model& model) {
  return !model.path.empty() && !absl::EndsWith(absl::AsciiStrToLower(model.path), ".onnxtxt");
}

bool NamesAreOfFile(const Model& model) { return HasNoCalls(model.graph); }

absl::StatusOr<Model> OneNodeModel(const Model& model, int64_t index,
                                   absl::Span<const Value> inputs, const Feeds& captures,
                                   Feeds* feeds) {
  if (index < 0 || index >= static_cast<int64_t>(model.graph.nodes.size())) {
    return absl::InvalidArgumentError("there is no such node");
  }
  const Node& node = model.graph.nodes[static_cast<size_t>(index)];
  Model made;
  made.ir_version = model.ir_version;
  made.producer = kOneNodeProducer;
  made.imports = node.imports != nullptr ? *node.imports : model.imports;
  made.graph.name = model.graph.name;
  made.graph.nodes = {node};
  const absl::flat_hash_set<absl::string_view> constants = ConstantNames(model.graph);
  absl::flat_hash_set<std::string> known;
  const auto add = [&](const std::string& name, const Value& value) -> absl::Status {
    if (name.empty() || value.empty() || !known.insert(name).second) return absl::OkStatus();
    if (constants.contains(name) && (value.is_tensor() || value.is_sparse())) {
      made.graph.initializers.push_back({name, value});
      return absl::OkStatus();
    }
    OC_ASSIGN_OR_RETURN(TypeInfo type, TypeAndShapeOf(value));
    made.graph.inputs.push_back({name, std::move(type)});
    (*feeds)[name] = value;
    return absl::OkStatus();
  };
  for (size_t i = 0; i < std::min(inputs.size(), node.inputs.size()); ++i) {
    OC_RETURN_IF_ERROR(add(node.inputs[i], inputs[i]));
  }
  for (const auto& [name, value] : captures) OC_RETURN_IF_ERROR(add(name, value));
  // Graphs inside may read initializers that were not handed over.
  for (const Initializer& initializer : model.graph.initializers) {
    const auto reads = [&](const std::string& name) { return name == initializer.name; };
    if (std::any_of(node.inputs.begin(), node.inputs.end(), reads)) {
      OC_RETURN_IF_ERROR(add(initializer.name, initializer.value));
    }
  }
  for (const std::string& output : node.outputs) {
    if (!output.empty()) made.graph.outputs.push_back({output, TypeInfo()});
  }
  return made;
}

absl::StatusOr<RuntimeValues> RunModelFile(const Model& model, const Feeds& feeds,
                                           Runtime* runtime) {
  OC_ASSIGN_OR_RETURN(const std::string file, runtime->NewFile(".onnx"));
  if (absl::Status written = WriteModelFile(model, file); !written.ok()) {
    RemoveModelFile(file);
    return written;
  }
  const absl::StatusOr<RuntimeSession> session = runtime->Load(file, {});
  absl::StatusOr<RuntimeValues> values =
      session.ok() ? runtime->Run(*session, feeds) : session.status();
  if (session.ok()) runtime->Unload(*session);
  RemoveModelFile(file);
  return values;
}

}  // namespace onnxcmp
