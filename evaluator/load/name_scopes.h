// New names for what is inlined.
#ifndef ONNXCMP_EVALUATOR_LOAD_NAME_SCOPES_H_
#define ONNXCMP_EVALUATOR_LOAD_NAME_SCOPES_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"

namespace onnx {
class FunctionProto;
class GraphProto;
class NodeProto;
}  // namespace onnx

namespace onnxcmp {

class OpRegistry;

// Every name in use, of nodes and of values alike.
class NameGenerator {
 public:
  explicit NameGenerator(const onnx::GraphProto& graph) { AddGraph(graph); }

  // `suggested`, or if that is taken the first of `suggested`_n that is not.
  std::string New(const std::string& suggested);

 private:
  void AddGraph(const onnx::GraphProto& graph);

  absl::flat_hash_set<std::string> used_;
  unsigned next_ = 0;
};

// Renames a copy of a function's body for one call.
class BodyRenamer {
 public:
  // `suffix`: "__3" for the third call. `registry`: tells the operators whose attributes name
  // values.
  BodyRenamer(const onnx::FunctionProto& function, const onnx::NodeProto& call, std::string suffix,
              const OpRegistry& registry, NameGenerator* names);

  // All nodes in order, after which value_info may be looked up.
  void RenameNode(onnx::NodeProto* node);

  // The new name of a name in the function's body; the name itself if it was not renamed.
  std::string Lookup(const std::string& name) const;

 private:
  using Names = absl::flat_hash_map<std::string, std::string>;

  std::string NewName(const std::string& name) { return names_->New(name + suffix_); }
  void Define(std::string* name);
  void RenameAttributes(onnx::NodeProto* node) const;
  void RenameGraph(onnx::GraphProto* graph);

  std::string suffix_;
  const OpRegistry& registry_;
  NameGenerator* names_;
  std::vector<Names> scopes_;  // of the function, and of the graphs that are being renamed
};

}  // namespace onnxcmp

#endif  // ONNXCMP_EVALUATOR_LOAD_NAME_SCOPES_H_
