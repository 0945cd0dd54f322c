#include "prove/field/product_loops.h"

namespace onnxcmp {

ProductLoops ProductLoopsFor([[maybe_unused]] Instructions instructions) {
#ifdef ONNXCMP_HAS_AVX512
  if (instructions != Instructions::kBase) return avx512::LoopsOfProducts();
#endif
  return base::LoopsOfProducts();
}

const ProductLoops& BestProductLoops() {
  static const ProductLoops kLoops = ProductLoopsFor(BestInstructions());
  return kLoops;
}

}  // namespace onnxcmp
