#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "record/recordings/recorded_values.h"
#include "tests/support/load_test.h"
#include "tests/support/op_test.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::ExpectError;
using ::onnxcmp::testing::ExpectSameBits;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SafetensorsTest : public ::testing::Test {
 protected:
  static std::string File(const std::string& header, const std::string& data) {
    std::string file;
    for (int i = 0; i < 8; ++i) file.push_back(static_cast<char>(header.size() >> (8 * i) & 0xff));
    return absl::StrCat(file, header, data);
  }
  absl::Status Open(const std::string& bytes) {
    path_ = folder_.Write("t.safetensors", bytes);
    auto opened = OpenSafetensors(path_);
    if (!opened.ok()) return opened.status();
    values_ = *std::move(opened);
    return absl::OkStatus();
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const RecordedResult& result : values_->results()) names.push_back(result.name);
    return names;
  }
  absl::StatusOr<Tensor> Read(size_t index) {
    auto read = values_->ReadValue(index);
    if (!read.ok()) return read.status();
    return read->value.tensor();
  }
  // Refused, with the file's name and why.
  void ExpectRefused(const std::string& header, const std::string& data, const std::string& why) {
    const absl::Status status = Open(File(header, data));
    ExpectError(status, absl::StatusCode::kInvalidArgument, why);
    EXPECT_THAT(status.message(), HasSubstr("t.safetensors")) << status;
  }

  testing::TestFolder folder_;
  std::string path_;
  std::unique_ptr<RecordedValues> values_;
};

TEST_F(SafetensorsTest, ReadsTensorsInNaturalOrder) {
  const std::string header = R"({"layer.10":{"dtype":"I32","shape":[2],"data_offsets":[4,12]},)"
                             R"("__metadata__":{"format":"pt"},)"
                             R"("layer.2":{"dtype":"F32","shape":[],"data_offsets":[0,4]},)"
                             R"("none":{"dtype":"F64","shape":[0,7],"data_offsets":[12,12]}}   )";
  const std::string data("\0\0\x80\x3f\x01\0\0\0\xff\xff\xff\xff", 12);
  const absl::Status status = Open(File(header, data));
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_THAT(Names(), ElementsAre("layer.2", "layer.10", "none"));
  ExpectSameBits(Read(0), Tensor::Scalar(1.0f));
  ExpectSameBits(Read(1), Tensor::Of<int32_t>({2}, {1, -1}));
  ExpectSameBits(Read(2), Tensor::Of<double>({0, 7}, {}));
  EXPECT_THAT(values_->notes(), ElementsAre());
}

TEST_F(SafetensorsTest, EveryElementType) {
  struct Case {
    const char* name;
    DType dtype;
    int bytes;  // of two elements
  };
  const Case cases[] = {{"BOOL", DType::kBool, 2},
                        {"F4", DType::kFloat4E2M1, 1},
                        {"U8", DType::kUint8, 2},
                        {"I8", DType::kInt8, 2},
                        {"F8_E5M2", DType::kFloat8E5M2, 2},
                        {"F8_E4M3", DType::kFloat8E4M3FN, 2},
                        {"F8_E8M0", DType::kFloat8E8M0, 2},
                        {"F8_E4M3FNUZ", DType::kFloat8E4M3FNUZ, 2},
                        {"F8_E5M2FNUZ", DType::kFloat8E5M2FNUZ, 2},
                        {"I16", DType::kInt16, 4},
                        {"U16", DType::kUint16, 4},
                        {"F16", DType::kFloat16, 4},
                        {"BF16", DType::kBfloat16, 4},
                        {"I32", DType::kInt32, 8},
                        {"U32", DType::kUint32, 8},
                        {"F32", DType::kFloat, 8},
                        {"C64", DType::kComplex64, 16},
                        {"F64", DType::kDouble, 16},
                        {"I64", DType::kInt64, 16},
                        {"U64", DType::kUint64, 16}};
  for (const Case& c : cases) {
    const std::string header = absl::StrCat(R"({"x":{"dtype":")", c.name,
                                            R"(","shape":[2],"data_offsets":[0,)", c.bytes, "]}}");
    const std::string data(static_cast<size_t>(c.bytes), '\x01');
    const absl::Status status = Open(File(header, data));
    ASSERT_TRUE(status.ok()) << status;
    const absl::StatusOr<Tensor> read = Read(0);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->dtype(), c.dtype) << c.name;
    EXPECT_THAT(read->shape(), ElementsAre(2)) << c.name;
    ASSERT_EQ(read->byte_size(), c.bytes) << c.name;
    EXPECT_EQ(std::string(read->data<char>(), data.size()), data) << c.name;
  }
}

