#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "evaluator/protos/tensor_proto.h"
#include "onnx/onnx-data.pb.h"
#include "onnx/onnx_pb.h"
#include "record/recordings/recorded_values.h"
#include "tests/support/load_test.h"
#include "tests/support/op_test.h"
#include "tests/support/recorded_arrays.h"

namespace onnxcmp {
namespace {

using ::onnxcmp::testing::ExpectError;
using ::onnxcmp::testing::ExpectSameBits;
using ::onnxcmp::testing::NpyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string TensorMessage(const Tensor& tensor, absl::string_view name) {
  onnx::TensorProto proto;
  EXPECT_TRUE(TensorToProto(tensor, name, &proto).ok());
  return proto.SerializeAsString();
}

class ValueFilesTest : public ::testing::Test {
 protected:
  void Open() {
    auto opened = OpenValueFiles(folder_.Path(""));
    ASSERT_TRUE(opened.ok()) << opened.status();
    values_ = *std::move(opened);
  }
  // "INPUT x", in order.
  std::vector<std::string> Lines() const {
    std::vector<std::string> lines;
    for (const RecordedResult& result : values_->results()) {
      lines.push_back(absl::StrCat(ResultKindName(result.kind), " ", result.name));
    }
    return lines;
  }
  Value Read(size_t index) {
    auto read = values_->ReadValue(index);
    EXPECT_TRUE(read.ok()) << read.status();
    return read.ok() ? read->value : Value();
  }
  void ExpectUnreadable(const std::string& file, const std::string& bytes) {
    folder_.Write(file, bytes);
    Open();
    const absl::Status status = values_->ReadValue(0).status();
    EXPECT_FALSE(status.ok()) << file;
    EXPECT_THAT(status.message(), HasSubstr(file)) << status;
    std::filesystem::remove(folder_.Path(file));
  }

