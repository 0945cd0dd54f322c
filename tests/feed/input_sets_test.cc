#include "feed/input_sets.h"

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "evaluator/load/load_model.h"
#include "evaluator/protos/tensor_proto.h"
#include "evaluator/tensor/convert.h"
#include "feed/input_files.h"
#include "onnx/onnx_pb.h"
#include "record/recordings/recorded_values.h"
#include "record/recordings/recording.h"
#include "tests/support/load_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::ExpectError;
using ::onnxcmp::testing::ExpectSameBits;
using ::onnxcmp::testing::LoadGraph;
using ::onnxcmp::testing::TestFolder;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;

class InputSetsTest : public ::testing::Test {
 protected:
  // Loads both and opens their inputs.
  absl::StatusOr<InputSets> Open(absl::string_view left, absl::string_view right) {
    left_ = *Load(left);
    right_ = *Load(right);
    return InputSets::Open(left_->graph, right_->graph, options_);
  }

  // A graph, or a whole model.
  static testing::LoadedModel Load(absl::string_view text) {
    return absl::StartsWith(text, "<")
               ? LoadModelFromText(std::string(text), testing::Registry(), {})
               : LoadGraph(text);
  }

  // The only set.
  absl::StatusOr<FedInputs> Get(absl::string_view left, absl::string_view right) {
    auto sets = Open(left, right);
    return sets.ok() ? sets->Get(0) : sets.status();
  }

  std::string WriteArchive(const std::string& name,
                           const std::vector<std::pair<std::string, Tensor>>& tensors) {
    const std::string path = folder_.Path(name);
    auto writer = RecordingWriter::Create(path, false);
    EXPECT_TRUE(writer.ok());
    for (const auto& [key, tensor] : tensors) {
      const Value value = tensor;
      EXPECT_TRUE(
          (*writer)->OnResult({ResultKind::kInput, key, nullptr, "", 0, value}, nullptr).ok());
    }
    EXPECT_TRUE((*writer)->Finish().ok());
    return path;
  }

  void WriteProto(const std::string& name, const Tensor& tensor) {
    onnx::TensorProto proto;
    ASSERT_TRUE(TensorToProto(tensor, "", &proto).ok());
    folder_.Write(name, proto.SerializeAsString());
  }

  TestFolder folder_;
  InputOptions options_;
  std::shared_ptr<const Model> left_;
  std::shared_ptr<const Model> right_;
};

constexpr char kX[] = "g (float[2] x) => (float[2] y) { y = Neg(x) }";
constexpr char kIn0[] = "g (float[2] in0) => (float[2] y) { y = Neg(in0) }";

TEST_F(InputSetsTest, MakesThemUpOnce) {
  options_.generated.ramp = true;
  const auto fed = Get(kX, kIn0);
  ASSERT_TRUE(fed.ok()) << fed.status();
  ExpectSameBits(fed->left.at("x").tensor(), Tensor::Of<float>({2}, {0, 0.5}));
  ExpectSameBits(fed->right.at("in0").tensor(), Tensor::Of<float>({2}, {0, 0.5}));
  EXPECT_EQ(fed->name, "");
}

TEST_F(InputSetsTest, OneSidesSizesAndTablesHoldForBoth) {
  options_.generated.ramp = true;
  const auto fed =
      Get("g (int64[B,S] ids, float[B,S] m) => (int64[B,S] y, float[B,S] n) { y = Neg(ids) n = "
          "Neg(m) }",
          "g (int32[2,3] ids, float[B,S] m) => (float[2,3,1] y, float[B,S] n)"
          "<float[4,1] table = {1, 2, 3, 4}> { y = Gather(table, ids) n = Neg(m) }");
  ASSERT_TRUE(fed.ok()) << fed.status();
  ExpectSameBits(fed->left.at("ids").tensor(), Tensor::Of<int64_t>({2, 3}, {0, 1, 2, 3, 0, 1}));
  ExpectSameBits(fed->right.at("ids").tensor(), Tensor::Of<int32_t>({2, 3}, {0, 1, 2, 3, 0, 1}));
  // B and S are known by now.
  EXPECT_THAT(fed->left.at("m").tensor().shape(), ElementsAre(2, 3));
  EXPECT_THAT(fed->notes, ElementsAre("right input `ids`: int64 cast to int32"));
}

