#include "feed/feeds.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluator/protos/tensor_proto.h"
#include "record/recordings/npz_writer.h"
#include "tests/support/load_test.h"
#include "tests/support/op_test.h"
#include "tests/support/paths.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::ExpectError;
using ::onnxcmp::testing::ExpectSameBits;
using ::onnxcmp::testing::TestFolder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

ValueInfo Input(const std::string& name, DType dtype, int rank) {
  ValueInfo input;
  input.name = name;
  input.type.kind = TypeInfo::Kind::kTensor;
  input.type.dtype = dtype;
  input.type.shape.emplace(static_cast<size_t>(rank));
  return input;
}

Graph TwoInputs() {
  Graph graph;
  graph.inputs = {Input("x", DType::kFloat, 1), Input("n", DType::kInt64, 0)};
  return graph;
}

const Tensor kTwoFloats = Tensor::Of<float>({2}, {1, 2});
const Tensor kN = Tensor::Scalar<int64_t>(3);

TEST(MatchFeedsTest, ByName) {
  const auto matched = MatchFeeds({{"n", kN}, {"x", kTwoFloats}}, TwoInputs(), "f");
  ASSERT_TRUE(matched.ok()) << matched.status();
  ExpectSameBits(matched->feeds.at("x").tensor(), kTwoFloats);
  ExpectSameBits(matched->feeds.at("n").tensor(), kN);
  EXPECT_THAT(matched->notes, IsEmpty());
}

TEST(MatchFeedsTest, ByPosition) {
  const auto matched = MatchFeeds({{"a", kTwoFloats}, {"b", kN}}, TwoInputs(), "f");
  ASSERT_TRUE(matched.ok()) << matched.status();
  ExpectSameBits(matched->feeds.at("x").tensor(), kTwoFloats);
  EXPECT_THAT(matched->notes, ElementsAre("inputs matched by position: a to x, b to n"));
}

TEST(MatchFeedsTest, TheRestByPosition) {
  const auto matched = MatchFeeds({{"a", kN}, {"x", kTwoFloats}}, TwoInputs(), "f");
  ASSERT_TRUE(matched.ok()) << matched.status();
  ExpectSameBits(matched->feeds.at("n").tensor(), kN);
  EXPECT_THAT(matched->notes, ElementsAre("inputs matched by position: a to n"));
}

TEST(MatchFeedsTest, WhatNoInputTakesIsAnErrorUnlessItIsLetPass) {
  const std::vector<NamedValue> values = {{"n", kN}, {"x", kTwoFloats}, {"y", kTwoFloats}};
  ExpectError(MatchFeeds(values, TwoInputs(), "f").status(), absl::StatusCode::kInvalidArgument,
              "no input takes y of f; --partial accepts that");
  const auto matched = MatchFeeds(values, TwoInputs(), "f", /*partial=*/true);
  ASSERT_TRUE(matched.ok()) << matched.status();
  EXPECT_EQ(matched->feeds.size(), 2u);
  EXPECT_THAT(matched->notes, ElementsAre("no input takes y of f"));
}

TEST(MatchFeedsTest, InputsWithInitializersNeedNoValue) {
  Graph graph = TwoInputs();
  graph.initializers.push_back({"n", kN});
  EXPECT_TRUE(MatchFeeds({{"x", kTwoFloats}}, graph, "f").ok());
  const auto matched =
      MatchFeeds({{"x", kTwoFloats}, {"n", Tensor::Scalar<int64_t>(9)}}, graph, "f");
  ASSERT_TRUE(matched.ok());
  EXPECT_TRUE(matched->feeds.contains("n"));
}

TEST(MatchFeedsTest, ErrorsListBothSides) {
  // Too few, of another type, of another rank.
  ExpectError(MatchFeeds({{"x", kTwoFloats}}, TwoInputs(), "in.npz").status(),
              absl::StatusCode::kInvalidArgument,
              "no value for input n; the model takes: x float[?], n int64[]; "
              "in.npz has: x float[2]");
  ExpectError(MatchFeeds({{"a", kN}, {"b", kTwoFloats}}, TwoInputs(), "f").status(),
              absl::StatusCode::kInvalidArgument, "no value for input x");
  ExpectError(
      MatchFeeds({{"a", kTwoFloats}, {"b", Tensor::Of<int64_t>({1}, {1})}}, TwoInputs(), "f")
          .status(),
      absl::StatusCode::kInvalidArgument, "no value for input x");
  ExpectError(MatchFeeds({{"x", kN}, {"n", kN}}, TwoInputs(), "f").status(),
              absl::StatusCode::kInvalidArgument, "input x has another element type");
  ExpectError(MatchFeeds({}, TwoInputs(), "f").status(), absl::StatusCode::kInvalidArgument,
              "f has nothing");
}

