#include "compare/causes/forced/lost_nodes.h"

#include <cstddef>

#include "absl/algorithm/container.h"

namespace onnxcmp {

std::vector<bool> LostNodes(const ValueClasses& left, const SideGraph& right,
                            const std::vector<int>& aligned, const std::vector<bool>& far) {
  std::vector<bool> lost(right.nodes().size());
  if (far.empty()) return lost;
  const auto is_near = [&](int r) {
    if (left.Find(right.result(r).fingerprint.content) != kNone) return true;
    return aligned[Index(r)] != kNone && !far[Index(r)];
  };
  // Readers come after their inputs.
  for (size_t n = lost.size(); n-- > 0;) {
    lost[n] = absl::c_all_of(right.node(static_cast<int>(n)).made->outputs, [&](int r) {
      return r == kNone || (!is_near(r) && absl::c_all_of(right.readers(r), [&](int reader) {
               return lost[Index(reader)];
             }));
    });
  }
  return lost;
}

}  // namespace onnxcmp
