#include <cstdint>
#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

OpTest Cast(const Tensor& keys, const Tensor& values, const char* to) {
  OpTest test("CastMap", 1, "ai.onnx.ml");
  test.Attr("cast_to", to)
      .Input(Map{.keys = keys, .values = std::make_shared<const Value>(values)});
  return test;
}

OpTest Numbers(const char* to) { return Cast(Ints({5, -1, 3}), Floats({1.5f, -2, 0.1f}), to); }

TEST(CastMapTest, DenseFollowsTheKeys) {
  ExpectTensor(Numbers("TO_FLOAT").Run(), Tensor::Of<float>({1, 3}, {-2, 0.1f, 1.5f}));
  ExpectTensor(Numbers("TO_INT64").Run(), Tensor::Of<int64_t>({1, 3}, {-2, 0, 1}));
  ExpectTensor(Numbers("TO_STRING").Run(), Tensor::Of<std::string>({1, 3}, {"-2.0", "0.1", "1.5"}));
}

TEST(CastMapTest, SparsePutsValuesAtTheirKeys) {
  const auto sparse = [](const char* to, const Tensor& values) {
    return Cast(Ints({2, 0}), values, to).Attr("map_form", "SPARSE").Attr("max_map", 4).Run();
  };
  const Tensor text = Tensor::Of<std::string>({2}, {"3.5", "-1"});
  ExpectTensor(sparse("TO_FLOAT", text), Tensor::Of<float>({1, 4}, {-1, 0, 3.5f, 0}));
  ExpectTensor(sparse("TO_INT64", text), Tensor::Of<int64_t>({1, 4}, {-1, 0, 3, 0}));
  ExpectTensor(sparse("TO_STRING", text), Tensor::Of<std::string>({1, 4}, {"-1", "", "3.5", ""}));
}

TEST(CastMapTest, AnEmptyMap) {
  ExpectTensor(Cast(Ints({}), Floats({}), "TO_FLOAT").Run(), Tensor::Of<float>({1, 0}, {}));
}

TEST(CastMapTest, Errors) {
  const auto run = [](const char* form, int64_t max_map) {
    return Numbers("TO_FLOAT").Attr("map_form", form).Attr("max_map", max_map).Run().status();
  };
  ExpectError(run("SPARSE", 6), kInvalid, "key -1 has no place among 6 elements");
  ExpectError(run("SPARSE", 4), kInvalid, "key 5 has no place among 4 elements");
  ExpectError(run("SPARSE", 0), kInvalid, "max_map is 0");
  ExpectError(run("LOOSE", 6), kInvalid, "map_form 'LOOSE' is unknown");
  ExpectError(Numbers("TO_DOUBLE").Run().status(), kInvalid, "cast_to 'TO_DOUBLE' is unknown");
  ExpectError(Cast(Ints({1}), Tensor::Of<std::string>({1}, {"x"}), "TO_FLOAT").Run().status(),
              kInvalid, "x");
}

}  // namespace
}  // namespace onnxcmp::testing
