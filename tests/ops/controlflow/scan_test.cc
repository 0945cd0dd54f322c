#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/model_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp::testing {
namespace {

// Sums up x along an axis, beside y; `attributes` end with a comma.
std::string Sums(const std::string& attributes, int opset = 16) {
  return absl::StrCat("<ir_version: 13, opset_import: [\"\": ", opset, R"(]>
    g (float[n] zero, float[a,b] x, float[c,d] y) => (float[n] last, float[n] count,
                                                      float[e,f] sums, float[h,i] ys) {
      one = Constant<value = float {1}>()
      last, count, sums, ys = Scan <num_scan_inputs = 2, )",
                      attributes, R"(
        body = b (float[n] s, float[n] k, float[n] xt, float[n] yt)
               => (float[n] s1, float[n] k1, float[n] o, float[n] p) {
          s1 = Add(s, xt)
          k1 = Add(k, one)
          o = Identity(s1)
          p = Identity(yt)
        }> (zero, zero, x, y)
    })");
}

Feeds SumsFeeds() {
  return {{"zero", Tensor::Of<float>({2}, {0, 0})},
          {"x", Tensor::Of<float>({3, 2}, {1, 2, 3, 4, 5, 6})},
          {"y", Tensor::Of<float>({3, 2}, {10, 20, 30, 40, 50, 60})}};
}

TEST(ScanTest, CarriesStatesAndStacksOutputs) {
  for (const int opset : {9, 11, 16, 19, 21, 23, 24, 25}) {
    SCOPED_TRACE(opset);
    const auto outputs = RunText(Sums("", opset), SumsFeeds());
    ExpectTensor(TensorAt(outputs, 0), Tensor::Of<float>({2}, {9, 12}));
    ExpectTensor(TensorAt(outputs, 1), Tensor::Of<float>({2}, {3, 3}));
    ExpectTensor(TensorAt(outputs, 2), Tensor::Of<float>({3, 2}, {1, 2, 4, 6, 9, 12}));
    ExpectTensor(TensorAt(outputs, 3), Tensor::Of<float>({3, 2}, {10, 20, 30, 40, 50, 60}));
  }
}

TEST(ScanTest, GoesBackwards) {
  const auto outputs = RunText(
      Sums("scan_input_directions = [1, 0], scan_output_directions = [0, 1],"), SumsFeeds());
  ExpectTensor(TensorAt(outputs, 0), Tensor::Of<float>({2}, {9, 12}));
  ExpectTensor(TensorAt(outputs, 2), Tensor::Of<float>({3, 2}, {5, 6, 8, 10, 9, 12}));
  ExpectTensor(TensorAt(outputs, 3), Tensor::Of<float>({3, 2}, {50, 60, 30, 40, 10, 20}));
}

TEST(ScanTest, ScansAndStacksAnyAxis) {
  Feeds feeds = SumsFeeds();
  feeds["y"] = Tensor::Of<float>({2, 3}, {10, 30, 50, 20, 40, 60});
  const auto outputs = RunText(Sums("scan_input_axes = [-2, 1], scan_output_axes = [1, -1], "
                                    "scan_output_directions = [1, 0],"),
                               feeds);
  ExpectTensor(TensorAt(outputs, 2), Tensor::Of<float>({2, 3}, {9, 4, 1, 12, 6, 2}));
  ExpectTensor(TensorAt(outputs, 3), Tensor::Of<float>({2, 3}, {10, 30, 50, 20, 40, 60}));
}

TEST(ScanTest, NothingToScan) {
  Feeds feeds = SumsFeeds();
  feeds["x"] = Tensor::Of<float>({0, 2}, {});
  feeds["y"] = Tensor::Of<float>({0, 2}, {});
  const auto outputs = RunText(Sums(""), feeds);
  ExpectTensor(TensorAt(outputs, 0), Tensor::Of<float>({2}, {0, 0}));
  ExpectTensor(TensorAt(outputs, 2), Tensor::Of<float>({0, 0}, {}));  // n is not declared
}

TEST(ScanTest, ScansStringsAndPackedElements) {
  const auto outputs = RunText(
      R"(<ir_version: 10, opset_import: ["": 21]>
    g (string[n] x, int4[a,n] p) => (string[n] y, int4[a,n] q) {
      y, q = Scan <num_scan_inputs = 2, scan_input_axes = [0, 1], scan_output_axes = [0, 1],
                   scan_output_directions = [1, 0],
                   body = b (string xt, int4[a] pt) => (string yt, int4[a] qt) {
        yt = Identity(xt)
        qt = Identity(pt)
      }> (x, p)
    })",
      {{"x", Tensor::Of<std::string>({3}, {"a", "b", "c"})},
       {"p", Convert(Tensor::Of<float>({3, 3}, {0, 1, 2, 3, 4, 5, -1, -2, -3}), DType::kInt4)}});
  ExpectTensor(TensorAt(outputs, 0), Tensor::Of<std::string>({3}, {"c", "b", "a"}));
  ExpectTensor(TensorAt(outputs, 1),
               Convert(Tensor::Of<float>({3, 3}, {0, 1, 2, 3, 4, 5, -1, -2, -3}), DType::kInt4));
}

