// The values of formats are tested by onnxruntime's results (tests/golden/contrib/GatherPacked);
// here weights are plain float16 (format 1) or blocks whose values are easily seen.
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/ops/contrib/block_quantized/packed_rows.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest Gather(int type, int64_t columns, const Tensor& data) {
  OpTest test = Contrib("GatherPacked").Attr("K", columns).Attr("packed_type", type);
  return test.Attr("output_dtype", 1).Input(data).Input(Ints({1, -1, 5}));
}

TEST(GatherPacked, IndicesOutOfRangeNameTheFirstRow) {
  ExpectTensor(Gather(kF16, 2, HalfBytes({2, 2}, {1, 2, 3, 4})).Run(),
               Tensor::Of<float>({3, 2}, {3, 4, 1, 2, 1, 2}));
}

TEST(GatherPacked, RefusesWhatDoesNotFit) {
  const auto status = [](OpTest test) { return test.Run().status(); };
  ExpectError(status(Gather(kQ8, 33, Iota({1, 1}))), kInvalid, "");
  ExpectError(status(Gather(kQ8, 33, HalfBytes({1, 2}, {0, 0}))), kInvalid,
              "rows of 33 elements, which are not whole blocks of 32, as Q8_0 has");
  ExpectError(status(Gather(kF16, 3, HalfBytes({2, 2}, {1, 2, 3, 4}))), kInvalid,
              "data is uint8[2,4], but must be [2x6] in F16");
  ExpectError(status(Gather(40, 64, HalfBytes({1, 18}, std::vector<float>(18)))), kUnimplemented,
              "packed_type is 40, and the layouts that are known are those of 0 (F32), 1 (F16)");
  ExpectError(status(Gather(kF16, 0, HalfBytes({1, 0}, {}))), kInvalid, "K is 0");
  ExpectError(status(Gather(kF16, 1, HalfBytes({0, 1}, {}))), kInvalid, "data has no row");
  ExpectError(status(Gather(kF16, 1, HalfBytes({1, 1}, {1})).Attr("output_dtype", 7)), kInvalid,
              "output_dtype is 7");
}

}  // namespace
}  // namespace onnxcmp::testing
