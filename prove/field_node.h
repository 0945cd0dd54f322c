// A node that runs over a field, as its operator sees it.
#ifndef ONNXCMP_PROVE_FIELD_NODE_H_
#define ONNXCMP_PROVE_FIELD_NODE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "evaluator/kernels/signature.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "prove/field/prime_field.h"
#include "prove/field/product.h"
#include "prove/field/residues.h"
#include "prove/field/workspace.h"
#include "prove/field_value.h"
#include "prove/value_origin.h"

namespace onnxcmp {

class ConstantFacts;
class Conversions;

// Constants that were taken for the real numbers they stand for.
struct MeantConstants {
  std::set<std::string> texts;   // "1/3", "sqrt(2)"
  bool has_large_masks = false;  // large negative numbers may count as -infinity in a Softmax
  bool masks = false;            // they do
  // Numbers that were computed from others in floats, as what they were computed from.
  std::map<float, Residue> folded;
};

// The numbers of a tensor as residues. A tensor with the same number everywhere is a constant that
// somebody has written (MeaningOf); `meant` learns which.
absl::StatusOr<Residues> EmbedTensor(const PrimeField& field, const Tensor& tensor,
                                     MeantConstants* meant, const Workspace* workspace = nullptr);

// The number that all elements of a tensor in memory are, if it is one.
std::optional<double> OneNumber(const Tensor& tensor);

// factor * exp(exponent), element by element; the factor is broadcast.
struct ExpForm {
  Residues factor;
  Residues exponent;
};

class FieldNode {
 public:
  // Runs the node, with other inputs in their places.
  using RunInputs = std::function<absl::StatusOr<std::vector<Value>>(absl::Span<const Value>)>;

  // The arguments must outlive the object. `numbers`: its outputs on numbers.
  FieldNode(const PrimeField& field, const Node& node, const Signature* signature, int64_t since,
            absl::Span<const FieldValue> inputs, absl::Span<const Value> numbers,
            const Workspace& workspace, RunInputs run, MeantConstants* meant);

  const PrimeField& field() const { return field_; }
  const Node& node() const { return node_; }
  // As numpy.matmul.
  absl::StatusOr<Residues> Times(const Residues& a, const Residues& b) const;
  // The same with an input on the right, or its transposed matrices.
  absl::StatusOr<Residues> TimesInput(const Residues& a, int input, bool transposed) const;
  // The product of a constant and another matrix: in some proofs an unknown function of both.
  absl::StatusOr<Residues> ConstantTimes(const Residues& constant, const Residues& b) const;
  // Bounds are taken of directions.
  bool by_direction() const { return by_direction_; }
  void set_by_direction(bool by_direction) { by_direction_ = by_direction; }
  void set_large_masks(bool large_masks) { large_masks_ = large_masks; }
  void set_products(ProductMemo* products) { products_ = products; }
  // `as_functions`: products with constants are unknown functions.
  void set_constants(ConstantFacts* constants, bool as_functions) {
    facts_ = constants;
    products_as_functions_ = as_functions;
  }
  // Null in a proof without.
  Conversions* conversions() const { return conversions_; }
  void set_conversions(Conversions* conversions) { conversions_ = conversions; }
  // The node, or the one whose body it is in.
  const std::string& label() const { return label_; }
  std::string LabelWithOperator() const;  // "Floor f"
  void set_label(std::string label) { label_ = std::move(label); }
  int64_t since() const { return since_; }  // the schema's version
  // A number for the operator with its attributes; inputs do not count.
  uint64_t operation() const { return operation_; }
  void set_operation(uint64_t operation) { operation_ = operation; }

  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(numbers_.size()); }
  bool Has(int input) const;
  const FieldValue& value(int input) const { return inputs_[static_cast<size_t>(input)]; }
  bool HasOutput(int output) const;
  // The output on numbers: an empty value if nobody wants it.
  const Value& number(int output) const { return numbers_[static_cast<size_t>(output)]; }

  // An input as residues, each of which stands for its number. Unimplemented if it is no tensor of
  // numbers.
  absl::StatusOr<Residues> In(int input) const;
  // The same for sums and products in the input's type, or a narrower one: whole numbers may be
  // apart from their residues by what wraps.
  absl::StatusOr<Residues> InRing(int input) const;
  // InRing() has been asked for such; the type of those that In() has been asked for.
  bool has_read_wrapped() const { return has_read_wrapped_; }
  DType unwrapped() const { return unwrapped_; }
  // The number of a function that jumps: another one for numbers that were rounded to fewer digits
  // otherwise, which the field sets aside.
  uint64_t Jumping(uint64_t function) const;
  // The roundings that lead to the inputs, and to the constants that were read.
  Roundings roundings() const;
  // Functions that jump do so where two are alike, or one is 0. That says nothing of numbers that
  // were rounded each in its way. `b`: an input, or none.
  bool AreRoundedAlike(int a, int b) const;
  bool jumps() const { return jumps_; }
  // A function that jumps gave these numbers, of which the output is made.
  absl::Status AddJump(const Residues& numbers);
  absl::Span<const Tensor> jump_values() const { return jump_values_; }
  // A comparison was read as a bound, which does not jump.
  void TakeBound() { takes_bound_ = true; }
  bool takes_bound() const { return takes_bound_; }
  // An input of whole numbers that are the same for all inputs of the model. Unimplemented for
  // others.
  absl::StatusOr<std::vector<int64_t>> Integers(int input) const;
  DType InType(int input) const;

