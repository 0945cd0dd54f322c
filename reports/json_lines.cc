#include "reports/json_lines.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "compare/alignment/mark_names.h"
#include "compare/outcome/proof_report.h"
#include "prove/rewrites.h"
#include "reports/json_picture.h"
#include "reports/json_writer.h"

namespace onnxcmp {
namespace {

constexpr size_t kMostElementsOfPage = 3;

// The parts of a row besides its difference.
struct RowDetail {
  size_t worst = 0;                      // elements
  std::optional<PictureDetail> picture;  // nothing: none
};

void Write(const Statistics& statistics, JsonWriter& out) {
  const auto counter = [&](absl::string_view name, int64_t count) {
    if (count > 0 || !out.brief()) out.Integer(name, count);
  };
  out.Begin("statistics", '{');
  out.Real("min", statistics.min);
  out.Real("max", statistics.max);
  out.Real("mean", statistics.mean);
  out.Real("deviation", statistics.deviation);
  counter("zeros", statistics.zeros);
  counter("nans", statistics.nans);
  counter("infinities", statistics.infinities);
  out.End('}');
}

void WriteNode(const StreamResult& result, const ResultStream& stream, JsonWriter& out) {
  if (const std::string& op_type = OpTypeOf(result, stream); !op_type.empty()) {
    out.Text("op_type", op_type);
    const std::string& domain = DomainOf(result, stream);
    if (!domain.empty() || !out.brief()) out.Text("domain", domain);
  }
  if (result.node == kNone) return;
  const StreamNode& node = stream.nodes[Index(result.node)];
  if (!node.name.empty() || !out.brief()) out.Text("node", node.name);
  if (node.module.has_value() && !node.module->empty()) out.Text("module", *node.module);
  if (!node.source_line.empty()) out.Text("source_line", node.source_line);
  if (!node.attributes_text.empty()) out.Text("attributes", node.attributes_text);
  // The outputs of a node follow each other; all but the first say that they are of the same.
  const auto* const first = std::find_if(node.outputs.begin(), node.outputs.end(),
                                         [](int output) { return output != kNone; });
  if (first != node.outputs.end() && &stream.results[Index(*first)] != &result) {
    out.Integer("slot", result.slot);
  }
  out.Results("inputs", node.inputs);
  if (!node.captures.empty()) out.Results("captures", node.captures);
}

void Write(const StreamResult& result, const ResultStream& stream, bool statistics,
           JsonWriter& out) {
  out.BeginLine('{');
  out.Text("kind", ResultKindName(result.kind));
  out.Text("name", result.name);
  WriteNode(result, stream, out);
  out.Begin("path", '[');
  if (!result.path.empty()) {
    for (const absl::string_view part : absl::StrSplit(result.path, '/')) out.Text(part);
  }
  out.End(']');
  if (result.depth > 0 || !out.brief()) out.Integer("depth", result.depth);
  if (result.source != kNone) out.Integer("source", result.source);
  out.Text("type", result.type);
  if (result.shape.has_value()) {
    out.Text("dtype", NumpyName(result.dtype));
    out.Begin("shape", '[');
    for (const int64_t size : *result.shape) out.Integer(size);
    out.End(']');
  }
  if (!out.brief()) {
    out.Integer("elements", result.fingerprint.size);
    const Letters& letters = result.fingerprint.numbers().letters;
    out.Text("letters", absl::string_view(letters.data(), letters.size()));
  }
  if (statistics && result.fingerprint.has_sketch) {
    Write(result.fingerprint.numbers().statistics, out);
  }
  out.End('}');
}

// As members of an object that has begun.
void Write(const ValueDifference& values, JsonWriter& out) {
  out.Bool("agree", values.agree());
  if (!values.reason.empty()) out.Text("reason", values.reason);
  out.Integer("elements", values.elements);
  out.Integer("beyond", values.beyond);
  out.Integer("both_nan", values.nans);
  out.Real("rtol", values.tolerance.rtol);
  out.Real("atol", values.tolerance.atol);
  if (std::isfinite(values.tolerance.whole) || !out.brief()) {
    out.Real("whole", values.tolerance.whole);
  }
  if (!out.brief()) out.Real("apart", values.apart);
  if (!values.fault.empty()) out.Text("fault", values.fault);
  if (!out.brief()) out.Real("rms", values.rms);
  out.ExactReal("cosine", values.cosine);  // it is 1 but for the last digits
  out.Real("max_absolute", values.max_absolute);
  out.Text("max_absolute_at", values.max_absolute_at);
  out.Real("max_relative", values.max_relative);
  out.Text("max_relative_at", values.max_relative_at);
}

void Write(const std::vector<ElementPair>& worst, size_t most, JsonWriter& out) {
  out.Begin("worst", '[');
  for (size_t i = 0; i < std::min(worst.size(), most); ++i) {
    const ElementPair& pair = worst[i];
    out.Begin('{');
    out.Text("index", pair.index);
    out.Text("left", pair.left);
    out.Text("right", pair.right);
    out.Real("absolute", pair.absolute);
    out.Real("relative", pair.relative);
    out.End('}');
  }
  out.End(']');
}

void Write(const TensorDifference& difference, size_t worst, JsonWriter& out) {
  const auto counter = [&](absl::string_view name, int64_t count) {
    if (count > 0 || !out.brief()) out.Integer(name, count);
  };
  const auto in_full = [&](absl::string_view name, double number) {
    if (!out.brief()) out.Real(name, number);
  };
  Write(difference.values, out);
  if (!out.brief()) out.Bool("same_bits", difference.same_bits);
  in_full("mean_absolute", difference.mean_absolute);
  in_full("mean_relative", difference.mean_relative);
  out.Real("sqnr_db", difference.sqnr);
  out.Real("max_ulp", difference.max_ulp);
  out.Real("range", difference.range);
  counter("nan_left", difference.nan_left);
  counter("nan_right", difference.nan_right);
  counter("infinite_left", difference.infinite_left);
  counter("infinite_right", difference.infinite_right);
  counter("non_finite_disagree", difference.non_finite_disagree);
  if (!out.brief()) {
    out.Integer("beyond_0.1", difference.beyond_tenth);
    out.Integer("beyond_0.01", difference.beyond_hundredth);
    out.Integer("beyond_0.001", difference.beyond_thousandth);
  }
  if (!out.brief() || (worst > 0 && !difference.worst.empty())) {
    Write(difference.worst, worst, out);
  }
}

void Write(const ComparedRow& row, RowProof proof, const RowDetail& detail, JsonWriter& out) {
  out.BeginLine('{');
  out.Text("relation", RelationName(row.relation));
  out.Results("left", row.aligned.left);
  out.Results("right", row.aligned.right);
  out.Begin("marks", '[');
  for (const absl::string_view name : MarkNames(row.aligned.marks)) out.Text(name);
  out.End(']');
  if (proof != RowProof::kNotLookedAt) out.Bool("proved", proof == RowProof::kProved);
  if (proof == RowProof::kProvedOn) out.Bool("proved_given", true);
  if (proof == RowProof::kDiffers) out.Bool("differs_exactly", true);
  if (row.difference != nullptr) {
    out.Begin("diff", '{');
    Write(*row.difference, detail.worst, out);
    out.End('}');
  }
  if (detail.picture.has_value()) WritePicture(*row.picture, *detail.picture, out);
  out.End('}');
}

void EndLines(std::string* text) { absl::StrAppend(text, text->back() == '[' ? "]" : "\n]"); }

template <typename HasStatistics>
void AppendLines(const ResultStream& stream, bool brief, const HasStatistics& has_statistics,
                 std::string* text) {
  *text += '[';
  JsonWriter out(text, brief);
  for (size_t r = 0; r < stream.results.size(); ++r) {
    Write(stream.results[r], stream, has_statistics(r), out);
  }
  EndLines(text);
}

bool Differs(const ComparedRow& row) {
  return row.relation == Relation::kDifferent && row.difference != nullptr;
}

// Rows by what a reader looks at first: the one that is explained, those of causes and of outputs,
// then what differs, then the others; each in order.
std::vector<size_t> RowsByInterest(const Comparison& comparison) {
  std::vector<int> interest(comparison.rows.size(), 0);
  std::vector<bool> left(comparison.left.results.size()), right(comparison.right.results.size());
  const auto mark = [](int result, std::vector<bool>* marked) {
    if (result != kNone) (*marked)[Index(result)] = true;
  };
  for (const Cause& cause : comparison.causes) {
    mark(cause.left, &left);
    mark(cause.right, &right);
  }
  for (size_t i = 0; i < comparison.rows.size(); ++i) {
    const ComparedRow& row = comparison.rows[i];
    if (row.difference == nullptr) continue;
    const int l = row.aligned.left.empty() ? kNone : row.aligned.left.back();
    const int r = row.aligned.right.empty() ? kNone : row.aligned.right.back();
    const bool of_cause = (l != kNone && left[Index(l)]) || (r != kNone && right[Index(r)]);
    const bool output = l != kNone && comparison.left.results[Index(l)].kind == ResultKind::kOutput;
    interest[i] = of_cause ? 4 : output ? 3 : Differs(row) ? 2 : 1;
  }
  if (comparison.explanation.has_value()) interest[comparison.explanation->row] = 5;
  std::vector<size_t> order;
  for (size_t i = 0; i < interest.size(); ++i) {
    if (interest[i] > 0) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return interest[a] > interest[b]; });
  return order;
}

std::vector<RowDetail> DetailsOf(const Comparison& comparison, const PageDetail& detail,
                                 PageCounts* counts) {
  std::vector<RowDetail> details(comparison.rows.size());
  int64_t room = detail.picture_bytes;
  for (const size_t i : RowsByInterest(comparison)) {
    const ComparedRow& row = comparison.rows[i];
    if (row.difference != nullptr && !row.difference->worst.empty()) {
      if (counts->elements < detail.rows_with_elements) {
        details[i].worst = kMostElementsOfPage;
        ++counts->elements;
      }
      ++counts->all_elements;
    }
    if (row.picture == nullptr) continue;
    ++counts->all_pictures;
    if (room <= 0) continue;
    // The more is shown already, the less each further row may take.
    const PictureDetail asked = {room > detail.picture_bytes / 2 ? size_t{3} : size_t{1}};
    const auto bytes = static_cast<int64_t>(AboutBytes(*row.picture, asked));
    if (bytes > room) continue;
    room -= bytes;
    details[i].picture = asked;
    ++counts->pictures;
  }
  return details;
}

}  // namespace

