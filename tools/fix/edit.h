// Edits of a model's message: plain data, and their application.
#ifndef ONNXCMP_TOOLS_FIX_EDIT_H_
#define ONNXCMP_TOOLS_FIX_EDIT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "onnx/onnx_pb.h"

namespace onnxcmp {

// One step of an edit, in the main graph. A node is named by its first output.
struct Operation {
  enum class Kind : uint8_t {
    kSetAttribute,   // `message`: an AttributeProto
    kDropAttribute,  // `name`
    kSetInput,       // input `slot` of the node reads `name`; "": is absent
    kSetConstant,   // the initializer, or the Constant node, has the value `message`: a TensorProto
    kRename,        // output `result` of its node is called `name`; readers are left alone
    kRedirect,      // whoever reads `result`, in subgraphs too, reads `name`
    kAddNode,       // `message`: a NodeProto
    kAddConstant,   // `message`: a TensorProto
    kImport,        // the model imports opset `slot` of the domain `name`
    kDropNode,      // the node
    kDropConstant,  // the initializer
  };
  Kind kind = Kind::kSetInput;
  std::string result = {};
  int slot = 0;
  std::string name = {};
  std::string message = {};  // serialized
};

struct Edit {
  std::vector<Operation> operations;
  std::vector<std::string> lines;  // the edit in words: "/a/Softmax: axis 2 -> -1"

  // How many nodes it adds.
  int64_t added() const;
};

// Lets a node, and its subgraphs, read `to` wherever they read `from`.
void RedirectReads(const std::string& from, const std::string& to, onnx::NodeProto* node);

// Applies the operations in order, and sorts the nodes. NotFound for a node or a constant that the
// model does not have, other errors for nodes that then need each other or names that nothing
// makes; the model is then of no use.
absl::Status ApplyEdit(const Edit& edit, onnx::ModelProto* model);

// Applies the edit, and adds operations to it that drop what nothing reads any more.
absl::Status ApplyAndClean(Edit* edit, onnx::ModelProto* model);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_FIX_EDIT_H_
