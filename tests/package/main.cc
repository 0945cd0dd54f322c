// A program outside the project that uses its installed libraries by their headers; see run.cmake.
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <Eigen/Core>
#include <xtensor/xarray.hpp>

#include "onnxcmp/compare.h"
#include "onnxcmp/eigen.h"
#include "onnxcmp/evaluator.h"
#include "onnxcmp/ops.h"
#include "onnxcmp/xtensor.h"

namespace {

template <typename T>
T OrDie(absl::StatusOr<T> result) {
  if (result.ok()) return *std::move(result);
  std::fprintf(stderr, "%s\n", std::string(result.status().message()).c_str());
  std::exit(1);
}

const char* const kModel = R"(<ir_version: 10, opset_import: ["": 21]>
    g (float[2, 2] x) => (float[2, 2] y) { y = Add(x, x) })";

}  // namespace

int main() {
  const onnxcmp::OpRegistry operators = onnxcmp::AllOperators();
  std::printf("onnxcmp %s with %zu operators\n", onnxcmp::kVersion, operators.Entries().size());

  const auto model = OrDie(onnxcmp::LoadModelFromText(kModel, operators));
  const onnxcmp::Tensor x = OrDie(onnxcmp::TensorOf(Eigen::Matrix2f{{1, 2}, {3, 4}}));
  const auto evaluator = OrDie(onnxcmp::Evaluator::Create(model, operators));
  const auto outputs = OrDie(evaluator.Run({{"x", x}}));
  if (OrDie(onnxcmp::XtensorOf<float>(outputs[0])) != xt::xarray<float>{{2, 4}, {6, 8}}) return 1;

  const auto left = OrDie(onnxcmp::ModelSide::Create(model, operators));
  const auto right = OrDie(onnxcmp::ModelSide::Create(model, operators));
  left->SetFeeds({{"x", x}});
  right->SetFeeds({{"x", x}});
  const onnxcmp::Comparison comparison = OrDie(onnxcmp::Compare(*left, *right));
  std::printf("%s", onnxcmp::RenderTable(comparison).c_str());
  return onnxcmp::ExitStatusOf(comparison);
}