std::string RowLines(const Comparison& comparison) {
  std::string rows = "[";
  JsonWriter out(&rows, false);
  RowDetail detail;
  detail.worst = SIZE_MAX;
  for (size_t i = 0; i < comparison.rows.size(); ++i) {
    Write(comparison.rows[i], RowProofOf(comparison, i), detail, out);
  }
  EndLines(&rows);
  return rows;
}

std::string ResultLines(const ResultStream& side) {
  std::string text;
  AppendLines(
      side, false, [](size_t) { return true; }, &text);
  return text;
}

JsonLines AllLines(const Comparison& comparison) {
  return {ResultLines(comparison.left), ResultLines(comparison.right), RowLines(comparison)};
}

void AppendPage(absl::string_view around, const Comparison& comparison, const PageDetail& detail,
                PageCounts* counts, std::string* out) {
  // Bytes of a line, or more: memory that nobody writes to costs nothing.
  constexpr size_t kResult = 300, kRow = 600;
  const size_t results = comparison.left.results.size() + comparison.right.results.size();
  out->reserve(out->size() + around.size() + kResult * results + kRow * comparison.rows.size() +
               static_cast<size_t>(detail.picture_bytes));
  const auto before = [&](absl::string_view sign) {
    const size_t end = around.find(sign);
    absl::StrAppend(out, around.substr(0, end));
    around.remove_prefix(end + sign.size());
  };
  before(kLeftOfPage);
  AppendLines(
      comparison.left, true, [&](size_t) { return detail.statistics; }, out);
  before(kRightOfPage);
  // If both sides have the same bits, the left's statistics are enough.
  std::vector<bool> right(comparison.right.results.size(), detail.statistics);
  for (const ComparedRow& row : comparison.rows) {
    if (row.relation == Relation::kSame && row.aligned.paired()) {
      right[Index(row.aligned.right.back())] = false;
    }
  }
  AppendLines(
      comparison.right, true, [&](size_t r) { return right[r]; }, out);
  before(kRowsOfPage);
  PageCounts own;
  const std::vector<RowDetail> details =
      DetailsOf(comparison, detail, counts == nullptr ? &own : counts);
  *out += '[';
  JsonWriter writer(out, true);
  for (size_t i = 0; i < details.size(); ++i) {
    Write(comparison.rows[i], RowProofOf(comparison, i), details[i], writer);
  }
  EndLines(out);
  absl::StrAppend(out, around);
}

std::string DifferenceJson(const TensorDifference& difference) {
  std::string text;
  JsonWriter out(&text, false);
  out.Begin('{');
  Write(difference, SIZE_MAX, out);
  out.End('}');
  return text;
}

std::string DifferenceJson(const ValueDifference& difference) {
  std::string text;
  JsonWriter out(&text, false);
  out.Begin('{');
  Write(difference, out);
  out.End('}');
  return text;
}

}  // namespace onnxcmp