TEST(MatchFeedsByPositionTest, PrefersPositions) {
  // Two inputs alike whose names are exchanged.
  Graph graph;
  graph.inputs = {Input("b", DType::kFloat, 1), Input("a", DType::kFloat, 1)};
  const Tensor other = Tensor::Of<float>({2}, {3, 4});
  const auto matched = MatchFeedsByPosition({{"a", kTwoFloats}, {"b", other}}, graph, "f");
  ASSERT_TRUE(matched.ok());
  ExpectSameBits(matched->feeds.at("b").tensor(), kTwoFloats);
  EXPECT_THAT(matched->notes, ElementsAre("inputs matched by position: a to b, b to a"));
}

TEST(MatchFeedsByPositionTest, TakesNamesWherePositionsDisagree) {
  const auto matched = MatchFeedsByPosition({{"n", kN}, {"x", kTwoFloats}}, TwoInputs(), "f");
  ASSERT_TRUE(matched.ok()) << matched.status();
  ExpectSameBits(matched->feeds.at("x").tensor(), kTwoFloats);
}

TEST(FeedFileTest, ReadsArchives) {
  auto file = FeedFile::Open(TestData("npz/kinds.npz"));
  ASSERT_TRUE(file.ok()) << file.status();
  Graph graph;
  graph.inputs = {Input("float32", DType::kFloat, 2), Input("void2", DType::kBfloat16, 1)};
  EXPECT_FALSE(file->FeedsFor(graph).ok());
  const auto matched = file->FeedsFor(graph, /*partial=*/true);
  ASSERT_TRUE(matched.ok()) << matched.status();
  EXPECT_EQ(matched->feeds.size(), 2u);
  // Bytes without a type take the input's.
  EXPECT_EQ(matched->feeds.at("void2").tensor().dtype(), DType::kBfloat16);
  EXPECT_FALSE(FeedFile::Open(TestData("npz/missing.npz")).ok());
}

// As below IR version 4, where weights are inputs, anywhere among the others.
TEST(FeedFileTest, FilesAreForInputsWithoutInitializersIfThereAreAsMany) {
  Graph graph;
  graph.inputs = {Input("w", DType::kFloat, 1), Input("n", DType::kInt64, 0)};
  graph.initializers.push_back({"w", kTwoFloats});
  const TestFolder folder;
  ASSERT_TRUE(WriteValueFile(folder.Path("input_0.pb"), kN, "").ok());
  auto file = FeedFile::Open(folder.path());
  ASSERT_TRUE(file.ok()) << file.status();
  auto matched = file->FeedsFor(graph);
  ASSERT_TRUE(matched.ok()) << matched.status();
  EXPECT_EQ(matched->feeds.size(), 1u);
  ExpectSameBits(matched->feeds.at("n").tensor(), kN);
  // Otherwise they are for all of them.
  ASSERT_TRUE(WriteValueFile(folder.Path("input_0.pb"), Tensor::Of<float>({2}, {3, 4}), "").ok());
  ASSERT_TRUE(WriteValueFile(folder.Path("input_1.pb"), kN, "").ok());
  matched = file->FeedsFor(graph);
  ASSERT_TRUE(matched.ok()) << matched.status();
  ExpectSameBits(matched->feeds.at("w").tensor(), Tensor::Of<float>({2}, {3, 4}));
  ExpectSameBits(matched->feeds.at("n").tensor(), kN);
}

