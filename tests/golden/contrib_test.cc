// Runs the cases of tests/golden/contrib, whose README describes them, on the operators that
// onnxruntime adds to ONNX: --gtest_filter='GoldenContrib.FusedMatMul_*'. The expected values are
// onnxruntime's.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "evaluator/base/status_macros.h"
#include "evaluator/load/load_model.h"
#include "evaluator/run/evaluator.h"
#include "gtest/gtest.h"
#include "record/recordings/npz_reader.h"
#include "tests/golden/registration.h"
#include "tests/support/mismatch.h"
#include "tests/support/op_test.h"
#include "tests/support/paths.h"

namespace onnxcmp::testing {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kFolder[] = "contrib";

std::string CasePath(const std::string& op, absl::string_view file) {
  return Golden(absl::StrCat(kFolder, "/", op, "/", file));
}

// The arrays of one case.
class Arrays {
 public:
  static absl::StatusOr<Arrays> Open(const std::string& path, const std::string& name) {
    OC_ASSIGN_OR_RETURN(NpzReader archive, NpzReader::Open(path));
    return Arrays(std::move(archive), name);
  }

  // `array`: "in/x". NotFound if there is none.
  absl::StatusOr<Tensor> Read(const std::string& array) const {
    const std::optional<size_t> index = archive_.Find(absl::StrCat(case_, "/", array));
    if (!index.has_value()) {
      return absl::NotFoundError(absl::StrCat("case ", case_, " has no array ", array));
    }
    OC_ASSIGN_OR_RETURN(NpyArray read, archive_.ReadArray(*index));
    return std::move(read.tensor);
  }
  bool Has(const std::string& array) const {
    return archive_.Find(absl::StrCat(case_, "/", array)).has_value();
  }

