#include "feed/made_up/id_purpose.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace onnxcmp {

void TakeIndexForm(const IndexForm& index, bool exact, InputPurpose* found) {
  if (index.modulo > 0 && index.gain > 0) {
    const double wraps = std::round(static_cast<double>(index.modulo) / index.gain);
    found->wraps = static_cast<int32_t>(std::min(wraps, 1e9));
  }
  if (!exact) return;
  if (found->limit.has_value() && found->limit_sum.empty()) {
    found->limit = index.IdsFor(*found->limit);
  }
  for (IdTable& table : found->tables) table.index = index;
}

}  // namespace onnxcmp
