#include "compare/reports/page_lines.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "compare/alignment/mark_names.h"
#include "compare/reports/json_values.h"

namespace onnxcmp {
namespace {

constexpr int kDigits = 6;
constexpr size_t kMostElements = 3;

// Appends the members of one object after the other.
class Writer {
 public:
  explicit Writer(std::string* out) : out_(*out) {}

  void Begin() { absl::StrAppend(&out_, out_.size() == 1 ? "\n" : ",\n", "{"); }
  void End() { out_ += '}'; }

  // The name includes the characters before it: `{"kind`, `,"name`.
  void Name(absl::string_view name) { absl::StrAppend(&out_, name, "\":"); }
  void Text(absl::string_view name, absl::string_view text) {
    Name(name);
    Text(text);
  }
  void Integer(absl::string_view name, int64_t number) {
    constexpr int64_t kExact = int64_t{1} << 53;
    const bool exact = number >= -kExact && number <= kExact;
    Name(name);
    absl::StrAppend(&out_, exact ? "" : "\"", number, exact ? "" : "\"");
  }
  void Real(absl::string_view name, double number, int digits = kDigits) {
    Name(name);
    if (std::isnan(number)) {
      out_ += "\"NaN\"";
    } else if (std::isinf(number)) {
      out_ += number > 0 ? "\"Infinity\"" : "\"-Infinity\"";
    } else {
      std::array<char, 40> text;
      const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number,
                                              std::chars_format::general, digits);
      out_.append(text.data(), end);
    }
  }
  template <typename Numbers>
  void Results(absl::string_view name, const Numbers& results) {
    Name(name);
    out_ += '[';
    absl::string_view before;
    for (const int result : results) {
      absl::StrAppend(&out_, before, result == kNone ? "null" : absl::StrCat(result));
      before = ",";
    }
    out_ += ']';
  }
  void Text(absl::string_view text) {
    const bool plain = std::all_of(text.begin(), text.end(), [](const char c) {
      return c >= ' ' && c < 0x7F && c != '"' && c != '\\';
    });
    if (plain) {
      absl::StrAppend(&out_, "\"", text, "\"");
      return;
    }
    out_ += DumpJson(JsonText(text));
  }
  void Raw(absl::string_view text) { absl::StrAppend(&out_, text); }