  // The attribute, else the schema's default, else the fallback.
  int64_t Int(absl::string_view name, int64_t fallback) const;
  std::string String(absl::string_view name, absl::string_view fallback) const;
  float Number(absl::string_view name, float fallback) const;
  std::vector<int64_t> Ints(absl::string_view name) const;
  std::vector<float> Floats(absl::string_view name) const;
  bool HasAttribute(absl::string_view name) const;
  // An attribute that says something and that nobody has asked for; "": there is none.
  std::string UnreadAttribute() const;
  // A number, as the constant that it stands for.
  Residue Real(absl::string_view name, float fallback) const;
  Residue Constant(double number, DType dtype = DType::kFloat) const;

  // The root of a number that is made of an input.
  Residue RootOf(int input, Residue x) const {
    return value(input).fixed ? field_.Sqrt(x) : field_.Root(x);
  }

  // 1 for elements of an input that a mask has made large negative numbers; nothing: none are.
  std::optional<Residues> Masked(int input) const;
  // Reports that there are masks of large numbers. True if these are taken for -infinity.
  bool TakeMasks();
  // False if it is known that there are, and they are not taken so.
  bool looks_for_masks() const { return large_masks_ || !meant_->has_large_masks; }
  // An input as a product with a power of e, if it is known as one.
  std::optional<ExpForm> Form(int input) const;
  bool HasForm(int input) const { return Has(input) && value(input).exp_factor.defined(); }
  // Sets an output to such a product, whose numbers may be known.
  absl::Status SetForm(int output, ExpForm form);
  absl::Status SetForm(int output, ExpForm form, Residues value);

  // The origin of an input, as far as it is known; null: nothing is.
  const ValueOrigin* origin(int input) const {
    return Has(input) ? value(input).origin.get() : nullptr;
  }
  void SetOrigin(int output, ValueOrigin origin) {
    origins_.insert_or_assign(output, std::make_shared<const ValueOrigin>(std::move(origin)));
  }

  // Sets an output. An error if its shape is not that of the output on numbers.
  absl::Status Set(int output, Residues residues);
  // Sets an output that does not depend on inputs to its numbers.
  absl::Status SetNumbers(int output);
  // The outputs of an operator that only moves elements of some of its inputs: it runs on their
  // residues.
  absl::Status Move(absl::Span<const int> data_inputs);
  // The result depends on a function that is random in the field.
  void MarkRandom() { exact_ = false; }

  std::vector<std::optional<Residues>>& outputs() { return outputs_; }
  const std::map<int, ExpForm>& forms() const { return forms_; }
  std::shared_ptr<const ValueOrigin> OriginOf(int output) const {
    const auto known = origins_.find(output);
    return known == origins_.end() ? nullptr : known->second;
  }
  bool exact() const { return exact_; }
  // The inputs whose elements were moved.
  absl::Span<const int> moved() const { return moved_; }

 private:
  // Residues of a value, for work in the node's workspace.
  absl::StatusOr<Residues> Own(const Tensor& tensor) const;
  // Scores behind a mask stay so where they are moved.
  absl::Status MoveHidden(absl::Span<const int> data_inputs, std::vector<Value> given);
  const Attribute* Find(absl::string_view name) const;

  const PrimeField& field_;
  const Node& node_;
  const Signature* signature_;
  int64_t since_;
  absl::Span<const FieldValue> inputs_;
  absl::Span<const Value> numbers_;
  const Workspace& workspace_;
  RunInputs run_;
  MeantConstants* meant_;
  ProductMemo* products_ = nullptr;
  ConstantFacts* facts_ = nullptr;  // of constants
  bool products_as_functions_ = false;
  Conversions* conversions_ = nullptr;
  uint64_t operation_ = 0;
  std::string label_;
  std::vector<std::optional<Residues>> outputs_;
  std::map<int, ExpForm> forms_;  // of outputs
  std::map<int, std::shared_ptr<const ValueOrigin>> origins_;
  std::vector<int> moved_;
  mutable std::set<std::string, std::less<>> read_;  // attributes
  mutable bool has_read_wrapped_ = false;
  mutable DType unwrapped_ = DType::kUndefined;
  mutable bool jumps_ = false;
  bool takes_bound_ = false;
  std::vector<Tensor> jump_values_;
  bool by_direction_ = false;
  bool large_masks_ = false;
  mutable std::vector<RoundingStep> constants_;  // their roundings
  mutable bool exact_ = true;  // false once In() or Constant() has taken one for another
};

// A node's operator over the field. Unimplemented: it has no meaning there in this form.
using FieldOperator = absl::Status (*)(FieldNode&);

// The status of an operator that has no meaning in the field in this form.
inline absl::Status NoMeaning(absl::string_view why) { return absl::UnimplementedError(why); }

struct FieldOperatorRow {
  absl::string_view domain;
  absl::string_view op_type;
  FieldOperator run;
};

// Families of operators, a file each.
absl::Span<const FieldOperatorRow> ElementwiseFieldOperators();
absl::Span<const FieldOperatorRow> FunctionFieldOperators();
absl::Span<const FieldOperatorRow> BoundFieldOperators();
absl::Span<const FieldOperatorRow> ChoiceFieldOperators();
absl::Span<const FieldOperatorRow> ReductionFieldOperators();
absl::Span<const FieldOperatorRow> OrderFieldOperators();
absl::Span<const FieldOperatorRow> ProductFieldOperators();
absl::Span<const FieldOperatorRow> MovementFieldOperators();
absl::Span<const FieldOperatorRow> WindowFieldOperators();
// Operators that take sums and products apart.
absl::Span<const FieldOperatorRow> PartFieldOperators();

// Null if no family has the operator. `by_parts`: those that take sums and products apart go first.
FieldOperator FindFieldOperator(absl::string_view domain, absl::string_view op_type,
                                bool by_parts = false);

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_FIELD_NODE_H_
