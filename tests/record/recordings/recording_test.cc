#include "record/recordings/recording.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluator/model/model.h"
#include "evaluator/tensor/convert.h"
#include "record/recordings/npz_reader.h"
#include "tests/support/load_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::ExpectSameBits;
using ::testing::ElementsAre;

class RecordingTest : public ::testing::Test {
 protected:
  void Open(bool outputs_only = false) {
    auto writer = RecordingWriter::Create(path_, outputs_only);
    ASSERT_TRUE(writer.ok()) << writer.status();
    writer_ = *std::move(writer);
  }
  void Add(ResultKind kind, const std::string& name, const Value& value,
           const std::string& path = "", int depth = 0, const Node* node = nullptr) {
    const Result result = {kind, name, node, path, depth, value};
    const absl::Status status = writer_->OnResult(result, nullptr);
    ASSERT_TRUE(status.ok()) << status;
  }
  // Writes, reads the results again.
  void Reopen() {
    const absl::Status status = writer_->Finish();
    ASSERT_TRUE(status.ok()) << status;
    writer_.reset();
    auto reader = RecordingReader::Open(path_);
    ASSERT_TRUE(reader.ok()) << reader.status();
    reader_.emplace(*std::move(reader));
  }
  Value Read(size_t index) {
    auto read = reader_->ReadValue(index);
    EXPECT_TRUE(read.ok()) << read.status();
    return read.ok() ? read->value : Value();
  }
  std::vector<std::string> Entries() { return NpzReader::Open(path_)->names(); }
  // What is in the folder.
  std::vector<std::string> Files() {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      files.push_back(entry.path().filename().string());
    }
    return files;
  }

  const testing::TestFolder folder_;
  const std::string path_ = folder_.Path("r.npz");
  std::unique_ptr<RecordingWriter> writer_;
  std::optional<RecordingReader> reader_;
};

const Tensor kOne = Tensor::Scalar(1.0f);
const Tensor kTwo = Tensor::Scalar(2.0f);

TEST_F(RecordingTest, KeepsOrderKindsAndWhoMadeIt) {
  Node node;
  node.name = "n";
  node.domain = "com.microsoft";
  node.op_type = "Gelu";
  Open();
  Add(ResultKind::kInitializer, "w", kOne);
  Add(ResultKind::kInput, "x", kTwo);
  Add(ResultKind::kResult, "y", kOne, "block/layer", 0, &node);
  Add(ResultKind::kOutput, "y", kOne);
  Reopen();
  EXPECT_TRUE(reader_->described());
  const std::vector<RecordedResult>& results = reader_->results();
  ASSERT_EQ(results.size(), 4u);
  EXPECT_EQ(results[0].kind, ResultKind::kInitializer);
  EXPECT_EQ(results[1].kind, ResultKind::kInput);
  EXPECT_EQ(results[2].kind, ResultKind::kResult);
  EXPECT_EQ(results[2].name, "y");
  EXPECT_EQ(results[2].op_type, "Gelu");
  EXPECT_EQ(results[2].domain, "com.microsoft");
  EXPECT_EQ(results[2].node, "n");
  EXPECT_EQ(results[2].path, "block/layer");
  EXPECT_EQ(results[3].kind, ResultKind::kOutput);
  ExpectSameBits(Read(1).tensor(), kTwo);
  ExpectSameBits(Read(3).tensor(), kOne);
  // The output is the result; it takes no entry of its own. Inlined calls do not show in names.
  EXPECT_THAT(Entries(), ElementsAre("w", "x", "y"));
  EXPECT_THAT(Files(), ElementsAre("r.npz"));
}

TEST_F(RecordingTest, MainGraphNamesGoFirst) {
  Open();
  Add(ResultKind::kResult, "y", kOne, "loop[0]", 1);
  Add(ResultKind::kResult, "y", kTwo, "loop[1]", 1);
  Add(ResultKind::kResult, "y", kTwo, "loop[1]", 1);  // the same place again
  Add(ResultKind::kResult, "loop[0]/y", kTwo);
  Reopen();
  EXPECT_THAT(Entries(), ElementsAre("loop[0]/y#2", "loop[1]/y", "loop[1]/y#2", "loop[0]/y"));
  ExpectSameBits(Read(0).tensor(), kOne);
  ExpectSameBits(Read(3).tensor(), kTwo);
}