 private:
  std::string& out_;
};

void Write(const Statistics& statistics, Writer& out) {
  out.Name(",\"statistics");
  out.Real("{\"min", statistics.min);
  out.Real(",\"max", statistics.max);
  out.Real(",\"mean", statistics.mean);
  out.Real(",\"deviation", statistics.deviation);
  out.Integer(",\"zeros", statistics.zeros);
  out.Integer(",\"nans", statistics.nans);
  out.Integer(",\"infinities", statistics.infinities);
  out.End();
}

void Write(const StreamResult& result, const ResultStream& stream, bool statistics, Writer& out) {
  out.Begin();
  out.Text("\"kind", ResultKindName(result.kind));
  out.Text(",\"name", result.name);
  if (const std::string& op_type = OpTypeOf(result, stream); !op_type.empty()) {
    out.Text(",\"op_type", op_type);
    if (!DomainOf(result, stream).empty()) out.Text(",\"domain", DomainOf(result, stream));
  }
  if (result.node != kNone) {
    const StreamNode& node = stream.nodes[Index(result.node)];
    if (!node.name.empty()) out.Text(",\"node", node.name);
    out.Results(",\"inputs", node.inputs);
    if (!node.captures.empty()) out.Results(",\"captures", node.captures);
  }
  out.Raw(",\"path\":[");
  absl::string_view before;
  if (!result.path.empty()) {
    for (const absl::string_view part : absl::StrSplit(result.path, '/')) {
      out.Raw(before);
      out.Text(part);
      before = ",";
    }
  }
  out.Integer("],\"depth", result.depth);
  if (result.source != kNone) out.Integer(",\"source", result.source);
  out.Text(",\"type", result.type);
  if (result.shape.has_value()) {
    out.Text(",\"dtype", NumpyName(result.dtype));
    out.Raw(",\"shape\":[");
    before = "";
    for (const int64_t size : *result.shape) {
      out.Raw(absl::StrCat(before, size));
      before = ",";
    }
    out.Raw("]");
  }
  out.Integer(",\"elements", result.fingerprint.size);
  const Letters& letters = result.fingerprint.numbers().letters;
  out.Text(",\"letters", absl::string_view(letters.data(), letters.size()));
  if (statistics && result.fingerprint.has_sketch) {
    Write(result.fingerprint.numbers().statistics, out);
  }
  out.End();
}

void Write(const std::vector<ElementPair>& worst, Writer& out) {
  out.Raw(",\"worst\":[");
  for (size_t i = 0; i < std::min(worst.size(), kMostElements); ++i) {
    const ElementPair& pair = worst[i];
    out.Text(i == 0 ? "{\"index" : ",{\"index", pair.index);
    out.Text(",\"left", pair.left);
    out.Text(",\"right", pair.right);
    out.Real(",\"absolute", pair.absolute);
    out.Real(",\"relative", pair.relative);
    out.End();
  }
  out.Raw("]");
}

void Write(const TensorDifference& difference, bool elements, Writer& out) {
  const ValueDifference& values = difference.values;
  out.Name(",\"diff");
  out.Raw(values.agree ? "{\"agree\":true" : "{\"agree\":false");
  if (!values.reason.empty()) out.Text(",\"reason", values.reason);
  out.Integer(",\"elements", values.elements);
  out.Integer(",\"beyond", values.beyond);
  out.Integer(",\"both_nan", values.nans);
  out.Real(",\"rtol", values.tolerance.rtol);
  out.Real(",\"atol", values.tolerance.atol);
  if (std::isfinite(values.tolerance.whole)) out.Real(",\"whole", values.tolerance.whole);
  if (!values.fault.empty()) out.Text(",\"fault", values.fault);
  out.Real(",\"max_absolute", values.max_absolute);
  out.Text(",\"max_absolute_at", values.max_absolute_at);
  out.Real(",\"max_relative", values.max_relative);
  out.Text(",\"max_relative_at", values.max_relative_at);
  constexpr int kDigitsOfCosine = 12;  // it is 1 except in the last digits
  out.Real(",\"cosine", values.cosine, kDigitsOfCosine);
  out.Real(",\"sqnr_db", difference.sqnr);
  out.Real(",\"max_ulp", difference.max_ulp);
  out.Real(",\"range", difference.range);
  const auto counter = [&](absl::string_view name, int64_t count) {
    if (count > 0) out.Integer(name, count);
  };
  counter(",\"nan_left", difference.nan_left);
  counter(",\"nan_right", difference.nan_right);
  counter(",\"infinite_left", difference.infinite_left);
  counter(",\"infinite_right", difference.infinite_right);
  counter(",\"non_finite_disagree", difference.non_finite_disagree);
  if (elements && !difference.worst.empty()) Write(difference.worst, out);
  out.End();
}

void Write(const ComparedRow& row, bool elements, Writer& out) {
  out.Begin();
  out.Text("\"relation", RelationName(row.relation));
  out.Results(",\"left", row.aligned.left);
  out.Results(",\"right", row.aligned.right);
  out.Raw(",\"marks\":[");
  absl::string_view before;
  for (const absl::string_view name : MarkNames(row.aligned.marks)) {
    out.Raw(before);
    out.Text(name);
    before = ",";
  }
  out.Raw("]");
  if (row.difference != nullptr) Write(*row.difference, elements, out);
  out.End();
}

std::string LinesOf(const ResultStream& stream, const std::vector<bool>& statistics) {
  std::string text = "[";
  Writer out(&text);
  for (size_t r = 0; r < stream.results.size(); ++r) {
    Write(stream.results[r], stream, statistics[r], out);
  }
  return absl::StrCat(text, "\n]");
}

bool Differs(const ComparedRow& row) {
  return row.relation == Relation::kDifferent && row.difference != nullptr;
}

// Rows that differ come first, then others, each in order.
std::vector<bool> RowsWithElements(const Comparison& comparison, size_t most) {
  std::vector<bool> shown(comparison.rows.size());
  for (const bool differing : {true, false}) {
    for (size_t i = 0; i < shown.size() && most > 0; ++i) {
      const ComparedRow& row = comparison.rows[i];
      if (row.difference == nullptr || Differs(row) != differing) continue;
      shown[i] = true;
      --most;
    }
  }
  return shown;
}

}  // namespace

JsonLines PageLines(const Comparison& comparison, const PageDetail& detail) {
  std::vector<bool> left(comparison.left.results.size(), detail.statistics);
  std::vector<bool> right(comparison.right.results.size(), detail.statistics);
  for (const ComparedRow& row : comparison.rows) {
    if (row.relation == Relation::kSame && row.aligned.paired()) {
      right[Index(row.aligned.right.back())] = false;
    }
  }
  const std::vector<bool> elements = RowsWithElements(comparison, detail.rows_with_elements);
  std::string rows = "[";
  Writer out(&rows);
  for (size_t i = 0; i < comparison.rows.size(); ++i) Write(comparison.rows[i], elements[i], out);
  rows += "\n]";
  return {LinesOf(comparison.left, left), LinesOf(comparison.right, right), std::move(rows)};
}

bool ShowsAllElements(const Comparison& comparison, const PageDetail& detail) {
  const auto measured =
      std::count_if(comparison.rows.begin(), comparison.rows.end(),
                    [](const ComparedRow& row) { return row.difference != nullptr; });
  return static_cast<size_t>(measured) <= detail.rows_with_elements;
}

}  // namespace onnxcmp
