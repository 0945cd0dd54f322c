// Feeds a model with arrays of xtensor and of Eigen, and computes with its outputs as such. Views
// of outputs copy nothing.
//
//   arrays
#include <cstdlib>
#include <iostream>
#include <utility>

#include <Eigen/Core>
#include <xtensor/xarray.hpp>
#include <xtensor/xio.hpp>
#include <xtensor/xmath.hpp>

#include "onnxcmp/eigen.h"
#include "onnxcmp/evaluator.h"
#include "onnxcmp/ops.h"
#include "onnxcmp/xtensor.h"

namespace {

// An error says what went wrong, and where in the model.
template <typename T>
T OrDie(absl::StatusOr<T> result) {
  if (result.ok()) return *std::move(result);
  std::cerr << result.status().message() << "\n";
  std::exit(2);
}

}  // namespace

int main() {
  const onnxcmp::OpRegistry registry = onnxcmp::AllOperators();
  const auto model = OrDie(onnxcmp::LoadModelFromText(R"(
      <ir_version: 10, opset_import: ["": 21]>
      product (float[n, 3] points, float[3, m] weights) => (float[m, n] scores) {
        product = MatMul(points, weights)
        scores = Transpose(product)
      })",
                                                      registry));
  const auto evaluator = OrDie(onnxcmp::Evaluator::Create(model, registry));

  const xt::xarray<float> points = {{0, 1, 2}, {3, 4, 5}};
  const Eigen::Matrix3f weights = Eigen::Vector3f(1, 10, 100).asDiagonal();
  const auto outputs = OrDie(evaluator.Run({{"points", OrDie(onnxcmp::TensorOf(points + 0.5f))},
                                            {"weights", OrDie(onnxcmp::TensorOf(weights))}}));

  std::cout << OrDie(onnxcmp::XtensorOf<float>(outputs[0])) << "\n";
  const auto scores = OrDie(onnxcmp::EigenMatrixOf<float>(outputs[0].tensor()));
  std::cout << scores.colwise().sum() << "\n";
}
