#include "reports/table/table_layout.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "compare/outcome/proof_report.h"
#include "record/text/display_text.h"
#include "record/text/distinct_names.h"
#include "reports/table/table_names.h"

namespace onnxcmp {
namespace {

constexpr int kSignWidth = 3;  // with a space on either side

// Up to this width, other columns are shortened in favour of the notes.
constexpr int kWideNotes = 34;

// A step of fitting a table that is too wide.
struct Squeeze {
  std::array<TableColumn, 2> columns;  // of which the widest becomes narrower
  int floor;                           // at which they stay
  bool drops_type = false;             // first, if more than two characters are missing
};
constexpr std::array kBothNames = {TableColumn::kLeftName, TableColumn::kRightName};
constexpr std::array kBothOps = {TableColumn::kLeftOp, TableColumn::kRightOp};
constexpr std::array kTypeAlone = {TableColumn::kType, TableColumn::kType};
constexpr std::array kNotesAlone = {TableColumn::kNotes, TableColumn::kNotes};
constexpr Squeeze kSqueezes[] = {
    {kBothNames, 32},
    {kNotesAlone, 18},
    {kBothOps, 10},
    {kBothNames, 22},
    {kBothOps, 8},
    {kTypeAlone, 13},
    {kNotesAlone, 13},
    // Names tell more than types.
    {kNotesAlone, 13, true},
    {kBothNames, 16},
    {kBothNames, 8},
    {kBothOps, 4},
    {kNotesAlone, 6},
};

size_t ColumnIndex(TableColumn column) { return static_cast<size_t>(column); }

class Widths {
  using enum TableColumn;

 public:
  Widths(const std::vector<TableLine>& lines, int indent) : indent_(indent) {
    natural_.fill(0);
    for (const TableLine& line : lines) {
      for (size_t c = 0; c < kTableColumns; ++c) {
        natural_[c] = std::max(natural_[c], DisplayWidth(line.cells[c]));
      }
    }
    // An operator's title may extend over the name after it.
    for (const TableColumn column : {kType, kAbsolute, kTruth, kRelative, kBeyond}) {
      const size_t c = ColumnIndex(column);
      if (natural_[c] > 0) {
        natural_[c] = std::max(natural_[c], DisplayWidth(kColumns[c].title));
      }
    }
    widths_ = natural_;
  }

  int operator[](size_t column) const { return widths_[column]; }

  bool Fits(int width) const {
    int total = indent_;
    for (const TableColumn column :
         {kLeftOp, kLeftName, kRightOp, kRightName, kType, kAbsolute, kTruth}) {
      const size_t c = ColumnIndex(column);
      if (natural_[c] > 0) total += natural_[c] + kColumns[c].gap;
    }
    const int notes = std::min(natural_[ColumnIndex(kNotes)], kWideNotes);
    return total + (notes > 0 ? notes + kColumns[ColumnIndex(kNotes)].gap : 0) <= width;
  }

  void Fit(int width, bool few_right_names) {
    for (const TableColumn column : {kRelative, kUlp, kBeyond}) Set(column, 0);
    room_ = width - indent_;
    Shrink(kNotesAlone, kWideNotes);
    if (Total() <= room_) {
      // As many as there is room for, in this order.
      for (const TableColumn column : {kBeyond, kRelative, kUlp}) {
        Set(column, natural_[ColumnIndex(column)]);
        if (Total() > room_) Set(column, 0);
      }
      Set(kNotes, natural_[ColumnIndex(kNotes)]);
      Shrink(kNotesAlone, kWideNotes);
      return;
    }
    // A few names on the right alone should not take room from all others.
    if (few_right_names) Shrink({kRightName, kRightName}, 14);
    for (const Squeeze& squeeze : kSqueezes) {
      if (squeeze.drops_type && Total() > room_ + 2) {
        Set(kType, 0);
        Set(kNotes, natural_[ColumnIndex(kNotes)]);
      }
      Shrink(squeeze.columns, squeeze.floor);
    }
  }

 private:
  void Set(TableColumn column, int width) { widths_[ColumnIndex(column)] = width; }

  int Total() const {
    int total = 0;
    for (size_t c = 0; c < kTableColumns; ++c) {
      if (widths_[c] > 0) total += widths_[c] + (total == 0 ? 0 : kColumns[c].gap);
    }
    return total;
  }

  // Narrows the widest of these columns until all fits, but not below `floor`.
  void Shrink(const std::array<TableColumn, 2>& columns, int floor) {
    for (int over = Total() - room_; over > 0; --over) {
      const TableColumn widest =
          *std::max_element(columns.begin(), columns.end(), [&](TableColumn a, TableColumn b) {
            return widths_[ColumnIndex(a)] < widths_[ColumnIndex(b)];
          });
      if (widths_[ColumnIndex(widest)] <= floor) return;
      --widths_[ColumnIndex(widest)];
    }
  }