// Of an input of int32 or int64.
std::vector<int64_t> IntegersOf(const FedInputs& fed, const std::string& name) {
  const Tensor& tensor = fed.left.at(name).tensor();
  std::vector<int64_t> integers(static_cast<size_t>(tensor.num_elements()));
  LoadElements<int64_t>(tensor.dtype(), tensor.raw_data(), 0, tensor.num_elements(),
                        integers.data());
  return integers;
}

TEST_F(InputSetsTest, UpdatesFitIntoACacheAndDoNotAllBegin) {
  constexpr char kCache[] = R"(<ir_version: 11, opset_import: ["" : 24]>
      g (float[8, s, 4] x, float[8, 2, 32, 2] cache, int64[8] at)
      => (float[8, 2, 32, 2] y) <int64[4] heads = {0, -1, 2, 2}> {
    h = Reshape(x, heads)
    t = Transpose<perm = [0, 2, 1, 3]>(h)
    y = TensorScatter(cache, t, at)
  })";
  const auto fed = Get(kCache, kCache);
  ASSERT_TRUE(fed.ok()) << fed.status();
  const int64_t room = 32 - fed->left.at("x").tensor().dim(1);
  EXPECT_THAT(IntegersOf(*fed, "at"), Each(AllOf(Ge(0), Le(room))));
  EXPECT_THAT(IntegersOf(*fed, "at"), Contains(Gt(0)));
}

TEST_F(InputSetsTest, PositionsFollowWhatIsInTheCaches) {
  constexpr char kSeparate[] = R"(<ir_version: 11, opset_import: ["" : 24, "com.microsoft" : 1]>
      g (float[b, s, 32] x, int32[b] lengths, int32 total,
      float[b, 1, past, 16] k, float[b, 1, past, 16] v, int64[b, s] at, float[64, 8] c,
      float[64, 8] d) => (float[b, s, 32] y, float[b, 1, all, 16] p, float[b, 1, all, 16] q) {
    r = RotaryEmbedding<num_heads = 2>(x, c, d, at)
    y, p, q = com.microsoft.GroupQueryAttention<num_heads = 2, kv_num_heads = 1>(
        r, , , k, v, lengths, total)
  })";
  const auto fed = Get(kSeparate, kSeparate);
  ASSERT_TRUE(fed.ok()) << fed.status();
  const int64_t past = fed->left.at("k").tensor().dim(2);
  const int64_t added = fed->left.at("x").tensor().dim(1);
  EXPECT_THAT(IntegersOf(*fed, "total"), ElementsAre(past + added));
  EXPECT_EQ(IntegersOf(*fed, "at").front(), past);
  EXPECT_EQ(IntegersOf(*fed, "at").back(), past + added - 1);
}

TEST_F(InputSetsTest, SizesThatAreGivenMustFitTheOtherSide) {
  options_.generated.dims["B"] = 4;
  ExpectError(Get("g (float[B] x) => (float[B] y) { y = Neg(x) }", kX).status(),
              absl::StatusCode::kInvalidArgument,
              "the sizes differ along axis 0: left input `x` float[B] has 4, right "
              "input `x` float[2] has 2");
}

TEST_F(InputSetsTest, ALiftedWeightTakesTheInitializersValue) {
  const auto fed =
      Get("g (float16[2] w, float[2] x) => (float[2] y) { v = Cast<to = 1>(w) y = Sub(x, v) }",
          "g (float[2] x) => (float[2] y) <float[2] k = {7, -3.4e38}> { y = Sub(x, k) }");
  ASSERT_TRUE(fed.ok()) << fed.status();
  // A mask's least value stays finite.
  ExpectSameBits(fed->left.at("w").tensor(),
                 Tensor::Of<Eigen::half>({2}, {Eigen::half(7.0f), Eigen::half(-65504.0f)}));
  EXPECT_EQ(fed->right.size(), 1u);
  EXPECT_THAT(fed->notes, ElementsAre("left input `w`: float cast to float16"));
}

