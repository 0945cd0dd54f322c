#include "record/graphs/differing_rows.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <map>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "evaluator/model/model.h"
#include "evaluator/tensor/convert.h"
#include "evaluator/tensor/dtype.h"
#include "record/graphs/constants.h"

namespace onnxcmp {
namespace {

// Largest relative change by rounding to a type, with some margin.
double Slack(DType dtype) {
  switch (dtype) {
    case DType::kDouble:
    case DType::kFloat:
      return 1e-5;
    case DType::kFloat16:
      return 2e-3;
    default:
      return IsFloatingPoint(dtype) ? 2e-2 : 0;
  }
}

bool AreClose(const std::vector<double>& left, const std::vector<double>& right, double slack) {
  double scale = 0;
  for (size_t i = 0; i < left.size(); ++i) {
    scale = std::max({scale, std::abs(left[i]), std::abs(right[i])});
  }
  for (size_t i = 0; i < left.size(); ++i) {
    const bool both_nan = std::isnan(left[i]) && std::isnan(right[i]);
    if (left[i] == right[i] || both_nan) continue;
    if (!(std::abs(left[i] - right[i]) <= slack * scale)) return false;
  }
  return true;
}

// Constants of one number, by name.
std::map<std::string, double> SingleNumbers(const Graph& graph) {
  constexpr double kFar = 1e6;
  std::map<std::string, double> numbers;
  const auto add = [&](const std::string& name, const Tensor& tensor) {
    if (tensor.num_elements() != 1 || tensor.dtype() == DType::kString ||
        tensor.dtype() == DType::kBool || IsComplex(tensor.dtype())) {
      return;
    }
    const absl::StatusOr<Tensor> whole = tensor.Contiguous();
    double number = 0;
    if (!whole.ok()) return;
    LoadElements<double>(whole->dtype(), whole->raw_data(), 0, 1, &number);
    if (std::abs(number) < kFar) numbers[name] = number;
  };
  for (const Initializer& initializer : graph.initializers) {
    if (initializer.value.is_tensor()) add(initializer.name, initializer.value.tensor());
  }
  for (const Node& node : graph.nodes) {
    if (const Tensor* constant = ConstantOf(node)) add(node.outputs[0], *constant);
  }
  return numbers;
}

bool DifferMuch(double left, double right) {
  constexpr double kSlack = 2e-2;
  return std::abs(left - right) > kSlack * std::max(std::abs(left), std::abs(right));
}

}  // namespace

std::vector<int64_t> RowsThatDiffer(const Tensor& left, const Tensor& right, int64_t axis) {
  const int64_t rank = left.rank();
  if (axis < 0) axis += rank;
  const bool numbers = !IsComplex(left.dtype()) && !IsComplex(right.dtype()) &&
                       left.dtype() != DType::kString && right.dtype() != DType::kString;
  if (left.shape() != right.shape() || axis < 0 || axis >= rank || !numbers ||
      IsFloatingPoint(left.dtype()) != IsFloatingPoint(right.dtype()) || left.num_elements() == 0) {
    return {};
  }
  const absl::StatusOr<Tensor> l = left.Contiguous();
  const absl::StatusOr<Tensor> r = right.Contiguous();
  if (!l.ok() || !r.ok()) return {};
  int64_t outer = 1;
  for (int64_t i = 0; i < axis; ++i) outer *= left.dim(i);
  const int64_t rows = left.dim(axis);
  const int64_t inner = left.num_elements() / (outer * rows);
  const int bits = BitWidth(left.dtype());
  const bool bytes = left.dtype() == right.dtype() && bits % 8 == 0;
  const auto width = static_cast<size_t>(bits / 8);
  const double slack = std::max(Slack(left.dtype()), Slack(right.dtype()));
  std::vector<double> a(static_cast<size_t>(inner));
  std::vector<double> b(a.size());
  std::vector<bool> differs(static_cast<size_t>(rows));
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t first = (o * rows + row) * inner;
      if (differs[static_cast<size_t>(row)]) continue;
      if (bytes) {
        const auto at = static_cast<size_t>(first) * width;
        const auto size = static_cast<size_t>(inner) * width;
        if (std::memcmp(l->raw_data() + at, r->raw_data() + at, size) == 0) continue;
      }
      LoadElements<double>(l->dtype(), l->raw_data(), first, inner, a.data());
      LoadElements<double>(r->dtype(), r->raw_data(), first, inner, b.data());
      if (AreClose(a, b, slack)) continue;
      differs[static_cast<size_t>(row)] = true;
    }
  }
  std::vector<int64_t> found;
  for (int64_t row = 0; row < rows; ++row) {
    if (differs[static_cast<size_t>(row)]) found.push_back(row);
  }
  return found;
}

std::vector<double> NumbersThatDiffer(const Graph& left, const Graph& right) {
  constexpr size_t kMost = 4;
  const std::map<std::string, double> ours = SingleNumbers(left);
  std::map<std::string, double> theirs = SingleNumbers(right);
  std::vector<double> between;
  std::vector<double> alone;
  for (const auto& [name, number] : ours) {
    const auto it = theirs.find(name);
    if (it == theirs.end()) {
      alone.push_back(number);
      continue;
    }
    if (DifferMuch(number, it->second)) between.push_back(0.5 * (number + it->second));
    theirs.erase(it);
  }
  // Numbers under other names, except those that both sides have.
  std::vector<double> others;
  for (const auto& [name, number] : theirs) {
    const auto same =
        std::find_if(alone.begin(), alone.end(), [&](double a) { return !DifferMuch(a, number); });
    if (same == alone.end()) {
      others.push_back(number);
    } else {
      alone.erase(same);
    }
  }
  if (alone.size() == 1 && others.size() == 1) between.push_back(0.5 * (alone[0] + others[0]));
  if (between.size() > kMost) between.clear();
  return between;
}

std::string RowsText(absl::Span<const int64_t> rows) {
  constexpr size_t kMost = 3;
  std::vector<std::string> runs;
  size_t told = 0;
  for (size_t i = 0; i < rows.size() && runs.size() < kMost;) {
    size_t end = i + 1;
    while (end < rows.size() && rows[end] == rows[end - 1] + 1) ++end;
    runs.push_back(end - i == 1   ? absl::StrCat(rows[i])
                   : end - i == 2 ? absl::StrCat(rows[i], ", ", rows[i + 1])
                                  : absl::StrCat(rows[i], " … ", rows[end - 1]));
    told += end - i;
    i = end;
  }
  std::string text = absl::StrCat(rows.size() == 1 ? "row " : "rows ", absl::StrJoin(runs, ", "));
  if (told < rows.size()) absl::StrAppend(&text, " and ", rows.size() - told, " more");
  return text;
}

}  // namespace onnxcmp
