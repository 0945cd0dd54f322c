#include "compare/recorded/layout_name.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "record/base/work_bounds.h"

namespace onnxcmp {

std::vector<int> ChannelsFirstAxes(int rank) {
  std::vector<int> axes(static_cast<size_t>(rank));
  std::iota(axes.begin(), axes.end(), 0);
  std::rotate(axes.begin() + 1, axes.end() - 1, axes.end());
  return axes;
}

Shape WithoutOnes(const Shape& shape) {
  Shape rest;
  for (const int64_t size : shape) {
    if (size != 1) rest.push_back(size);
  }
  return rest;
}

Shape SortedSizes(Shape shape) {
  std::sort(shape.begin(), shape.end());
  return shape;
}

Shape PermutedShape(const Shape& shape, const std::vector<int>& axes) {
  Shape made;
  for (const int axis : axes) made.push_back(shape[static_cast<size_t>(axis)]);
  return made;
}

std::string LayoutName(const RecordedLayout& layout, const Shape& recorded, bool turned) {
  std::vector<std::string> parts;
  const auto rank = static_cast<int>(recorded.size());
  if (layout.block > 0) return absl::StrCat("blocks of ", layout.block, " channels");
  if (layout.block < 0) return "NCHW";
  if (!layout.axes.empty()) {
    const bool last = rank >= 3 && layout.axes == ChannelsFirstAxes(rank);
    parts.push_back(turned ? absl::StrCat("a transposition, axes ", absl::StrJoin(layout.axes, " "))
                    : !last     ? absl::StrCat("axes ", absl::StrJoin(layout.axes, " "))
                    : rank == 3 ? "NWC"
                    : rank == 4 ? "NHWC"
                    : rank == 5 ? "NDHWC"
                                : "channels last");
  }
  if (layout.axes.empty() ? layout.shape != recorded
                          : layout.shape != PermutedShape(recorded, layout.axes)) {
    parts.push_back(absl::StrCat("[", absl::StrJoin(recorded, ","), "]"));
  }
  if (!layout.rows.empty()) {
    std::vector<int64_t> shown(layout.rows.begin(),
                               layout.rows.begin() + static_cast<std::ptrdiff_t>(std::min<size_t>(
                                                         layout.rows.size(), work_bounds::kShown)));
    parts.push_back(absl::StrCat("rows ", absl::StrJoin(shown, " "),
                                 layout.rows.size() > work_bounds::kShown ? " …" : ""));
  }
  return absl::StrJoin(parts, ", ");
}

}  // namespace onnxcmp