TEST_F(InputSetsTest, OneFileFeedsBothThroughTheMapping) {
  const Tensor value = Tensor::Of<float>({2}, {5, 6});
  for (const char* name : {"x", "in0", "other"}) {
    options_.inputs = WriteArchive("f.npz", {{name, value}});
    const auto fed = Get(kX, kIn0);
    ASSERT_TRUE(fed.ok()) << fed.status();
    ExpectSameBits(fed->left.at("x").tensor(), value);
    ExpectSameBits(fed->right.at("in0").tensor(), value);
  }
}

TEST_F(InputSetsTest, ValuesInMemoryAreAsThoseOfAFile) {
  const auto set = [](const std::string& name, float first) {
    std::vector<ValueInMemory> values(1);
    values[0].result.name = "x";
    values[0].value = Tensor::Of<float>({2}, {first, 6});
    return RecordedSet{name, RecordValuesInMemory(std::move(values), /*described=*/false)};
  };
  std::vector<RecordedSet> two;
  two.push_back(set("[0]", 5));
  two.push_back(set("[1]", 7));
  auto files = InputFiles::Of("the feeds", std::move(two), /*each=*/false);
  ASSERT_TRUE(files.ok()) << files.status();
  options_.inputs = "the feeds";
  options_.in_memory.emplace("the feeds", *std::move(files));
  auto sets = Open(kX, kIn0);
  ASSERT_TRUE(sets.ok()) << sets.status();
  EXPECT_FALSE(sets->made_up());
  ASSERT_EQ(sets->size(), 2);
  const auto fed = sets->Get(1);
  ASSERT_TRUE(fed.ok()) << fed.status();
  EXPECT_EQ(fed->name, "[1]");
  ExpectSameBits(fed->right.at("in0").tensor(), Tensor::Of<float>({2}, {7, 6}));
  // What else is named is a file still.
  options_.inputs = "their feeds";
  EXPECT_FALSE(Open(kX, kIn0).ok());
}

TEST_F(InputSetsTest, ValuesThatAreGivenByNameGoNowhereElse) {
  options_.inputs = "the feeds";
  for (const bool by_name : {false, true}) {
    std::vector<ValueInMemory> values(1);
    values[0].result.name = "misspelt";
    values[0].value = Tensor::Of<float>({2}, {5, 6});
    std::vector<RecordedSet> one;
    one.push_back({"", RecordValuesInMemory(std::move(values), /*described=*/false)});
    auto files = InputFiles::Of("the feeds", std::move(one), /*each=*/false, by_name);
    ASSERT_TRUE(files.ok()) << files.status();
    options_.in_memory.clear();
    options_.in_memory.emplace("the feeds", *std::move(files));
    const auto fed = Get(kX, kIn0);
    if (by_name) {
      ExpectError(fed.status(), absl::StatusCode::kInvalidArgument,
                  "no input takes misspelt of the feeds");
      ExpectError(fed.status(), absl::StatusCode::kInvalidArgument, "the inputs are x, in0");
    } else {
      EXPECT_TRUE(fed.ok()) << fed.status();
    }
  }
}

TEST_F(InputSetsTest, AFileOfOneSideFeedsTheOther) {
  const Tensor value = Tensor::Of<float>({2}, {5, 6});
  options_.right_inputs = WriteArchive("f.npz", {{"in0", value}});
  auto fed = Get(kX, kIn0);
  ASSERT_TRUE(fed.ok()) << fed.status();
  ExpectSameBits(fed->left.at("x").tensor(), value);
  // Files of both sides are their own business, as long as sizes agree.
  const Tensor other = Tensor::Of<float>({2}, {8, 9});
  options_.left_inputs = WriteArchive("g.npz", {{"x", other}});
  fed = Get(kX, kIn0);
  ASSERT_TRUE(fed.ok()) << fed.status();
  ExpectSameBits(fed->left.at("x").tensor(), other);
  ExpectSameBits(fed->right.at("in0").tensor(), value);
  constexpr char kFree[] = "g (float[N] x) => (float[N] y) { y = Neg(x) }";
  options_.left_inputs = WriteArchive("h.npz", {{"x", Tensor::Of<float>({1}, {8})}});
  ExpectError(Get(kFree, kIn0).status(), absl::StatusCode::kInvalidArgument,
              "sizes differ: left input `x` is given float[1], right input `in0` float[2]");
}

