#include "prove/field_node.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/tensor/convert.h"
#include "prove/constant_facts.h"
#include "prove/field/meant_constant.h"
#include "prove/field_functions.h"
#include "prove/roundings.h"
#include "prove/whole_numbers.h"
#include "record/base/work_bounds.h"
#include "record/streams/fingerprint.h"
#include "record/streams/hash128.h"
#include "record/text/attribute_text.h"

namespace onnxcmp {
namespace {

// The bits of residues as doubles, for operators that move elements of any size but whose schema
// allows no integers.
absl::StatusOr<Value> AsDoubles(const Tensor& residues) {
  return Tensor::FromBuffer(DType::kDouble, residues.shape(), residues.buffer(),
                            residues.offset() * static_cast<int64_t>(sizeof(double)));
}

absl::StatusOr<Residues> FromDoubles(const Tensor& tensor) {
  OC_ASSIGN_OR_RETURN(const Tensor whole, tensor.Contiguous());
  Residues residues = Residues::Filled(whole.shape(), 0);
  const auto* const bits = reinterpret_cast<const int64_t*>(whole.raw_data());
  std::copy(bits, bits + whole.num_elements(), residues.values.begin());
  return residues;
}

absl::StatusOr<Tensor> InMemory(const Tensor& tensor, const Workspace* workspace) {
  OC_ASSIGN_OR_RETURN(const Tensor in_memory,
                      tensor.InMemory(workspace == nullptr ? nullptr : &workspace->pool()));
  return in_memory.Contiguous();
}

// Elements of a tensor of whole numbers, from `first` on.
void EmbedIntegers(const PrimeField& field, const Tensor& tensor, int64_t first,
                   absl::Span<Residue> residues) {
  const DType dtype = tensor.dtype();
  std::vector<int64_t> integers(residues.size());
  LoadElements<int64_t>(dtype, tensor.raw_data(), first, static_cast<int64_t>(integers.size()),
                        integers.data());
  const bool wide = dtype == DType::kUint64 || dtype == DType::kUint32;
  for (size_t i = 0; i < integers.size(); ++i) {
    residues[i] =
        wide ? field.OfUnsigned(static_cast<uint64_t>(integers[i])) : field.OfInteger(integers[i]);
  }
}

}  // namespace

std::optional<double> OneNumber(const Tensor& tensor) {
  std::optional<double> number;
  std::vector<double> piece;
  for (int64_t first = 0; first < tensor.num_elements(); first += work_bounds::kLooks) {
    piece.resize(
        static_cast<size_t>(std::min<int64_t>(work_bounds::kLooks, tensor.num_elements() - first)));
    LoadElements<double>(tensor.dtype(), tensor.raw_data(), first,
                         static_cast<int64_t>(piece.size()), piece.data());
    number = number.value_or(piece.front());
    const auto is_other = [&](double element) { return !(element == *number); };
    if (std::any_of(piece.begin(), piece.end(), is_other)) return std::nullopt;
  }
  return number;
}

absl::StatusOr<Residues> EmbedTensor(const PrimeField& field, const Tensor& tensor,
                                     MeantConstants* meant, const Workspace* workspace) {
  const DType dtype = tensor.dtype();
  if (dtype == DType::kString || IsComplex(dtype) || dtype == DType::kUndefined) {
    return NoMeaning("elements that are no real numbers");
  }
  OC_ASSIGN_OR_RETURN(const Tensor whole, InMemory(tensor, workspace));
  Residues out = Residues::Unfilled(whole.shape(), workspace);
  Residue* const to = out.values.data();
  if (!IsFloatingPoint(dtype)) {
    ForRanges(workspace, out.size(), [&](int64_t first, int64_t last) {
      EmbedIntegers(field, whole, first, absl::MakeSpan(to + first, to + last));
    });
    return out;
  }
  const std::optional<double> number = OneNumber(whole);
  if (!number.has_value()) {
    ForRanges(workspace, out.size(), [&](int64_t first, int64_t last) {
      if (dtype == DType::kFloat) {
        field.OfFloats(whole.data<float>() + first, absl::MakeSpan(to + first, to + last));
        return;
      }
      std::vector<double> numbers(static_cast<size_t>(last - first));
      LoadElements<double>(dtype, whole.raw_data(), first, last - first, numbers.data());
      field.OfDoubles(numbers.data(), absl::MakeSpan(to + first, to + last));
    });
    return out;
  }
  if (meant != nullptr) {
    const auto folded = meant->folded.find(static_cast<float>(*number));
    if (folded != meant->folded.end() && folded->first == *number) {
      std::fill_n(to, out.size(), folded->second);
      return out;
    }
  }
  const MeantConstant constant = MeaningOf(field, *number, dtype);
  if (!constant.text.empty() && meant != nullptr) meant->texts.insert(constant.text);
  std::fill_n(to, out.size(), constant.residue);
  return out;
}

FieldNode::FieldNode(const PrimeField& field, const Node& node, const Signature* signature,
                     int64_t since, absl::Span<const FieldValue> inputs,
                     absl::Span<const Value> numbers, const Workspace& workspace, RunInputs run,
                     MeantConstants* meant)
    : field_(field),
      node_(node),
      signature_(signature),
      since_(since),
      inputs_(inputs),
      numbers_(numbers),
      workspace_(workspace),
      run_(std::move(run)),
      meant_(meant),
      outputs_(numbers.size()) {
  for (const FieldValue& input : inputs) exact_ = exact_ && input.exact;
}

bool FieldNode::Has(int input) const { return input < num_inputs() && !value(input).empty(); }

bool FieldNode::HasOutput(int output) const {
  return output < num_outputs() && !number(output).empty();
}

absl::StatusOr<Residues> FieldNode::Own(const Tensor& tensor) const {
  OC_ASSIGN_OR_RETURN(Residues residues, FromTensor(tensor));
  residues.values.set_workspace(&workspace_);
  return residues;
}

absl::StatusOr<Residues> FieldNode::In(int input) const {
  if (!Has(input) || !value(input).wraps) return InRing(input);
  exact_ = false;
  unwrapped_ = InType(input);
  OC_ASSIGN_OR_RETURN(Residues residues, Own(value(input).residues));
  return Unwrapped(field_, InType(input), std::move(residues));
}

absl::StatusOr<Residues> FieldNode::InRing(int input) const {
  if (!Has(input)) return NoMeaning("an input is left out");
  const FieldValue& given = value(input);
  has_read_wrapped_ = has_read_wrapped_ || given.wraps;
  if (given.residues.defined()) return Own(given.residues);
  if (!given.number.is_tensor() || !given.fixed) return NoMeaning("an input is no tensor");
  MeantConstants found;
  found.folded = meant_->folded;
  OC_ASSIGN_OR_RETURN(Residues residues,
                      EmbedTensor(field_, given.number.tensor(), &found, &workspace_));
  if (!found.texts.empty() || !found.folded.empty()) exact_ = false;
  if (!found.texts.empty() && residues.size() > 0) {
    constants_.push_back(RoundingOfConstant(residues.values.front(), InType(input)));
  }
  meant_->texts.merge(found.texts);
  return residues;
}

DType FieldNode::InType(int input) const {
  return Has(input) && value(input).number.is_tensor() ? value(input).number.tensor().dtype()
                                                       : DType::kUndefined;
}

absl::StatusOr<std::vector<int64_t>> FieldNode::Integers(int input) const {
  if (!Has(input) || !value(input).fixed || !value(input).number.is_tensor()) {
    return NoMeaning("an input that places elements depends on the model's inputs");
  }
  OC_ASSIGN_OR_RETURN(const Tensor whole, value(input).number.tensor().Contiguous());
  if (!IsInteger(whole.dtype())) return NoMeaning("an input of whole numbers has another type");
  std::vector<int64_t> integers(static_cast<size_t>(whole.num_elements()));
  LoadElements<int64_t>(whole.dtype(), whole.raw_data(), 0, whole.num_elements(), integers.data());
  return integers;
}

std::string FieldNode::UnreadAttribute() const {
  // Attributes that types and shapes have told already, or that say how to round, or how to train.
  static constexpr absl::string_view kTold[] = {"consumed_inputs",
                                                "is_inner_broadcast",
                                                "kernel_shape",
                                                "momentum",
                                                "output_dtype",
                                                "output_padding",
                                                "precision",
                                                "ratio",
                                                "seed",
                                                "stash_type",
                                                "storage_order",
                                                "to"};
  if (!moved_.empty()) return "";  // the kernel has read all
  for (const auto& [name, attribute] : node_.attributes) {
    if (read_.contains(name) || absl::c_linear_search(kTold, name)) continue;
    const bool known = signature_ != nullptr && signature_->defaults.contains(name);
    if (!known || AttributeText(signature_->defaults.at(name)) != AttributeText(attribute))
      return name;
  }
  return "";
}

const Attribute* FieldNode::Find(absl::string_view name) const {
  read_.insert(std::string(name));
  if (const auto given = node_.attributes.find(name); given != node_.attributes.end()) {
    return &given->second;
  }
  if (signature_ == nullptr) return nullptr;
  const auto made = signature_->defaults.find(name);
  return made == signature_->defaults.end() ? nullptr : &made->second;
}

bool FieldNode::HasAttribute(absl::string_view name) const { return Find(name) != nullptr; }

int64_t FieldNode::Int(absl::string_view name, int64_t fallback) const {
  const Attribute* const found = Find(name);
  const auto* const integer = found != nullptr ? std::get_if<int64_t>(found) : nullptr;
  return integer != nullptr ? *integer : fallback;
}

std::string FieldNode::String(absl::string_view name, absl::string_view fallback) const {
  const Attribute* const found = Find(name);
  const auto* const text = found != nullptr ? std::get_if<std::string>(found) : nullptr;
  return text != nullptr ? *text : std::string(fallback);
}

std::vector<int64_t> FieldNode::Ints(absl::string_view name) const {
  const Attribute* const found = Find(name);
  const auto* const list = found != nullptr ? std::get_if<std::vector<int64_t>>(found) : nullptr;
  return list != nullptr ? *list : std::vector<int64_t>();
}

std::vector<float> FieldNode::Floats(absl::string_view name) const {
  const Attribute* const found = Find(name);
  const auto* const list = found != nullptr ? std::get_if<std::vector<float>>(found) : nullptr;
  return list != nullptr ? *list : std::vector<float>();
}

float FieldNode::Number(absl::string_view name, float fallback) const {
  const Attribute* const found = Find(name);
  const auto* const number = found != nullptr ? std::get_if<float>(found) : nullptr;
  return number != nullptr ? *number : fallback;
}

Residue FieldNode::Real(absl::string_view name, float fallback) const {
  return Constant(Number(name, fallback),
                  InType(0) == DType::kDouble ? DType::kDouble : DType::kFloat);
}

Residue FieldNode::Constant(double number, DType dtype) const {
  const auto folded = meant_->folded.find(static_cast<float>(number));
  if (folded != meant_->folded.end() && folded->first == number) {
    exact_ = false;
    return folded->second;
  }
  const MeantConstant constant = MeaningOf(field_, RoundTo(dtype, number), dtype);
  if (!constant.text.empty()) {
    meant_->texts.insert(constant.text);
    exact_ = false;
    constants_.push_back(RoundingOfConstant(constant.residue, dtype));
  }
  return constant.residue;
}

std::string FieldNode::LabelWithOperator() const {
  return absl::StrCat(node_.op_type, " ", label_);
}

Roundings FieldNode::roundings() const {
  return conversions_ != nullptr ? nullptr : WithRoundings(RoundingsOf(inputs_), constants_);
}

uint64_t FieldNode::Jumping(uint64_t function) const {
  jumps_ = true;
  const uint64_t narrow = NarrowOf(roundings());
  return narrow == 0 ? function : MixNumbers(function, narrow);
}

absl::Status FieldNode::AddJump(const Residues& numbers) {
  OC_ASSIGN_OR_RETURN(jump_values_.emplace_back(), ToTensor(numbers));
  return absl::OkStatus();
}

bool FieldNode::AreRoundedAlike(int a, int b) const {
  if (conversions_ != nullptr) return true;
  const Roundings none;
  const Roundings& first = value(a).roundings;
  const Roundings& second = b >= 0 ? value(b).roundings : none;
  return first == second || (first != nullptr && second != nullptr && *first == *second);
}

std::optional<Residues> FieldNode::Masked(int input) const {
  if (!Has(input) || !value(input).masked.defined()) return std::nullopt;
  absl::StatusOr<Residues> masked = Own(value(input).masked);
  return masked.ok() ? std::optional<Residues>(*std::move(masked)) : std::nullopt;
}

bool FieldNode::TakeMasks() {
  meant_->has_large_masks = true;
  if (!large_masks_) return false;
  meant_->masks = true;
  exact_ = false;
  return true;
}

std::optional<ExpForm> FieldNode::Form(int input) const {
  if (!Has(input) || !value(input).exp_factor.defined()) return std::nullopt;
  absl::StatusOr<Residues> factor = Own(value(input).exp_factor);
  absl::StatusOr<Residues> exponent = Own(value(input).exp_exponent);
  if (!factor.ok() || !exponent.ok()) return std::nullopt;
  return ExpForm{*std::move(factor), *std::move(exponent)};
}

absl::Status FieldNode::SetForm(int output, ExpForm form) {
  OC_ASSIGN_OR_RETURN(Residues value, MulAll(field_, form.factor, ExpOf(field_, form.exponent)));
  return SetForm(output, std::move(form), std::move(value));
}

absl::Status FieldNode::SetForm(int output, ExpForm form, Residues value) {
  MarkRandom();
  forms_.insert_or_assign(output, std::move(form));
  return Set(output, std::move(value));
}

absl::StatusOr<Residues> FieldNode::Times(const Residues& a, const Residues& b) const {
  if (products_ == nullptr) return Product(field_, a, b, workspace_.pool());
  return products_->Times(field_, a, b, workspace_.pool());
}

absl::StatusOr<Residues> FieldNode::TimesInput(const Residues& a, int input,
                                               bool transposed) const {
  const auto right = [&]() -> absl::StatusOr<Residues> {
    OC_ASSIGN_OR_RETURN(Residues b, InRing(input));
    return transposed ? MatrixTransposed(b) : std::move(b);
  };
  const FieldValue& given = value(input);
  // A constant of one number may stand for another, on each side.
  bool is_known = products_ != nullptr && facts_ != nullptr && given.fixed &&
                  !given.residues.defined() && given.number.is_tensor() && meant_->folded.empty();
  if (is_known) {
    OC_ASSIGN_OR_RETURN(is_known, facts_->IsTable(given.number.tensor()));
  }
  if (!is_known) {
    OC_ASSIGN_OR_RETURN(const Residues b, right());
    return Times(a, b);
  }
  const Tensor& table = given.number.tensor();
  if (products_as_functions_) {
    OC_ASSIGN_OR_RETURN(const ColumnNumbers* const columns, facts_->Columns(table, transposed));
    const int64_t terms = table.rank() == 2 ? table.dim(transposed ? 1 : 0) : 0;
    if (columns != nullptr && a.rank() > 0 && a.shape.back() == terms && terms > 0) {
      exact_ = false;
      return ProductsAsFunctions(field_, a, *columns, workspace_.pool());
    }
  }
  const Hash128 content = facts_->Content(given.number);
  const Hash128 key = {MixNumbers(content.low, transposed ? 1 : 0), content.high};
  return products_->Times(field_, a, key, table.rank(), right, workspace_.pool());
}

absl::StatusOr<Residues> FieldNode::ConstantTimes(const Residues& constant,
                                                  const Residues& b) const {
  // Fewer rows are not worth it.
  constexpr int64_t kLeastFilters = 8;
  if (!products_as_functions_ || constant.shape[0] < kLeastFilters) {
    return Times(constant, b);
  }
  exact_ = false;
  return ProductAsFunction(field_, constant, b, workspace_.pool());
}

absl::Status FieldNode::Set(int output, Residues residues) {
  if (!HasOutput(output)) return absl::OkStatus();
  const Value& expected = number(output);
  if (!expected.is_tensor() || expected.tensor().shape() != residues.shape) {
    return absl::InternalError(absl::StrCat(
        "the field's shape of output ", output, " is ", ShapeToString(residues.shape), ", not ",
        expected.is_tensor() ? ShapeToString(expected.tensor().shape()) : "a tensor's"));
  }
  outputs_[static_cast<size_t>(output)] = std::move(residues);
  return absl::OkStatus();
}

absl::Status FieldNode::SetNumbers(int output) {
  exact_ = false;
  OC_ASSIGN_OR_RETURN(Residues residues,
                      EmbedTensor(field_, number(output).tensor(), meant_, &workspace_));
  return Set(output, std::move(residues));
}

absl::Status FieldNode::Move(absl::Span<const int> data_inputs) {
  std::vector<Value> given;
  for (const FieldValue& input : inputs_) given.push_back(input.number);
  for (int i = 0; i < num_inputs(); ++i) {
    if (!Has(i)) continue;
    if (std::find(data_inputs.begin(), data_inputs.end(), i) == data_inputs.end()) {
      if (!value(i).fixed) {
        return NoMeaning("an input that places elements depends on the model's inputs");
      }
      continue;
    }
    OC_ASSIGN_OR_RETURN(const Residues residues, InRing(i));
    moved_.push_back(i);
    OC_ASSIGN_OR_RETURN(given[static_cast<size_t>(i)], ToTensor(residues));
  }
  absl::StatusOr<std::vector<Value>> moved = run_(given);
  const bool as_doubles = !moved.ok();
  if (as_doubles) {
    for (const int i : data_inputs) {
      if (!Has(i)) continue;
      Value& input = given[static_cast<size_t>(i)];
      OC_ASSIGN_OR_RETURN(input, AsDoubles(input.tensor()));
    }
    moved = run_(given);
  }
  if (!moved.ok()) return NoMeaning(moved.status().message());
  for (int i = 0; i < num_outputs(); ++i) {
    if (!HasOutput(i)) continue;
    const Value& output = (*moved)[static_cast<size_t>(i)];
    if (!output.is_tensor()) return NoMeaning("an output is no tensor");
    OC_ASSIGN_OR_RETURN(Residues residues,
                        as_doubles ? FromDoubles(output.tensor()) : FromTensor(output.tensor()));
    OC_RETURN_IF_ERROR(Set(i, std::move(residues)));
  }
  return as_doubles ? absl::OkStatus() : MoveHidden(data_inputs, std::move(given));
}

absl::Status FieldNode::MoveHidden(absl::Span<const int> data_inputs, std::vector<Value> given) {
  const auto is_hidden = [&](int input) {
    return origin(input) != nullptr && origin(input)->shown.defined();
  };
  if (std::none_of(data_inputs.begin(), data_inputs.end(), is_hidden)) return absl::OkStatus();
  std::vector<Value> masks = given;
  for (const int input : data_inputs) {
    if (!Has(input)) continue;
    const auto at = static_cast<size_t>(input);
    if (is_hidden(input)) given[at] = origin(input)->score;
    OC_ASSIGN_OR_RETURN(masks[at], is_hidden(input)
                                       ? origin(input)->shown
                                       : ToTensor(Residues::Filled(given[at].tensor().shape(), 1)));
  }
  OC_ASSIGN_OR_RETURN(const std::vector<Value> scores, run_(given));
  OC_ASSIGN_OR_RETURN(const std::vector<Value> shown, run_(masks));
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (!outputs_[i].has_value()) continue;
    ValueOrigin hidden;
    hidden.score = scores[i].tensor();
    hidden.shown = shown[i].tensor();
    OC_ASSIGN_OR_RETURN(const HiddenScores moved, HiddenIn(hidden));
    OC_ASSIGN_OR_RETURN(const Residues value, ValueOf(field_, moved));
    // Elements that are put between them, as by Pad, are behind no mask.
    if (value.values == outputs_[i]->values) SetOrigin(static_cast<int>(i), std::move(hidden));
  }
  return absl::OkStatus();
}

FieldOperator FindFieldOperator(absl::string_view domain, absl::string_view op_type,
                                bool by_parts) {
  for (const auto& family :
       {by_parts ? PartFieldOperators() : absl::Span<const FieldOperatorRow>(),
        ElementwiseFieldOperators(), FunctionFieldOperators(), ChoiceFieldOperators(),
        BoundFieldOperators(), ReductionFieldOperators(), OrderFieldOperators(),
        ProductFieldOperators(), MovementFieldOperators(), WindowFieldOperators()}) {
    for (const FieldOperatorRow& row : family) {
      if (row.op_type == op_type && row.domain == domain) return row.run;
    }
  }
  return nullptr;
}

}  // namespace onnxcmp
