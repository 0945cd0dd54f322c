// What is wrong with weights that only their node can unpack.
#ifndef ONNXCMP_COMPARE_QUANTIZATION_PACKED_MISTAKE_H_
#define ONNXCMP_COMPARE_QUANTIZATION_PACKED_MISTAKE_H_

#include <cstdint>

#include "compare/quantization/grid_mistakes.h"
#include "compare/quantization/twin_run.h"

namespace onnxcmp {

// The rows of a packed matrix that are looked at: whole blocks of it as far as that goes, since
// unpacking is a product with as many rows.
class PackedRows {
 public:
  PackedRows(int64_t depth, int64_t block);

  int64_t count() const { return count_; }
  // Row i of those, as a row of the matrix.
  int64_t At(int64_t i) const;

 private:
  int64_t block_;
  int64_t chunk_;   // consecutive rows that are taken of a block
  int64_t chunks_;  // how many blocks have some taken
  int64_t blocks_;
  int64_t count_;
};

// Of node n, a MatMulNBits: scales, zero points or the order of what is packed. Empty if it is
// honest, if no constant of the other side is its counterpart, or if `result`, the layer's, does
// not show it. Sets `looked_at` where there is a counterpart.
Mistake PackedMistake(const TwinRun& run, int n, int result, bool* looked_at);

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_QUANTIZATION_PACKED_MISTAKE_H_