TEST(FeedFileTest, OfARecordingTheInputsAreTaken) {
  const TestFolder folder;
  const std::string path = folder.Path("r.npz");
  {
    auto writer = RecordingWriter::Create(path, false);
    ASSERT_TRUE(writer.ok());
    const Value x = kTwoFloats;
    const Value n = kN;
    ASSERT_TRUE(
        (*writer)->OnResult({ResultKind::kInitializer, "w", nullptr, "", 0, n}, nullptr).ok());
    ASSERT_TRUE((*writer)->OnResult({ResultKind::kInput, "x", nullptr, "", 0, x}, nullptr).ok());
    ASSERT_TRUE((*writer)->OnResult({ResultKind::kInput, "m", nullptr, "", 0, n}, nullptr).ok());
    ASSERT_TRUE((*writer)->OnResult({ResultKind::kResult, "n", nullptr, "", 0, x}, nullptr).ok());
    ASSERT_TRUE((*writer)->Finish().ok());
  }
  auto file = FeedFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status();
  const auto matched = file->FeedsFor(TwoInputs());
  ASSERT_TRUE(matched.ok()) << matched.status();
  ExpectSameBits(matched->feeds.at("n").tensor(), kN);
}

// An archive of the arrays NAME.npy that does not say what they are. Returns its path.
std::string PlainArchive(const TestFolder& folder,
                         const std::vector<std::pair<std::string, Tensor>>& arrays) {
  std::string path = folder.Path("plain.npz");
  auto writer = NpzWriter::Create(path);
  EXPECT_TRUE(writer.ok()) << writer.status();
  std::vector<NpzWriter::Entry> entries;
  for (const auto& [name, tensor] : arrays) {
    auto piece = (*writer)->AddArray(tensor);
    EXPECT_TRUE(piece.ok()) << piece.status();
    entries.push_back({name + ".npy", *piece});
  }
  EXPECT_TRUE((*writer)->Finish(entries).ok());
  return path;
}

TEST(FeedFileTest, ThreeArraysAreASparseTensor) {
  const Tensor indices = Tensor::Of<int64_t>({2, 2}, {0, 1, 3, 2});
  const Tensor dims = Tensor::Of<int64_t>({2}, {4, 3});
  Graph graph;
  graph.inputs = {Input("s", DType::kFloat, 2), Input("t/values", DType::kFloat, 1)};
  graph.inputs[0].type.kind = TypeInfo::Kind::kSparseTensor;
  const TestFolder folder;
  const auto feeds = [&](const Tensor& where) -> absl::StatusOr<Feeds> {
    auto file = FeedFile::Open(PlainArchive(folder, {{"t/values", kTwoFloats},
                                                     {"s/dims", dims},
                                                     {"s/values", kTwoFloats},
                                                     {"s/indices", where}}));
    if (!file.ok()) return file.status();
    auto matched = file->FeedsFor(graph);
    if (!matched.ok()) return matched.status();
    return matched->feeds;
  };
  const auto good = feeds(indices);
  ASSERT_TRUE(good.ok()) << good.status();
  const SparseTensor& sparse = good->at("s").sparse();
  ExpectSameBits(sparse.values, kTwoFloats);
  ExpectSameBits(sparse.indices, indices);
  EXPECT_THAT(sparse.dims, ElementsAre(4, 3));
  ExpectSameBits(good->at("t/values").tensor(), kTwoFloats);
  ExpectError(feeds(Tensor::Of<int64_t>({2, 2}, {0, 1, 3, 3})).status(),
              absl::StatusCode::kInvalidArgument, "not in a dimension of 3");
  ExpectError(feeds(kTwoFloats).status(), absl::StatusCode::kInvalidArgument,
              "are no sparse tensor");
}

TEST(FeedFileTest, KeysAndValuesAreAMap) {
  Graph graph;
  graph.inputs.emplace_back().name = "m";
  graph.inputs[0].type.kind = TypeInfo::Kind::kMap;
  graph.inputs[0].type.dtype = DType::kInt64;
  const TestFolder folder;
  const auto feeds = [&](const Tensor& keys) -> absl::StatusOr<Feeds> {
    auto file = FeedFile::Open(PlainArchive(folder, {{"m/values", kTwoFloats}, {"m/keys", keys}}));
    if (!file.ok()) return file.status();
    auto matched = file->FeedsFor(graph);
    if (!matched.ok()) return matched.status();
    return matched->feeds;
  };
  const Tensor keys = Tensor::Of<int64_t>({2}, {3, -1});
  const auto good = feeds(keys);
  ASSERT_TRUE(good.ok()) << good.status();
  ExpectSameBits(good->at("m").map().keys, keys);
  ExpectSameBits(good->at("m").map().values->tensor(), kTwoFloats);
  ExpectError(feeds(Tensor::Of<int64_t>({1}, {3})).status(), absl::StatusCode::kInvalidArgument,
              "m/keys and m/values are no map of scalars");
}

}  // namespace
}  // namespace onnxcmp
