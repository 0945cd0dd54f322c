// A loaded model: graphs, nodes, attributes and initializers after checking and inlining.
#ifndef ONNXCMP_EVALUATOR_MODEL_MODEL_H_
#define ONNXCMP_EVALUATOR_MODEL_MODEL_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"

namespace onnxcmp {

inline constexpr absl::string_view kOnnxDomain = "";  // ai.onnx; normalised when a model is loaded
inline constexpr absl::string_view kMlDomain = "ai.onnx.ml";
inline constexpr absl::string_view kPreviewDomain = "ai.onnx.preview";
inline constexpr absl::string_view kTrainingDomain = "ai.onnx.preview.training";
inline constexpr absl::string_view kMicrosoftDomain = "com.microsoft";
inline constexpr absl::string_view kNchwcDomain = "com.microsoft.nchwc";  // channels in blocks

struct Graph;

// Domain -> version. Nodes that came from a function keep the function's imports.
using OpsetImports = std::map<std::string, int64_t, std::less<>>;

// The type of a value as TypeProto has it, as far as it is known.
struct TypeInfo {
  enum class Kind : uint8_t { kUnknown, kTensor, kSequence, kOptional, kMap, kSparseTensor };
  // A dimension is a number, a symbol, or neither.
  struct Dim {
    std::optional<int64_t> value;
    std::string symbol;
  };
  Kind kind = Kind::kUnknown;
  DType dtype = DType::kUndefined;          // tensor, sparse tensor: element type; map: key type
  std::optional<std::vector<Dim>> shape;    // tensor, sparse tensor; nothing: rank unknown
  std::shared_ptr<const TypeInfo> element;  // sequence, optional: element; map: value
};

struct ValueInfo {
  std::string name;
  TypeInfo type;
};

// An attribute's value. Graph attributes are owned by the node.
using Attribute = std::variant<int64_t, float, std::string, Tensor, SparseTensor, TypeInfo,
                               std::shared_ptr<const Graph>, std::vector<int64_t>,
                               std::vector<float>, std::vector<std::string>, std::vector<Tensor>,
                               std::vector<std::shared_ptr<const Graph>>, std::vector<TypeInfo>>;

struct Node {
  std::string name;
  std::string domain;  // normalised: "" for ai.onnx
  std::string op_type;
  std::string overload;
  std::vector<std::string> inputs;   // "": absent
  std::vector<std::string> outputs;  // "": not wanted
  std::map<std::string, Attribute, std::less<>> attributes;
  // Names of the function calls that this node was inlined from, outermost first, joined by '/';
  // "" for a node of the main graph. A call without a name is called by its function.
  std::string call_path;
  std::shared_ptr<const OpsetImports> imports;
  // The body that a call of a local function runs which is kept as one node (Functions::kKeep),
  // with the call's attributes bound; null for every other node. It sees no outer values.
  std::shared_ptr<const Graph> body;
};

struct Initializer {
  std::string name;
  Value value;  // Tensor or SparseTensor
};

struct Graph {
  std::string name;
  std::vector<ValueInfo> inputs;  // including those that an initializer gives a default
  std::vector<ValueInfo> outputs;
  std::vector<Initializer> initializers;  // in the file's order; sparse ones last
  std::vector<Node> nodes;                // topologically sorted, stably
};

struct Model {
  std::string path;  // as it was opened; "" for one made in memory
  int64_t ir_version = 0;
  std::string producer;
  OpsetImports imports;
  Graph graph;
  std::vector<std::string> notes;  // findings of the checker that do not stop us
};

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_MODEL_MODEL_H_
