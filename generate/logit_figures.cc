#include "generate/logit_figures.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "evaluator/base/status_macros.h"
#include "generate/tensors.h"

namespace onnxcmp {
namespace {

// The logarithm of the sum of exponentials.
double LogSum(const std::vector<double>& logits) {
  const double greatest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const double logit : logits) sum += std::exp(logit - greatest);
  return greatest + std::log(sum);
}

}  // namespace

absl::StatusOr<std::vector<std::vector<double>>> LastLogits(const Tensor& logits) {
  OC_ASSIGN_OR_RETURN(const Tensor last, SliceOf(logits, 1, logits.shape()[1] - 1, 1));
  OC_ASSIGN_OR_RETURN(const std::vector<double> numbers, NumbersOf(last));
  const auto words = static_cast<ptrdiff_t>(logits.shape()[2]);
  std::vector<std::vector<double>> rows;
  for (auto at = numbers.begin(); at != numbers.end(); at += words)
    rows.emplace_back(at, at + words);
  return rows;
}

int64_t GreatestAt(const std::vector<double>& logits) {
  return std::max_element(logits.begin(), logits.end()) - logits.begin();
}

double MarginOf(const std::vector<double>& logits) {
  const int64_t best = GreatestAt(logits);
  double margin = std::numeric_limits<double>::infinity();
  for (int64_t i = 0; i < static_cast<int64_t>(logits.size()); ++i) {
    if (i == best) continue;
    margin = std::min(margin, logits[static_cast<size_t>(best)] - logits[static_cast<size_t>(i)]);
  }
  return margin;
}

double MostApart(const std::vector<double>& left, const std::vector<double>& right) {
  double most = 0;
  for (size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    if (left[i] == right[i]) continue;
    const double apart = std::abs(left[i] - right[i]);
    most = std::isnan(apart) ? std::numeric_limits<double>::infinity() : std::max(most, apart);
  }
  return most;
}

double Divergence(const std::vector<double>& left, const std::vector<double>& right) {
  if (left.size() != right.size() || left.empty()) return std::numeric_limits<double>::infinity();
  const double of_left = LogSum(left), of_right = LogSum(right);
  double sum = 0;
  for (size_t i = 0; i < left.size(); ++i) {
    const double p = std::exp(left[i] - of_left);
    if (p > 0) sum += p * ((left[i] - of_left) - (right[i] - of_right));
  }
  return std::max(sum, 0.0);
}

absl::StatusOr<Tensor> LogitsThatCount(const Tensor& logits, const TokenBlock& block,
                                       int64_t last) {
  std::vector<int64_t> wanted;
  const int64_t positions = logits.shape()[1];
  for (int64_t row = 0; row < block.rows; ++row) {
    for (int64_t i = 0; i < last; ++i) {
      const auto token = static_cast<size_t>((row + 1) * block.length() - last + i);
      if (block.counts[token]) wanted.push_back((row + 1) * positions - last + i);
    }
  }
  OC_ASSIGN_OR_RETURN(const Tensor whole, logits.Contiguous());
  const Tensor lines = whole.Reshaped({block.rows * positions, logits.shape()[2]});
  if (wanted.empty()) return SliceOf(lines, 0, 0, 0);
  return EntriesOf(lines, 0, wanted);
}

}  // namespace onnxcmp