TEST_F(RecordingTest, TypesThatNumPyLacks) {
  const Tensor floats = Tensor::Of<float>({5}, {0, 0.5f, 1, 2, -3});
  Open();
  const DType types[] = {DType::kBfloat16,       DType::kFloat8E4M3FN,   DType::kFloat8E5M2,
                         DType::kFloat8E4M3FNUZ, DType::kFloat8E5M2FNUZ, DType::kFloat4E2M1,
                         DType::kInt4,           DType::kUint4,          DType::kInt2,
                         DType::kUint2};
  for (const DType type : types) {
    Add(ResultKind::kResult, std::string(DTypeName(type)), testing::Convert(floats, type));
  }
  Reopen();
  for (size_t i = 0; i < std::size(types); ++i) {
    ExpectSameBits(Read(i).tensor(), testing::Convert(floats, types[i]));
  }
  // What a plain reader finds: bits, an element each.
  const auto npz = NpzReader::Open(path_);
  ExpectSameBits(npz->ReadArray(*npz->Find("bfloat16"))->tensor,
                 Tensor::Of<uint16_t>({5}, {0, 0x3F00, 0x3F80, 0x4000, 0xC040}));
  ExpectSameBits(npz->ReadArray(*npz->Find("int4"))->tensor,
                 Tensor::Of<uint8_t>({5}, {0, 0, 1, 2, 13}));
}

TEST_F(RecordingTest, NestedValues) {
  Map map;
  map.keys = Tensor::Of<std::string>({2}, {"a", "ö"});
  map.values = std::make_shared<const Value>(Tensor::Of<float>({2}, {1, 2}));
  Optional optional;
  optional.element = std::make_shared<const Value>(kOne);
  SparseTensor sparse = {Tensor::Of<float>({1}, {5}), Tensor::Of<int64_t>({1}, {3}), {2, 2}};
  Open();
  Add(ResultKind::kResult, "s", Sequence{DType::kFloat, {kOne, Value(map), Sequence{}}});
  Add(ResultKind::kResult, "o", optional);
  Add(ResultKind::kResult, "none", Optional{nullptr, DType::kInt64});
  Add(ResultKind::kResult, "sparse", sparse);
  Add(ResultKind::kResult, "absent", Value());
  Reopen();
  EXPECT_THAT(Entries(), ElementsAre("s/0", "s/1/keys", "s/1/values", "o/0", "sparse/values",
                                     "sparse/indices"));
  const Value s = Read(0);
  ASSERT_TRUE(s.is_sequence());
  EXPECT_EQ(s.sequence().element_dtype, DType::kFloat);
  ASSERT_EQ(s.sequence().elements.size(), 3u);
  ExpectSameBits(s.sequence().elements[0].tensor(), kOne);
  ASSERT_TRUE(s.sequence().elements[1].is_map());
  ExpectSameBits(s.sequence().elements[1].map().keys, map.keys);
  ExpectSameBits(s.sequence().elements[1].map().values->tensor(), map.values->tensor());
  EXPECT_TRUE(s.sequence().elements[2].is_sequence());
  ExpectSameBits(Read(1).optional().element->tensor(), kOne);
  EXPECT_EQ(Read(2).optional().element, nullptr);
  EXPECT_EQ(Read(2).optional().element_dtype, DType::kInt64);
  ASSERT_TRUE(Read(3).is_sparse());
  EXPECT_EQ(Read(3).sparse().dims, (Shape{2, 2}));
  ExpectSameBits(Read(3).sparse().indices, sparse.indices);
  EXPECT_TRUE(Read(4).empty());
}

TEST_F(RecordingTest, ViewsAndStringsSurvive) {
  const Tensor matrix = Tensor::Of<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor texts = Tensor::Of<std::string>({2, 1}, {"", "long, with ü and 😀"});
  Open();
  Add(ResultKind::kResult, "transposed", matrix.Strided({3, 2}, {1, 3}, 0));
  Add(ResultKind::kResult, "texts", texts);
  Add(ResultKind::kResult, "empty", Tensor::Of<float>({0, 2}, {}));
  Reopen();
  ExpectSameBits(Read(0).tensor(), Tensor::Of<int32_t>({3, 2}, {1, 4, 2, 5, 3, 6}));
  ExpectSameBits(Read(1).tensor(), texts);
  ExpectSameBits(Read(2).tensor(), Tensor::Of<float>({0, 2}, {}));
}

