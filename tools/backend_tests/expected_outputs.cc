#include "tools/backend_tests/expected_outputs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/container/flat_hash_map.h"
#include "evaluator/model/outer_names.h"
#include "evaluator/tensor/convert.h"

namespace onnxcmp {
namespace {

using Expectations = absl::flat_hash_map<absl::string_view, Expectation>;

bool ReadsDrawn(const Graph& graph, const Expectations& known);

// True if a node or one of its subgraphs draws random numbers or reads results that depend on them.
bool IsDrawn(const Node& node, const Expectations& known) {
  if (DrawsNumbers(node.domain, node.op_type)) return true;
  for (const std::string& input : node.inputs) {
    const auto read = known.find(input);
    if (read != known.end() && read->second == Expectation::kTypeAndShape) return true;
  }
  if (node.body != nullptr && ReadsDrawn(*node.body, {})) return true;
  for (const Graph* graph : GraphsOf(node)) {
    if (ReadsDrawn(*graph, known)) return true;
  }
  return false;
}

bool ReadsDrawn(const Graph& graph, const Expectations& known) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [&](const Node& node) { return IsDrawn(node, known); });
}

}  // namespace

bool DrawsNumbers(absl::string_view domain, absl::string_view op_type) {
  constexpr absl::string_view kOperators[] = {"Bernoulli",     "Multinomial",
                                              "RandomNormal",  "RandomNormalLike",
                                              "RandomUniform", "RandomUniformLike"};
  return domain == kOnnxDomain &&
         std::find(std::begin(kOperators), std::end(kOperators), op_type) != std::end(kOperators);
}

std::vector<Expectation> ExpectationsOf(const Graph& graph) {
  Expectations known;
  for (const Node& node : graph.nodes) {
    const bool transform =
        node.domain == kOnnxDomain && (node.op_type == "DFT" || node.op_type == "STFT");
    const Expectation expectation = IsDrawn(node, known) ? Expectation::kTypeAndShape
                                    : transform          ? Expectation::kTransform
                                                         : Expectation::kElements;
    for (const std::string& output : node.outputs) known[output] = expectation;
  }
  std::vector<Expectation> expectations;
  for (const ValueInfo& output : graph.outputs) {
    const auto made = known.find(output.name);
    expectations.push_back(made == known.end() ? Expectation::kElements : made->second);
  }
  return expectations;
}

Tolerance ToleranceFor(Expectation expectation, const Value& want, Tolerance tolerance) {
  if (expectation != Expectation::kTransform || !want.is_tensor()) return tolerance;
  const DType dtype = want.tensor().dtype();
  const double rounding = dtype == DType::kFloat    ? std::numeric_limits<float>::epsilon()
                          : dtype == DType::kDouble ? std::numeric_limits<double>::epsilon()
                                                    : 0;
  const absl::StatusOr<Tensor> rows = want.tensor().Contiguous();
  if (rounding == 0 || !rows.ok()) return tolerance;
  std::vector<double> elements(static_cast<size_t>(rows->num_elements()));
  LoadElements<double>(dtype, rows->raw_data(), 0, rows->num_elements(), elements.data());
  double greatest = 0;
  for (const double element : elements) {
    if (std::isfinite(element)) greatest = std::max(greatest, std::abs(element));
  }
  tolerance.atol = std::max(tolerance.atol, rounding * greatest);
  return tolerance;
}

}  // namespace onnxcmp
