#include "reports/render_csv.h"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/types/span.h"
#include "compare/alignment/mark_names.h"
#include "prove/rewrites.h"
#include "record/text/utf8.h"

namespace onnxcmp {
namespace {

// The columns of a side, prefixed with LEFT_ or RIGHT_, as AddSide writes them.
constexpr const char* kSideColumns[] = {"results", "kind", "name",  "op_type",
                                        "domain",  "path", "dtype", "shape"};
constexpr const char* kDifferenceColumns[] = {
    "agree",      "reason",       "elements",      "beyond",         "rtol",
    "atol",       "max_absolute", "max_relative",  "mean_absolute",  "mean_relative",
    "rms",        "cosine",       "sqnr_db",       "max_ulp",        "range",
    "nan_left",   "nan_right",    "infinite_left", "infinite_right", "non_finite_disagree",
    "beyond_0.1", "beyond_0.01",  "beyond_0.001",  "worst_at",       "worst_left",
    "worst_right"};
constexpr const char* kTruthColumns[] = {"left_from_double", "right_from_double", "nearer",
                                         "nearer_factor"};

class Line {
 public:
  void Add(absl::string_view text) {
    if (!text_.empty() || columns_ > 0) text_ += ',';
    ++columns_;
    const std::string valid = RepairUtf8(text);
    if (valid.find_first_of(",\"\r\n") == std::string::npos) {
      text_ += valid;
    } else {
      absl::StrAppend(&text_, "\"", absl::StrReplaceAll(valid, {{"\"", "\"\""}}), "\"");
    }
  }
  void Add(int64_t number) { Add(absl::StrCat(number)); }
  // "nan" and "inf", which most CSV readers accept.
  void Add(double number) {
    char text[32];
    const std::to_chars_result result = std::to_chars(text, text + sizeof(text), number);
    Add(absl::string_view(text, static_cast<size_t>(result.ptr - text)));
  }

  std::string Take() { return std::move(text_) + "\r\n"; }

 private:
  std::string text_;
  int columns_ = 0;
};

void AddSide(absl::Span<const int> results, const ResultStream& stream, Line* line) {
  if (results.empty()) {
    for (size_t i = 0; i < std::size(kSideColumns); ++i) line->Add("");
    return;
  }
  const StreamResult& result = stream.results[Index(results.back())];
  line->Add(absl::StrJoin(results, " "));
  line->Add(ResultKindName(result.kind));
  line->Add(result.name);
  line->Add(OpTypeOf(result, stream));
  line->Add(DomainOf(result, stream));
  line->Add(result.path);
  line->Add(result.shape.has_value() ? NumpyName(result.dtype) : absl::string_view(result.type));
  line->Add(result.shape.has_value() ? absl::StrCat("[", absl::StrJoin(*result.shape, ","), "]")
                                     : "");
}

void AddDifference(const TensorDifference& difference, Line* line) {
  const ValueDifference& values = difference.values;
  line->Add(values.agree() ? "true" : "false");
  line->Add(values.reason);
  line->Add(values.elements);
  line->Add(values.beyond);
  line->Add(values.tolerance.rtol);
  line->Add(values.tolerance.atol);
  line->Add(values.max_absolute);
  line->Add(values.max_relative);
  line->Add(difference.mean_absolute);
  line->Add(difference.mean_relative);
  line->Add(difference.values.rms);
  line->Add(difference.values.cosine);
  line->Add(difference.sqnr);
  line->Add(difference.max_ulp);
  line->Add(difference.range);
  line->Add(difference.nan_left);
  line->Add(difference.nan_right);
  line->Add(difference.infinite_left);
  line->Add(difference.infinite_right);
  line->Add(difference.non_finite_disagree);
  line->Add(difference.beyond_tenth);
  line->Add(difference.beyond_hundredth);
  line->Add(difference.beyond_thousandth);
  const ElementPair worst = difference.worst.empty() ? ElementPair() : difference.worst[0];
  line->Add(worst.index);
  line->Add(worst.left);
  line->Add(worst.right);
}

void AddTruth(const Comparison& comparison, size_t row, Line* line) {
  if (!comparison.shadow.has_value()) {
    for (size_t i = 0; i < std::size(kTruthColumns); ++i) line->Add("");
    return;
  }
  const ShadowReport& shadow = *comparison.shadow;
  const auto add = [&](const SideShadow& side, absl::Span<const int> results) {
    if (results.empty() || Index(results.back()) >= side.distances.size() ||
        !side.distances[Index(results.back())].has_value()) {
      line->Add("");
    } else {
      line->Add(side.distances[Index(results.back())]->max_absolute);
    }
  };
  add(shadow.left, comparison.rows[row].aligned.left);
  add(shadow.right, comparison.rows[row].aligned.right);
  const std::optional<TruthFinding>& truth = shadow.rows[row];
  line->Add(truth.has_value() ? NearerName(truth->nearer) : absl::string_view());
  if (truth.has_value() && std::isfinite(truth->factor)) {
    line->Add(truth->factor);
  } else {
    line->Add("");
  }
}

}  // namespace

std::string RenderCsv(const Comparison& comparison) {
  Line head;
  head.Add("relation");
  head.Add("marks");
  for (const char* side : {"left_", "right_"}) {
    for (const char* column : kSideColumns) head.Add(absl::StrCat(side, column));
  }
  for (const char* column : kDifferenceColumns) head.Add(column);
  for (const char* column : kTruthColumns) head.Add(column);
  head.Add("proof");
  std::string text = head.Take();
  for (size_t i = 0; i < comparison.rows.size(); ++i) {
    const ComparedRow& row = comparison.rows[i];
    Line line;
    line.Add(RelationName(row.relation));
    line.Add(absl::StrJoin(MarkNames(row.aligned.marks), " "));
    AddSide(row.aligned.left, comparison.left, &line);
    AddSide(row.aligned.right, comparison.right, &line);
    if (row.difference != nullptr) {
      AddDifference(*row.difference, &line);
    } else {
      for (size_t i = 0; i < std::size(kDifferenceColumns); ++i) line.Add("");
    }
    AddTruth(comparison, i, &line);
    line.Add(RowProofName(RowProofOf(comparison, i)));
    text += line.Take();
  }
  return text;
}

}  // namespace onnxcmp
