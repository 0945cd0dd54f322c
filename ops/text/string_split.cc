#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"
#include "evaluator/kernels/kernel.h"
#include "evaluator/kernels/op_registry.h"

namespace onnxcmp {
namespace {

using Pieces = std::vector<absl::string_view>;

// At every delimiter, so that neighbouring ones have an empty piece between them.
Pieces SplitAt(absl::string_view text, absl::string_view delimiter, int64_t limit) {
  Pieces pieces;
  while (static_cast<int64_t>(pieces.size()) < limit) {
    const size_t found = text.find(delimiter);
    if (found == absl::string_view::npos) break;
    pieces.push_back(text.substr(0, found));
    text.remove_prefix(found + delimiter.size());
  }
  pieces.push_back(text);
  return pieces;
}

// At white space, of which none is left around the pieces, but for what follows the last one when
// the limit is reached.
Pieces SplitAtSpaces(absl::string_view text, int64_t limit) {
  Pieces pieces;
  text = absl::StripLeadingAsciiWhitespace(text);
  while (!text.empty() && static_cast<int64_t>(pieces.size()) < limit) {
    const auto* end = std::find_if(text.begin(), text.end(), absl::ascii_isspace);
    const auto length = static_cast<size_t>(end - text.begin());
    pieces.push_back(text.substr(0, length));
    text = absl::StripLeadingAsciiWhitespace(text.substr(length));
  }
  if (!text.empty()) pieces.push_back(text);
  return pieces;
}

// StringSplit (ai.onnx 20): Y[..., i] = piece i of X[...], "" where there are fewer; Z the number
// of pieces. Pieces are what is between delimiters, or without a delimiter the words between white
// space (of ASCII); at most maxsplit splits are made, the last piece being what is left. As
// Python's str.split has it: an empty string is one piece if there is a delimiter, else none.
Kernel StringSplit(const KernelInit& node) {
  const std::string delimiter = node.String("delimiter", "");
  int64_t limit = node.Int("maxsplit", -1);
  if (limit < 0) limit = std::numeric_limits<int64_t>::max();
  return [delimiter, limit](KernelContext& ctx) -> absl::Status {
    OC_ASSIGN_OR_RETURN(const Tensor x, ctx.ContiguousInput(0));
    OC_ASSIGN_OR_RETURN(Tensor counts, ctx.Allocate(DType::kInt64, x.shape()));
    std::vector<Pieces> split;
    size_t most = 0;
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      const absl::string_view text = x.string_data()[i];
      split.push_back(delimiter.empty() ? SplitAtSpaces(text, limit)
                                        : SplitAt(text, delimiter, limit));
      most = std::max(most, split.back().size());
      counts.mutable_data<int64_t>()[i] = static_cast<int64_t>(split.back().size());
    }
    Shape shape = x.shape();
    shape.push_back(static_cast<int64_t>(most));
    OC_ASSIGN_OR_RETURN(Tensor result, ctx.Allocate(DType::kString, shape));
    std::string* out = result.num_elements() == 0 ? nullptr : result.mutable_string_data();
    for (size_t i = 0; out != nullptr && i < split.size(); ++i) {
      for (size_t j = 0; j < split[i].size(); ++j) {
        out[i * most + j] = std::string(split[i][j]);
      }
    }
    OC_RETURN_IF_ERROR(ctx.SetOutput(0, std::move(result)));
    return ctx.SetOutput(1, std::move(counts));
  };
}

}  // namespace

void RegisterStringSplit(OpRegistry& registry) {
  registry.Add(kOnnxDomain, "StringSplit", {20}, StringSplit);
}

}  // namespace onnxcmp