TEST_F(SafetensorsTest, BorrowsFromTheFile) {
  // 8 + 64 bytes before the data.
  std::string header = R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  header.resize(64, ' ');
  ASSERT_TRUE(Open(File(header, std::string(8, '\0'))).ok());
  EXPECT_TRUE(Read(0)->buffer()->borrowed());
  // Not aligned: from a copy that is. Bytes that are no bool are not borrowed.
  ASSERT_TRUE(Open(File(header + " ", std::string(8, '\0'))).ok());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(Read(0)->raw_data()) % alignof(float), 0);
  ExpectSameBits(Read(0), Tensor::Of<float>({2}, {0, 0}));
  ASSERT_TRUE(
      Open(File(R"({"x":{"dtype":"BOOL","shape":[2],"data_offsets":[0,2]}})", "\x02\x01")).ok());
  ExpectSameBits(Read(0), Tensor::Of<bool>({2}, {true, true}));
}

TEST_F(SafetensorsTest, LeavesOutTypesThatOnnxLacks) {
  const std::string header = R"({"a":{"dtype":"F6_E2M3","shape":[4],"data_offsets":[0,3]},)"
                             R"("b":{"dtype":"U8","shape":[1],"data_offsets":[3,4]}})";
  const absl::Status status = Open(File(header, "abcd"));
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_THAT(Names(), ElementsAre("b"));
  EXPECT_THAT(values_->notes(), ElementsAre(HasSubstr("F6_E2M3")));
  ExpectSameBits(Read(0), Tensor::Of<uint8_t>({1}, {'d'}));
}

TEST_F(SafetensorsTest, DamagedFiles) {
  ExpectError(Open(""), absl::StatusCode::kInvalidArgument, "too short");
  ExpectError(Open(std::string(7, '\0')), absl::StatusCode::kInvalidArgument, "too short");
  ExpectError(Open(std::string(8, '\xff') + "{}"), absl::StatusCode::kInvalidArgument,
              "does not fit into the file");
  ExpectError(Open(File("{}", "").substr(0, 9)), absl::StatusCode::kInvalidArgument,
              "does not fit into the file");
  ExpectRefused("", "", "no JSON object");
  ExpectRefused("[]", "", "no JSON object");
  ExpectRefused("{\"a\":", "", "no JSON object");
  ExpectRefused(std::string(100000, '['), "", "no JSON object");
  ExpectRefused(R"({"x":3})", "", "tensor 'x': it is not described");
  ExpectRefused(R"({"x":{}})", "", "unknown element type ''");
  ExpectRefused(R"({"x":{"dtype":"F33","shape":[],"data_offsets":[0,4]}})", "abcd", "'F33'");
}

TEST_F(SafetensorsTest, ImpossibleShapesAndOffsets) {
  const auto with = [](const char* dtype, const char* shape, const char* offsets) {
    return absl::StrCat(R"({"x":{"dtype":")", dtype, R"(","shape":)", shape, R"(,"data_offsets":)",
                        offsets, "}}");
  };
  for (const char* shape : {"3", "[-1]", "[1.5]", "[\"1\"]", "[9223372036854775808]",
                            "[4294967296,4294967296]", "[1e400]", "null"}) {
    ExpectRefused(with("U8", shape, "[0,1]"), "a", "");
  }
  for (const char* offsets : {"[]", "[0]", "[1,0]", "[0,1,2]", "[-1,0]", "{}", "[0,true]"}) {
    ExpectRefused(with("U8", "[1]", offsets), "a", "data_offsets");
  }
  ExpectRefused(with("F32", "[1]", "[0,3]"), "abc", "3 bytes");
  ExpectRefused(with("F4", "[3]", "[0,1]"), "a", "1 bytes");
  ExpectRefused(with("F4", "[3]", "[0,2]"), "ab", "2 bytes");
  ExpectRefused(with("F64", "[2305843009213693952]", "[0,0]"), "", "0 bytes");  // 2^61
  ExpectRefused(with("U8", "[1]", "[1,2]"), "ab", "begins at byte 1");
  ExpectRefused(with("U8", "[1]", "[0,1]"), "", "the tensors take 1 bytes, the file has 0");
  ExpectRefused(with("U8", "[1]", "[0,1]"), "ab", "the tensors take 1 bytes, the file has 2");
}

TEST_F(SafetensorsTest, Overlaps) {
  const std::string x = R"("x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]})";
  ExpectRefused(absl::StrCat("{", x, R"(,"y":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})"),
                "abc", "tensor 'y' begins at byte 1");
  ExpectRefused(absl::StrCat("{", x, R"(,"y":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})"),
                "ab", "begins at byte 0");
  // The same name twice leaves the bytes of one of them to nobody.
  ExpectRefused(absl::StrCat("{", x, R"(,"x":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}})"),
                "abcd", "");
}

TEST_F(SafetensorsTest, MissingAndCutShort) {
  EXPECT_FALSE(OpenSafetensors(folder_.Path("none.safetensors")).ok());
  EXPECT_FALSE(OpenSafetensors("").ok());
  ASSERT_TRUE(Open(File(R"({"x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", "ab")).ok());
  // Cut short between opening and reading.
  folder_.Write("t.safetensors", "");
  EXPECT_THAT(Read(0).status().message(), HasSubstr("tensor 'x'"));
}

}  // namespace
}  // namespace onnxcmp
