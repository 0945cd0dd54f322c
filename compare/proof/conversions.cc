#include "compare/proof/conversions.h"

#include <algorithm>
#include <cmath>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "compare/proof/value_trace.h"
#include "compare/streams/xxh128.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp {
namespace {

// How far numbers may be off, for their size, that were computed in floats before they were rounded.
constexpr double kComputedSlack = 0x1p-20;

// How far off, for its size, a quotient by a scale of this type may be.
double SlackOf(DType scale) { return std::max(kComputedSlack, std::ldexp(1.0, 2 - DigitsOf(scale))); }

int64_t SizeOf(const Shape& shape) {
  int64_t size = 1;
  for (const int64_t dim : shape) size *= dim;
  return size;
}

uint64_t HashOf(const Residues& x) {
  return XXH3_64bits(x.values.data(), x.values.size() * sizeof(Residue));
}

bool IsQuantizedOperator(const Node& node) {
  for (const char* const part : {"Quantize", "QLinear", "NBits", "Integer", "QGemm", "QAttention"}) {
    if (absl::StrContains(node.op_type, part)) return true;
  }
  return false;
}

// Digits that the constants of a graph lack on the average; more with each quantized operator.
double Narrowness(const Graph& graph) {
  double lost = 0;
  double count = 0;
  const auto take = [&](DType dtype) {
    if (DigitsOf(dtype) == 0) return;
    lost += DigitsOf(DType::kDouble) - DigitsOf(dtype);
    count += 1;
  };
  for (const Initializer& initializer : graph.initializers) {
    if (initializer.value.is_tensor()) take(initializer.value.tensor().dtype());
  }
  double quantized = 0;
  for (const Node& node : graph.nodes) {
    quantized += IsQuantizedOperator(node) ? 1 : 0;
    for (const auto& [name, attribute] : node.attributes) {
      const auto* const tensor = std::get_if<Tensor>(&attribute);
      if (tensor != nullptr && node.op_type == "Constant") take(tensor->dtype());
    }
  }
  return (count == 0 ? 0 : lost / count) + quantized * DigitsOf(DType::kDouble);
}

}  // namespace

std::optional<SideId> ConvertedSide(const PerSide<const Graph*>& graphs) {
  const double left = Narrowness(*graphs.left);
  const double right = Narrowness(*graphs.right);
  if (left == right) return std::nullopt;
  return left > right ? SideId::kLeft : SideId::kRight;
}

Conversions::Conversions(const PrimeField& field, SideId converted, const Graph& exact_graph,
                         std::map<std::string, std::string> partners)
    : field_(field),
      converted_(converted),
      exact_graph_(exact_graph),
      partners_(std::move(partners)) {}

void Conversions::Begin(SideId side) {
  in_converted_ = side == converted_;
  if (!in_converted_) {
    has_layers_ = false;
    known_.clear();
    exact_.clear();
    limits_.clear();
    return;
  }
  scales_.clear();
  codes_.clear();
  found_.clear();
  rounded_results_.clear();
}

void Conversions::See(const std::string& name, FieldValue* value) {
  if (!value->fixed || !IsRealTensor(value->number)) return;
  const Tensor& number = value->number.tensor();
  if (!in_converted_) {
    known_[name] = *value;
    exact_.push_back({name, number.shape(), *value, {}});
    return;
  }
  const int digits = DigitsOf(number.dtype());
  if (!value->residues.defined() && digits > 0 && digits < DigitsOf(DType::kDouble)) {
    const std::vector<double> numbers = NumbersIn(number);
    const auto rounds = [&](size_t i, double exact, double slack) {
      return RoundedTo(number.dtype(), exact, numbers[i], slack);
    };
    const std::optional<Residues> exact =
        Find(name, number.shape(), number.dtype(), digits, rounds);
    if (exact.has_value()) {
      absl::StatusOr<Tensor> residues = ToTensor(*exact);
      if (residues.ok()) value->residues = *std::move(residues);
      value->exact = false;
    }
  }
  scales_[name] = *value;
}

std::optional<Residues> Conversions::Dequantized(const std::string& name, const FieldValue& value,
                                                 absl::Span<const Code> codes, DType scale) {
  const Tensor& number = value.number.tensor();
  const double own = SlackOf(scale);
  return Find(name, number.shape(), number.dtype(), 0,
              [&](size_t i, double exact, double slack) {
                return QuantizedTo(number.dtype(), exact, codes[i], std::max(own, slack));
              });
}

