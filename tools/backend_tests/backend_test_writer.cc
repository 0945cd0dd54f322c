// Writes runs as tests.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/proto_walk.h"
#include "evaluator/protos/tensor_proto.h"
#include "onnx/onnx_pb.h"
#include "record/base/write_file.h"
#include "tools/backend_tests/backend_test.h"

namespace onnxcmp {
namespace {

// Moves external data into the message.
absl::Status TakeIn(onnx::TensorProto* tensor, ExternalData& external) {
  if (tensor->data_location() != onnx::TensorProto::EXTERNAL) return absl::OkStatus();
  OC_ASSIGN_OR_RETURN(const Tensor value, TensorFromProto(*tensor, nullptr, &external));
  const std::string name = tensor->name();
  tensor->Clear();
  return TensorToProto(value, name, tensor);
}

absl::Status TakeIn(onnx::GraphProto* graph, ExternalData& external) {
  for (onnx::TensorProto& initializer : *graph->mutable_initializer()) {
    OC_RETURN_IF_ERROR(TakeIn(&initializer, external));
  }
  for (onnx::NodeProto& node : *graph->mutable_node()) {
    for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
      if (attribute.has_t()) OC_RETURN_IF_ERROR(TakeIn(attribute.mutable_t(), external));
    }
    OC_RETURN_IF_ERROR(
        ForEachSubgraph(&node, [&](const onnx::AttributeProto&, onnx::GraphProto* subgraph) {
          return TakeIn(subgraph, external);
        }));
  }
  return absl::OkStatus();
}

// True if exactly the inputs without an initializer have a value.
bool AreThoseRequired(const onnx::GraphProto& graph, const Feeds& feeds) {
  absl::flat_hash_set<absl::string_view> initialized;
  for (const auto& initializer : graph.initializer()) initialized.insert(initializer.name());
  for (const auto& sparse : graph.sparse_initializer()) initialized.insert(sparse.values().name());
  return std::all_of(graph.input().begin(), graph.input().end(), [&](const auto& input) {
    return feeds.contains(input.name()) != initialized.contains(input.name());
  });
}

}  // namespace

absl::Status TakeInExternalData(const std::string& path, bool follow_links,
                                onnx::ModelProto* model) {
  ExternalData external = ExternalData::OfModel(path, follow_links);
  return TakeIn(model->mutable_graph(), external);
}

absl::Status WriteBackendTest(const std::string& folder, const onnx::ModelProto& model,
                              const Feeds& feeds, const std::vector<Value>& outputs) {
  const std::string data = folder + "/test_data_set_0";
  std::error_code error;
  std::filesystem::create_directories(data, error);
  if (error) return absl::PermissionDeniedError(absl::StrCat(data, ": ", error.message()));
  std::string bytes;
  if (!model.SerializeToString(&bytes)) {
    return absl::ResourceExhaustedError(absl::StrCat(folder, ": the model is over 2 GB"));
  }
  OC_RETURN_IF_ERROR(WriteFile(folder + "/model.onnx", bytes));
  // Files are numbered by position: among the required inputs if exactly these have a value, else
  // among all, without gaps.
  const bool required = AreThoseRequired(model.graph(), feeds);
  int files = 0;
  for (int i = 0; i < model.graph().input_size(); ++i) {
    const std::string& name = model.graph().input(i).name();
    const auto feed = feeds.find(name);
    if (feed == feeds.end()) continue;
    if (!required && files != i) {
      return absl::UnimplementedError(absl::StrCat(folder, ": input ", name, " has a value, but ",
                                                   model.graph().input(i - 1).name(),
                                                   " before it has none"));
    }
    OC_RETURN_IF_ERROR(
        WriteValueFile(absl::StrCat(data, "/input_", files, ".pb"), feed->second, name));
    ++files;
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    OC_RETURN_IF_ERROR(WriteValueFile(absl::StrCat(data, "/output_", i, ".pb"), outputs[i],
                                      model.graph().output(static_cast<int>(i)).name()));
  }
  return absl::OkStatus();
}

absl::Status WriteBackendTest(const std::string& folder, const std::string& model,
                              const OpRegistry& registry, const LoadOptions& load,
                              const Feeds& feeds, const std::vector<Value>& outputs) {
  OC_ASSIGN_OR_RETURN(const std::shared_ptr<onnx::ModelProto> proto,
                      LoadModelProto(model, registry, load));
  OC_RETURN_IF_ERROR(TakeInExternalData(model, load.follow_links, proto.get()));
  return WriteBackendTest(folder, *proto, feeds, outputs);
}

}  // namespace onnxcmp