  std::array<int, kTableColumns> natural_;
  std::array<int, kTableColumns> widths_;
  int indent_ = 0;
  int room_ = 0;
};

class Layout {
  using enum TableColumn;

 public:
  // `digits`: of the greatest row's number, 0 if none is shown. `proofs`: lines have the findings
  // of a proof.
  Layout(const Widths& widths, int digits, bool proofs, const TableOptions& options,
         const TableStyle& style)
      : widths_(widths), digits_(digits), proofs_(proofs), options_(options), style_(style) {}

  std::string Heading() const {
    std::array<std::string, kTableColumns> cells;
    for (size_t c = 0; c < kTableColumns; ++c) cells[c] = kColumns[c].title;
    std::string text = Space();
    for (size_t c = 0; c < kTableColumns; ++c) {
      // "left" stands above operator and name.
      if (c == ColumnIndex(kLeftName) || c == ColumnIndex(kRightName)) continue;
      int width = widths_[c];
      if (c == ColumnIndex(kLeftOp) || c == ColumnIndex(kRightOp)) {
        width += widths_[c + 1] > 0 ? 1 + widths_[c + 1] : 0;
      }
      if (width == 0) continue;
      Append(Padded(cells[c], width, kColumns[c].right), c, &text);
    }
    return style_.Paint(absl::StripTrailingAsciiWhitespace(text), Color::kBold) + "\n";
  }

  std::string Line(const TableLine& line) {
    switch (line.kind) {
      case TableLine::Kind::kRow:
      case TableLine::Kind::kInner:
        return Row(line);
      case TableLine::Kind::kHeading:
        return absl::StrCat(
            Space(),
            style_.Paint(options_.wide ? line.text
                                       : ShortenMiddle(line.text, options_.width - Indent(),
                                                       style_.Ellipsis()),
                         Color::kBold),
            "\n");
      case TableLine::Kind::kFold:
        break;
    }
    return Fold(line);
  }

 private:
  static std::string Padded(const std::string& text, int width, bool right) {
    return right ? PadLeft(text, width) : PadRight(text, width);
  }

  int Indent() const { return digits_ + kSignWidth + (proofs_ ? 1 : 0); }
  std::string Space() const { return std::string(static_cast<size_t>(Indent()), ' '); }

  void Append(const std::string& cell, size_t column, std::string* text) const {
    if (text->size() > static_cast<size_t>(Indent()))
      text->append(static_cast<size_t>(kColumns[column].gap), ' ');
    text->append(cell);
  }

  // The number by which --explain takes a row; in a terminal it may lead to a page's row.
  std::string NumberOf(const TableLine& line) const {
    if (line.number < 0) return std::string(static_cast<size_t>(digits_), ' ');
    const std::string number = absl::StrCat(line.number);
    const std::string shown = style_.Paint(number, Color::kDim);
    const auto space = static_cast<size_t>(std::max(0, digits_ - static_cast<int>(number.size())));
    return absl::StrCat(std::string(space, ' '),
                        options_.page.empty()
                            ? shown
                            : absl::StrCat("\x1b]8;;", options_.page, "#row-", number, "\x1b\\",
                                           shown, "\x1b]8;;\x1b\\"));
  }

  std::string SignOf(const TableLine& line) const {
    return absl::StrCat(NumberOf(line), " ",
                        line.sign.has_value()
                            ? style_.Paint(style_.Sign(*line.sign), TableStyle::ColorOf(*line.sign))
                            : " ",
                        proofs_ ? Proof(line) : "", " ");
  }

  std::string Proof(const TableLine& line) const {
    const RowProof proof = line.proof.value_or(RowProof::kNotLookedAt);
    return style_.Paint(style_.ProofMark(proof),
                        proof == RowProof::kDiffers ? Color::kBad : Color::kPlain);
  }

  std::string Cell(const std::string& text, size_t column) const {
    const int width = widths_[column];
    if (column == ColumnIndex(kLeftOp) || column == ColumnIndex(kRightOp) ||
        column == ColumnIndex(kNotes)) {
      return ShortenEnd(text, width, style_.Ellipsis());
    }
    return ShortenMiddle(text, width, style_.Ellipsis());
  }

