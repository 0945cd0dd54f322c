#include "record/streams/fingerprint_loops.h"

namespace onnxcmp {

FingerprintLoops FingerprintLoopsFor([[maybe_unused]] Instructions instructions) {
#ifdef ONNXCMP_HAS_AVX512
  if (instructions != Instructions::kBase) return avx512::LoopsOfFingerprints();
#endif
  return base::LoopsOfFingerprints();
}

const FingerprintLoops& BestFingerprintLoops() {
  static const FingerprintLoops kLoops = FingerprintLoopsFor(BestInstructions());
  return kLoops;
}

}  // namespace onnxcmp
