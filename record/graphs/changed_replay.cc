#include "record/graphs/changed_replay.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/algorithm/container.h"

namespace onnxcmp {

bool ChangedReplay::ReadsChanged(int n) const {
  return absl::c_any_of(graph().Reads(n), [&](int r) { return changed_.contains(r); });
}

bool ChangedReplay::Take(int n, Outputs outputs) {
  if (!outputs.ok()) return false;
  const FewResults& names = graph().node(n).made->outputs;
  for (size_t i = 0; i < std::min(names.size(), outputs->size()); ++i) {
    if (names[i] == kNone || (*outputs)[i].empty()) continue;
    changed_.try_emplace(names[i], std::move((*outputs)[i]));
  }
  return true;
}

}  // namespace onnxcmp
