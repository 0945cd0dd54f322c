// Runs a model in five statements, as a unit test would, and prints its output and, through an
// observer, every value on the way.
//
//   embed examples/affine.onnxtxt
#include <cstdlib>
#include <iostream>
#include <optional>

#include "absl/strings/str_join.h"
#include "onnxcmp/evaluator.h"
#include "onnxcmp/ops.h"

namespace {

using onnxcmp::Tensor;

// An error says what went wrong, and where in the model.
template <typename T>
T OrDie(absl::StatusOr<T> result) {
  if (result.ok()) return *std::move(result);
  std::cerr << result.status().message() << "\n";
  std::exit(2);
}

class Printer : public onnxcmp::Observer {
  absl::Status OnResult(const onnxcmp::Result& result, std::optional<onnxcmp::Value>*) override {
    std::cout << onnxcmp::ResultKindName(result.kind) << " " << result.name << " "
              << result.value.TypeString() << "\n";
    return absl::OkStatus();
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: embed MODEL, with an input x of two floats\n";
    return 2;
  }
  Printer printer;

  const onnxcmp::OpRegistry registry = onnxcmp::AllOperators();
  const auto model = OrDie(onnxcmp::LoadModel(argv[1], registry));
  const auto evaluator = OrDie(onnxcmp::Evaluator::Create(model, registry));
  const auto outputs = OrDie(evaluator.Run({{"x", Tensor::Of<float>({2}, {1, 2})}}, &printer));
  std::cout << absl::StrJoin(outputs[0].tensor().AsSpan<float>(), " ") << "\n";
}
