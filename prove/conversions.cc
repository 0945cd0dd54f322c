#include "prove/conversions.h"

#include <algorithm>
#include <cmath>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "evaluator/tensor/tensor.h"
#include "prove/value_trace.h"
#include "record/streams/xxh128.h"

namespace onnxcmp {
namespace {

// How far numbers may be off, for their size, that were computed in floats before they were
// rounded.
constexpr double kComputedSlack = 0x1p-20;

// How far off, for its size, a quotient by a scale of this type may be.
double SlackOf(DType scale) {
  return std::max(kComputedSlack, std::ldexp(1.0, 2 - DigitsOf(scale)));
}

int64_t ElementsOf(const Shape& shape) {
  int64_t size = 1;
  for (const int64_t dim : shape) size *= dim;
  return size;
}

uint64_t LimitKey(const Residues& x) {
  return XXH3_64bits(x.values.data(), x.values.size() * sizeof(Residue));
}

bool IsQuantizedOperator(const Node& node) {
  for (const char* const part : {"uantize", "QLinear", "NBits", "Integer", "QGemm", "QAttention"}) {
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

// The names, those first that begin most like this one: converters name a scale after its tensor.
std::vector<std::string> ByLikeness(const FieldValues& values, const std::string& name) {
  std::vector<std::pair<int64_t, std::string>> order;
  for (const auto& [other, value] : values) {
    const size_t length = std::min(name.size(), other.size());
    const auto end =
        std::mismatch(name.begin(), name.begin() + static_cast<int64_t>(length), other.begin());
    order.emplace_back(name.begin() - end.first, other);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::string> names;
  for (auto& [likeness, other] : order) names.push_back(std::move(other));
  return names;
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
  zeros_.clear();
  codes_.clear();
  found_.clear();
  rounded_results_.clear();
}

void Conversions::See(const std::string& name, FieldValue* value) {
  if (!value->fixed || !value->number.is_tensor()) return;
  const Tensor& number = value->number.tensor();
  if (!IsRealTensor(value->number)) {
    if (in_converted_ && number.num_elements() == 1 && IsInteger(number.dtype())) {
      const std::vector<double> numbers = NumbersIn(number);
      zeros_.insert(numbers.begin(), numbers.end());
    }
    return;
  }
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
    const std::optional<Match> match =
        FindParts({name, number.shape(), number.dtype(), digits, {rounds}});
    if (match.has_value()) {
      absl::StatusOr<Tensor> residues = ToTensor(match->exact);
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
  const auto rounds = [&](size_t i, double exact, double slack) {
    return QuantizedTo(number.dtype(), exact, codes[i], std::max(own, slack));
  };
  std::optional<Match> match = FindParts({name, number.shape(), number.dtype(), 0, {rounds}});
  return match.has_value() ? std::optional(std::move(match->exact)) : std::nullopt;
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
  std::vector<Residues> divisors;
  std::vector<std::vector<double>> scales;
  Rounded constant = {name, shape, number.dtype(), 0, {}};
  for (const std::string& scale_name : ByLikeness(scales_, name)) {
    const FieldValue& scale = scales_.at(scale_name);
    const Tensor& tensor = scale.number.tensor();
    if (tensor.num_elements() != 1 && tensor.num_elements() != count) continue;
    absl::StatusOr<Residues> residues = ResiduesOfNumbers(field_, scale);
    std::vector<double> numbers = NumbersIn(tensor);
    if (!residues.ok() || numbers.size() != residues->values.size()) continue;
    divisors.push_back(*std::move(residues));
    scales.push_back(std::move(numbers));
    constant.ways.emplace_back([&, own = SlackOf(tensor.dtype()), way = scales.size() - 1](
                                   size_t i, double exact, double slack) {
      const std::vector<double>& of = scales[way];
      const Code code = {codes[i], of[place(i, of.size())], zeros[place(i, zeros.size())]};
      return QuantizedTo(number.dtype(), exact, code, std::max(own, slack));
    });
  }
  std::optional<Match> match = FindParts(constant);
  if (!match.has_value()) return std::nullopt;
  const Residues& divisor = divisors[match->way];
  for (size_t i = 0; i < match->exact.values.size(); ++i) {
    Residue& to = match->exact.values[i];
    to = field_.Div(to, divisor.values[place(i, divisor.values.size())]);
  }
  return std::move(match->exact);
}

std::optional<Residues> Conversions::Codes(const std::string& name, const FieldValue& value) {
  std::set<double> zeros = zeros_;
  zeros.insert(0);
  for (const double zero : zeros) {
    std::optional<Residues> found = Scaled(name, value, 0, {zero});
    if (!found.has_value()) continue;
    return Mapped(*std::move(found),
                  [&](Residue code) { return field_.Add(code, field_.OfDouble(zero)); });
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

std::optional<Conversions::Match> Conversions::Find(const Rounded& constant) {
  for (const bool with_layers : {false, true}) {
    if (with_layers) {
      const bool is_float = constant.digits >= DigitsOf(DType::kFloat);
      if (has_layers_ || ElementsOf(constant.shape) < 2 || is_float) break;
      AddFoldedLayers();
    }
    for (const Exact* const exact : InOrder(constant.name)) {
      if (exact->folded.numbers.empty() &&
          DigitsOf(exact->value.number.tensor().dtype()) <= constant.digits) {
        continue;
      }
      std::optional<Match> found = Try(*exact, constant);
      if (found.has_value()) return found;
    }
  }
  return std::nullopt;
}

std::optional<Conversions::Match> Conversions::FindParts(const Rounded& constant) {
  std::optional<Match> found = Find(constant);
  if (found.has_value() || constant.shape.empty() || constant.shape.size() > 2) return found;
  for (size_t axis = constant.shape.size(); axis-- > 0 && !found.has_value();) {
    found = PartsAlong(constant, axis);
  }
  return found;
}

// The weights of several layers side by side, as those of queries, keys and values.
std::optional<Conversions::Match> Conversions::PartsAlong(const Rounded& constant, size_t axis) {
  const Shape& shape = constant.shape;
  const int64_t whole = shape[axis];
  std::set<int64_t, std::greater<>> sizes;
  for (const Exact& exact : exact_) {
    if (exact.shape.size() != shape.size()) continue;
    for (const int64_t size : exact.shape) {
      if (size >= 2 && size < whole) sizes.insert(size);
    }
  }
  const int64_t inner = axis + 1 < shape.size() ? shape[axis + 1] : 1;
  Match joined = {Residues::Filled(shape, 0), 0};
  const auto found_before = found_;
  for (int64_t at = 0; at < whole;) {
    std::optional<Match> part;
    for (const int64_t size : sizes) {
      if (at + size > whole) continue;
      Rounded rest = {constant.name, shape, constant.dtype, constant.digits, {}};
      rest.shape[axis] = size;
      // The place in the whole constant of an element of its part.
      const auto place = [=](size_t i) {
        const auto element = static_cast<int64_t>(i);
        const int64_t outer = element / inner / size;
        const int64_t row = element / inner % size;
        return static_cast<size_t>((outer * whole + at + row) * inner + element % inner);
      };
      for (size_t way = 0; way < constant.ways.size(); ++way) {
        if (at > 0 && way != joined.way) continue;
        rest.ways.emplace_back([&, way](size_t i, double exact, double slack) {
          return constant.ways[way](place(i), exact, slack);
        });
      }
      part = Find(rest);
      if (!part.has_value()) continue;
      if (at == 0) joined.way = part->way;
      for (size_t i = 0; i < part->exact.values.size(); ++i) {
        joined.exact.values[place(i)] = part->exact.values[i];
      }
      at += size;
      break;
    }
    if (part.has_value()) continue;
    found_ = found_before;
    return std::nullopt;
  }
  return joined;
}

std::optional<Conversions::Match> Conversions::Try(const Exact& exact, const Rounded& constant) {
  const Shape& shape = constant.shape;
  const bool one = ElementsOf(shape) == 1 && ElementsOf(exact.shape) == 1;
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
  const auto count = static_cast<size_t>(ElementsOf(shape));
  if (static_cast<int64_t>(numbers.size()) != ElementsOf(exact.shape)) return std::nullopt;
  // The conversion, if each element is rounded so; `elements` are 0 if none differs.
  const auto conversion_by = [&](const Rounds& rounds,
                                 const Places& places) -> std::optional<ProofConversion> {
    ProofConversion conversion = {exact.name, std::string(DTypeName(constant.dtype)), 0, 0, 0};
    bool differs = false;
    for (size_t i = 0; i < count; ++i) {
      const size_t at = places.empty() ? i : places[i];
      if (at == kNoPlace) {
        if (rounds(i, 0, 0) != Rounding::kSame) return std::nullopt;
        continue;
      }
      const Rounding rounding = rounds(i, numbers[at], is_layer ? kComputedSlack : 0);
      if (rounding == Rounding::kOther) return std::nullopt;
      differs = differs || rounding != Rounding::kSame;
      ++conversion.elements;
      conversion.zeros += rounding == Rounding::kZero ? 1 : 0;
      conversion.out_of_range += rounding == Rounding::kOutOfRange ? 1 : 0;
    }
    if (!differs) conversion.elements = 0;
    return conversion;
  };
  for (const Places& places : layouts) {
    for (size_t way = 0; way < constant.ways.size() && count > 0; ++way) {
      std::optional<ProofConversion> conversion = conversion_by(constant.ways[way], places);
      if (!conversion.has_value()) continue;
      const auto& folded = exact.folded.residues;
      const absl::StatusOr<Residues> residues =
          is_layer ? Residues{exact.shape, ResidueArray(folded.begin(), folded.end())}
                   : ResiduesOfNumbers(field_, exact.value);
      if (!residues.ok() || residues->values.size() != numbers.size()) return std::nullopt;
      Match match = {Residues::Filled(shape, 0), way};
      for (size_t i = 0; i < count; ++i) {
        const size_t at = places.empty() ? i : places[i];
        if (at != kNoPlace) match.exact.values[i] = residues->values[at];
      }
      if (conversion->elements > 0) {
        found_.insert_or_assign({exact.name, constant.dtype}, *std::move(conversion));
      }
      return match;
    }
  }
  return std::nullopt;
}

// Weights and biases with what comes after their layers, which are folded before they are rounded.
void Conversions::AddFoldedLayers() {
  has_layers_ = true;
  for (const FoldableLayer& layer : FoldableLayers(field_, exact_graph_, known_)) {
    const bool only_sums = std::all_of(
        layer.steps.begin(), layer.steps.end(),
        [](const LayerStep& step) { return step.op_type == "Add" || step.op_type == "Sub"; });
    if (only_sums) continue;
    FoldedLayer folded = Fold(layer);
    ExactLayer exact = FoldExactly(field_, layer);
    std::vector<double> weights(folded.weights.size());
    for (size_t i = 0; i < weights.size(); ++i) weights[i] = folded.NearWeight(layer, i);
    const Shape biases = {static_cast<int64_t>(folded.near.biases.size())};
    exact_.push_back({layer.weight_name,
                      layer.shape(),
                      {},
                      {std::move(weights),
                       {exact.weights.values.data(),
                        exact.weights.values.data() + exact.weights.values.size()}}});
    exact_.push_back({layer.bias_name.empty() ? layer.weight_name + " (bias)" : layer.bias_name,
                      biases,
                      {},
                      {std::move(folded.near.biases), std::move(exact.biases)}});
  }
}

void Conversions::KnowLimits(const Residues& x, double low, double high, const Residues& limited) {
  if (!in_converted_) limits_.insert_or_assign(LimitKey(x), Limits{low, high, limited});
}

Residues Conversions::TakeRounded(Residues x, DType dtype, const CodeRange& range,
                                  const std::string& node) {
  rounded_results_[dtype].push_back(node);
  const auto limits = limits_.find(LimitKey(x));
  if (limits == limits_.end() || limits->second.limited.shape != x.shape ||
      !(range.low >= limits->second.low - range.step / 2) ||
      !(range.high <= limits->second.high + range.step / 2)) {
    return x;
  }
  return limits->second.limited;
}

void Conversions::KnowCodes(const Residues& codes, Residue scale, Residue zero) {
  codes_.insert_or_assign(LimitKey(codes), std::pair(scale, zero));
}

std::optional<std::pair<Residue, Residue>> Conversions::ScaleOf(const Residues& codes) const {
  const auto found = codes_.find(LimitKey(codes));
  return found == codes_.end() ? std::nullopt : std::optional(found->second);
}

ProofConversions Conversions::Found() const {
  ProofConversions found;
  found.side = std::string(SideName(converted_));
  for (const auto& [key, conversion] : found_) found.constants.push_back(conversion);
  for (const auto& [dtype, nodes] : rounded_results_) {
    found.results.push_back({std::string(DTypeName(dtype)), nodes});
  }
  return found;
}

void TakeExactProof(const ProofReport& exact, ProofReport* report) {
  report->conversions = exact.conversions;
  ProofConversions& conversions = report->conversions;
  conversions.proved = exact.proved;
  if (!exact.proved) return;
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
