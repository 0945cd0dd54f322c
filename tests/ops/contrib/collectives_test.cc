#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

TEST(CollectivesTest, OneProcessHasItAll) {
  for (const char* name : {"AllReduce", "AllGather", "AllToAll", "NcclAllReduce"}) {
    ExpectOutputs(Contrib(name).Outputs(2).Input(Floats({1})).Input(Floats({2, 3})),
                  {Floats({1}), Floats({2, 3})});
  }
  ExpectError(Contrib("AllGather").Attr("group_size", 2).Input(Floats({1})).Run().status(),
              kUnimplemented, "a group of 2 processes");
}

OpTest Distributed(const std::string& name, const std::string& mesh = "[1]") {
  using Strings = std::vector<std::string>;
  OpTest test = Contrib(name);
  for (const char* side : {"input", "output"}) {
    const std::string prefix = side;
    test.Attr(prefix + "_device_mesh_elements", Strings{"[0]"});
    test.Attr(prefix + "_device_mesh_shapes", Strings{mesh});
    test.Attr(prefix + "_shard_specs", Strings{"RR"});
  }
  return test;
}

TEST(CollectivesTest, DistributedOperatorsOnOneDevice) {
  const Tensor x = Tensor::Of<float>({2, 2}, {1, 2, 3, 4});
  ExpectTensor(Distributed("DistributedMatMul").Input(x).Input(x).Run(),
               Tensor::Of<float>({2, 2}, {7, 10, 15, 22}));
  ExpectTensor(Distributed("DistributedSlice").Input(x).Input(Ints({1})).Input(Ints({2})).Run(),
               Tensor::Of<float>({1, 2}, {3, 4}));
  ExpectTensor(
      Distributed("DistributedReduceMean").Attr("keepdims", 0).Input(x).Input(Ints({1})).Run(),
      Floats({1.5f, 3.5f}));
  ExpectError(Distributed("DistributedMatMul", "[2]").Input(x).Input(x).Run().status(),
              kUnimplemented, "a mesh of [2] devices");
}

}  // namespace
}  // namespace onnxcmp::testing