TEST_F(InputSetsTest, ValuesOfOtherTypesAreCastIfTheyFit) {
  constexpr char kIds[] = "g (int32[2] ids) => (int32[2] y) { y = Neg(ids) }";
  options_.inputs = WriteArchive("f.npz", {{"ids", Tensor::Of<int64_t>({2}, {1, -2})}});
  const auto fed = Get(kIds, kIds);
  ASSERT_TRUE(fed.ok()) << fed.status();
  ExpectSameBits(fed->left.at("ids").tensor(), Tensor::Of<int32_t>({2}, {1, -2}));
  options_.inputs = WriteArchive("g.npz", {{"ids", Tensor::Of<int64_t>({2}, {1, 3000000000})}});
  ExpectError(Get(kIds, kIds).status(), absl::StatusCode::kInvalidArgument,
              "3000000000 is out of the range of int32");
  options_.inputs = WriteArchive("h.npz", {{"ids", Tensor::Of<float>({2}, {1, 2})}});
  ExpectError(Get(kIds, kIds).status(), absl::StatusCode::kInvalidArgument,
              "left input `ids` cannot take ids of");
  options_.inputs = WriteArchive("i.npz", {{"ids", Tensor::Of<int64_t>({3}, {1, 2, 3})}});
  ExpectError(Get(kIds, kIds).status(), absl::StatusCode::kInvalidArgument,
              "the sizes differ (dimension 0)");
}

TEST_F(InputSetsTest, AFileMayGiveWhatInitializersHave) {
  constexpr char kLifted[] = "g (float[2] w, float[2] x) => (float[2] y) { y = Sub(x, w) }";
  constexpr char kWhole[] =
      "g (float[2] x) => (float[2] y) <float[2] w = {1, 2}> { y = Sub(x, w) }";
  const Tensor x = Tensor::Of<float>({2}, {5, 6});
  options_.inputs = WriteArchive("f.npz", {{"x", x}, {"w", Tensor::Of<float>({2}, {1, 2})}});
  auto fed = Get(kLifted, kWhole);
  ASSERT_TRUE(fed.ok()) << fed.status();
  EXPECT_THAT(fed->notes, IsEmpty());
  options_.inputs = WriteArchive("g.npz", {{"x", x}, {"w", Tensor::Of<float>({2}, {1, 3})}});
  fed = Get(kLifted, kWhole);
  ASSERT_TRUE(fed.ok()) << fed.status();
  EXPECT_THAT(fed->notes, ElementsAre("left input `w` is given other values than right initializer "
                                      "`w` has"));
}

TEST_F(InputSetsTest, WhatIsMissingIsAnErrorUnlessNobodyReadsIt) {
  constexpr char kTwo[] =
      "g (float[2] x, float[2] z, float[3] unused) => (float[2] y) { y = Sub(x, z) }";
  options_.inputs = WriteArchive("f.npz", {{"x", Tensor::Of<float>({2}, {5, 6})}});
  ExpectError(Get(kTwo, kTwo).status(), absl::StatusCode::kInvalidArgument,
              "no value for left input `z` float[2]; ");
  options_.inputs = WriteArchive("g.npz", {{"x", Tensor::Of<float>({2}, {5, 6})},
                                           {"z", Tensor::Of<float>({2}, {5, 6})},
                                           {"more", Tensor::Of<float>({2}, {5, 6})}});
  ExpectError(Get(kTwo, kTwo).status(), absl::StatusCode::kInvalidArgument,
              "no input takes more of ");
  options_.partial = true;
  const auto fed = Get(kTwo, kTwo);
  ASSERT_TRUE(fed.ok()) << fed.status();
  EXPECT_TRUE(fed->left.contains("unused"));
  EXPECT_THAT(fed->notes, Contains(HasSubstr("no input takes more of ")));
  // Without files the error comes at once.
  options_ = {};
  ExpectError(Open(kTwo, kX).status(), absl::StatusCode::kInvalidArgument, "no counterpart");
}

