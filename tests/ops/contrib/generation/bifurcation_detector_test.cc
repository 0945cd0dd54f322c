#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest Detector(const Tensor& source, const Tensor& current, int64_t previous) {
  OpTest test("BifurcationDetector", 1, "com.microsoft");
  test.Outputs(2).Input(source).Input(current).Input(Tensor::Scalar<int64_t>(previous));
  return test;
}

TEST(ContribBifurcationDetectorTest, PredictionUpToWhereItDiffers) {
  OpTest test = Detector(Ints({1, 2, 3, 4}), Ints({9}), 1);
  test.Input(Ints({2, 3, 7, 8}));
  ExpectOutputs(test, {Ints({9, 2, 3, 7}), Tensor::Scalar<int64_t>(-1)});
}

TEST(ContribBifurcationDetectorTest, TheWholePrediction) {
  OpTest test = Detector(Ints({1, 2}), Ints({}), 0);
  test.Input(Ints({1, 2, 1}));
  ExpectOutputs(test, {Ints({1, 2, 1}), Tensor::Scalar<int64_t>(1)});
}

TEST(ContribBifurcationDetectorTest, LongerSuffixesWhereShortOnesAreNotUnique) {
  ExpectOutputs(Detector(Ints({1, 2, 3, 2, 5}), Ints({1, 2}), 0),
                {Ints({1, 2}), Tensor::Scalar<int64_t>(2)});
  ExpectOutputs(Detector(Ints({1, 2, 1, 2}), Ints({1, 2}), 0),
                {Ints({1, 2}), Tensor::Scalar<int64_t>(-1)});
}

TEST(ContribBifurcationDetectorTest, WrongInputs) {
  OpTest test = Detector(Ints({1, 2}), Ints({}), 0);
  test.Input(Ints({1}));
  ExpectError(test.Run().status(), kInvalid, "pred_tokens");
  OpTest behind = Detector(Ints({1, 2}), Ints({}), INT64_MIN);
  behind.Input(Ints({1}));
  ExpectError(behind.Run().status(), kInvalid, "prev_suffix_match_idx");
  ExpectError(Detector(Ints({1}), Ints({1}), 0).Attr("min_ngram_size", 4).Run().status(), kInvalid,
              "min_ngram_size");
}

}  // namespace
}  // namespace onnxcmp::testing
