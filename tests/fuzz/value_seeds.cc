// Files that the targets of recordings and adapters start from.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/load_model.h"
#include "evaluator/protos/tensor_proto.h"
#include "evaluator/run/evaluator.h"
#include "onnx/onnx_pb.h"
#include "record/recordings/npy.h"
#include "record/recordings/recording.h"
#include "tests/fuzz/seeds.h"
#include "tests/fuzz/targets.h"

namespace onnxcmp::fuzz {
namespace {

std::string BytesOf(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

absl::StatusOr<std::string> Npy(const Tensor& tensor) {
  std::string npy;
  OC_RETURN_IF_ERROR(WriteNpy(tensor, [&npy](absl::string_view bytes) {
    absl::StrAppend(&npy, bytes);
    return absl::OkStatus();
  }));
  return npy;
}

// As ReadRecordings() takes the file `name` of its list.
std::string Part(int name, const std::string& bytes) {
  return absl::StrCat(std::string(1, static_cast<char>(name)),
                      std::string(1, static_cast<char>(bytes.size() & 255)),
                      std::string(1, static_cast<char>(bytes.size() >> 8)), bytes);
}

}  // namespace

absl::StatusOr<std::vector<Seed>> ValueSeeds() {
  constexpr char kModel[] = R"(<ir_version: 9, opset_import: ["": 21]>
    g (float[2] x, int64[1,2] i) => (float[2] y, seq(float[2]) s, string[2] t, float16[2] h) {
      y = Add (x, x)
      s = SequenceConstruct (x, y)
      t = Constant <value = string[2] {"a", "bc"}> ()
      h = Cast <to = 10> (y)
    })";
  std::vector<Seed> seeds;
  const Tensor x = Tensor::Of<float>({2}, {1, 2});
  const Tensor i = Tensor::Of<int64_t>({1, 2}, {3, 4});
  for (const Tensor& tensor : {x, i}) {
    std::string npy(1, '\0');
    OC_RETURN_IF_ERROR(WriteNpy(tensor, [&npy](absl::string_view bytes) {
      absl::StrAppend(&npy, bytes);
      return absl::OkStatus();
    }));
    seeds.push_back({absl::StrCat("npy_", seeds.size()), npy});
    onnx::TensorProto proto;
    OC_RETURN_IF_ERROR(TensorToProto(tensor, "x", &proto));
    seeds.push_back({absl::StrCat("pb_", seeds.size()), "\3" + proto.SerializeAsString()});
  }
  OC_ASSIGN_OR_RETURN(const std::shared_ptr<const Model> model,
                      LoadModelFromText(kModel, Registry()));
  OC_ASSIGN_OR_RETURN(const Evaluator evaluator,
                      Evaluator::Create(model, Registry(), {.threads = 1}));
  const std::filesystem::path recording =
      std::filesystem::temp_directory_path() / "onnxcmp_fuzz_seed.npz";
  OC_ASSIGN_OR_RETURN(auto writer, RecordingWriter::Create(recording, /*outputs_only=*/false));
  OC_RETURN_IF_ERROR(evaluator.Run({{"x", x}, {"i", i}}, writer.get()).status());
  OC_RETURN_IF_ERROR(writer->Finish());
  seeds.push_back({"recording", "\1" + BytesOf(recording)});
  std::error_code error;
  std::filesystem::remove(recording, error);
  const std::string header =
      R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"__metadata__":{"a":"b"}})";
  seeds.push_back(
      {"safetensors", absl::StrCat("\2", std::string(1, static_cast<char>(header.size())),
                                   std::string(7, '\0'), header, std::string(8, '\0'))});
  return seeds;
}

absl::StatusOr<std::vector<Seed>> RecordingSeeds() {
  OC_ASSIGN_OR_RETURN(const std::string npy, Npy(Tensor::Of<float>({2}, {1, 2})));
  onnx::TensorProto proto;
  OC_RETURN_IF_ERROR(TensorToProto(Tensor::Of<int64_t>({2}, {3, 4}), "y", &proto));
  const std::string message = proto.SerializeAsString();
  const std::string polygraphy = absl::StrCat(
      R"({"lst": [["runner", [{"outputs": {"x": {"values": {"array": ")", absl::Base64Escape(npy),
      R"(", "polygraphy_class": "ndarray"}, "polygraphy_class": "LazyArray"}}, "runtime": 0.5, )",
      R"("runner_name": "r", "polygraphy_class": "IterationResult"}]]], )",
      R"("polygraphy_class": "RunResults"})");
  const std::string arrays =
      R"({"x": [[1, 2], [3, 4.5]], "y": {"type": "float32", "dims": [2, 2], "data": [1, 2, 3, 4]}})";
  const std::string listed = R"([{"name": "x", "shape": [2, 2], "data": [1, null, "NaN", 4]}])";
  const std::string raw = R"({"z.raw": {"dtype": "float32", "shape": [1]}})";
  std::vector<Seed> seeds;
  for (const std::string& json : {polygraphy, arrays, listed}) {
    seeds.push_back({absl::StrCat("json_", seeds.size()), absl::StrCat(std::string(1, 0), json)});
  }
  const std::vector<std::string> folders = {
      Part(0, npy) + Part(1, npy),
      Part(2, message) + Part(3, message),
      Part(4, "abcd") + Part(6, raw),
      Part(5, "1 2 3\n4 5 6\n"),
      Part(11, message) + Part(14, message) + Part(17, message),
      Part(6, arrays) + Part(0, npy),
      Part(13, npy) + Part(16, npy)};
  for (const std::string& parts : folders) {
    for (const int kind : {1, 2}) {
      seeds.push_back({absl::StrCat(kind == 1 ? "folder_" : "archive_", seeds.size()),
                       absl::StrCat(std::string(1, static_cast<char>(kind)), parts)});
    }
  }
  return seeds;
}

absl::StatusOr<std::vector<Seed>> AdapterSeeds() {
  OC_ASSIGN_OR_RETURN(const std::string npy, Npy(Tensor::Of<uint16_t>({2}, {1, 2})));
  const std::string lines =
      R"({"id": 1, "name": "r", "version": "1", "place": "CPU", "results": true, "missing": []}
{"id": 2, "session": 1}
{"id": 3, "outputs": [{"name": "y", "kind": "sequence", "elements": []}], "seconds": 0.5}
)";
  std::vector<Seed> seeds = {{"lines", std::string(1, 0) + lines},
                             {"spec", "\1onnxruntime:providers=A,B,disable=x"}};
  const std::string tensor = R"({"kind":"tensor","file":"x_0.npy","type":"bfloat16"})";
  for (const std::string& entry :
       {tensor, absl::StrCat(R"({"kind":"sequence","elements":[)", tensor, ",", tensor, "]}"),
        absl::StrCat(R"({"kind":"optional","elements":[)", tensor, "]}"),
        absl::StrCat(R"({"kind":"map","elements":[)", tensor, ",", tensor, "]}")}) {
    seeds.push_back({absl::StrCat("entry_", seeds.size()), absl::StrCat("\2", entry, "\n", npy)});
  }
  return seeds;
}

}  // namespace onnxcmp::fuzz
