// Finds mistakes in packed weights, which only their node can unpack.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_PACKED_MISTAKE_H_
#define ONNXCMP_COMPARE_QUANTIZATION_PACKED_MISTAKE_H_

#include <cstdint>

#include "compare/quantization/counterpart_run.h"
#include "compare/quantization/wrong_quant_params.h"

namespace onnxcmp {

// The rows of a packed matrix that are examined, whole blocks if possible: unpacking takes a
// product with as many rows.
class PackedRows {
 public:
  PackedRows(int64_t depth, int64_t block);

  int64_t count() const { return count_; }
  // Row i of these, as a row of the matrix.
  int64_t At(int64_t i) const;

 private:
  int64_t block_;
  int64_t chunk_;   // rows taken from each block, consecutive
  int64_t chunks_;  // number of blocks with rows taken
  int64_t blocks_;
  int64_t count_;
};

// Reviews node n, a MatMulNBits: its scales, zero points and the order of its packed data. Empty if
// these are correct, if no constant of the other side is their counterpart, or if `result`, the
// layer's, is not affected. Sets `looked_at` if there is a counterpart.
Mistake PackedMistake(const CounterpartRun& run, int n, int result, bool* looked_at);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_PACKED_MISTAKE_H_