  testing::TestFolder folder_;
  std::unique_ptr<RecordedValues> values_;
};

const Tensor kOne = Tensor::Of<float>({1}, {1});
const Tensor kTwo = Tensor::Of<int64_t>({2}, {1, 2});

TEST_F(ValueFilesTest, ArraysInNaturalOrder) {
  folder_.Write("act_10.npy", NpyOf(kOne));
  folder_.Write("act_9.npy", NpyOf(kTwo));
  folder_.Write("notes.txt", "not a value");
  Open();
  EXPECT_THAT(Lines(), ElementsAre("RESULT act_9", "RESULT act_10"));
  ExpectSameBits(Read(0).tensor(), kTwo);
  ExpectSameBits(Read(1).tensor(), kOne);
}

TEST_F(ValueFilesTest, OneArray) {
  auto opened = OpenValueFiles(folder_.Write("x.npy", NpyOf(kOne)));
  ASSERT_TRUE(opened.ok()) << opened.status();
  ASSERT_EQ((*opened)->results().size(), 1u);
  EXPECT_EQ((*opened)->results()[0].name, "x");
}

TEST_F(ValueFilesTest, MessagesHaveNames) {
  folder_.Write("1.pb", TensorMessage(kOne, "linear/weight:0"));
  folder_.Write("2.pb", TensorMessage(kTwo, ""));
  folder_.Write("3.pb", TensorMessage(kTwo, "linear/weight:0"));  // taken
  Open();
  EXPECT_THAT(Lines(), ElementsAre("RESULT linear/weight:0", "RESULT 2", "RESULT 3"));
  ExpectSameBits(Read(0).tensor(), kOne);
  ExpectSameBits(Read(1).tensor(), kTwo);
}

TEST_F(ValueFilesTest, TestDataOfOnnx) {
  folder_.Write("output_0.pb", TensorMessage(kOne, "y"));
  folder_.Write("input_10.pb", TensorMessage(kOne, "k"));
  folder_.Write("input_2.pb", TensorMessage(kTwo, "c"));
  folder_.Write("input_x.pb", TensorMessage(kTwo, ""));
  Open();
  EXPECT_THAT(Lines(), ElementsAre("INPUT c", "INPUT k", "RESULT input_x", "OUTPUT y"));
}

TEST_F(ValueFilesTest, OtherValues) {
  Sequence sequence;
  sequence.elements = {Value(kOne), Value(kOne)};
  onnx::SequenceProto sequence_proto;
  ASSERT_TRUE(SequenceToProto(Value(sequence), "seq", &sequence_proto).ok());
  folder_.Write("1.pb", sequence_proto.SerializeAsString());
  onnx::SequenceProto empty;
  empty.set_elem_type(onnx::SequenceProto::TENSOR);
  folder_.Write("2.pb", empty.SerializeAsString());
  Map map;
  map.keys = Tensor::Of<std::string>({2}, {"a", "b"});
  map.values = std::make_shared<const Value>(Tensor::Of<float>({2}, {1, 2}));
  onnx::MapProto map_proto;
  ASSERT_TRUE(MapToProto(Value(map), "map", &map_proto).ok());
  folder_.Write("3.pb", map_proto.SerializeAsString());
  map.keys = Tensor::Of<int8_t>({2}, {3, -4});
  ASSERT_TRUE(MapToProto(Value(map), "", &map_proto).ok());
  folder_.Write("4.pb", map_proto.SerializeAsString());
  onnx::OptionalProto nothing;
  ASSERT_TRUE(OptionalToProto(Value(Optional()), "opt", &nothing).ok());
  folder_.Write("5.pb", nothing.SerializeAsString());
  // The same bytes as a sequence of one.
  Optional one;
  one.element = std::make_shared<const Value>(kOne);
  ASSERT_TRUE(OptionalToProto(Value(one), "opt1", &nothing).ok());
  folder_.Write("6.pb", nothing.SerializeAsString());
  Open();
  EXPECT_THAT(Lines(), ElementsAre("RESULT seq", "RESULT 2", "RESULT map", "RESULT 4", "RESULT opt",
                                   "RESULT opt1"));
  EXPECT_EQ(Read(0).TypeString(), "seq(float)[2]");
  ASSERT_TRUE(Read(1).is_sequence()) << Read(1).TypeString();
  EXPECT_TRUE(Read(1).sequence().elements.empty());
  EXPECT_EQ(Read(2).TypeString(), "map(string)[2]");
  ASSERT_TRUE(Read(3).is_map()) << Read(3).TypeString();
  ExpectSameBits(Read(3).map().keys, map.keys);
  EXPECT_EQ(Read(4).TypeString(), "optional(empty)");
  EXPECT_EQ(Read(5).TypeString(), "seq(float)[1]");
}

// Scalars with neither name nor dimensions, their elements in the fields that other messages have.
TEST_F(ValueFilesTest, ScalarsWithoutNames) {
  onnx::TensorProto number;
  number.set_data_type(onnx::TensorProto::FLOAT);
  number.add_float_data(2);
  folder_.Write("1.pb", number.SerializeAsString());
  number.Clear();
  number.set_data_type(onnx::TensorProto::INT8);
  number.add_int32_data(-3);
  folder_.Write("2.pb", number.SerializeAsString());
  number.set_data_type(onnx::TensorProto::INT32);
  folder_.Write("3.pb", number.SerializeAsString());
  number.Clear();
  number.set_data_type(onnx::TensorProto::STRING);
  number.add_string_data("s");
  folder_.Write("4.pb", number.SerializeAsString());
  Open();
  ExpectSameBits(Read(0).tensor(), Tensor::Scalar(2.0f));
  ExpectSameBits(Read(1).tensor(), Tensor::Scalar<int8_t>(-3));
  ExpectSameBits(Read(2).tensor(), Tensor::Scalar<int32_t>(-3));
  ExpectSameBits(Read(3).tensor(), Tensor::Scalar<std::string>("s"));
}

TEST_F(ValueFilesTest, Damaged) {
  const std::string array = NpyOf(kTwo);
  ExpectUnreadable("a.npy", "");
  ExpectUnreadable("b.npy", array.substr(0, 20));
  ExpectUnreadable("c.npy", array.substr(0, array.size() - 1));
  ExpectUnreadable("d.npy", array + "x");
  const std::string message = TensorMessage(kTwo, "name");
  ExpectUnreadable("f.pb", message.substr(0, message.size() - 1));
  ExpectUnreadable("e.pb", "");
  ExpectUnreadable("g.pb", std::string(20, '\xff'));
  // A dimension of 2^40 without the bytes.
  onnx::TensorProto huge;
  huge.add_dims(int64_t{1} << 40);
  huge.set_data_type(onnx::TensorProto::FLOAT);
  huge.set_raw_data("abcd");
  ExpectUnreadable("h.pb", huge.SerializeAsString());
  // Bytes of another file are not fetched.
  onnx::TensorProto elsewhere;
  elsewhere.add_dims(1);
  elsewhere.set_data_type(onnx::TensorProto::FLOAT);
  elsewhere.set_data_location(onnx::TensorProto::EXTERNAL);
  auto* location = elsewhere.add_external_data();
  location->set_key("location");
  location->set_value("a.npy");
  ExpectUnreadable("i.pb", elsewhere.SerializeAsString());
}

TEST_F(ValueFilesTest, NothingToRead) {
  ExpectError(OpenValueFiles(folder_.Path("")).status(), absl::StatusCode::kInvalidArgument,
              "there are no .npy or .pb files");
  EXPECT_FALSE(OpenValueFiles(folder_.Path("none")).ok() &&
               (*OpenValueFiles(folder_.Path("none")))->ReadValue(0).ok());
  std::filesystem::create_directory(folder_.Path("folder.npy"));
  Open();
  EXPECT_FALSE(values_->ReadValue(0).ok());
}

// Devices dump bytes, and numbers as text.
TEST_F(ValueFilesTest, PlainFilesWithoutOthers) {
  const std::vector<float> floats = {0.5F, -2, 0};
  folder_.Write("conv.raw", std::string(reinterpret_cast<const char*>(floats.data()),
                                        floats.size() * sizeof(float)));
  folder_.Write("ids.raw", std::string("\1\2\3\4\5", 5));
  folder_.Write("fc.txt", "# scores\n1 2.5e1\n-3, 4\n");
  folder_.Write("notes.txt", "a good run, 3 frames\n");
  Open();
  EXPECT_THAT(Lines(), ElementsAre("RESULT conv", "RESULT fc", "RESULT ids"));
  ExpectSameBits(Read(0).tensor(), Tensor::Of<float>({3}, floats));
  ExpectSameBits(Read(1).tensor(), Tensor::Of<float>({2, 2}, {1, 25, -3, 4}));
  ExpectSameBits(Read(2).tensor(), Tensor::Of<uint8_t>({5}, {1, 2, 3, 4, 5}));
  EXPECT_THAT(values_->notes(), ElementsAre(HasSubstr("notes.txt")));
  // Beside arrays they are others.
  folder_.Write("a.npy", NpyOf(Tensor::Of<float>({1}, {1})));
  Open();
  EXPECT_THAT(Lines(), ElementsAre("RESULT a"));
}

}  // namespace
}  // namespace onnxcmp
