#include "prove/folding.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "prove/field/residues.h"
#include "prove/field_node.h"
#include "prove/foldable_layer.h"
#include "prove/rounded_constants.h"
#include "record/graphs/node_questions.h"

namespace onnxcmp {

std::optional<FoldedConstant> FoldOf(const PrimeField& field, const FieldValue& constant,
                                     const FieldValue& made) {
  const Tensor& leaf = constant.number.tensor();
  const Tensor& computed = made.number.tensor();
  if (leaf.shape() != computed.shape() || !IsFloatingPoint(leaf.dtype()) ||
      !IsFloatingPoint(computed.dtype()) || !made.residues.defined()) {
    return std::nullopt;
  }
  const absl::StatusOr<Residues> exact = FromTensor(made.residues);
  const absl::StatusOr<Residues> rounded = EmbedTensor(field, computed, nullptr);
  const absl::StatusOr<Residues> own = EmbedTensor(field, leaf, nullptr);
  const std::vector<double> a = NumbersIn(leaf);
  const std::vector<double> b = NumbersIn(computed);
  if (!exact.ok() || !rounded.ok() || !own.ok() || a.size() != b.size() || a.empty() ||
      exact->values.size() != a.size()) {
    return std::nullopt;
  }
  RoundingAgreement agreement(1, leaf.dtype());
  // Sums of a row's numbers cancel: they are as near as the greatest of the row lets them be.
  const size_t row =
      made.rounds_alike || leaf.rank() == 0 ? 1 : static_cast<size_t>(leaf.shape().back());
  double greatest = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (row > 1 && i % row == 0) {
      greatest = 0;
      for (size_t j = i; j < i + row; ++j) greatest = std::max(greatest, std::fabs(b[j]));
    }
    // Elements that were only moved have to stay as they are.
    const bool is_exact = exact->values[i] == rounded->values[i];
    if (is_exact && own->values[i] != rounded->values[i]) return std::nullopt;
    if (!agreement.Add(a[i], b[i], greatest, {b[i]})) return std::nullopt;
  }
  if (!agreement.Agrees(made.rounds_alike)) return std::nullopt;
  FoldedConstant found;
  found.residues = made.residues;
  found.ulp = agreement.ulp();
  return found;
}

std::vector<FoldedNumber> FoldedNumbersOf(const PrimeField& field, const Graph& graph,
                                          const FieldValues& known, const FieldValues& others) {
  const auto one_number = [&](const FieldValue& value) -> std::optional<FoldedNumber> {
    if (value.number.tensor().num_elements() != 1) return std::nullopt;
    const std::vector<double> numbers = NumbersIn(value.number.tensor());
    const absl::StatusOr<Residues> residues = ResiduesOfNumbers(field, value);
    if (numbers.size() != 1 || !residues.ok()) return std::nullopt;
    return FoldedNumber{static_cast<float>(numbers[0]), residues->values[0], "", ""};
  };
  std::map<float, Residue> factors;
  for (const auto& [name, value] : others) {
    if (const std::optional<FoldedNumber> number = one_number(value); number.has_value()) {
      factors.emplace(number->number, number->residue);
    }
  }
  std::map<float, std::string> wanted;
  for (const Node& node : graph.nodes) {
    for (const char* const name : {"alpha", "beta", "scale"}) {
      const auto* const number = AttributeOf<float>(node, name);
      if (number != nullptr) wanted.emplace(*number, absl::StrCat(name, " of ", node.op_type));
    }
  }
  for (const auto& [name, value] : known) {
    const std::optional<FoldedNumber> number = one_number(value);
    if (number.has_value() && !value.residues.defined()) wanted.emplace(number->number, name);
  }
  std::vector<FoldedNumber> found;
  for (const auto& [number, text] : wanted) {
    if (factors.contains(number)) continue;
    for (auto a = factors.begin(); a != factors.end(); ++a) {
      if (a->first != 0 && a->first != 1 && 1 / a->first == number) {
        found.push_back({number, field.Inverse(a->second), text, absl::StrCat("1 / ", a->first)});
        break;
      }
      if (a->first == 1) continue;
      const auto is_product = [&](const auto& b) {
        return b.first != 1 && a->first * b.first == number;
      };
      if (const auto b = std::find_if(a, factors.end(), is_product); b != factors.end()) {
        found.push_back({number, field.Mul(a->second, b->second), text,
                         absl::StrCat(a->first, " * ", b->first)});
        break;
      }
      // Some multiply by the reciprocal.
      const auto is_quotient = [&](const auto& b) {
        return b.first != 1 && b.first != 0 && b.second != 0 &&
               (a->first / b.first == number || a->first * (1 / b.first) == number);
      };
      const auto b = std::find_if(factors.begin(), factors.end(), is_quotient);
      if (b == factors.end()) continue;
      found.push_back(
          {number, field.Div(a->second, b->second), text, absl::StrCat(a->first, " / ", b->first)});
      break;
    }
  }
  return found;
}

}  // namespace onnxcmp
