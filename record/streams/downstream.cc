#include "record/streams/downstream.h"

#include <algorithm>
#include <cstddef>

namespace onnxcmp {

std::vector<bool> Behind(const std::vector<int>& results, const ResultStream& stream) {
  std::vector<bool> reached(stream.results.size(), false);
  std::vector<bool> behind(stream.results.size(), false);
  for (const int r : results) {
    if (r != kNone) reached[Index(r)] = true;
  }
  const auto is_reached = [&](int r) { return r != kNone && reached[Index(r)]; };
  // A node's results come after its inputs; results of its subgraphs come before its own.
  for (const StreamNode& node : stream.nodes) {
    if (!std::any_of(node.inputs.begin(), node.inputs.end(), is_reached) &&
        !std::any_of(node.captures.begin(), node.captures.end(), is_reached)) {
      continue;
    }
    for (const int r : node.outputs) {
      if (r != kNone) reached[Index(r)] = behind[Index(r)] = true;
    }
  }
  for (size_t r = 0; r < stream.results.size(); ++r) {
    if (is_reached(stream.results[r].source)) behind[r] = true;
  }
  return behind;
}

}  // namespace onnxcmp
