#include "compare/input_sets/set_case.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "evaluator/tensor/dtype.h"
#include "evaluator/tensor/tensor.h"
#include "record/base/work_bounds.h"
#include "record/graphs/constants.h"

namespace onnxcmp {

bool SuitsCoarseTypes(Regime regime) {
  switch (regime) {
    case Regime::kTiny:
    case Regime::kSmall:
    case Regime::kLarge:
    case Regime::kHuge:
    case Regime::kWhole:
      return false;
    default:
      return true;
  }
}

bool HasUsualSizes(const SetCase& one) {
  return one.sizes.attempt == 0 && one.sizes.batch == 0 && one.sizes.reach == 0;
}

SetCase FurtherCase(int set, bool coarse, bool tiny) {
  constexpr int64_t kManyRows = 16;
  SetCase one;
  one.sizes.set = set;
  if (set % 4 == 2 && !coarse) one.regime = Regime::kWhole;
  if (set % 4 == 3) {
    if (!coarse) one.regime = Regime::kLarge;
    one.sizes.stretch = 3;
  }
  if (tiny && set % 4 >= 2) one.sizes.rows = kManyRows;
  return one;
}

std::vector<SetCase> FirstSearchCases() {
  std::vector<SetCase> cases;
  for (int regime = 1; regime < kRegimes; ++regime) {
    for (const int set : {0, 1}) {
      SetCase one;
      one.regime = static_cast<Regime>(regime);
      one.sizes.set = set;
      cases.push_back(one);
    }
  }
  for (const int stretch : {2, 3, 5, 9, 17, 33}) {
    SetCase one;
    one.sizes.stretch = stretch;
    cases.push_back(one);
  }
  for (const int attempt : {3, 6, 7}) {
    SetCase one;
    one.sizes.attempt = attempt;
    cases.push_back(one);
  }
  return cases;
}

SetCase MixtureCase(uint64_t i) {
  SetCase one;
  one.numbers = i;
  one.sizes.set = static_cast<int>(i % 7);
  one.sizes.stretch = i % 5 == 0 ? static_cast<int>(1 + i % 4) : 1;
  // Every other case has usual numbers, with another seed.
  if (i % 2 == 0) one.mixture = i;
  return one;
}

namespace {

constexpr size_t kMostNumbers = 12;

void AddNumber(int64_t number, std::set<int64_t>* numbers) {
  if (number > 1 && number <= work_bounds::kLooks && numbers->size() < kMostNumbers)
    numbers->insert(number);
}

// A table of several axes that is added, multiplied or chosen from fits inputs of its lengths
// alone, as masks and positions do.
void AddBroadcastLengths(const Graph& graph, const Node& node, std::set<int64_t>* numbers) {
  static constexpr absl::string_view kBroadcast[] = {"Add", "And", "Div", "Equal",
                                                     "Mul", "Or",  "Sub", "Where"};
  if (std::find(std::begin(kBroadcast), std::end(kBroadcast), node.op_type) ==
      std::end(kBroadcast)) {
    return;
  }
  for (const std::string& input : node.inputs) {
    const Tensor* constant = FindConstant(graph, input);
    if (constant == nullptr || constant->shape().size() < 2) continue;
    for (size_t axis = 0; axis + 1 < constant->shape().size(); ++axis) {
      AddNumber(constant->shape()[axis], numbers);
    }
  }
}

}  // namespace

std::vector<SizeChoice> OtherSizes(const Graph& graph) {
  std::vector<SizeChoice> others;
  for (const int attempt : {3, 5, 7, 2, 6}) {
    others.emplace_back();
    others.back().attempt = attempt;
  }
  std::set<int64_t> numbers;
  for (const Node& node : graph.nodes) {
    if (node.domain != kOnnxDomain || node.inputs.size() < 2) continue;
    AddBroadcastLengths(graph, node, &numbers);
    if ((node.op_type != "Reshape" && node.op_type != "Expand")) {
      continue;
    }
    const Tensor* shape = FindConstant(graph, node.inputs[1]);
    const absl::StatusOr<Tensor> whole =
        shape == nullptr ? absl::StatusOr<Tensor>(absl::NotFoundError("")) : shape->Contiguous();
    if (!whole.ok() || whole->dtype() != DType::kInt64) continue;
    for (int64_t i = 0; i < whole->num_elements(); ++i) {
      AddNumber(whole->data<int64_t>()[i], &numbers);
    }
  }
  for (const int64_t number : numbers) {
    for (const int64_t batch : {int64_t{1}, int64_t{2}, number}) {
      others.emplace_back();
      others.back().batch = batch;
      if (batch != number) others.back().reach = number;
    }
  }
  return others;
}

}  // namespace onnxcmp
