#include "tools/repro/repro_text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "compare/causes/cause_truth.h"
#include "record/differences/tensor_distance.h"
#include "record/streams/result_text.h"
#include "record/text/display_text.h"
#include "record/text/short_text.h"

namespace onnxcmp {
namespace {

constexpr int kHeadWidth = 12;

// "MatMul linear, node 'MatMul_3' in decoder/attention_0".
std::string Place(const ResultStream& stream, int r) {
  if (r == kNone) return "nothing";
  const StreamResult& result = stream.results[Index(r)];
  std::string text = absl::StrCat(WhatMade(stream, r), " ", PrintableText(result.name), ", ",
                                  result.shape.has_value() ? ShortType(result) : result.type);
  if (result.node != kNone) {
    const StreamNode& node = stream.nodes[Index(result.node)];
    if (!node.name.empty()) absl::StrAppend(&text, ", node '", PrintableText(node.name), "'");
  }
  if (!result.path.empty()) absl::StrAppend(&text, " in ", PrintableText(result.path));
  return text;
}

std::string Operators(const Model& model) {
  constexpr size_t kMost = 12;
  std::string text;
  for (size_t i = 0; i < model.graph.nodes.size(); ++i) {
    if (i == kMost) return absl::StrCat(text, ", ...");
    absl::StrAppend(&text, i == 0 ? "" : ", ", PrintableText(model.graph.nodes[i].op_type));
  }
  return text.empty() ? "a constant" : text;
}

// ", 12.3 kB" for an existing file.
std::string SizeOf(const std::string& folder, const std::string& file) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(std::filesystem::path(folder) / file, error);
  return error ? "" : absl::StrCat(", ", BytesText(static_cast<int64_t>(bytes)));
}

class Lines {
 public:
  void Add(absl::string_view label, const std::string& text) {
    std::string head = PadRight(label, kHeadWidth);
    for (const std::string& line : WrapText(text, 100 - kHeadWidth)) {
      absl::StrAppend(&text_, head, line, "\n");
      head = std::string(kHeadWidth, ' ');
    }
  }
  void Blank() { text_ += "\n"; }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

// Not wrapped, so that they can be copied.
void AddCommands(const Comparison& comparison, const std::string& folder, const char* left,
                 Lines* lines) {
  const auto command = [](const std::vector<std::string>& words) {
    return absl::StrJoin(words, std::string(kNoBreak));
  };
  const std::string& runtime = comparison.right_summary.runtime;
  const std::string right = absl::StrCat(folder, "/right.onnx");
  if (runtime.empty()) {
    std::vector<std::string> see = {"onnxcmp", absl::StrCat(folder, "/", left), right};
    if (const std::string& own = comparison.left_summary.runtime; !own.empty()) {
      see.insert(see.end(), {"--left-runtime", own});
    }
    lines->Add("to see it", command(see));
    lines->Add("", command({"onnxcmp", "test", folder}));
    return;
  }
  lines->Add("to see it", command({"onnxcmp", right, "--against", runtime, "--inputs",
                                   absl::StrCat(folder, "/test_data_set_0")}));
  lines->Add("", command({"onnxcmp", "test", folder, "--runtime", runtime}));
}

// The files and the commands that show the difference.
void AddFiles(const Comparison& comparison, const Repro& repro, const std::string& folder,
              Lines* lines) {
  lines->Blank();
  const char* left = repro.left == nullptr ? "left.npz" : "left.onnx";
  lines->Add(left, absl::StrCat(repro.left == nullptr
                                    ? "what the recording holds of it"
                                    : absl::StrCat("the left's ", Operators(*repro.left)),
                                SizeOf(folder, left)));
  lines->Add("right.onnx",
             absl::StrCat("the right's ", Operators(*repro.right), SizeOf(folder, "right.onnx")));
  int64_t bytes = 0;
  for (const ReproInput& input : repro.inputs) {
    if (input.value.is_tensor()) bytes += input.value.tensor().byte_size();
    lines->Add("input", absl::StrCat(PrintableText(input.name), " ", input.value.TypeString()));
  }
  lines->Add("",
             absl::StrCat("The inputs are ", BytesText(bytes), ", in test_data_set_0/input_N.pb;",
                          " output_0.pb is what the left gives."));
  lines->Add("model.onnx", "right.onnx once more: the test, which fails as long as the two differ");
  lines->Blank();
  AddCommands(comparison, folder, left, lines);
}

}  // namespace

std::string ReproText(const Comparison& comparison, size_t index, const std::string& folder) {
  const Cause& cause = comparison.causes[index];
  const Repro& repro = *cause.repro;
  Lines lines;
  lines.Add("cause",
            absl::StrCat(index + 1, " of ", comparison.causes.size(), " between ",
                         comparison.left_summary.source, " and ", comparison.right_summary.source));
  lines.Add("kind", std::string(CauseKindName(cause.kind)));
  lines.Add("left", Place(comparison.left, cause.left));
  lines.Add("right", Place(comparison.right, cause.right));
  lines.Add("what", PrintableText(cause.text));
  if (cause.local.has_value()) {
    const TensorDifference& local = *cause.local;
    const ValueDifference& values = local.values;
    std::string text = values.reason;
    if (text.empty()) {
      text = absl::StrFormat(
          "by up to %.6g at %s, %s; %.6g relatively; root mean square %.3g, "
          "cosine %.6g; %d of %d elements",
          values.max_absolute, values.max_absolute_at, values.max_absolute_pair,
          values.max_relative, values.rms, values.cosine, values.beyond, values.elements);
    }
    lines.Add("difference", text);
  }
  if (const std::string truth = TruthText(cause); !truth.empty()) lines.Add("truth", truth);
  if (cause.effect.has_value()) {
    lines.Add("effect", absl::StrFormat("by this alone the outputs differ by %.3g of their size",
                                        *cause.effect));
  }
  if (cause.count > 1) lines.Add("places", absl::StrCat(cause.count, " with these operators"));
  AddFiles(comparison, repro, folder, &lines);
  return lines.Take();
}

std::string RewriteReproText(const Comparison& comparison, const RewriteFault& fault,
                             const std::string& folder) {
  Lines lines;
  lines.Add("rewrite",
            absl::StrCat(PrintableText(fault.what), " between ", comparison.left_summary.source,
                         " and ", comparison.right_summary.source));
  lines.Add("differs", fault.counterexample);
  if (fault.rows.size() > 1) lines.Add("places", absl::StrCat(fault.rows.size()));
  AddFiles(comparison, *fault.repro, folder, &lines);
  return lines.Take();
}

Tolerance ReproTolerance(const Repro& repro) {
  // Values that are no floats are compared exactly.
  if (!repro.expected.is_tensor() || !repro.right_result.is_tensor()) return {0, 0};
  const Tensor& expected = repro.expected.tensor();
  const Tensor& given = repro.right_result.tensor();
  const double epsilon = CoarserEpsilon(expected.dtype(), given.dtype());
  if (epsilon == 0 || expected.shape() != given.shape()) return {0, 0};
  const std::vector<double> left = ElementsOf(expected);
  const std::vector<double> right = ElementsOf(given);
  const double scale = ScaleOf(left);
  // The greatest share x such that an element is beyond x * scale + x * max(|a|, |b|).
  double share = 0;
  for (size_t i = 0; i < left.size(); ++i) {
    const double size = scale + std::max(std::abs(left[i]), std::abs(right[i]));
    const double difference = std::abs(left[i] - right[i]);
    if (std::isfinite(difference) && size > 0) share = std::max(share, difference / size);
  }
  const double x = share > 0 ? std::min(NearLimit(epsilon), share / 2) : NearLimit(epsilon);
  return {x, x * scale};
}

}  // namespace onnxcmp
