// Products of matrices of residues.
#ifndef ONNXCMP_PROVE_FIELD_PRODUCT_H_
#define ONNXCMP_PROVE_FIELD_PRODUCT_H_

#include <array>
#include <cstdint>
#include <map>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "evaluator/base/thread_pool.h"
#include "prove/field/prime_field.h"
#include "prove/field/residues.h"
#include "record/streams/hash128.h"

namespace onnxcmp {

// As numpy.matmul.
absl::StatusOr<Residues> Product(const PrimeField& field, const Residues& a, const Residues& b,
                                 const ThreadPool& pool);

// The product of two matrices where each number is an unknown function of a row of `a` and a column
// of `b`, up to their factors: f(s r, t c) = s t f(r, c). What is equal for all such functions is
// so for products, at a fraction of the cost. The product itself, where some are no numbers.
absl::StatusOr<Residues> ProductAsFunction(const PrimeField& field, const Residues& a,
                                           const Residues& b, const ThreadPool& pool);

// Products that are not computed again: both sides have most of them in common. What it holds is
// bounded.
class ProductMemo {
 public:
  absl::StatusOr<Residues> Times(const PrimeField& field, const Residues& a, const Residues& b,
                                 const ThreadPool& pool);
  // The same, where `b`, of this rank, is made of a constant that `content` stands for: it is made
  // only if no such product is known.
  absl::StatusOr<Residues> Times(const PrimeField& field, const Residues& a, const Hash128& content,
                                 int rank, absl::FunctionRef<absl::StatusOr<Residues>()> b,
                                 const ThreadPool& pool);

 private:
  using Key = std::array<uint64_t, 2>;
  void Keep(const Key& key, const Residues& product);

  std::map<Key, Residues> made_;
  int64_t elements_ = 0;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_FIELD_PRODUCT_H_
