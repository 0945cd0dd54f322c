// Values that are large enough to be shared between the runs of both sides, and to be cut into
// pieces for threads.
#include "prove/run_memo.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "evaluator/base/thread_pool.h"
#include "evaluator/tensor/tensor.h"
#include "prove/field/residues.h"
#include "tests/prove/proof_of_pair.h"

namespace onnxcmp {
namespace {

using testing::ProofCase;
using testing::ProofOfModels;

constexpr int64_t kRows = 130;
constexpr int64_t kColumns = 512;

bool IsProved(const std::string& left, const std::string& right) {
  std::vector<float> numbers;
  for (int64_t i = 0; i < kRows * kColumns; ++i) {
    numbers.push_back(std::sin(static_cast<float>(i)));
  }
  const Tensor x = Tensor::Of<float>({kRows, kColumns}, numbers);
  const auto text = [](const std::string& body) {
    return "g (float[130,512] x) => (float[n,m] y) { " + body + " }";
  };
  return ProofOfModels(text(left), text(right), x).proved;
}

TEST(RunMemo, NodesThatAreAlikeButForOneThingAreNotTakenForEachOther) {
  const std::string last = "last = Constant<value_ints = [-1]>() ";
  const ProofCase cases[] = {
      {"a = Softmax(x) y = Mul(a, x)", "a = Softmax(x) y = Mul(x, a)",
       "a = Softmax<axis = 0>(x) y = Mul(a, x)"},
      {"y = LeakyRelu<alpha = 0.1>(x)", "a = LeakyRelu<alpha = 0.1>(x) y = Identity(a)",
       "y = LeakyRelu<alpha = 0.100000009>(x)"},
      {"a = Neg(x) y = Sub(x, a)", "y = Add(x, x)", "a = Neg(x) y = Sub(a, x)"},
      {"t = Transpose(x) y = MatMul(x, t)", "y = com.microsoft.FusedMatMul<transB = 1>(x, x)",
       "t = Transpose(x) a = MatMul(x, t) y = Add(a, a)"},
      {"e = Exp(x) f = Exp(x) y = Mul(e, f)", "a = Add(x, x) y = Exp(a)",
       "a = Add(x, x) e = Exp(a) f = Exp(x) y = Mul(e, f)"},
      {"i = Constant<value = int64[2] {512, 130}>() a = Reshape(x, i) y = Relu(a)",
       "i = Constant<value = int64[2] {512, 130}>() a = Relu(x) y = Reshape(a, i)",
       "a = Relu(x) y = Transpose(a)"},
      {last + "y = ReduceMean(x, last)",
       last + "s = ReduceSum(x, last) n = Constant<value_float = 512.0>() y = Div(s, n)",
       last + "s = ReduceSum(x, last) n = Constant<value_float = 511.0>() y = Div(s, n)"},
  };
  for (const ProofCase& one : cases) {
    EXPECT_TRUE(IsProved(one.left, one.right)) << one.right;
    EXPECT_FALSE(IsProved(one.left, one.faulty)) << one.faulty;
  }
}

TEST(RunMemo, HasAKeyForEachNodeAndValue) {
  const ThreadPool pool(1);
  const auto value_of = [](Residue first) {
    FieldValue value;
    value.fixed = false;
    value.number = Tensor::Of<float>({1 << 14}, std::vector<float>(1 << 14, 0.5F));
    Residues residues = Residues::Filled({1 << 14}, 7);
    residues.values[0] = first;
    value.residues = *ToTensor(residues);
    return value;
  };
  RunMemo memo;
  std::vector<FieldValue> one = {value_of(1)};
  std::vector<FieldValue> again = {value_of(1)};
  std::vector<FieldValue> other = {value_of(2)};
  for (std::vector<FieldValue>* const value : {&one, &again, &other}) memo.Share(&value->front());
  const std::vector<Value> numbers = {one.front().number};
  const auto key = [&](uint64_t operation, absl::Span<const FieldValue> inputs) {
    return *RunMemo::KeyOf(operation, inputs, numbers, pool);
  };
  EXPECT_EQ(key(1, one), key(1, again));
  EXPECT_NE(key(1, one), key(1, other));
  EXPECT_NE(key(1, one), key(2, one));
  again.front().exp_factor = again.front().residues;
  EXPECT_NE(key(1, one), key(1, again));
  one.front().number = Tensor::Of<double>({1 << 14}, std::vector<double>(1 << 14, 0.5));
  EXPECT_NE(key(1, one), key(1, {value_of(1)}));
  memo.Keep(key(1, one), one, other);
  ASSERT_NE(memo.Find(key(1, one)), nullptr);
  EXPECT_EQ(memo.Find(key(2, one)), nullptr);
  // Small nodes are run.
  FieldValue small;
  small.number = Tensor::Of<float>({1}, {1});
  EXPECT_FALSE(RunMemo::KeyOf(1, {small}, {}, pool).has_value());
}

}  // namespace
}  // namespace onnxcmp
