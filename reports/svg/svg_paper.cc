#include "reports/svg/svg_paper.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "record/text/display_text.h"
#include "record/text/markup.h"

namespace onnxcmp {
namespace {

// Of letters on the average; proportional fonts differ, so lines end a little early.
struct Look {
  absl::string_view name;
  double letter = 0;
  double line = 0;
};
constexpr std::array<Look, 7> kLooks = {{{"title", 16, 32},
                                         {"words", 9, 22},
                                         {"heading", 9, 22},
                                         {"said", 7.8, 19},
                                         {"quiet", 7.4, 18},
                                         {"name", 7.9, 19},
                                         {"small", 7, 15}}};

const Look& LookOf(absl::string_view name) {
  const auto* const it = std::find_if(kLooks.begin(), kLooks.end(),
                                      [&](const Look& look) { return look.name == name; });
  return it == kLooks.end() ? kLooks.back() : *it;
}

constexpr absl::string_view kStyle =
    "text{font-family:system-ui,-apple-system,\"Segoe UI\",Roboto,\"DejaVu Sans\",sans-serif;"
    "fill:#1b1f24;font-size:13px}"
    ".title{font-size:26px;font-weight:bold}.words{font-size:16px}"
    ".heading{font-size:15px;font-weight:bold}.said{font-size:14px}"
    ".quiet{font-size:13px;fill:#4f5963}.small{font-size:11px;fill:#4f5963}"
    ".name,.box text{font-family:ui-monospace,\"DejaVu Sans Mono\",Menlo,Consolas,monospace}"
    ".name{font-size:13px}.box text{font-size:11px}.box .op{font-weight:bold}"
    ".box .error{text-anchor:end;fill:#a33500;font-weight:bold}.box .more{fill:#4f5963}"
    ".line{fill:none;stroke:#6b7680}.tip{fill:#6b7680}"
    ".pair{fill:none;stroke:#a9b2ba;stroke-dasharray:2 5}";

}  // namespace

std::string SvgNumber(double number) { return absl::StrCat(std::round(number * 10) / 10); }

int ColumnsOf(absl::string_view look, double width) {
  return std::max(8, static_cast<int>(width / LookOf(look).letter));
}

void SvgPaper::Write(absl::string_view text, absl::string_view look, size_t most) {
  const int columns = ColumnsOf(look, kRight - left_);
  std::vector<std::string> lines = WrapText(text, columns);
  if (lines.size() > most) {
    lines.resize(most);
    lines.back() = ShortenEnd(absl::StrCat(lines.back(), " …"), columns, "…");
  }
  for (const std::string& line : lines) {
    top_ += LookOf(look).line;
    // A word that is longer than a line is not broken by it.
    WriteAt(ShortenEnd(line, columns, "…"), look, left_, top_ - LookOf(look).line * 0.25);
  }
}

void SvgPaper::WriteAt(absl::string_view text, absl::string_view look, double x, double y) {
  absl::StrAppend(&body_, "<text class=\"", look, "\" x=\"", SvgNumber(x), "\" y=\"", SvgNumber(y),
                  "\">", EscapedMarkup(absl::StrReplaceAll(text, {{kNoBreak, " "}})), "</text>\n");
}

void SvgPaper::BeginPanel() {
  panel_begins_ = body_.size();
  panel_top_ = top_;
  left_ = kMargin + 20;
  top_ += 8;
}

void SvgPaper::EndPanel(absl::string_view color) {
  left_ = kMargin;
  top_ += 8;
  const std::string height = SvgNumber(top_ - panel_top_);
  const std::string place =
      absl::StrCat(" x=\"", SvgNumber(kMargin), "\" y=\"", SvgNumber(panel_top_), "\" height=\"");
  body_.insert(panel_begins_,
               absl::StrCat("<rect fill=\"#f5f7f9\" rx=\"4\"", place, height, "\" width=\"",
                            SvgNumber(kRight - kMargin), "\"/>\n<rect fill=\"", color, "\"", place,
                            height, "\" width=\"8\"/>\n"));
  top_ += 12;
}

std::string SvgPaper::Finish(absl::string_view title) const {
  const std::string width = SvgNumber(kWidth);
  const std::string height = SvgNumber(top_ + kMargin);
  return absl::StrCat("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"", width,
                      "\" height=\"", height, "\" viewBox=\"0 0 ", width, " ", height,
                      "\">\n<title>", EscapedMarkup(title), "</title>\n<style>", kStyle,
                      "</style>\n<rect width=\"", width, "\" height=\"", height,
                      "\" fill=\"#ffffff\"/>\n", body_, "</svg>\n");
}

}  // namespace onnxcmp
