#include "compare/causes/repair/claims.h"

namespace onnxcmp {

Claims::Claims(const ForcedRun& run, const ForcedState& state)
    : left_(&run.left()), counts_(static_cast<size_t>(run.left().size())) {
  for (const int r : run.right().results()) {
    if (state.at(r).match != kNone) ++counts_[Index(state.at(r).match)];
  }
}

}  // namespace onnxcmp
