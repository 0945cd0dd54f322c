// A model as it is shown: plain data of its message, with functions and subgraphs as they are
// written and the types that are known. Nothing in it has to be runnable.
#ifndef ONNXCMP_SHOW_MODEL_SHOWN_MODEL_H_
#define ONNXCMP_SHOW_MODEL_SHOWN_MODEL_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/dtype.h"

namespace onnxcmp {

// An initializer, or what a Constant node gives.
struct ShownConstant {
  std::string name;
  DType dtype = DType::kUndefined;
  std::vector<int64_t> dims;
  int64_t elements = 0;
  int64_t bytes = 0;
  std::string value;         // if small: "0.5", "[1,-1,768]"; else ""
  uint64_t content = 0;      // a hash, see ShowOptions
  bool external = false;     // lies in a file of its own
  bool from_node = false;    // a Constant node's
  std::string type() const;  // "f32[768,768]"
  bool inlined() const { return !value.empty(); }
};

struct ShownGraph;

struct ShownNode {
  std::string name;
  std::string domain;  // "" for ai.onnx
  std::string op_type;
  std::string overload;
  std::vector<std::string> inputs;   // "": absent
  std::vector<std::string> outputs;  // "": not wanted
  // In few characters, in the file's order. Without graphs.
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<std::pair<std::string, std::shared_ptr<ShownGraph>>> graphs;  // by attribute
  // The operator's defaults for attributes that are not given.
  std::map<std::string, std::string, std::less<>> defaults;
  // Hashes of each whole attribute value, also where its text is shortened.
  std::map<std::string, uint64_t, std::less<>> attribute_hashes;
  int64_t since = 0;             // the version of its operator; 0: there is no schema
  uint64_t attributes_hash = 0;  // without those that are as good as not given
  std::string scope;             // "encoder/layer.0", by metadata or by the node's name; "" if none
  std::string source;  // the line of a program that wrote the node, as exporters note it; or ""
  std::optional<double> operations;  // additions and multiplications, if they are known
  double microseconds = 0;           // that it took in a run that was noted
  std::string op() const;            // "com.microsoft.Gelu", "local.Attention:2"
  std::string label() const;         // its name, else its first output, else its operator
};

struct ShownGraph {
  std::string name;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<ShownConstant> constants;
  std::vector<ShownNode> nodes;  // without Constant nodes that are constants above
  absl::flat_hash_map<std::string, size_t> constant_of;  // by name
  absl::flat_hash_map<std::string, TypeInfo> types;      // by name, as far as they are known
  std::string TypeOf(const std::string& value) const;    // "f32[batch,768]", "" if not known
  const ShownConstant* ConstantOf(const std::string& value) const;
};

struct ShownFunction {
  std::string domain, name, overload;
  std::vector<std::string> attributes;  // "alpha", "beta = 0.5"
  OpsetImports imports;
  ShownGraph body;
  int64_t calls = 0;  // nodes that call it, wherever they stand
  std::string op() const;
};

struct ShownModel {
  std::string path;
  int64_t ir_version = 0;
  std::string producer;  // with its version
  OpsetImports imports;
  std::vector<std::pair<std::string, std::string>> metadata;
  ShownGraph graph;
  std::vector<ShownFunction> functions;
  // Free dimensions and the inputs that have them, in order.
  std::vector<std::pair<std::string, std::vector<std::string>>> free_dimensions;
  std::vector<std::string> notes;
};

// "f32[2,seq,?]", "f32" (a scalar), "f32[...]" (rank unknown), "seq(i64[?])"; "" if not known.
std::string ShownType(const TypeInfo& type);

// Calls `visit` for every node, those of subgraphs after the node that has them.
template <typename Visit>
void ForEachNode(const ShownGraph& graph, const Visit& visit) {
  for (const ShownNode& node : graph.nodes) {
    visit(graph, node);
    for (const auto& [name, body] : node.graphs) ForEachNode(*body, visit);
  }
}

}  // namespace onnxcmp

#endif  // ONNXCMP_SHOW_MODEL_SHOWN_MODEL_H_
