#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest Zip(const Tensor& x, const std::vector<std::string>& labels) {
  OpTest test("ZipMap", 1, "ai.onnx.ml");
  test.Attr("classlabels_strings", labels).Input(x);
  return test;
}

void ExpectMap(const Value& value, const Tensor& keys, const Tensor& values) {
  ASSERT_TRUE(value.is_map());
  ExpectTensor(value.map().keys, keys);
  ExpectTensor(value.map().values->tensor(), values);
}

TEST(ZipMapTest, AMapForEachRow) {
  const auto maps = Zip(Iota({2, 2}), {"b", "a"}).RunAll();
  ASSERT_TRUE(maps.ok()) << maps.status();
  const std::vector<Value>& elements = (*maps)[0].sequence().elements;
  ASSERT_EQ(elements.size(), 2u);
  ExpectMap(elements[0], Tensor::Of<std::string>({2}, {"a", "b"}), Floats({1, 0}));
  ExpectMap(elements[1], Tensor::Of<std::string>({2}, {"a", "b"}), Floats({3, 2}));
}

TEST(ZipMapTest, AVectorIsARowAndTheLastOfEqualLabelsCounts) {
  OpTest test("ZipMap", 1, "ai.onnx.ml");
  test.Attr("classlabels_int64s", std::vector<int64_t>{3, 1, 3}).Input(Floats({5, 6, 7}));
  const auto maps = test.RunAll();
  ASSERT_TRUE(maps.ok()) << maps.status();
  ExpectMap((*maps)[0].sequence().elements.at(0), Ints({1, 3}), Floats({6, 7}));
}

TEST(ZipMapTest, NoRows) {
  const auto maps = Zip(Tensor::Of<float>({0, 1}, {}), {"a"}).RunAll();
  ASSERT_TRUE(maps.ok()) << maps.status();
  EXPECT_TRUE((*maps)[0].sequence().elements.empty());
}

TEST(ZipMapTest, Errors) {
  ExpectError(Zip(Iota({2, 3}), {"a", "b"}).RunAll().status(), kInvalid,
              "rows have 3 elements, there are 2 labels");
  ExpectError(Zip(Iota({2, 3}), {}).RunAll().status(), kInvalid, "neither");
}

}  // namespace
}  // namespace onnxcmp::testing