// A name in the file outranks what the graph suggests.
TEST_F(InputSetsTest, NamesOfBothSidesInTheFile) {
  constexpr char kLeft[] = "g (float[2] a, float[2] b) => (float[2] y) { y = Sub(a, b) }";
  constexpr char kRight[] = "g (float[2] p, float[2] q) => (float[2] y) { y = Sub(q, p) }";
  const auto two = [](float first) { return Tensor::Of<float>({2}, {first, 1}); };
  options_.inputs =
      WriteArchive("f.npz", {{"a", two(1)}, {"b", two(2)}, {"p", two(3)}, {"q", two(4)}});
  auto fed = Get(kLeft, kRight);
  ASSERT_TRUE(fed.ok()) << fed.status();
  ExpectSameBits(fed->left.at("a").tensor(), two(1));
  ExpectSameBits(fed->right.at("p").tensor(), two(3));
  ExpectSameBits(fed->right.at("q").tensor(), two(4));
  // What the user says goes before the names.
  options_.map_input = {"a=p"};
  fed = Get(kLeft, kRight);
  ASSERT_TRUE(fed.ok()) << fed.status();
  ExpectSameBits(fed->right.at("p").tensor(), two(1));
}

// So does a position, where names do not tell.
TEST_F(InputSetsTest, PositionsOfBothSidesInAFolder) {
  constexpr char kLeft[] = "g (float[2] a, float[2] b) => (float[2] y) { y = Sub(a, b) }";
  constexpr char kRight[] = "g (float[2] p, float[2] q) => (float[2] y) { y = Sub(q, p) }";
  std::filesystem::create_directories(folder_.Path("set"));
  const auto two = [](float first) { return Tensor::Of<float>({2}, {first, 1}); };
  WriteProto("set/input_0.pb", two(1));
  WriteProto("set/input_1.pb", two(2));
  options_.inputs = folder_.Path("set");
  auto fed = Get(kLeft, kRight);
  ASSERT_TRUE(fed.ok()) << fed.status();
  ExpectSameBits(fed->right.at("p").tensor(), two(1));
  ExpectSameBits(fed->right.at("q").tensor(), two(2));
  // The names in the files are the right's.
  ASSERT_TRUE(WriteValueFile(folder_.Path("set/input_0.pb"), two(5), "q").ok());
  ASSERT_TRUE(WriteValueFile(folder_.Path("set/input_1.pb"), two(6), "p").ok());
  fed = Get(kLeft, kRight);
  ASSERT_TRUE(fed.ok()) << fed.status();
  ExpectSameBits(fed->right.at("q").tensor(), two(5));
  ExpectSameBits(fed->left.at("a").tensor(), two(5));
  // A gap.
  std::filesystem::remove(folder_.Path("set/input_0.pb"));
  ExpectError(Get(kLeft, kRight).status(), absl::StatusCode::kInvalidArgument,
              "input_0.pb is missing");
}

TEST_F(InputSetsTest, FoldersOfDataSets) {
  for (const int64_t set : {0, 1, 10}) {
    const std::string name = absl::StrCat("test_data_set_", set);
    std::filesystem::create_directories(folder_.Path(name));
    WriteProto(name + "/input_0.pb", Tensor::Of<float>({2}, {static_cast<float>(set), 1}));
  }
  options_.inputs = folder_.Path("");
  auto sets = Open(kX, kIn0);
  ASSERT_TRUE(sets.ok()) << sets.status();
  ASSERT_EQ(sets->size(), 3);
  const auto last = sets->Get(2);
  ASSERT_TRUE(last.ok()) << last.status();
  EXPECT_EQ(last->name, "test_data_set_10");
  ExpectSameBits(last->left.at("x").tensor(), Tensor::Of<float>({2}, {10, 1}));
  ExpectSameBits(last->right.at("in0").tensor(), Tensor::Of<float>({2}, {10, 1}));
  EXPECT_FALSE(sets->Get(3).ok());
  EXPECT_FALSE(sets->Get(-1).ok());
}

