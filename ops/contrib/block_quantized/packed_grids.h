// The points of the lattices that the IQ formats of packed_format.h choose from: the magnitudes of
// 8 or 4 neighbours.
#ifndef ONNXCMP_OPS_CONTRIB_BLOCK_QUANTIZED_PACKED_GRIDS_H_
#define ONNXCMP_OPS_CONTRIB_BLOCK_QUANTIZED_PACKED_GRIDS_H_

#include <cstdint>

namespace onnxcmp {

// Eight magnitudes of two bits, the first in the low ones: 0, 1, 2 are 8, 25, 43.
extern const uint16_t kGridIq2Xxs[256];
extern const uint16_t kGridIq2Xs[512];
extern const uint16_t kGridIq2S[1024];
// Four magnitudes of three bits, the first in the low ones: 4, 12, 20, 28, 36, 44, 52, 62.
extern const uint16_t kGridIq3Xxs[256];

}  // namespace onnxcmp

#endif  // ONNXCMP_OPS_CONTRIB_BLOCK_QUANTIZED_PACKED_GRIDS_H_
