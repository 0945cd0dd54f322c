// Operators that others are made of, as the nodes that they stand for: a fused operator runs over
// the field as what it was fused from.
#ifndef ONNXCMP_PROVE_DEFINITION_H_
#define ONNXCMP_PROVE_DEFINITION_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "prove/field_node.h"
#include "prove/field_value.h"

namespace onnxcmp {

// The version of ONNX in which definitions are written.
inline constexpr int64_t kDefinitionOpset = 23;

// Builds the nodes that a node stands for. They run on numbers, too, and have to give what the
// node itself gives: a definition that does not hold for this form of the operator proves nothing.
class Definition {
 public:
  using Attributes = std::map<std::string, Attribute, std::less<>>;

  // `of` must outlive the object. `variant`: which of the node's meanings it is, where the file
  // does not say.
  Definition(const FieldNode& of, int variant);

  const FieldNode& of() const { return of_; }
  // Asking for it says that there are two.
  int variant() {
    has_variants_ = true;
    return variant_;
  }
  bool has_variants() const { return has_variants_; }

  bool Has(int input) const { return of_.Has(input); }
  const Shape& ShapeOf(int input) const { return of_.value(input).number.tensor().shape(); }
  // The name of an input, "" if it is left out.
  std::string In(int input) const;

  // Constants. A number is of the type of an input.
  std::string Number(float number, int like = 0);
  std::string Integers(const std::vector<int64_t>& numbers);
  std::string Integer(int64_t number);
  std::string Held(Tensor tensor);

  // A node, and the name of its output.
  std::string Add(absl::string_view op_type, const std::vector<std::string>& inputs,
                  Attributes attributes = {}, absl::string_view domain = kOnnxDomain);
  std::vector<std::string> AddSeveral(absl::string_view op_type,
                                      const std::vector<std::string>& inputs, Attributes attributes,
                                      int64_t outputs);
  std::string Reshaped(const std::string& x, const Shape& shape);
  std::string Transposed(const std::string& x, const std::vector<int64_t>& order);
  // x sigmoid(alpha x).
  std::string Swish(const std::string& x, float alpha = 1);
  // An activation that com.microsoft's fused operators name; "" is none. Unimplemented for others.
  absl::StatusOr<std::string> Activated(const std::string& x, absl::string_view activation,
                                        absl::Span<const float> numbers);

  void Out(int output, const std::string& name);

  // The body, of the outputs that the node wants; Unimplemented if one is not set.
  absl::StatusOr<Graph> Body();

 private:
  std::string NewName();

  const FieldNode& of_;
  int variant_;
  bool has_variants_ = false;
  Graph graph_;
  std::shared_ptr<const OpsetImports> imports_;
  std::map<int, std::string> outputs_;
  int64_t names_ = 0;
};

// Sets the outputs. Unimplemented: this form of the operator has no definition.
using Defines = absl::Status (*)(Definition&);

struct DefinitionRow {
  absl::string_view domain;
  absl::string_view op_type;
  Defines define;
};

// Families of operators, a file each.
absl::Span<const DefinitionRow> AttentionDefinitions();
absl::Span<const DefinitionRow> CompositeDefinitions();
absl::Span<const DefinitionRow> LayoutDefinitions();
absl::Span<const DefinitionRow> NormalizationDefinitions();
absl::Span<const DefinitionRow> ProductDefinitions();
absl::Span<const DefinitionRow> QuantizedDefinitions();
absl::Span<const DefinitionRow> RecurrentDefinitions();
absl::Span<const DefinitionRow> SignalDefinitions();
absl::Span<const DefinitionRow> VersionDefinitions();

// The outputs of a definition, which are those that the node wants, in the places of all.
absl::StatusOr<std::vector<FieldValue>> InPlaces(const FieldNode& node,
                                                 std::vector<FieldValue> made);

// True if a definition gives the numbers that its operator gives, but for rounding.
bool AreNear(const Value& made, const Value& expected);

// Null if no family has the operator.
Defines FindDefinition(absl::string_view domain, absl::string_view op_type);

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_DEFINITION_H_
