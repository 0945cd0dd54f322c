#include "feed/map_by_names.h"

#include <cstddef>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "feed/feeds.h"
#include "feed/input_fit.h"
#include "feed/input_places.h"

namespace onnxcmp {

std::optional<InputMapping> MapByNames(const Graph& left, const Graph& right) {
  const std::vector<const ValueInfo*> lefts = RequiredInputs(left);
  const std::vector<const ValueInfo*> rights = RequiredInputs(right);
  if (lefts.size() != rights.size()) return std::nullopt;
  const auto fit = [](const ValueInfo& a, const ValueInfo& b) {
    return FitOf(a.type, b.type) >= Fit::kCast;
  };
  std::vector<const ValueInfo*> partners;
  for (const ValueInfo* input : lefts) {
    const auto partner =
        absl::c_find_if(rights, [&](const ValueInfo* other) { return other->name == input->name; });
    if (partner == rights.end() || !fit(*input, **partner)) return std::nullopt;
    partners.push_back(*partner);
  }
  for (size_t a = 0; a < lefts.size() && &left != &right; ++a) {
    for (size_t b = 0; b < a; ++b) {
      if (fit(*lefts[a], *partners[b])) return std::nullopt;
    }
  }
  const absl::flat_hash_set<absl::string_view> read_left = InputsRead(left);
  const absl::flat_hash_set<absl::string_view> read_right =
      &left == &right ? read_left : InputsRead(right);
  InputMapping mapping;
  for (const ValueInfo* input : lefts) {
    MappedInput& pair = mapping.pairs.emplace_back();
    pair.left = pair.right = input->name;
    pair.read = read_left.contains(input->name) || read_right.contains(input->name);
  }
  return mapping;
}

}  // namespace onnxcmp
