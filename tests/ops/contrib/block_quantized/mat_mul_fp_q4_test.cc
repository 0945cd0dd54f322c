// Expected values are the formula's, rounded by hand.
#include <cstdint>
#include <cstring>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// A column of 34 elements in two blocks: scale, zero point if there is one, 16 bytes.
std::vector<uint8_t> Blob(bool zero_points) {
  std::vector<uint8_t> blob;
  const float scales[] = {0.5f, 2};
  for (int block = 0; block < 2; ++block) {
    uint8_t bytes[4];
    std::memcpy(bytes, &scales[block], 4);
    blob.insert(blob.end(), bytes, bytes + 4);
    if (zero_points) blob.push_back(static_cast<uint8_t>(block + 1));
    blob.push_back(0x5A);
    blob.insert(blob.end(), 15, 0x88);
  }
  return blob;
}

TEST(MatMulFpQ4, HalvesOfABlockShareBytes) {
  const auto run = [](int type, int64_t at) {
    std::vector<float> a(34);
    a[static_cast<size_t>(at)] = 1;
    const std::vector<uint8_t> blob = Blob(type == 1);
    OpTest test = Contrib("MatMulFpQ4").Attr("blk_quant_type", type).Input(Floats(a));
    test.Input(Tensor::Of<uint8_t>({static_cast<int64_t>(blob.size())}, blob));
    return test.Input(Ints({34, 1})).Run();
  };
  ExpectTensor(run(0, 0), Floats({1}));       // (10 - 8) / 2
  ExpectTensor(run(0, 16), Floats({-1.5f}));  // (5 - 8) / 2
  ExpectTensor(run(0, 32), Floats({4}));
  ExpectTensor(run(1, 0), Floats({4.5f}));
  ExpectTensor(run(1, 33), Floats({12}));  // (8 - 2) * 2
  ExpectError(run(2, 0).status(), kUnimplemented, "blk_quant_type is 2");
  ExpectError(Contrib("MatMulFpQ4")
                  .Input(Iota({34}))
                  .Input(Tensor::Of<uint8_t>({3}, {1, 2, 3}))
                  .Input(Ints({34, 1}))
                  .Run()
                  .status(),
              kInvalid, "weights take 42");
}

}  // namespace
}  // namespace onnxcmp::testing
