// The model that graph variants are made of: quantities with random values, and the graph that an
// exporter would write.
#ifndef ONNXCMP_TESTS_SUPPORT_SYNTHETIC_GRAPH_H_
#define ONNXCMP_TESTS_SUPPORT_SYNTHETIC_GRAPH_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "evaluator/run/result.h"
#include "evaluator/tensor/tensor.h"

namespace onnxcmp::testing {

using Random = std::mt19937_64;

// A value of a graph. Several may be the same quantity: copies.
struct SyntheticValue {
  std::string name;
  int quantity = 0;
  Shape shape;
  ResultKind kind = ResultKind::kResult;
  bool other_shape = false;  // inside a pair of Reshapes: no quantity of the model
};

struct SyntheticNode {
  std::string op;
  std::vector<int> inputs;  // values
  std::vector<int> outputs;
  uint64_t attributes = 0;
  bool no_op = false;
  bool fused = false;
};

struct SyntheticGraph {
  std::vector<SyntheticValue> values;
  std::vector<SyntheticNode> nodes;
  std::vector<int> initializers;
  std::vector<int> inputs;
  std::vector<std::pair<std::string, int>> outputs;
};

bool Happens(Random& random, double share);

// The values of quantities, made when they are asked for.
class Quantities {
 public:
  Quantities(uint64_t seed, double crowding) : random_(seed), crowding_(crowding) {}

  int Add(const Shape& shape) {
    if (crowding_ == 0) return AddValues(Normal(shape, Scale()));
    const auto [it, added] = crowds_.try_emplace(*NumElements(shape), 0);
    if (added) return it->second = AddValues(Normal(shape, Scale()));
    std::vector<float> values = At(it->second);
    std::normal_distribution<double> normal(0, crowding_);
    for (float& v : values) v = static_cast<float>(v * (1 + normal(random_)));
    return it->second = AddValues(std::move(values));
  }
  int AddConstant(const Shape& shape, float value) {
    return AddValues(std::vector<float>(static_cast<size_t>(*NumElements(shape)), value));
  }
  int AddPositive(const Shape& shape) {
    std::vector<float> values = Normal(shape, Scale());
    for (float& v : values) v = std::abs(v);
    return AddValues(std::move(values));
  }
  int AddShuffled(int quantity) {
    std::vector<float> values = At(quantity);
    std::shuffle(values.begin(), values.end(), random_);
    return AddValues(std::move(values));
  }

  const std::vector<float>& At(int quantity) const {
    return values_[static_cast<size_t>(quantity)];
  }

 private:
  int AddValues(std::vector<float> values) {
    values_.push_back(std::move(values));
    return static_cast<int>(values_.size()) - 1;
  }
  float Scale() {
    return static_cast<float>(std::exp(std::normal_distribution<double>(0, 0.5)(random_)));
  }
  std::vector<float> Normal(const Shape& shape, float scale) {
    std::normal_distribution<float> normal(0, scale);
    std::vector<float> values(static_cast<size_t>(*NumElements(shape)));
    for (float& v : values) v = normal(random_);
    return values;
  }

  Random random_;
  double crowding_;
  std::map<int64_t, int> crowds_;  // by size: the last quantity
  std::vector<std::vector<float>> values_;
};

struct SyntheticModel {
  SyntheticGraph graph;
  Quantities quantities;
};

// Layers of attention, normalization and plain ones; `crowding` as in VariantOptions.
SyntheticModel MakeModel(uint64_t seed, int layers, int64_t rows, int64_t width, double crowding);

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_SUPPORT_SYNTHETIC_GRAPH_H_