  std::string Row(const TableLine& line) const {
    const Color of_line = line.kind == TableLine::Kind::kInner ? Color::kDim : Color::kPlain;
    size_t last = kTableColumns;
    while (last > 0 && (widths_[last - 1] == 0 || line.cells[last - 1].empty())) --last;
    std::string text = SignOf(line);
    bool first = true;
    for (size_t c = 0; c < last; ++c) {
      if (widths_[c] == 0) continue;
      if (!first) text.append(static_cast<size_t>(kColumns[c].gap), ' ');
      first = false;
      std::string cell = Cell(line.cells[c], c);
      if (c + 1 < last || kColumns[c].right) cell = Padded(cell, widths_[c], kColumns[c].right);
      Color color = of_line;
      if (line.sign == Relation::kDifferent && c == ColumnIndex(kAbsolute)) color = Color::kBad;
      if (c == ColumnIndex(kNotes)) color = line.cause ? Color::kBad : Color::kDim;
      text += line.cells[c].empty() ? cell : style_.Paint(cell, color);
    }
    return text + "\n";
  }

  std::string Fold(const TableLine& line) {
    // Only once: the other lines are of the same kind.
    bool& said = line.sign == Relation::kDifferent ? said_different_ : said_all_;
    std::string text = line.text;
    if (!said) {
      absl::StrAppend(&text, " (", line.sign == Relation::kDifferent ? "--different" : "--all",
                      kNoBreak, "shows", kNoBreak, "them)");
    }
    said = true;
    std::string lines;
    for (const std::string& part : WrapText(text, options_.width - Indent())) {
      absl::StrAppend(
          &lines, lines.empty() ? SignOf(line) : Space(),
          style_.Paint(part, line.sign == Relation::kDifferent ? Color::kPlain : Color::kDim),
          "\n");
    }
    return lines;
  }

  const Widths& widths_;
  const int digits_;
  const bool proofs_;
  const TableOptions& options_;
  const TableStyle& style_;
  bool said_all_ = false;
  bool said_different_ = false;
};

// Names in the width of their column.
void KeepApart(const Widths& widths, const TableStyle& style, std::vector<TableLine>* lines) {
  for (const TableColumn column : {TableColumn::kLeftName, TableColumn::kRightName}) {
    const int width = widths[ColumnIndex(column)];
    if (width == 0) continue;
    std::vector<std::string> names;
    for (TableLine& line : *lines) names.push_back(line.cell(column));
    names = ShortenApart(names, width, style.Ellipsis());
    for (size_t i = 0; i < names.size(); ++i) (*lines)[i].cell(column) = std::move(names[i]);
  }
}

}  // namespace

std::string LayOut(std::vector<TableLine> lines, const TableOptions& options,
                   const TableStyle& style) {
  if (lines.empty()) return "";
  for (TableLine& line : lines) {
    for (std::string& cell : line.cells) cell = style.Text(cell);
    line.text = style.Text(line.text);
  }
  int64_t last = -1;
  for (const TableLine& line : lines) last = std::max(last, line.number);
  const int digits = last < 0 ? 0 : static_cast<int>(absl::StrCat(last).size());
  const bool proofs = std::any_of(lines.begin(), lines.end(), [](const TableLine& line) {
    return line.proof.has_value() && *line.proof != RowProof::kNotLookedAt;
  });
  const int indent = digits + kSignWidth + (proofs ? 1 : 0);
  std::string without;
  Widths widths(lines, indent);
  if (!options.wide) {
    int names = 0;
    int repeated = 0;
    if (!widths.Fits(options.width)) {
      without = ShortenNames(&lines);
      widths = Widths(lines, indent);
    }
    if (!widths.Fits(options.width)) {
      // A name that both sides share is written once, which leaves more room for it.
      for (TableLine& line : lines) {
        std::string& right = line.cell(TableColumn::kRightName);
        if (right.empty()) continue;
        ++names;
        if (right != line.cell(TableColumn::kLeftName)) continue;
        right = "\"";
        ++repeated;
      }
      widths = Widths(lines, indent);
    }
    widths.Fit(options.width, 2 * repeated > names);
    KeepApart(widths, style, &lines);
  }
  Layout layout(widths, digits, proofs, options, style);
  const bool rows = std::any_of(lines.begin(), lines.end(), [](const TableLine& line) {
    return line.kind == TableLine::Kind::kRow;
  });
  std::string text = rows ? layout.Heading() : "";
  if (!without.empty()) {
    absl::StrAppend(
        &text, std::string(static_cast<size_t>(indent), ' '),
        style.Paint(ShortenMiddle(style.Text(without), options.width - indent, style.Ellipsis()),
                    Color::kDim),
        "\n");
  }
  for (const TableLine& line : lines) text += layout.Line(line);
  return text;
}

}  // namespace onnxcmp
