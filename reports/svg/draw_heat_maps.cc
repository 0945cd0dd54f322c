#include "reports/svg/draw_heat_maps.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "compare/pictures/picture_bounds.h"
#include "record/text/short_text.h"

namespace onnxcmp {
namespace {

using Rgb = std::array<int, 3>;

// The scales of the page: cividis, and from blue by white to orange. People who see red and green
// alike tell them apart, and so does who prints them.
constexpr std::array<Rgb, 7> kSequential = {{{0, 32, 77},
                                             {35, 62, 108},
                                             {87, 92, 109},
                                             {124, 123, 120},
                                             {166, 157, 117},
                                             {211, 193, 100},
                                             {255, 233, 69}}};
constexpr std::array<Rgb, 7> kDiverging = {{{5, 48, 97},
                                            {67, 147, 195},
                                            {209, 229, 240},
                                            {247, 247, 247},
                                            {253, 219, 170},
                                            {224, 130, 20},
                                            {127, 59, 8}}};
constexpr char kEqual[] = "#ebeef1";
constexpr char kNotFinite[] = "#c80078";

// So few shades that cells of one shade share a path.
constexpr double kShades = 40;

std::string Mix(const std::array<Rgb, 7>& scale, double share) {
  const double at = std::round(std::clamp(share, 0.0, 1.0) * kShades) / kShades * 6;
  const auto from = std::min<size_t>(5, static_cast<size_t>(at));
  const double rest = at - static_cast<double>(from);
  const auto part = [&](size_t i) {
    const double value = scale[from][i] * (1 - rest) + scale[from + 1][i] * rest;
    return static_cast<int>(std::lround(value));
  };
  return absl::StrFormat("#%02x%02x%02x", part(0), part(1), part(2));
}

// Numbers on both sides of 0 get a color for 0. Half of a value, for the range of doubles may be
// twice what a double holds.
std::string ColorOf(double value, const PictureBounds& range) {
  if (!std::isfinite(value)) return kNotFinite;
  if (range.least < 0 && range.greatest > 0) {
    const double most = std::max(-range.least, range.greatest);
    return Mix(kDiverging, 0.5 + value / 2 / most);
  }
  return Mix(kSequential, range.Share(value, 0.5));
}

// A map with a title above and its scale below.
struct HeatMap {
  std::string title;
  std::string scale;
  std::vector<std::string> colors;  // by cell
  absl::Span<const double> numbers;
};

std::string ScaleText(const PictureBounds& range, const std::vector<std::string>& colors) {
  const bool not_finite = std::find(colors.begin(), colors.end(), kNotFinite) != colors.end();
  std::string rest = not_finite ? "purple: NaN or infinite" : "";
  if (range.empty()) return rest;
  return absl::StrFormat("%.3g … %.3g%s%s", range.least, range.greatest, rest.empty() ? "" : "; ",
                         rest);
}

std::array<HeatMap, 3> MapsOf(const PictureSlice& slice) {
  PictureBounds values, decades;
  std::vector<double> differences;
  for (size_t i = 0; i < slice.left.size(); ++i) {
    values.Add(slice.left[i]);
    values.Add(slice.right[i]);
    const bool equal = AreEqualElements(slice.left[i], slice.right[i]);
    differences.push_back(equal ? 0 : std::abs(slice.left[i] - slice.right[i]));
    if (!equal) decades.Add(std::log10(differences.back()));
  }
  std::array<HeatMap, 3> maps = {
      {{"left", "", {}, slice.left}, {"right", "", {}, slice.right}, {"difference", "", {}, {}}}};
  for (size_t i = 0; i < differences.size(); ++i) {
    maps[0].colors.push_back(ColorOf(slice.left[i], values));
    maps[1].colors.push_back(ColorOf(slice.right[i], values));
    maps[2].colors.push_back(differences[i] == 0 ? kEqual
                             : !std::isfinite(differences[i])
                                 ? kNotFinite
                                 : Mix(kSequential, decades.Share(std::log10(differences[i]), 1)));
  }
  maps[0].scale = ScaleText(values, maps[0].colors);
  maps[1].scale = ScaleText(values, maps[1].colors);
  PictureBounds apart;
  for (const double difference : differences) {
    if (difference > 0) apart.Add(difference);
  }
  maps[2].scale =
      absl::StrCat("gray: equal", apart.empty() ? "" : "; ", ScaleText(apart, maps[2].colors));
  return maps;
}

// Cells of one color as one path.
std::string CellsOf(const HeatMap& map, int64_t columns, double x, double y, double width,
                    double height) {
  std::map<std::string, std::string> paths;
  for (size_t i = 0; i < map.colors.size();) {
    size_t end = i + 1;
    while (end < map.colors.size() && end % static_cast<size_t>(columns) != 0 &&
           map.colors[end] == map.colors[i]) {
      ++end;
    }
    const auto at = static_cast<int64_t>(i);
    absl::StrAppend(&paths[map.colors[i]], "M", at % columns, " ", at / columns, "h", end - i,
                    "v1h-", end - i, "z");
    i = end;
  }
  const size_t rows =
      (map.colors.size() + static_cast<size_t>(columns) - 1) / static_cast<size_t>(columns);
  std::string markup =
      absl::StrCat("<g shape-rendering=\"crispEdges\" transform=\"translate(", SvgNumber(x), " ",
                   SvgNumber(y), ") scale(", width / static_cast<double>(columns), " ",
                   height / static_cast<double>(rows), ")\">");
  for (const auto& [color, path] : paths) {
    absl::StrAppend(&markup, "<path fill=\"", color, "\" d=\"", path, "\"/>");
  }
  return markup + "</g>\n";
}

}  // namespace

void DrawHeatMaps(const ValuePicture& picture, SvgPaper* paper) {
  if (picture.slices.empty() || picture.cell_columns <= 0 || picture.cell_rows <= 0) return;
  const double third = (SvgPaper::kRight - SvgPaper::kMargin) / 3;
  const double room = third - 14;
  const auto columns = static_cast<double>(picture.cell_columns);
  const auto rows = static_cast<double>(picture.cell_rows);
  // Cells of few elements are no larger than 30 by 60, maps of many no higher than 240.
  const double width = std::min(room, std::max(columns * 30, room / 2));
  const double height = std::clamp(width * rows / columns, 24.0, std::min(240.0, rows * 60));
  paper->Write(
      absl::StrCat("Elements",
                   picture.all_slices > 1
                       ? absl::StrCat(" of the slice ", picture.slices.front().at,
                                      ", which differs most of ", picture.all_slices)
                       : "",
                   picture.cell_rows < picture.rows || picture.cell_columns < picture.columns
                       ? "; each cell is the pair that differs most of its block"
                       : ""),
      "heading", 2);
  paper->Skip(18);
  double x = SvgPaper::kMargin;
  for (const HeatMap& map : MapsOf(picture.slices.front())) {
    paper->WriteAt(map.title, "quiet", x, paper->top());
    paper->Put(CellsOf(map, picture.cell_columns, x, paper->top() + 6, width, height));
    paper->WriteAt(map.scale, "small", x, paper->top() + 6 + height + 14);
    x += third;
  }
  paper->Skip(6 + height + 26);
}

}  // namespace onnxcmp
