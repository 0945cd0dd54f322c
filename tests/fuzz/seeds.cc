#include "tests/fuzz/seeds.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/load_model.h"
#include "evaluator/load/read_model.h"
#include "evaluator/protos/tensor_proto.h"
#include "onnx/onnx_pb.h"
#include "record/recordings/npz_reader.h"
#include "tests/fuzz/targets.h"

namespace onnxcmp::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLargestSeed = 32 * 1024;

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<fs::path> Sorted(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) entries.push_back(entry.path());
  std::sort(entries.begin(), entries.end());
  return entries;
}

// Elements as raw_data, which the mutator changes.
void MakeRaw(onnx::TensorProto* tensor) {
  const absl::StatusOr<Tensor> read = TensorFromProto(*tensor);
  if (!read.ok() || read->dtype() == DType::kString) return;
  onnx::TensorProto raw;
  if (TensorToProto(*read, tensor->name(), &raw).ok()) *tensor = std::move(raw);
}

void MakeRaw(onnx::GraphProto* graph) {
  for (onnx::TensorProto& tensor : *graph->mutable_initializer()) MakeRaw(&tensor);
  for (onnx::NodeProto& node : *graph->mutable_node()) {
    for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
      if (attribute.has_t()) MakeRaw(attribute.mutable_t());
      if (attribute.has_g()) MakeRaw(attribute.mutable_g());
    }
  }
}

void AddInput(const std::string& name, const Value& value, onnx::GraphProto* graph) {
  if (value.is_tensor()) {
    if (!TensorToProto(value.tensor(), name, graph->add_initializer()).ok()) {
      graph->mutable_initializer()->RemoveLast();
    }
    return;
  }
  if (!value.is_sequence()) return;
  // The sequence is made of its tensors.
  onnx::NodeProto node;
  node.set_op_type("SequenceConstruct");
  node.add_output(name);
  for (const Value& element : value.sequence().elements) {
    if (!element.is_tensor()) return;
    node.add_input(absl::StrCat(name, "_", node.input_size()));
    AddInput(node.input(node.input_size() - 1), element, graph);
  }
  if (node.input_size() == 0) return;
  *graph->add_node() = std::move(node);
  for (int i = 0; i < graph->input_size(); ++i) {
    if (graph->input(i).name() == name) return graph->mutable_input()->DeleteSubrange(i, 1);
  }
}

// The model with its inputs' values; nothing if it is too large or has external data.
std::optional<std::string> WithInputs(const std::string& model,
                                      const absl::flat_hash_map<std::string, Value>& inputs) {
  auto proto = ReadModelBytes(model, /*max_depth=*/64);
  if (!proto.ok() || model.size() > kLargestSeed) return std::nullopt;
  onnx::GraphProto* graph = (*proto)->mutable_graph();
  MakeRaw(graph);
  for (const auto& [name, value] : inputs) AddInput(name, value, graph);
  std::string bytes = (*proto)->SerializeAsString();
  return bytes.size() > kLargestSeed ? std::nullopt : std::optional<std::string>(std::move(bytes));
}

}  // namespace

absl::StatusOr<std::vector<Seed>> BackendTestSeeds(const std::string& folder) {
  std::vector<Seed> seeds;
  for (const fs::path& test : Sorted(folder)) {
    const std::string bytes = ReadFile(test / "model.onnx");
    const auto model = LoadModelFromBytes(bytes, Registry());
    if (!model.ok()) continue;
    absl::flat_hash_map<std::string, Value> inputs;
    const std::vector<ValueInfo>& declared = (*model)->graph.inputs;
    for (size_t i = 0; i < declared.size(); ++i) {
      auto value = ReadValueFile((test / "test_data_set_0" / absl::StrCat("input_", i, ".pb")),
                                 declared[i].type);
      if (value.ok()) inputs[declared[i].name] = *std::move(value);
    }
    if (auto seed = WithInputs(bytes, inputs)) {
      seeds.push_back({test.filename().string(), *std::move(seed)});
    }
  }
  if (seeds.empty()) return absl::NotFoundError(absl::StrCat("no tests in ", folder));
  return seeds;
}

absl::StatusOr<std::vector<Seed>> GoldenSeeds(const std::string& folder) {
  std::vector<Seed> seeds;
  for (const fs::path& op : Sorted(folder)) {
    if (!fs::exists(op / "cases.npz")) continue;
    OC_ASSIGN_OR_RETURN(const NpzReader archive, NpzReader::Open(op / "cases.npz"));
    for (const fs::path& file : Sorted(op)) {
      if (file.extension() != ".onnx") continue;
      const std::string prefix = file.stem().string() + "/in/";
      absl::flat_hash_map<std::string, Value> inputs;
      for (size_t i = 0; i < archive.names().size(); ++i) {
        const std::string& name = archive.names()[i];
        if (name.compare(0, prefix.size(), prefix) != 0) continue;
        OC_ASSIGN_OR_RETURN(NpyArray array, archive.ReadArray(i));
        inputs[name.substr(prefix.size())] = std::move(array.tensor);
      }
      if (auto seed = WithInputs(ReadFile(file), inputs)) {
        seeds.push_back(
            {absl::StrCat(op.filename().string(), "_", file.stem().string()), *std::move(seed)});
      }
    }
  }
  if (seeds.empty()) return absl::NotFoundError(absl::StrCat("no cases in ", folder));
  return seeds;
}

}  // namespace onnxcmp::fuzz