TEST(ScanTest, RefusesWhatDoesNotFit) {
  const auto run = [](const std::string& attributes) {
    return RunText(Sums(attributes), SumsFeeds()).status();
  };
  ExpectError(run("scan_input_axes = [2, 0],"), kInvalid, "axis 2 is out of range for rank 2");
  ExpectError(run("scan_output_axes = [0, -3],"), kInvalid, "axis -3 is out of range for rank 2");
  ExpectError(run("scan_input_axes = [0, 1],"), kInvalid, "3 and 2");
  ExpectError(run("scan_input_axes = [0],"), kInvalid, "scan_input_axes");
  ExpectError(run("scan_output_directions = [0, 2],"), kInvalid, "scan_output_directions");
}

TEST(ScanTest, RefusesStatesThatChangeTheirShape) {
  const auto outputs =
      RunText(R"(<ir_version: 8, opset_import: ["": 16]>
    g (float[n] s, float[k] x) => (float[m] t) {
      t = Scan <num_scan_inputs = 1, body = b (float[n] s0, float xt) => (float[m] s1) {
        s1 = Concat<axis = 0>(s0, s0)
      }> (s, x)
    })",
              {{"s", Tensor::Of<float>({1}, {1})}, {"x", Tensor::Of<float>({2}, {1, 2})}});
  ExpectError(outputs.status(), kInvalid, "float[1] and is float[2]");
}

constexpr char kScan8[] = R"(<ir_version: 3, opset_import: ["": 8]>
  g (int64[b] lens, float[b] s, float[b,n] x, float[b,n] y) => (float[b] t, float[b,n] o,
                                                                float[b,n] p) {
    t, o, p = Scan <num_scan_inputs = 2, directions = [0, 1],
        body = b (float s0, float xt, float yt) => (float s1, float ot, float pt) {
      s1 = Add(s0, xt)
      ot = Identity(s1)
      pt = Identity(yt)
    }> (lens, s, x, y)
  })";

TEST(Scan8Test, ScansEachSequenceOfABatchToItsLength) {
  Recorder recorder;
  const auto outputs = RunText(kScan8,
                               {{"lens", Tensor::Of<int64_t>({3}, {2, 3, 0})},
                                {"s", Tensor::Of<float>({3}, {100, 200, 300})},
                                {"x", Tensor::Of<float>({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9})},
                                {"y", Tensor::Of<float>({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9})}},
                               &recorder);
  ExpectTensor(TensorAt(outputs, 0), Tensor::Of<float>({3}, {103, 215, 300}));
  ExpectTensor(TensorAt(outputs, 1),
               Tensor::Of<float>({3, 3}, {101, 103, 0, 204, 209, 215, 0, 0, 0}));
  ExpectTensor(TensorAt(outputs, 2), Tensor::Of<float>({3, 3}, {2, 1, 0, 6, 5, 4, 0, 0, 0}));
  std::vector<std::string> paths;
  for (const Recorder::Entry& entry : recorder.entries()) {
    if (entry.name == "s1") paths.push_back(entry.path);
  }
  EXPECT_EQ(paths, (std::vector<std::string>{"t[0,0]", "t[0,1]", "t[1,0]", "t[1,1]", "t[1,2]"}));
}

TEST(Scan8Test, EmptyBatch) {
  const auto outputs = RunText(kScan8, {{"lens", Tensor::Of<int64_t>({0}, {})},
                                        {"s", Tensor::Of<float>({0}, {})},
                                        {"x", Tensor::Of<float>({0, 3}, {})},
                                        {"y", Tensor::Of<float>({0, 3}, {})}});
  ExpectTensor(TensorAt(outputs, 0), Tensor::Of<float>({0}, {}));
  ExpectTensor(TensorAt(outputs, 1), Tensor::Of<float>({0, 3}, {}));
}

TEST(Scan8Test, RefusesBadLengths) {
  Feeds feeds = {{"lens", Tensor::Of<int64_t>({1}, {4})},
                 {"s", Tensor::Of<float>({1}, {0})},
                 {"x", Tensor::Of<float>({1, 3}, {1, 2, 3})},
                 {"y", Tensor::Of<float>({1, 3}, {1, 2, 3})}};
  ExpectError(RunText(kScan8, feeds).status(), kInvalid, "sequence_lens 4 is not in [0, 3]");
  feeds["lens"] = Tensor::Of<int64_t>({1}, {-1});
  ExpectError(RunText(kScan8, feeds).status(), kInvalid, "sequence_lens -1");
  feeds["lens"] = Tensor::Of<int64_t>({1}, {3});
  feeds["x"] = Tensor::Of<float>({1, 2}, {1, 2});
  ExpectError(RunText(kScan8, feeds).status(), kInvalid, "2 and 3");
}

}  // namespace
}  // namespace onnxcmp::testing
