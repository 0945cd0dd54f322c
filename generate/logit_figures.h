// Figures of logits: the chosen token, its margin, how far two sides are apart.
#ifndef ONNXCMP_GENERATE_LOGIT_FIGURES_H_
#define ONNXCMP_GENERATE_LOGIT_FIGURES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "evaluator/tensor/tensor.h"
#include "generate/decoder.h"

namespace onnxcmp {

// The logits of each row's last position; [rows, positions, vocabulary].
absl::StatusOr<std::vector<std::vector<double>>> LastLogits(const Tensor& logits);

// The place of the greatest, the first of equal ones; and its distance to the next one.
int64_t GreatestAt(const std::vector<double>& logits);
double MarginOf(const std::vector<double>& logits);
double MostApart(const std::vector<double>& left, const std::vector<double>& right);
// sum p log(p / q) of the probabilities of both, in nats.
double Divergence(const std::vector<double>& left, const std::vector<double>& right);

// The logits of positions that count, [positions, vocabulary], row by row; `last`: so many last
// positions of each row.
absl::StatusOr<Tensor> LogitsThatCount(const Tensor& logits, const TokenBlock& block, int64_t last);

}  // namespace onnxcmp

#endif  // ONNXCMP_GENERATE_LOGIT_FIGURES_H_
