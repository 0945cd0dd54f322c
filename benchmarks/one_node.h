// Measures one operator: planned once, run again and again.
//
//   void BM_Softmax(benchmark::State& state) {
//     OneNode node("Softmax", 13, {RandomTensor({512, 512})});
//     node.attributes()["axis"] = int64_t{-1};
//     node.Measure(state);
//   }
#ifndef ONNXCMP_BENCHMARKS_ONE_NODE_H_
#define ONNXCMP_BENCHMARKS_ONE_NODE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "benchmark/benchmark.h"
#include "evaluator/model/model.h"

namespace onnxcmp {

class OneNode {
 public:
  OneNode(const std::string& op_type, int opset, std::vector<Value> inputs,
          const std::string& domain = "", int outputs = 1);

  std::map<std::string, Attribute, std::less<>>& attributes() { return node_.attributes; }

  // Runs the node on one thread for each iteration, makes its first output contiguous (so that a
  // view is charged with the copy that it puts off) and reports its bytes per second.
  void Measure(benchmark::State& state) const;

 private:
  Node node_;
  std::vector<Value> inputs_;
};

// Floats in [-1, 1), the same on every run.
Tensor RandomTensor(absl::Span<const int64_t> shape);

}  // namespace onnxcmp

#endif  // ONNXCMP_BENCHMARKS_ONE_NODE_H_
