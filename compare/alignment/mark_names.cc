#include "compare/alignment/mark_names.h"

#include <array>
#include <utility>

namespace onnxcmp {

std::vector<absl::string_view> MarkNames(Marks marks) {
  constexpr std::array<std::pair<Mark, const char*>, 12> kNames = {{
      {Mark::kMoved, "moved"},
      {Mark::kFused, "fused"},
      {Mark::kFolded, "folded"},
      {Mark::kMerged, "merged"},
      {Mark::kCast, "cast"},
      {Mark::kReshaped, "reshaped"},
      {Mark::kTransposed, "transposed"},
      {Mark::kRepaired, "repaired"},
      {Mark::kNamed, "named"},
      {Mark::kPlaced, "placed"},
      {Mark::kGiven, "given"},
      {Mark::kEntry, "entry"},
  }};
  std::vector<absl::string_view> names;
  for (const auto& [mark, name] : kNames) {
    if (Has(marks, mark)) names.push_back(name);
  }
  return names;
}

}  // namespace onnxcmp
