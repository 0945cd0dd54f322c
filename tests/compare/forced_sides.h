// Two models written down in a test, of which the right can run on the left's values.
#ifndef ONNXCMP_TESTS_COMPARE_FORCED_SIDES_H_
#define ONNXCMP_TESTS_COMPARE_FORCED_SIDES_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "compare/causes/forced/forced_run.h"
#include "compare/sides/model_side.h"
#include "compare/sides/pair_values.h"
#include "compare/sides/value_store.h"
#include "evaluator/tensor/tensor.h"
#include "evaluator/tensor/value.h"
#include "record/base/per_side.h"
#include "record/graphs/side_graph.h"
#include "record/graphs/value_classes.h"
#include "record/streams/result_stream.h"

namespace onnxcmp::testing {

// Their nodes of acme.Count pass on what they read and are counted.
class ForcedSides {
 public:
  // "(float[n] x) => (float[n] y) { ... }" each, fed `x`.
  ForcedSides(const std::string& left, const std::string& right, const Tensor& x);
  ForcedSides(const ForcedSides&) = delete;
  ForcedSides& operator=(const ForcedSides&) = delete;

  // As an alignment that a fault misled would have it.
  void Pair(absl::string_view left, absl::string_view right) {
    aligned_[Index(Right(right))] = Left(left);
  }

  const ValueClasses& classes() const { return *classes_; }
  const SideGraph& right_graph() const { return *graphs_.right; }
  const std::vector<int>& aligned() const { return aligned_; }
  // By right result: the values of initializers and inputs.
  const std::vector<Value>& leaves() const { return leaves_; }
  // `plain`: as ForcedRun has it.
  ForcedRun Run(std::vector<bool> lost = {}, std::vector<Value> plain = {}) const {
    return ForcedRun(*classes_, *graphs_.right, aligned_, leaves_, std::move(plain),
                     std::move(lost));
  }

  // Results by their names; classes of the left.
  int Right(absl::string_view name) const { return Find(SideId::kRight, name); }
  int Left(absl::string_view name) const { return Find(SideId::kLeft, name); }
  int Class(absl::string_view name) const { return classes_->of(Left(name)); }

  // How many nodes of acme.Count have run since this was asked for last.
  int TakeCount();

 private:
  int Find(SideId side, absl::string_view name) const;

  std::shared_ptr<int> count_ = std::make_shared<int>(0);
  PerSide<std::unique_ptr<ModelSide>> sides_;
  PerSide<ResultStream> streams_;
  PerSide<ValueStore> stores_ = {ValueStore(int64_t{1} << 30, 0), ValueStore(int64_t{1} << 30, 0)};
  PerSide<std::optional<SideGraph>> graphs_;
  std::optional<ValueClasses> classes_;
  std::vector<int> aligned_;
  std::vector<Value> leaves_;
};

// Numbers between -1 and 1, irregular.
Tensor Irregular(int64_t size);

}  // namespace onnxcmp::testing

#endif  // ONNXCMP_TESTS_COMPARE_FORCED_SIDES_H_