TEST_F(InputSetsTest, AFolderFitsOneOfTheSides) {
  // Its only file is the right model's input, and would be the left one's weight.
  WriteProto("input_0.pb", Tensor::Of<float>({2}, {5, 6}));
  options_.inputs = folder_.Path("");
  const auto fed =
      Get("g (float[3] w, float[2] x) => (float[2] y, float[3] v)"
          "{ y = Neg(x) v = Abs(w) }",
          "g (float[2] in) => (float[2] y, float[3] v) <float[3] c = {1, 2, 3}>"
          "{ y = Neg(in) v = Abs(c) }");
  ASSERT_TRUE(fed.ok()) << fed.status();
  ExpectSameBits(fed->left.at("x").tensor(), Tensor::Of<float>({2}, {5, 6}));
  ExpectSameBits(fed->left.at("w").tensor(), Tensor::Of<float>({3}, {1, 2, 3}));
}

TEST_F(InputSetsTest, SlicesOfAnArchive) {
  options_.inputs = WriteArchive("f.npz", {{"x", Tensor::Of<float>({3, 2}, {1, 2, 3, 4, 5, 6})}});
  options_.each = true;
  auto sets = Open(kX, kIn0);
  ASSERT_TRUE(sets.ok()) << sets.status();
  ASSERT_EQ(sets->size(), 3);
  const auto fed = sets->Get(1);
  ASSERT_TRUE(fed.ok()) << fed.status();
  EXPECT_EQ(fed->name, "[1]");
  ExpectSameBits(fed->right.at("in0").tensor(), Tensor::Of<float>({2}, {3, 4}));
  options_.left_inputs = WriteArchive("g.npz", {{"x", Tensor::Of<float>({1, 2}, {1, 2})}});
  ExpectError(Open(kX, kIn0).status(), absl::StatusCode::kInvalidArgument,
              "the left side has 1 sets of inputs, the right side 3");
  options_.left_inputs.clear();
  options_.inputs = WriteArchive("h.npz", {{"x", Tensor::Of<float>({1, 2}, {1, 2})},
                                           {"z", Tensor::Of<float>({2, 2}, {1, 2, 3, 4})}});
  ExpectError(Open(kX, kIn0).status(), absl::StatusCode::kInvalidArgument, "leading axes differ");
  options_.inputs = WriteArchive("i.npz", {{"x", Tensor::Scalar<float>(1)}});
  ExpectError(Open(kX, kIn0).status(), absl::StatusCode::kInvalidArgument, "no leading axis");
}

TEST_F(InputSetsTest, OneModelTakesARecordingsInputs) {
  left_ = *LoadGraph(kX);
  const Tensor value = Tensor::Of<float>({2}, {5, 6});
  auto sets = InputSets::OpenLeft(left_->graph, options_, {{{"was", value}}, true, {}});
  ASSERT_TRUE(sets.ok()) << sets.status();
  auto fed = sets->Get(0);
  ASSERT_TRUE(fed.ok()) << fed.status();
  ExpectSameBits(fed->left.at("x").tensor(), value);
  EXPECT_THAT(fed->right, IsEmpty());
  // Without any they are made up.
  options_.generated.ramp = true;
  sets = InputSets::OpenRight(left_->graph, options_);
  ASSERT_TRUE(sets.ok()) << sets.status();
  fed = sets->Get(0);
  ASSERT_TRUE(fed.ok()) << fed.status();
  ExpectSameBits(fed->right.at("x").tensor(), Tensor::Of<float>({2}, {0, 0.5}));
  EXPECT_EQ(fed->made_up, std::vector<std::string>{"x"});
  sets = InputSets::OpenLeft(left_->graph, options_,
                             {{{"was", Tensor::Of<float>({3}, {1, 2, 3})}}, true, {}});
  ExpectError(sets->Get(0).status(), absl::StatusCode::kInvalidArgument,
              "no value for left input `x` float[2]; the recording has was float[3]");
  options_.right_inputs = "f.npz";
  ExpectError(InputSets::OpenLeft(left_->graph, options_).status(),
              absl::StatusCode::kInvalidArgument, "the right side is a recording");
}

}  // namespace
}  // namespace onnxcmp
