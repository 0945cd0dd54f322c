// Where in a framework's program the nodes of a model come from, as exporters write it down.
#ifndef ONNXCMP_EVALUATOR_LOAD_MODULE_PATHS_H_
#define ONNXCMP_EVALUATOR_LOAD_MODULE_PATHS_H_

#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace onnxcmp {

struct ProgramPlace {
  std::optional<std::string> module;  // its path, "encoder.layer.0.output"; "" for the root
  std::string line;                   // of the program, "model.py:12"; "": not noted
};

// By the name of a node's first output. Read from the metadata that PyTorch's exporter writes into
// every node (pkg.torch.onnx.name_scopes, before that namespace; pkg.torch.onnx.stack_trace), of
// the main graph. Empty if the file has none or cannot be read.
absl::flat_hash_map<std::string, ProgramPlace> ReadProgramPlaces(const std::string& path);

// The path in such an entry: "['', 'encoder', 'encoder.layer.0', 'add_3']" is "encoder.layer.0".
std::string ModuleOfNameScopes(absl::string_view scopes);
// ": Net/encoder: Encoder/encoder.layer.0: Layer/add_3: aten.add" likewise.
std::string ModuleOfNamespace(absl::string_view name);
// "model.py:12" of a stack trace, outermost call first: the innermost line that is not PyTorch's.
std::string LineOfStackTrace(absl::string_view trace);

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_LOAD_MODULE_PATHS_H_
