#include "tests/support/synthetic_graph.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace onnxcmp::testing {
namespace {

// The model: layers of attention and of feed-forward nodes, written as an exporter does.
class Writer {
 public:
  Writer(uint64_t seed, int layers, int64_t rows, int64_t width, double crowding)
      : random_(seed),
        quantities_(seed ^ 0x9e3779b97f4a7c15, crowding),
        rows_(rows),
        width_(width) {
    int x = Leaf(ResultKind::kInput, "x", quantities_.Add({rows_, width_}), {rows_, width_});
    const int mask =
        Leaf(ResultKind::kInput, "mask", quantities_.Add({rows_, rows_}), {rows_, rows_});
    for (int i = 0; i < layers; ++i) x = Layer(x, mask, absl::StrCat("layer", i));
    graph_.outputs.push_back({"y", x});
  }

  SyntheticGraph TakeGraph() { return std::move(graph_); }
  Quantities TakeQuantities() { return std::move(quantities_); }

 private:
  int AddValue(const std::string& name, int quantity, const Shape& shape, ResultKind kind) {
    graph_.values.push_back({name, quantity, shape, kind});
    return static_cast<int>(graph_.values.size()) - 1;
  }
  int Leaf(ResultKind kind, const std::string& name, int quantity, const Shape& shape) {
    const int value = AddValue(name, quantity, shape, kind);
    (kind == ResultKind::kInput ? graph_.inputs : graph_.initializers).push_back(value);
    return value;
  }
  int Weight(const std::string& name, const Shape& shape) {
    return Leaf(ResultKind::kInitializer, name, quantities_.Add(shape), shape);
  }
  int Constant(const std::string& name, const Shape& shape, float value) {
    return Leaf(ResultKind::kInitializer, name, quantities_.AddConstant(shape, value), shape);
  }
  int MakeAs(const std::string& op, const std::vector<int>& inputs, int quantity,
             const Shape& shape) {
    const int value = AddValue(absl::StrCat(prefix_, "/", op, "_", graph_.nodes.size()), quantity,
                               shape, ResultKind::kResult);
    graph_.nodes.push_back({op, inputs, {value}, std::hash<std::string>()(op)});
    return value;
  }
  int Make(const std::string& op, const std::vector<int>& inputs, const Shape& shape) {
    return MakeAs(op, inputs, quantities_.Add(shape), shape);
  }

  int Linear(int x, const std::string& name, const Shape& shape, bool zero_bias) {
    int weight = Weight(prefix_ + name + ".weight", {shape[1], width_});
    // An exporter leaves the transposition for an optimizer to fold.
    if (Happens(random_, 0.5)) {
      const int q = quantities_.AddShuffled(ValueOf(weight).quantity);
      weight = MakeAs("Transpose", {weight}, q, {width_, shape[1]});
    }
    const int bias = zero_bias ? Constant(prefix_ + name + ".bias", {shape[1]}, 0)
                               : Weight(prefix_ + name + ".bias", {shape[1]});
    const int product = Make("MatMul", {x, weight}, shape);
    return Make("Add", {product, bias}, shape);
  }

  int Normalize(int x, const std::string& name) {
    const Shape full = {rows_, width_};
    const Shape one = {rows_, 1};
    const int mean = Make("ReduceMean", {x}, one);
    const int centered = Make("Sub", {x, mean}, full);
    const int two = Constant(prefix_ + name + ".two", {}, 2);
    const int square = MakeAs("Pow", {centered, two}, quantities_.AddPositive(full), full);
    const int variance = MakeAs("ReduceMean", {square}, quantities_.AddPositive(one), one);
    const int eps = Constant(prefix_ + name + ".eps", {}, 1e-5f);
    const int shifted = MakeAs("Add", {variance, eps}, quantities_.AddPositive(one), one);
    const int deviation = MakeAs("Sqrt", {shifted}, quantities_.AddPositive(one), one);
    const int divided = Make("Div", {centered, deviation}, full);
    const int gamma = Constant(prefix_ + name + ".gamma", {width_}, 1);
    const int beta = Constant(prefix_ + name + ".beta", {width_}, 0);
    // Times one and plus nothing: the values stay.
    const int scaled = MakeAs("Mul", {divided, gamma}, ValueOf(divided).quantity, full);
    return MakeAs("Add", {scaled, beta}, ValueOf(divided).quantity, full);
  }

  int Layer(int x, int mask, const std::string& name) {
    prefix_ = name;
    const Shape full = {rows_, width_};
    const Shape square = {rows_, rows_};
    const int q = Linear(x, ".q", full, false);
    const int k = Linear(x, ".k", full, true);
    const int v = Linear(x, ".v", full, true);
    const int turned =
        MakeAs("Transpose", {k}, quantities_.AddShuffled(ValueOf(k).quantity), {width_, rows_});
    const int raw = Make("MatMul", {q, turned}, square);
    const int root =
        MakeAs("Sqrt", {Constant(name + ".size", {}, 64)}, quantities_.AddConstant({}, 8), {});
    const int scores = Make("Div", {raw, root}, square);
    const int masked = Make("Add", {scores, mask}, square);
    const int shares = MakeAs("Softmax", {masked}, quantities_.AddPositive(square), square);
    const int context = Make("MatMul", {shares, v}, full);
    const int projected = Linear(context, ".out", full, false);
    const int sum = Make("Add", {x, projected}, full);
    const int normal = Normalize(sum, ".norm1");
    const int wide = Linear(normal, ".up", {rows_, 2 * width_}, true);
    const int relu =
        MakeAs("Relu", {wide}, quantities_.AddPositive({rows_, 2 * width_}), {rows_, 2 * width_});
    const int narrow = Linear(relu, ".down", full, false);
    const int last = Make("Add", {normal, narrow}, full);
    return Normalize(last, ".norm2");
  }

  const SyntheticValue& ValueOf(int value) const {
    return graph_.values[static_cast<size_t>(value)];
  }

  Random random_;
  Quantities quantities_;
  int64_t rows_;
  int64_t width_;
  std::string prefix_;
  SyntheticGraph graph_;
};

}  // namespace

bool Happens(Random& random, double share) {
  return std::uniform_real_distribution<double>(0, 1)(random) < share;
}

SyntheticModel MakeModel(uint64_t seed, int layers, int64_t rows, int64_t width, double crowding) {
  Writer writer(seed, layers, rows, width, crowding);
  return {writer.TakeGraph(), writer.TakeQuantities()};
}

}  // namespace onnxcmp::testing