TEST_F(RecordingTest, NamesThatNoEntryCanHave) {
  Open();
  Add(ResultKind::kResult, "../../etc/x", kOne);
  Add(ResultKind::kResult, std::string("a\0b", 3), kOne);
  Add(ResultKind::kResult, "a\xFF", kOne);
  Add(ResultKind::kResult, std::string(70000, 'x'), kOne);
  Add(ResultKind::kResult, std::string(70000, 'x') + "y", kTwo);
  Reopen();
  const std::vector<std::string> entries = Entries();
  ASSERT_EQ(entries.size(), 5u);
  EXPECT_EQ(entries[0], "../../etc/x");
  EXPECT_EQ(entries[1], "a%00b");
  EXPECT_EQ(entries[2], "a%FF");
  EXPECT_EQ(entries[3], std::string(60000, 'x'));
  EXPECT_EQ(entries[4], std::string(60000, 'x') + "#2");
  EXPECT_EQ(reader_->results()[1].name, std::string("a\0b", 3));
  EXPECT_EQ(reader_->results()[3].name, std::string(70000, 'x'));
  ExpectSameBits(Read(4).tensor(), kTwo);
}

TEST_F(RecordingTest, OutputsOnly) {
  Open(/*outputs_only=*/true);
  Add(ResultKind::kInput, "x", kOne);
  Add(ResultKind::kResult, "y", kTwo);
  Add(ResultKind::kOutput, "y", kTwo);
  Reopen();
  EXPECT_EQ(reader_->results().size(), 1u);
  EXPECT_THAT(Entries(), ElementsAre("y"));
}

TEST_F(RecordingTest, NothingRemainsOfAnUnfinishedOne) {
  Open();
  Add(ResultKind::kResult, "y", kOne);
  EXPECT_EQ(Files().size(), 1u);
  writer_.reset();
  EXPECT_TRUE(Files().empty());
}

TEST_F(RecordingTest, PlacesThatCannotBeWritten) {
  testing::ExpectError(RecordingWriter::Create(folder_.path(), false).status(),
                       absl::StatusCode::kUnavailable, "cannot write");
  testing::ExpectError(RecordingWriter::Create(folder_.Path("no/r.npz"), false).status(),
                       absl::StatusCode::kUnavailable, "No such file or directory");
}

TEST_F(RecordingTest, DescriptionsThatAreWrong) {
  const std::string tensor = R"({"type": "tensor", "dtype": "float", "shape": [], "entry": "y"})";
  const auto open_with = [&](const std::string& json) -> absl::Status {
    auto writer = NpzWriter::Create(path_);
    const auto array = (*writer)->AddArray(kOne);
    const auto text = (*writer)->AddText(json);
    const absl::Status status = (*writer)->Finish({{"y.npy", *array}, {kRecordingEntry, *text}});
    EXPECT_TRUE(status.ok()) << status;
    const auto reader = RecordingReader::Open(path_);
    return reader.ok() ? reader->ReadValue(0).status() : reader.status();
  };
  const auto with_value = [&](const std::string& value) {
    return open_with(R"({"format": "onnxcmp recording", "version": 1, "results": [
        {"kind": "RESULT", "name": "y", "value": )" +
                     value + "}]}");
  };
  EXPECT_TRUE(with_value(tensor).ok()) << with_value(tensor);
  std::string deep;
  for (int i = 0; i < 100000; ++i) {
    deep += R"({"type": "optional", "elements": [)";
  }
  deep += tensor;
  for (int i = 0; i < 100000; ++i) {
    deep += "]}";
  }
  for (const std::string& value :
       {std::string("1"), std::string("{}"), deep,
        std::string(R"({"type": "tensor", "dtype": "float", "shape": [2], "entry": "y"})"),
        std::string(R"({"type": "tensor", "dtype": "bfloat16", "shape": [], "entry": "y"})"),
        std::string(R"({"type": "tensor", "dtype": "float", "shape": [-1], "entry": "y"})"),
        std::string(R"({"type": "tensor", "dtype": "float", "shape": [], "entry": "z"})"),
        std::string(R"({"type": "tensor", "dtype": "what", "shape": [], "entry": "y"})"),
        std::string(R"({"type": "map", "keys": {"type": "absent"}, "values": )" + tensor + "}")}) {
    testing::ExpectError(with_value(value), absl::StatusCode::kInvalidArgument, "onnxcmp.json");
  }
  testing::ExpectError(open_with("[1, 2"), absl::StatusCode::kInvalidArgument, "onnxcmp.json");
  testing::ExpectError(open_with(R"({"format": "onnxcmp recording", "version": 2})"),
                       absl::StatusCode::kUnimplemented, "version");
}

}  // namespace
}  // namespace onnxcmp
