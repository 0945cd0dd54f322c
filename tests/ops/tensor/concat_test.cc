#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(ConcatTest, JoinsAlongAnAxis) {
  OpTest rows("Concat", 13);
  rows.Attr("axis", 0);
  rows.Input(Tensor::Of<float>({1, 2}, {1, 2})).Input(Tensor::Of<float>({2, 2}, {3, 4, 5, 6}));
  ExpectTensor(rows.Run(), Tensor::Of<float>({3, 2}, {1, 2, 3, 4, 5, 6}));

  OpTest columns("Concat", 11);
  columns.Attr("axis", -1);
  columns.Input(Tensor::Of<int64_t>({2, 1}, {1, 4})).Input(Tensor::Of<int64_t>({2, 0}, {}));
  columns.Input(Tensor::Of<int64_t>({2, 2}, {2, 3, 5, 6}));
  ExpectTensor(columns.Run(), Tensor::Of<int64_t>({2, 3}, {1, 2, 3, 4, 5, 6}));
}

TEST(ConcatTest, Version1JoinsAlongAxis1ByDefault) {
  OpTest test("Concat", 1);
  test.Input(Tensor::Of<float>({2, 1}, {1, 3})).Input(Tensor::Of<float>({2, 1}, {2, 4}));
  ExpectTensor(test.Run(), Tensor::Of<float>({2, 2}, {1, 2, 3, 4}));
  OpTest rows("Concat", 1);
  rows.Attr("axis", 0);
  rows.Input(Tensor::Of<float>({1}, {1})).Input(Tensor::Of<float>({1}, {2}));
  ExpectTensor(rows.Run(), Tensor::Of<float>({2}, {1, 2}));
}

TEST(ConcatTest, TakesViewsAndStrings) {
  OpTest views("Concat", 13);
  views.Attr("axis", 1);
  views.Input(AsStridedView(Tensor::Of<float>({2, 2}, {1, 2, 5, 6})));
  views.Input(AsStridedView(Tensor::Of<float>({2, 2}, {3, 4, 7, 8})));
  ExpectTensor(views.Run(), Tensor::Of<float>({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}));

  OpTest strings("Concat", 13);
  strings.Attr("axis", 1);
  strings.Input(Tensor::Of<std::string>({2, 1}, {"a", "c"}));
  strings.Input(AsStridedView(Tensor::Of<std::string>({2, 1}, {"b", "d"})));
  ExpectTensor(strings.Run(), Tensor::Of<std::string>({2, 2}, {"a", "b", "c", "d"}));
}

TEST(ConcatTest, OneInputStaysAsItIs) {
  Tensor x = Tensor::Of<float>({2}, {1, 2});
  OpTest test("Concat", 13);
  absl::StatusOr<Tensor> y = test.Attr("axis", 0).Input(x).Run();
  ExpectTensor(y, x);
  EXPECT_EQ(y->buffer(), x.buffer());
}

TEST(ConcatTest, RefusesWhatDoesNotFit) {
  auto run = [](const Tensor& a, const Tensor& b, int64_t axis) {
    return OpTest("Concat", 13).Attr("axis", axis).Input(a).Input(b).Run().status();
  };
  Tensor x = Tensor::Of<float>({1, 2}, {1, 2});
  ExpectError(run(x, Tensor::Of<float>({1, 3}, {1, 2, 3}), 0), kInvalid,
              "cannot concatenate float[1,3] to float[1,2] along axis 0");
  ExpectError(run(x, Tensor::Of<float>({2}, {1, 2}), 0), kInvalid,
              "cannot concatenate float[2] to float[1,2] along axis 0");
  ExpectError(run(x, x, 2), kInvalid, "axis 2 is out of range for rank 2");
  ExpectError(run(x, x, -3), kInvalid, "axis -3 is out of range for rank 2");
  ExpectError(run(Tensor::Scalar(1.0f), Tensor::Scalar(2.0f), 0), kInvalid,
              "axis 0 is out of range for rank 0");
}

TEST(ConcatTest, RefusesSizesThatOverflow) {
  Tensor x = Tensor::Of<float>({INT64_MAX, 0}, {});
  OpTest test("Concat", 13);
  ExpectError(test.Attr("axis", 0).Input(x).Input(x).Run().status(), kInvalid, "overflow");
}

}  // namespace
}  // namespace onnxcmp::testing
