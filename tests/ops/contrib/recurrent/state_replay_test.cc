// ConvStateReplay and GatedDeltaNetStateReplay of com.microsoft. Expected values are written out
// from the schemas' formulas.
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Two channels of three positions after one other element; captured: two inputs of a capacity of
// three, after two others.
OpTest Conv(const std::vector<int64_t>& metadata) {
  OpTest test = Contrib("ConvStateReplay");
  test.Input(Floats({-9, 1, 2, 3, 4, 5, 6})).Input(Floats({0, 0, 10, 40, 20, 50, 30, 60}));
  return test.Input(Floats({7, 0, 0, 0, 0, 0, 0, -0.0f})).Input(Ints(metadata));
}

TEST(ConvStateReplay, MovesTheHistoryOn) {
  ExpectTensor(Conv({4, 4, 8, 1, 2, 3, 3, 0}).Run(), Floats({7, 1, 2, 3, 4, 5, 6, 0}));
  ExpectTensor(Conv({4, 4, 8, 1, 2, 3, 3, 2}).Run(), Floats({7, 3, 10, 20, 6, 40, 50, 0}));
  ExpectTensor(Conv({4, 8, 8, 1, 2, 3, 3, 3}).Run(), Floats({7, 0, 10, 20, 30, 40, 50, 60}));
  // The last of more retained inputs than positions count.
  ExpectTensor(Conv({4, 4, 8, 1, 2, 1, 3, 3}).Run(), Floats({7, 30, 60, 0, 0, 0, 0, 0}));
  ExpectTensor(Conv({0, 0, 0, 0, 2, 3, 3, 3}).Run(), Floats({7, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(ConvStateReplay, CopiesBitsOfBatches) {
  const auto half = [](const std::vector<float>& x) { return Convert(Floats(x), DType::kFloat16); };
  OpTest test = Contrib("ConvStateReplay");
  test.Input(half({kNaN, -0.0f, 3, 4})).Input(half({5, 6})).Input(half({0, 0, 0, 0}));
  ExpectSameBits(test.Input(Ints({0, 0, 0, 2, 1, 2, 1, 1})).Run(), half({-0.0f, 5, 4, 6}));
}

TEST(ConvStateReplay, RefusesWhatDoesNotFit) {
  const auto status = [](const std::vector<int64_t>& x) { return Conv(x).Run().status(); };
  ExpectError(status({8, 4, 8, 1, 2, 3, 3, 2}), kInvalid,
              "source_backing, float[7], does not hold [1x2x3] from element 2 on");
  ExpectError(status({4, 12, 8, 1, 2, 3, 3, 2}), kInvalid, "destination_backing, float[8]");
  ExpectError(status({4, 4, 12, 1, 2, 3, 3, 2}), kInvalid, "capture_backing, float[8]");
  ExpectError(status({4, 4, 8, 1, 2, 3, 3, 4}), kInvalid, "kept_count 4 of 3");
  ExpectError(status({4, 4, 8, 1, 0, 3, 3, 2}), kInvalid, "channels is 0");
  ExpectError(status({6, 4, 8, 1, 2, 3, 3, 2}), kInvalid, "source_offset_bytes is 6");
  ExpectError(status({4, 4, 8, -1, 2, 3, 3, 2}), kInvalid, "batch_size is -1");
  ExpectError(status({4, 4, 8, INT64_MAX, 2, 3, 3, 2}), kInvalid, "does not hold");
  ExpectError(status({4, 4}), kInvalid, "metadata is int64[2], not int64[8]");
}

// Two heads of values of size 1 with keys of size 2 of one head, a capacity of two. The capsule
// begins with an element of somebody else.
OpTest Recurrence(const std::vector<float>& decay, int64_t kept) {
  std::vector<float> capsule = {-1};
  capsule.insert(capsule.end(), decay.begin(), decay.end());
  const auto keys = static_cast<int64_t>(capsule.size());
  capsule.insert(capsule.end(), {1, 2, 3, 4});      // keys
  capsule.insert(capsule.end(), {10, 20, 30, 40});  // deltas
  OpTest test = Contrib("GatedDeltaNetStateReplay");
  test.Input(Floats({9, 1, 2, 3, 4})).Input(Floats(capsule)).Input(Floats({7, 0, 0, 0, 0, 8}));
  return test.Input(Ints({1, 1, 1, keys, keys + 4, 2, 1, 2, 1, 2, kept}));
}

TEST(GatedDeltaNetStateReplay, ReplaysTransitions) {
  // decay[t, h].
  ExpectTensor(Recurrence({2, 3, 4, 5}, 1).Run(), Floats({7, 12, 24, 29, 52, 8}));
  ExpectTensor(Recurrence({2, 3, 4, 5}, 2).Run(), Floats({7, 138, 216, 265, 420, 8}));
  // decay[t, h, i].
  ExpectTensor(Recurrence({1, 2, 3, 4, 5, 6, 7, 8}, 1).Run(), Floats({7, 11, 24, 29, 56, 8}));
  ExpectTensor(Recurrence({1, 2, 3, 4, 5, 6, 7, 8}, 2).Run(), Floats({7, 145, 264, 323, 608, 8}));
}

// Four heads of values, neighbours sharing one of two heads of keys.
TEST(GatedDeltaNetStateReplay, HeadsShareKeys) {
  OpTest test = Contrib("GatedDeltaNetStateReplay");
  test.Input(Floats({0, 0, 0, 0})).Input(Floats({1, 1, 1, 1, 10, 100, 1, 2, 3, 4}));
  test.Input(Floats({0, 0, 0, 0})).Input(Ints({0, 0, 0, 4, 6, 4, 1, 1, 2, 1, 1}));
  ExpectTensor(test.Run(), Floats({10, 20, 300, 400}));
}

TEST(GatedDeltaNetStateReplay, Double) {
  OpTest test = Contrib("GatedDeltaNetStateReplay");
  test.Input(Tensor::Of<double>({1}, {1})).Input(Tensor::Of<double>({3}, {1, 1e-12, 1}));
  test.Input(Tensor::Of<double>({1}, {0})).Input(Ints({0, 0, 0, 1, 2, 1, 1, 1, 1, 1, 1}));
  ExpectTensor(test.Run(), Tensor::Of<double>({1}, {1 + 1e-12}));
}

TEST(GatedDeltaNetStateReplay, RefusesWhatDoesNotFit) {
  ExpectError(Recurrence({2, 3, 4, 5}, 3).Run().status(), kInvalid, "kept_count is 3, capacity 2");
  ExpectError(Recurrence({2, 3, 4, 5}, 0).Run().status(), kInvalid, "kept_count is 0");
  OpTest test = Contrib("GatedDeltaNetStateReplay");
  test.Input(Floats({1})).Input(Floats({1, 1, 1})).Input(Floats({1}));
  ExpectError(test.Input(Ints({0, 0, 0, 1, 3, 1, 1, 1, 1, 1, 1})).Run().status(), kInvalid,
              "capsule_backing, float[3], does not hold [1x1x1] from element 3 on");
}

}  // namespace
}  // namespace onnxcmp::testing
