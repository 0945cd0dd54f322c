// A result of the right model made as the left makes it.
#ifndef ONNXCMP_TOOLS_FIX_TRANSPLANT_H_
#define ONNXCMP_TOOLS_FIX_TRANSPLANT_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "evaluator/kernels/op_registry.h"
#include "evaluator/load/name_scopes.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/tensor.h"
#include "onnx/onnx_pb.h"
#include "record/streams/result_stream.h"
#include "tools/fix/edit.h"
#include "tools/fix/pair_index.h"

namespace onnxcmp {

// For one edit: a second one needs another object.
class Transplant {
 public:
  // `left`: the result as it should be; `right`: the one that stands for it. `model`: the right's
  // message. All must outlive the object.
  Transplant(const PairIndex& pairs, const OpRegistry& registry, const onnx::ModelProto& model,
             std::string left, std::string right, Trust trust);

  // The result's node, which is of the left's operator, reads what the left's node reads, and
  // constants have the left's values: what differs, by its kind. FailedPrecondition for other
  // operators.
  struct InPlace {
    Edit attributes, inputs, constants;
  };
  absl::StatusOr<InPlace> ChangeNode();

  // The result is made by copies of the left's nodes from the nearest results that both sides have.
  // Nodes that the right has already are used and not copied. An edit without operations if the
  // right makes it so already.
  absl::StatusOr<Edit> Graft();

 private:
  absl::StatusOr<std::string> NameFor(const std::string& left);
  absl::StatusOr<std::string> Copy(const std::string& left);
  std::string PartnerOf(const std::string& left) const;
  std::string CastIfOther(const std::string& name, const StreamResult* has,
                          const StreamResult* wanted);
  std::string AddCopyOf(const std::string& left, const Tensor& tensor);
  std::string TwinOf(const Node& node, const std::vector<std::string>& inputs,
                     const std::string& left);
  absl::Status AddImport(const Node& node);
  bool IsInput(const Node& right, const std::string& attribute) const;
  Tensor AttributeOf(const Node& left, const Node& right, size_t slot) const;
  bool IsSameName(const std::string& a, const std::string& b) const;
  bool ReadTheSame(const Node& right, const Node& left, std::vector<std::string> inputs) const;
  void PutInPlace(const std::string& made, Edit* edit);
  void Bypass(const std::string& made, Edit* edit);
  void KeepReaders(Edit* edit) const;
  void AddPending(Edit* edit) const;
  void Describe(const std::string& made, Edit* edit) const;

  const PairIndex& pairs_;
  const OpRegistry& registry_;
  const onnx::ModelProto& model_;
  const std::string left_, right_;
  const Trust trust_;
  NameGenerator names_;
  absl::flat_hash_set<std::string> after_;  // results that depend on the right's result
  absl::flat_hash_map<std::string, std::string> mapped_;
  std::string before_;       // the new name of the right's result, once it is read
  std::string before_left_;  // the left's result that it stands for
  std::vector<onnx::NodeProto> nodes_;
  std::vector<onnx::TensorProto> constants_;
  std::vector<std::string> copied_;  // operators
  std::vector<Operation> imports_;
};

// How the node is called: its name, or its operator and first result.
std::string NodeText(const Node& node);

}  // namespace onnxcmp

#endif  // ONNXCMP_TOOLS_FIX_TRANSPLANT_H_