 private:
  Arrays(NpzReader archive, std::string name)
      : archive_(std::move(archive)), case_(std::move(name)) {}
  NpzReader archive_;
  std::string case_;
};

absl::StatusOr<Value> ReadInput(const Arrays& arrays, const std::string& name) {
  const std::string array = absl::StrCat("in/", name);
  if (!arrays.Has(array + "/dims")) return arrays.Read(array);
  SparseTensor sparse;
  OC_ASSIGN_OR_RETURN(sparse.values, arrays.Read(array + "/values"));
  OC_ASSIGN_OR_RETURN(sparse.indices, arrays.Read(array + "/indices"));
  OC_ASSIGN_OR_RETURN(const Tensor dims, arrays.Read(array + "/dims"));
  const absl::Span<const int64_t> shape = dims.AsSpan<int64_t>();
  sparse.dims.assign(shape.begin(), shape.end());
  return Value(std::move(sparse));
}

// `got` with the elements of `want` where `undefined` is true.
absl::StatusOr<Tensor> Filled(const Tensor& got, const Tensor& want, const Tensor& undefined) {
  if (got.dtype() != want.dtype() || got.shape() != want.shape()) return got;
  OC_ASSIGN_OR_RETURN(const Tensor from, got.Contiguous());
  OC_ASSIGN_OR_RETURN(Tensor filled, Tensor::Allocate(got.dtype(), got.shape()));
  const size_t width = static_cast<size_t>(BitWidth(got.dtype())) / 8;
  const absl::Span<const bool> mask = undefined.AsSpan<bool>();
  for (size_t i = 0; i < mask.size(); ++i) {
    const Tensor& source = mask[i] ? want : from;
    std::memcpy(filled.mutable_raw_data() + i * width, source.raw_data() + i * width, width);
  }
  return filled;
}

// Elements of 8-bit tensors that are not the same.
int64_t CountDifferent(const Tensor& got, const Tensor& want) {
  int64_t different = 0;
  for (int64_t i = 0; i < want.num_elements(); ++i) {
    different += got.raw_data()[i] != want.raw_data()[i] ? 1 : 0;
  }
  return different;
}

// What is wrong with output `name`; nothing if it is right.
absl::StatusOr<std::optional<std::string>> WrongOutput(const Json& settings, const Arrays& arrays,
                                                       const std::string& name, const Value& got) {
  OC_ASSIGN_OR_RETURN(const Tensor want, arrays.Read(absl::StrCat("out/", name)));
  if (!got.is_tensor()) return std::optional<std::string>("no tensor: " + got.TypeString());
  OC_ASSIGN_OR_RETURN(Tensor tensor, got.tensor().Contiguous());
  const std::string undefined = absl::StrCat("undefined/", name);
  if (arrays.Has(undefined)) {
    OC_ASSIGN_OR_RETURN(const Tensor mask, arrays.Read(undefined));
    OC_ASSIGN_OR_RETURN(tensor, Filled(tensor, want, mask));
  }
  std::optional<std::string> mismatch =
      Mismatch(tensor, want, {.rtol = settings.at("rtol"), .atol = settings.at("atol")});
  if (mismatch.has_value() || !settings.contains("one_off")) return mismatch;
  const int64_t different = CountDifferent(tensor, want);
  const double share = settings.at("one_off");
  if (static_cast<double>(different) <=
      std::max(1.0, share * static_cast<double>(want.num_elements()))) {
    return mismatch;
  }
  return std::optional<std::string>(
      absl::StrCat(different, " of ", want.num_elements(), " elements are one step off"));
}

absl::Status RunCase(const std::string& op, const std::string& name, const Json& settings) {
  OC_ASSIGN_OR_RETURN(const Arrays arrays, Arrays::Open(CasePath(op, "cases.npz"), name));
  OC_ASSIGN_OR_RETURN(const std::shared_ptr<const Model> model,
                      LoadModel(CasePath(op, name + ".onnx"), Registry()));
  OC_ASSIGN_OR_RETURN(const Evaluator evaluator,
                      Evaluator::Create(model, Registry(), {.threads = 1}));
  Feeds feeds;
  for (const ValueInfo& input : model->graph.inputs) {
    OC_ASSIGN_OR_RETURN(feeds[input.name], ReadInput(arrays, input.name));
  }
  OC_ASSIGN_OR_RETURN(const std::vector<Value> outputs, evaluator.Run(feeds));
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::string& output = model->graph.outputs[i].name;
    OC_ASSIGN_OR_RETURN(const std::optional<std::string> wrong,
                        WrongOutput(settings, arrays, output, outputs[i]));
    EXPECT_FALSE(wrong.has_value()) << "output " << output << ": " << *wrong;
  }
  return absl::OkStatus();
}

class ContribCase : public ::testing::Test {
 public:
  ContribCase(std::string op, std::string name, Json settings)
      : op_(std::move(op)), name_(std::move(name)), settings_(std::move(settings)) {}

  void TestBody() override {
    SCOPED_TRACE(settings_.value("what", ""));
    const absl::Status status = RunCase(op_, name_, settings_);
    EXPECT_TRUE(status.ok()) << status;
  }

 private:
  const std::string op_;
  const std::string name_;
  const Json settings_;
};

// That no folder was lost.
TEST(GoldenContribFolder, IsThere) { EXPECT_TRUE(std::filesystem::exists(Golden(kFolder))); }

}  // namespace

void RegisterContribCases() {
  std::vector<std::string> operators;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(Golden(kFolder), error)) {
    if (entry.is_directory()) operators.push_back(entry.path().filename().string());
  }
  std::sort(operators.begin(), operators.end());
  for (const std::string& op : operators) {
    std::ifstream file(CasePath(op, "cases.json"));
    const Json cases = Json::parse(file, nullptr, /*allow_exceptions=*/false);
    if (!cases.is_object()) continue;  // an unfinished folder
    for (const auto& [name, settings] : cases.items()) {
      const std::string test = absl::StrCat(absl::StrReplaceAll(op, {{".", "_"}}), "_", name);
      ::testing::RegisterTest("GoldenContrib", test.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                              [op = op, name = name, settings = settings]() -> ::testing::Test* {
                                return new ContribCase(op, name, settings);
                              });
    }
  }
}

}  // namespace onnxcmp::testing
