// Numbers the results of both sides, as a conversion keeps them: see check_conversion.h.
#ifndef ONNXCMP_COMPARE_CONVERSION_CONVERSION_MATCHER_H_
#define ONNXCMP_COMPARE_CONVERSION_CONVERSION_MATCHER_H_

#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "compare/conversion/constant_values.h"
#include "compare/conversion/honest_constant.h"
#include "compare/quantization/quant_params.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/tensor.h"
#include "record/graphs/side_graph.h"
#include "record/streams/node_facts.h"
#include "record/streams/result_stream.h"

namespace onnxcmp {

// A matrix with its axes exchanged, without a copy.
Tensor Transposed(const Tensor& matrix);

class ConversionMatcher {
 public:
  // All must outlive the object; the pool may be null. `partners`: as of ConvertedPartners().
  ConversionMatcher(const SideGraph& plain, const SideGraph& converted,
                    const QuantParamsByResult& params, const std::vector<int>& partners,
                    ConstantValues* plain_constants, ConstantValues* converted_constants,
                    const ThreadPool* pool);

  // The number of a plain result.
  int ClassOf(int l) const { return classes_[Index(l)]; }
  // The numbers that a converted result has; none if it stands for nothing. A result whose range
  // has nothing below 0 has those before and after a Relu.
  const FewResults& Classes(int r) const { return stands_for_[Index(r)]; }
  bool StandsFor(int r, int l) const;
  // The same but for the shape: for nodes that are run in the plain side's form.
  const FewResults& ClassesInOrder(int r) const {
    return stands_for_[Index(r)].empty() ? reshaped_[Index(r)] : stands_for_[Index(r)];
  }
  // Pairs of a plain and a converted result that no rule matches, in order: nodes to be run.
  const std::vector<std::pair<int, int>>& unmatched() const { return unmatched_; }
  int64_t matched() const { return matched_; }

  // The scale and zero point of integers, also if a node after their reader applies the scale.
  std::optional<QuantParams> ParamsOf(int r) const;

  // How a constant of the plain side became one of the converted side. `transposed`: the converted
  // one is the matrix that the plain one is after its axes are exchanged.
  ConstantRounding RoundingOf(int l, int r, bool transposed = false);
  // Converted constants that are plain ones, rounded.
  std::vector<int> HonestConstants() const;
  // Results that are wrong whatever their numbers are: of a node that is one of the plain side but
  // for a constant that is none of that side's, of integers that are read with another scale.
  const std::vector<int>& wrong() const { return wrong_; }

 private:
  void NumberPlain();
  void Follow(int m);
  void CheckName(int r);
  // True if a QuantizeLinear of the plain side rounds the same numbers by the same parameters.
  bool RoundsAsTwin(const StreamNode& made) const;
  // True if node m passes on what it reads: then its result has the same numbers.
  bool PassOn(int m);
  // How node n of the plain side became m: kHonest if both are the same.
  ConstantRounding Match(int m, int n);
  ConstantRounding MatchPacked(int m, int n);
  ConstantRounding Reads(int l, int r);
  bool HasOtherConstants(int m, int n) const;
  bool IsOnlyRounded(int r) const;
  // The plain nodes that node m may be.
  std::vector<int> CandidatesFor(int m) const;
  // Adds the number after an activation that the range of integers r does, and removes that before
  // it where numbers are cut off.
  void AddActivation(int r);
  uint64_t OperationOf(const SideGraph& graph, NodeFactsCache* facts, int n) const;

  const SideGraph& plain_;
  const SideGraph& converted_;
  const QuantParamsByResult& params_;
  const std::vector<int>& partners_;
  ConstantValues& plain_constants_;
  ConstantValues& converted_constants_;
  const ThreadPool* pool_;
  const bool twins_;  // both sides are quantized, and have the same numbers
  NodeFactsCache plain_facts_;
  NodeFactsCache converted_facts_;
  std::vector<int> classes_;          // by plain result: the first of its number
  std::vector<FewResults> members_;   // by plain result that is a number: all of that number
  std::vector<FewResults> reshaped_;  // by converted result: numbers of the same elements in order
  std::vector<FewResults> stands_for_;  // by converted result
  std::vector<std::pair<int, int>> unmatched_;
  int64_t matched_ = 0;
  std::vector<int> wrong_;
  absl::flat_hash_map<std::tuple<int, int, bool>, ConstantRounding> roundings_;
};

}  // namespace onnxcmp

#endif  // ONNXCMP_COMPARE_CONVERSION_CONVERSION_MATCHER_H_
