#include "feed/made_up/index_form.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "record/graphs/node_questions.h"

namespace onnxcmp {
namespace {

constexpr double kMostIds = std::numeric_limits<int32_t>::max();

}  // namespace

void AddStep(const Node& node, double number, bool constant_first, double* gain, double* offset) {
  if (node.op_type == "Add") *offset += number;
  if (node.op_type == "Sub") {
    if (constant_first) *gain = -*gain, *offset = -*offset;
    *offset += constant_first ? number : -number;
  }
  const bool divides = node.op_type == "Div" && !constant_first;
  if (number != 0 && (node.op_type == "Mul" || divides)) {
    const double factor = divides ? 1 / number : number;
    *gain *= factor;
    *offset *= factor;
  }
}

std::optional<int64_t> IndexForm::IdOf(int64_t row) const {
  if (gain <= 0) return std::nullopt;
  if (part == Part::kLowDigit) row %= std::max<int64_t>(1, digits);
  if (part == Part::kUpperHalf) row = (row + 1) / 2;
  if (part == Part::kLowerHalf) row /= 2;
  const double exact = (static_cast<double>(row) - offset) / gain;
  // Quotients are rounded down, so that many ids lead to one row: the first of them.
  double id = gain < 1 ? std::round(exact) : std::floor(exact);
  if (id < 0 && modulo > 0) id += std::round(static_cast<double>(modulo) / gain);
  if (!(id >= 0 && id < kMostIds)) return std::nullopt;
  return static_cast<int64_t>(id);
}

int64_t IndexForm::IdsFor(int64_t rows) const {
  if (gain <= 0) return rows;
  if (part == Part::kLowDigit) rows = std::min(rows, digits);
  if (part == Part::kUpperHalf || part == Part::kLowerHalf) rows = (rows + 1) / 2;
  const auto count = static_cast<double>(rows);
  double ids = 0;
  if (modulo > 0) {
    ids = std::round(std::min(count, static_cast<double>(modulo)) / gain);
  } else if (gain < 1) {
    ids = std::round((count - offset) / gain);
  } else {
    ids = std::floor((count - 1 - offset) / gain) + 1;
  }
  return static_cast<int64_t>(std::clamp(ids, 1.0, kMostIds));
}

IndexForm IndexOfSum(const GraphScope& scope, const Node& node, size_t slot, IndexForm before) {
  IndexForm index = before;
  const Node* other = ProducerIn(scope, node.inputs[1 - slot]);
  std::optional<double> factor;
  for (size_t i = 0; other != nullptr && other->op_type == "Mul" && i < 2; ++i) {
    if (!factor.has_value()) factor = NumberOf(ConstantIn(scope, other->inputs[i]));
  }
  // The product with the greater factor of the two has the whole row.
  if (factor.has_value() && *factor > before.gain) {
    index.part = IndexForm::Part::kLowDigit;
    index.digits = static_cast<int64_t>(*factor);
  } else if (before.gain <= 1) {
    index.part = slot == 0 ? IndexForm::Part::kUpperHalf : IndexForm::Part::kLowerHalf;
  }
  return index;
}

}  // namespace onnxcmp
