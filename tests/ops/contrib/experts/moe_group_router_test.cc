// MoEGroupRouter of com.microsoft: what the golden cases (onnxruntime's results) leave open.
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest Router(int outputs = 1) {
  OpTest test = Contrib("MoEGroupRouter").Attr("top_k", 2).Outputs(outputs);
  return test.Input(Tensor::Of<double>({1, 4}, {2, 1, -1, -40})).Input(Floats({0, 0, 5, 9}));
}

TEST(MoEGroupRouter, DoubleAndSentinel) {
  // Groups (0, 1) and (2, 3): the second has the greater biased scores, the first the greater ones.
  OpTest test = Router().Attr("n_group", 2).Attr("router_sentinel", -7.0f);
  ExpectTensor(test.Run(), Tensor::Of<double>({1, 4}, {-7, -7, -1.3132616875182228, -40}), 1e-12);
  EXPECT_EQ(test.Run()->dtype(), DType::kDouble);
}

TEST(MoEGroupRouter, RefusesWhatDoesNotFit) {
  const auto status = [](OpTest test) { return test.RunAll().status(); };
  ExpectError(status(Router().Attr("n_group", 3)), kInvalid,
              "float[4], which is not one of at most");
  ExpectError(status(Router().Attr("top_k", 5)), kInvalid, "of which to choose 5");
  ExpectError(status(Router().Attr("topk_group", 2)), kInvalid, "topk_group 2");
  ExpectError(status(Router().Attr("group_topk", 0)), kInvalid, "group_topk 0");
  ExpectError(status(Router(2)), kInvalid, "either router_probs is wanted, or selection_scores");
  ExpectError(status(Router().Input(Tensor::Of<double>({4, 4}, std::vector<double>(16)))), kInvalid,
              "projection_weight goes with selection_scores");
}

}  // namespace
}  // namespace onnxcmp::testing
