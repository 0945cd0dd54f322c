// Runs a model over a field, beside its run on numbers: that knows shapes, whole numbers and all
// that does not depend on inputs that vary.
#ifndef ONNXCMP_PROVE_FIELD_RUN_H_
#define ONNXCMP_PROVE_FIELD_RUN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "compare/outcome/proof_report.h"
#include "evaluator/kernels/signature.h"
#include "evaluator/model/model.h"
#include "evaluator/run/evaluator.h"
#include "evaluator/tensor/value.h"
#include "prove/constant_facts.h"
#include "prove/conversions.h"
#include "prove/field/prime_field.h"
#include "prove/field/product.h"
#include "prove/field/workspace.h"
#include "prove/field_node.h"
#include "prove/field_value.h"
#include "prove/roundings.h"
#include "prove/run_memo.h"
#include "record/streams/node_facts.h"

namespace onnxcmp {

// Facts and findings of all runs of a side.
struct FieldTools {
  const PrimeField& field;
  const Workspace& workspace;
  uint64_t side = 0;  // results without a meaning differ by it
  MeantConstants* meant = nullptr;
  ProductMemo* products = nullptr;     // null: each is computed
  ConstantFacts* constants = nullptr;  // null: each constant is read again
  RunMemo* memo = nullptr;             // null: each node is run
  RunNumbers* numbers = nullptr;       // of the main graph; null: each node is run on numbers
  Conversions* conversions = nullptr;  // null: numbers are what they are
  std::vector<ProofEnd>* ends = nullptr;
  // Nodes taken for uninterpreted functions of their attributes and inputs.
  std::vector<ProofEnd>* functions = nullptr;
  std::vector<RoundedJump>* jumps = nullptr;
  bool by_direction = false;  // bounds are taken so
  bool by_parts = false;      // functions of sums and products are taken so
  bool products_as_functions = false;
  bool large_masks = false;     // -10000 and less are -infinity in a Softmax
  bool constants_only = false;  // nodes that read what varies do not run, and there are no outputs
};

class FieldRun {
 public:
  // Sees initializers, inputs and results of the graph, and may change them.
  using Watch = absl::FunctionRef<absl::Status(const std::string& name, FieldValue* value)>;

  // `around`: the label of the node whose body the model is; "": a model of its own.
  FieldRun(const Evaluator& evaluator, const FieldTools& tools, std::string around, int depth);

  // The outputs. `given`: inputs and captured values; initializers that are not given are added.
  absl::StatusOr<std::vector<FieldValue>> Run(FieldValues given, Watch watch);

 private:
  absl::Status RunNode(int64_t index, FieldValues* values, Watch watch);
  // True if all that a node reads is there, and does not vary.
  bool ReadsConstants(int64_t index, const FieldValues& values) const;
  absl::StatusOr<std::vector<FieldValue>> Compute(int64_t index,
                                                  absl::Span<const FieldValue> inputs,
                                                  const Feeds& captures,
                                                  absl::Span<const Value> numbers,
                                                  const FieldValues& values);
  // The outputs as residues, or Unimplemented.
  absl::StatusOr<std::vector<FieldValue>> ByOperator(FieldNode& node,
                                                     absl::Span<const FieldValue> inputs);
  // The same, unless another run has made them of equal inputs.
  absl::StatusOr<std::vector<FieldValue>> ByMemo(FieldNode& node,
                                                 absl::Span<const FieldValue> inputs,
                                                 absl::Span<const Value> numbers);
  // An operator on sequences, on the residues of their elements.
  absl::StatusOr<std::vector<FieldValue>> BySequence(int64_t index,
                                                     absl::Span<const FieldValue> inputs,
                                                     absl::Span<const Value> numbers);
  // By what the operator is made of, if that gives the same on numbers.
  absl::StatusOr<std::vector<FieldValue>> ByDefinition(const FieldNode& node,
                                                       absl::Span<const FieldValue> inputs);
  absl::StatusOr<std::vector<FieldValue>> ByBody(const Node& node,
                                                 absl::Span<const FieldValue> inputs);
  absl::StatusOr<std::vector<FieldValue>> ByInnerGraphs(const Node& node,
                                                        absl::Span<const FieldValue> inputs,
                                                        absl::Span<const Value> numbers,
                                                        const FieldValues& values);
  absl::StatusOr<std::vector<FieldValue>> ByGraph(const Graph& graph, FieldValues given,
                                                  const std::string& label);
  // `why` it has no other meaning.
  absl::StatusOr<std::vector<FieldValue>> AsFunction(const Node& node, uint64_t operation,
                                                     absl::string_view why,
                                                     absl::Span<const FieldValue> inputs,
                                                     absl::Span<const Value> numbers);
  std::vector<FieldValue> WithoutMeaning(const Node& node, absl::string_view why,
                                         absl::Span<const Value> numbers);
  std::string LabelOf(const Node& node) const;

  const Evaluator& evaluator_;
  FieldTools tools_;
  std::string around_;
  int depth_;
  NodeFactsCache facts_;
  std::vector<std::vector<std::string>> last_uses_;  // names by the last node that reads them
};

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_FIELD_RUN_H_
