#include <algorithm>
#include <cstddef>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "record/base/per_side.h"
#include "record/base/work_bounds.h"
#include "record/text/display_text.h"
#include "record/text/short_text.h"
#include "reports/table/table_summary.h"

namespace onnxcmp {
namespace {

constexpr int kSideLabel = 7;
constexpr int kMostSource = 60;

// The opset imports that nodes use; tools import dozens of others.
std::string Opsets(const SideSummary& summary, const ResultStream& stream) {
  absl::flat_hash_set<absl::string_view> used;
  for (const StreamNode& node : stream.nodes) used.insert(node.domain);
  std::vector<std::string> parts;
  for (const auto& [domain, version] : summary.opsets) {
    if (!domain.empty() && !stream.nodes.empty() && !used.contains(domain)) continue;
    parts.push_back(absl::StrCat(domain.empty() ? "opset" : PrintableText(domain), " ", version));
  }
  return absl::StrJoin(parts, ", ");
}

// The facts of one side, by column. A recording has results and no nodes.
std::vector<std::string> SideFacts(const SideSummary& summary, const ResultStream& stream) {
  std::vector<std::string> facts;
  if (summary.nodes == 0 && stream.nodes.empty() && !stream.results.empty()) {
    facts = {"recording", Count(static_cast<int64_t>(stream.results.size()), "result"), ""};
  } else {
    facts = {Count(summary.nodes, "node"), Count(summary.operators, "operator"),
             Count(summary.initializers, "initializer")};
  }
  facts.push_back(summary.bytes > 0 ? BytesText(summary.bytes) : "");
  return facts;
}

std::string SourceOf(const SideSummary& summary, const ResultStream& stream) {
  return PrintableText(summary.source.empty() ? stream.source : summary.source);
}

std::string Sides(const Comparison& comparison, const TableOptions& options,
                  const TableStyle& style) {
  const PerSide<const SideSummary*> summaries = {&comparison.left_summary,
                                                 &comparison.right_summary};
  PerSide<std::vector<std::string>> facts;
  PerSide<std::string> sources;
  PerSide<std::string> opsets;
  for (const SideId side : kBothSides) {
    const ResultStream& stream = OfSide(comparison, side);
    facts[side] = SideFacts(*summaries[side], stream);
    sources[side] = style.Text(SourceOf(*summaries[side], stream));
    opsets[side] = style.Text(Opsets(*summaries[side], stream));
  }
  PerSide<std::string> lines;
  for (size_t column = 0; column < facts.left.size(); ++column) {
    const int width = std::max(DisplayWidth(facts.left[column]), DisplayWidth(facts.right[column]));
    if (width == 0) continue;
    // Aligns the numbers, and so their nouns, plural or not.
    for (const SideId side : kBothSides) {
      absl::StrAppend(&lines[side], "  ", PadLeft(facts[side][column], width));
    }
  }
  const int taken = kSideLabel + std::max(DisplayWidth(lines.left), DisplayWidth(lines.right));
  int source_width = std::max(DisplayWidth(sources.left), DisplayWidth(sources.right));
  if (!options.wide) {
    source_width = std::min({source_width, kMostSource, std::max(12, options.width - taken)});
  }
  std::string text;
  for (const SideId side : kBothSides) {
    const std::string source =
        options.wide ? sources[side] : ShortenMiddle(sources[side], source_width, style.Ellipsis());
    std::string line = PadRight(source, source_width) + lines[side];
    const bool fits = taken + source_width + 2 + DisplayWidth(opsets[side]) <= options.width;
    if (!opsets[side].empty()) {
      absl::StrAppend(&line, fits ? "  " : "\n" + std::string(kSideLabel, ' '), opsets[side]);
    }
    absl::StrAppend(&text, style.Paint(PadRight(SideName(side), kSideLabel), Color::kBold),
                    absl::StripTrailingAsciiWhitespace(line), "\n");
  }
  return text;
}

// Where the sides ran, if that was not our interpreter.
std::string RanIn(const Comparison& comparison) {
  const std::string& left = comparison.left_summary.ran_in;
  const std::string& right = comparison.right_summary.ran_in;
  if (left.empty() && right.empty()) return "";
  const auto name = [](const std::string& ran_in, const ResultStream& stream) {
    if (!ran_in.empty()) return PrintableText(ran_in);
    return std::string(stream.recorded ? "nowhere: it is a recording" : "onnxcmp");
  };
  return absl::StrCat("left in ", name(left, comparison.left), ", right in ",
                      name(right, comparison.right));
}

// "input_ids int64[1,30] 0 … 29". Beside a recording it includes the source.
std::string Fed(const ResultStream& stream, const Comparison& comparison) {
  const std::vector<std::string>& made_up = comparison.fed_made_up;
  std::vector<std::string> parts;
  for (const StreamResult& result : stream.results) {
    if (result.kind != ResultKind::kInput) continue;
    std::string text = absl::StrCat(PrintableText(result.name), " ", PrintableText(result.type));
    const Fingerprint& fingerprint = result.fingerprint;
    if (fingerprint.has_sketch && fingerprint.size > 0) {
      const Statistics& statistics = fingerprint.numbers().statistics;
      const auto number = [](double x) { return absl::StrFormat("%.3g", x); };
      absl::StrAppend(&text, " ", number(statistics.min));
      if (statistics.max != statistics.min) {
        absl::StrAppend(&text, " … ", number(statistics.max));
      }
    }
    if (std::find(made_up.begin(), made_up.end(), result.name) != made_up.end()) {
      absl::StrAppend(&text, " (made up)");
    }
    parts.push_back(std::move(text));
  }
  CutList(&parts, 6);
  if (!parts.empty() && !comparison.fed_from.empty()) {
    parts.push_back(absl::StrCat("from ", PrintableText(comparison.fed_from)));
  }
  return absl::StrJoin(parts, ", ");
}

std::string Notes(const Comparison& comparison, const TableOptions& options,
                  const TableStyle& style) {
  std::vector<std::string> notes = comparison.notes;
  for (const std::string& note : comparison.left_summary.notes) {
    notes.push_back(absl::StrCat("left: ", note));
  }
  for (const std::string& note : comparison.right_summary.notes) {
    notes.push_back(absl::StrCat("right: ", note));
  }
  std::string text;
  const size_t shown =
      options.rows == TableOptions::Rows::kAll || notes.size() <= size_t{work_bounds::kNamed} + 1
          ? notes.size()
          : size_t{work_bounds::kNamed};
  for (size_t i = 0; i < shown; ++i) {
    text += LabelledLines("note", Color::kPlain, PrintableText(notes[i]), options, style);
  }
  if (shown < notes.size()) {
    text += LabelledLines("", Color::kPlain,
                          absl::StrCat("… ", notes.size() - shown, " more notes (--all shows)"),
                          options, style);
  }
  return text;
}

}  // namespace

std::string TableHead(const Comparison& comparison, const TableOptions& options,
                      const TableStyle& style) {
  std::string text = Sides(comparison, options, style);
  const std::string ran_in = RanIn(comparison);
  if (!ran_in.empty()) text += LabelledLines("ran", Color::kBold, ran_in, options, style);
  // The inputs of a recording need not be those that the model was fed.
  const bool right_runs = comparison.left.recorded && !comparison.right.recorded;
  std::string fed = Fed(right_runs ? comparison.right : comparison.left, comparison);
  if (fed.empty()) fed = Fed(right_runs ? comparison.left : comparison.right, comparison);
  if (!fed.empty()) text += LabelledLines("fed", Color::kBold, fed, options, style);
  return text + Notes(comparison, options, style);
}

}  // namespace onnxcmp
