#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest Scatter(const char* mode, Tensor cache, Tensor update, const std::vector<int64_t>& at) {
  OpTest test("TensorScatter", 24);
  test.Attr("mode", mode).Input(std::move(cache)).Input(std::move(update)).Input(Ints(at));
  return test;
}

TEST(TensorScatterTest, WritesAtEachEntrysIndex) {
  const Tensor cache = Iota({2, 4, 1});
  const Tensor update = Tensor::Of<float>({2, 2, 1}, {10, 11, 12, 13});
  ExpectTensor(Scatter("linear", cache, update, {1, 2}).Run(),
               Tensor::Of<float>({2, 4, 1}, {0, 10, 11, 3, 4, 5, 12, 13}));
  ExpectTensor(Scatter("circular", AsStridedView(cache), update, {3, 5}).Run(),
               Tensor::Of<float>({2, 4, 1}, {11, 1, 2, 10, 4, 12, 13, 7}));
  OpTest start("TensorScatter", 24);
  ExpectTensor(start.Input(cache).Input(update).Run(),
               Tensor::Of<float>({2, 4, 1}, {10, 11, 2, 3, 12, 13, 6, 7}));
}

TEST(TensorScatterTest, TakesOtherAxesAndTypes) {
  OpTest packed("TensorScatter", 24);
  packed.Attr("axis", -1).Input(Convert(Iota({1, 3}), DType::kUint4));
  packed.Input(Convert(Tensor::Of<float>({1, 1}, {15}), DType::kUint4)).Input(Ints({1}));
  ExpectTensor(packed.Run(), Convert(Tensor::Of<float>({1, 3}, {0, 15, 2}), DType::kUint4));
  OpTest none("TensorScatter", 24);
  none.Input(Iota({1, 2, 1})).Input(Iota({1, 0, 1})).Input(Ints({2}));
  ExpectTensor(none.Run(), Iota({1, 2, 1}));
}

TEST(TensorScatterTest, RefusesWhatDoesNotFit) {
  const Tensor cache = Iota({1, 3, 1});
  for (int64_t index : {int64_t{2}, int64_t{-1}, INT64_MAX, INT64_MIN}) {
    ExpectError(Scatter("linear", cache, Iota({1, 2, 1}), {index}).Run().status(), kInvalid,
                "cannot write 2 entries at index");
  }
  ExpectError(Scatter("linear", cache, Iota({1, 4, 1}), {0}).Run().status(), kInvalid,
              "does not fit into the cache");
  ExpectError(Scatter("linear", cache, Iota({1, 2, 1}), {0, 0}).Run().status(), kInvalid,
              "for a batch of 1");
  OpTest batch("TensorScatter", 24);
  batch.Attr("axis", 0).Input(cache).Input(cache);
  ExpectError(batch.Run().status(), kInvalid, "along axis 0");
}

}  // namespace
}  // namespace onnxcmp::testing