std::optional<Residues> Conversions::Scaled(const std::string& name, const FieldValue& value,
                                            int axis, absl::Span<const double> zeros) {
  const Tensor& number = value.number.tensor();
  const Shape& shape = number.shape();
  const int64_t count = shape[static_cast<size_t>(axis)];
  int64_t inner = 1;
  for (size_t i = static_cast<size_t>(axis) + 1; i < shape.size(); ++i) inner *= shape[i];
  const auto place = [&](size_t i, size_t size) {
    return size == 1 ? 0 : i / static_cast<size_t>(inner) % static_cast<size_t>(count);
  };
  const std::vector<double> codes = NumbersIn(number);
  if (zeros.size() != 1 && static_cast<int64_t>(zeros.size()) != count) return std::nullopt;
  for (const auto& [scale_name, scale] : scales_) {
    const Tensor& tensor = scale.number.tensor();
    if (tensor.num_elements() != 1 && tensor.num_elements() != count) continue;
    const std::vector<double> scales = NumbersIn(tensor);
    const absl::StatusOr<Residues> divisors = ResiduesOfNumbers(field_, scale);
    if (!divisors.ok() || scales.size() != divisors->values.size()) continue;
    const double own = SlackOf(tensor.dtype());
    std::optional<Residues> found =
        Find(name, shape, number.dtype(), 0, [&](size_t i, double exact, double slack) {
          const Code code = {codes[i], scales[place(i, scales.size())],
                             zeros[place(i, zeros.size())]};
          return QuantizedTo(number.dtype(), exact, code, std::max(own, slack));
        });
    if (!found.has_value()) continue;
    for (size_t i = 0; i < found->values.size(); ++i) {
      found->values[i] =
          PrimeField::Div(found->values[i], divisors->values[place(i, scales.size())]);
    }
    return found;
  }
  return std::nullopt;
}

std::vector<const Conversions::Exact*> Conversions::InOrder(const std::string& name) const {
  const auto partner = partners_.find(name);
  std::vector<const Exact*> first, others;
  for (const Exact& exact : exact_) {
    const bool is_first =
        (partner != partners_.end() && exact.name == partner->second) || exact.name == name;
    (is_first ? first : others).push_back(&exact);
  }
  first.insert(first.end(), others.begin(), others.end());
  return first;
}

// `digits`: those of the constant; only numbers with more count.
std::optional<Residues> Conversions::Find(const std::string& name, const Shape& shape, DType dtype,
                                          int digits, const Rounds& rounds) {
  for (const bool with_layers : {false, true}) {
    if (with_layers) {
      if (has_layers_ || SizeOf(shape) < 2 || digits >= DigitsOf(DType::kFloat)) break;
      AddFoldedLayers();
    }
    for (const Exact* const exact : InOrder(name)) {
      if (exact->folded.numbers.empty() &&
          DigitsOf(exact->value.number.tensor().dtype()) <= digits) {
        continue;
      }
      std::optional<Residues> found = Match(*exact, shape, dtype, rounds);
      if (found.has_value()) return found;
    }
  }
  return std::nullopt;
}

std::optional<Residues> Conversions::Match(const Exact& exact, const Shape& shape, DType dtype,
                                           const Rounds& rounds) {
  const bool one = SizeOf(shape) == 1 && SizeOf(exact.shape) == 1;
  const bool square = shape.size() == 2 && shape[0] == shape[1];
  std::vector<Places> layouts;
  if (one || (exact.shape == shape && !square)) {
    layouts.emplace_back();  // each element in its place
  } else {
    layouts = LayoutsOf(exact.shape, shape);
  }
  if (layouts.empty()) return std::nullopt;
  const bool is_layer = !exact.folded.numbers.empty();
  const std::vector<double> numbers =
      is_layer ? exact.folded.numbers : NumbersIn(exact.value.number.tensor());
  const auto count = static_cast<size_t>(SizeOf(shape));
  for (const Places& places : layouts) {
    ProofConversion conversion;
    bool differs = false;
    bool fits = count > 0;
    for (size_t i = 0; i < count && fits; ++i) {
      const size_t at = places.empty() ? i : places[i];
      if (at == kNoPlace) continue;
      if (at >= numbers.size()) return std::nullopt;
      const Rounding rounding = rounds(i, numbers[at], is_layer ? kComputedSlack : 0);
      fits = rounding != Rounding::kOther;
      differs = differs || rounding != Rounding::kSame;
      ++conversion.elements;
      conversion.zeros += rounding == Rounding::kZero ? 1 : 0;
      conversion.out_of_range += rounding == Rounding::kOutOfRange ? 1 : 0;
    }
    if (!fits) continue;
    absl::StatusOr<Residues> residues =
        is_layer ? Residues{exact.shape, exact.folded.residues}
                 : ResiduesOfNumbers(field_, exact.value);
    if (!residues.ok() || residues->values.size() != numbers.size()) return std::nullopt;
    Residues out = Residues::Filled(shape, 0);
    for (size_t i = 0; i < count; ++i) {
      const size_t at = places.empty() ? i : places[i];
      if (at != kNoPlace) out.values[i] = residues->values[at];
    }
    if (differs) {
      conversion.constant = exact.name;
      conversion.type = std::string(DTypeName(dtype));
      found_.insert_or_assign({exact.name, dtype}, std::move(conversion));
    }
    return out;
  }
  return std::nullopt;
}

