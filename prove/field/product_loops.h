// The loops that products of residues take most of their time in, for each set of vector
// instructions. All give the same numbers.
//
// A residue r stands for the number r or r - p next to 0, which is low + high * 2^22 with both
// parts of 23 bits at most. A product of two such numbers needs three of parts (Karatsuba): of the
// low ones, of the high ones, and of the sums. Doubles hold these, and the sums of 192 of them,
// exactly.
#ifndef ONNXCMP_PROVE_FIELD_PRODUCT_LOOPS_H_
#define ONNXCMP_PROVE_FIELD_PRODUCT_LOOPS_H_

#include <cstdint>

#include "evaluator/base/instructions.h"
#include "prove/field/prime_field.h"

namespace onnxcmp {

inline constexpr int64_t kProductTerms = 192;  // that are summed before they are reduced
inline constexpr int64_t kProductParts = 3;    // low, high, their sum

struct ProductLoops {
  int64_t rows;     // of the left matrix that are multiplied at a time
  int64_t columns;  // of the right matrix
  // The parts of `height` rows of `terms` residues, which lie `stride` apart, for multiply(): rows
  // * kProductTerms * kProductParts doubles, of which those without a residue are zeros.
  void (*split_rows)(const PrimeField& field, const Residue* from, int64_t stride, int64_t height,
                     int64_t terms, double* to);
  // The parts of `terms` rows of `width` residues: columns * terms * kProductParts doubles.
  void (*split_columns)(const PrimeField& field, const Residue* from, int64_t stride, int64_t terms,
                        int64_t width, double* to);
  // Adds the product of both to `height` rows of `width` residues.
  void (*multiply)(const PrimeField& field, const double* left, const double* right, int64_t terms,
                   int64_t height, int64_t width, Residue* out, int64_t stride);
};

namespace base {
ProductLoops LoopsOfProducts();
}  // namespace base
namespace avx512 {
ProductLoops LoopsOfProducts();
}  // namespace avx512

// The loops for `instructions`, which the processor must have.
ProductLoops ProductLoopsFor(Instructions instructions);

// The loops for the widest instructions of the processor.
const ProductLoops& BestProductLoops();

}  // namespace onnxcmp

#endif  // ONNXCMP_PROVE_FIELD_PRODUCT_LOOPS_H_