// Weights and biases with what comes after their layers, which are folded before they are rounded.
void Conversions::AddFoldedLayers() {
  has_layers_ = true;
  for (const FoldableLayer& layer : FoldableLayers(field_, exact_graph_, known_)) {
    const bool only_sums =
        std::all_of(layer.steps.begin(), layer.steps.end(), [](const LayerStep& step) {
          return step.op_type == "Add" || step.op_type == "Sub";
        });
    if (only_sums) continue;
    FoldedLayer folded = Fold(field_, layer);
    const Shape biases = {static_cast<int64_t>(folded.near.biases.size())};
    exact_.push_back({layer.weight_name, layer.weight.shape(), {},
                      {std::move(folded.near.weights), std::move(folded.exact.weights)}});
    exact_.push_back({layer.bias_name.empty() ? layer.weight_name + " (bias)" : layer.bias_name,
                      biases, {},
                      {std::move(folded.near.biases), std::move(folded.exact.biases)}});
  }
}

void Conversions::KnowLimits(const Residues& x, double low, double high, const Residues& limited) {
  if (!in_converted_) limits_.insert_or_assign(HashOf(x), Limits{low, high, limited});
}

Residues Conversions::TakeRounded(Residues x, DType dtype, const CodeRange& range) {
  ++rounded_results_[dtype];
  const auto limits = limits_.find(HashOf(x));
  if (limits == limits_.end() || limits->second.limited.shape != x.shape ||
      !(range.low >= limits->second.low - range.step / 2) ||
      !(range.high <= limits->second.high + range.step / 2)) {
    return x;
  }
  return limits->second.limited;
}

void Conversions::KnowCodes(const Residues& codes, Residue scale, Residue zero) {
  codes_.insert_or_assign(HashOf(codes), std::pair(scale, zero));
}

std::optional<std::pair<Residue, Residue>> Conversions::ScaleOf(const Residues& codes) const {
  const auto found = codes_.find(HashOf(codes));
  return found == codes_.end() ? std::nullopt : std::optional(found->second);
}

ProofConversions Conversions::Found() const {
  ProofConversions found;
  found.side = std::string(SideName(converted_));
  for (const auto& [key, conversion] : found_) found.constants.push_back(conversion);
  for (const auto& [dtype, count] : rounded_results_) {
    found.results.push_back({std::string(DTypeName(dtype)), count});
  }
  return found;
}

void TakeExactProof(const ProofReport& exact, ProofReport* report) {
  report->conversions = exact.conversions;
  ProofConversions& conversions = report->conversions;
  if (!exact.proved) {
    conversions.proved = false;
    if (!exact.parted.empty()) {
      const ProofRow& row = exact.parted.front();
      conversions.parts_at =
          row.left == row.right ? row.left : absl::StrCat(row.left, " | ", row.right);
    }
    return;
  }
  conversions.proved = true;
  std::vector<RowProof> rows = std::move(report->rows);
  const ProofConversions found = std::move(conversions);
  *report = exact;
  report->conversions = found;
  report->proved = false;
  report->proved_results = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    RowProof& row = report->rows[i];
    if (row == RowProof::kProved && rows[i] != RowProof::kProved) row = RowProof::kProvedOn;
    if (row == RowProof::kProved || row == RowProof::kProvedOn) ++report->proved_results;
  }
  for (ProofRow& output : report->outputs) output.proof = RowProof::kProvedOn;
}

}  // namespace onnxcmp
